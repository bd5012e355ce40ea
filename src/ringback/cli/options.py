"""Options that several commands share, so that they read the same everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

from cyclopts import Parameter

__all__ = ["AsJson", "DomainName", "Jobs", "StorePath", "Workers", "store_path"]

AsJson: TypeAlias = Annotated[
    bool, Parameter(help="Print one JSON object instead of text.", show_default=False)
]

StorePath: TypeAlias = Annotated[
    Path | None,
    Parameter(
        name="--store",
        metavar="PATH",
        help="Where sessions are kept: .ringback/ringback.db here, or what RINGBACK_STORE says.",
    ),
]

DomainName: TypeAlias = Annotated[
    str, Parameter(name="--domain", help="Which support world.", metavar="NAME")
]

Jobs: TypeAlias = Annotated[int, Parameter(help="Episodes in flight in a process.", metavar="N")]

Workers: TypeAlias = Annotated[
    int, Parameter(help="Processes that play episodes side by side.", metavar="N")
]


def store_path(given: Path | None) -> Path:
    """Where the store is: as given, else by the environment, else in this folder."""
    from ringback.sessions import default_path

    return default_path() if given is None else given
