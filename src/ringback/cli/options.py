"""Options that several commands share, so that they read the same everywhere."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, TypeAlias

from cyclopts import Parameter

__all__ = ["STORE_VARIABLE", "AsJson", "StorePath", "store_path"]

STORE_VARIABLE = "RINGBACK_STORE"

AsJson: TypeAlias = Annotated[
    bool, Parameter(help="Print one JSON object instead of text.", show_default=False)
]

StorePath: TypeAlias = Annotated[
    Path | None,
    Parameter(
        name="--store",
        metavar="PATH",
        help=f"Where sessions are kept: .ringback/ringback.db here, or what {STORE_VARIABLE} says.",
    ),
]


def store_path(given: Path | None) -> Path:
    """Where the store is: as given, else by the environment, else in this folder."""
    if given is not None:
        return given
    return Path(os.environ.get(STORE_VARIABLE) or Path(".ringback") / "ringback.db")
