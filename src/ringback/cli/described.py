"""Models that a file on the command line describes."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ringback.models.protocol import ModelEntry

__all__ = ["described"]


def described(path: Path) -> dict[str, ModelEntry]:
    """The ``[models.NAME]`` of a study file, or of a file that has nothing else.

    Raises `InputError`, naming the file, if it is not there or cannot be read as either.
    """
    from ringback.errors import InputError
    from ringback.models.entries import read_entries

    if not path.is_file():
        raise InputError(
            f"There is no file {path} to read models from; name a study file, or one with a table "
            "[models.NAME] for each model."
        )
    try:
        written = tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return read_entries(path)  # which says what is wrong with it
    if written.keys() <= {"models"}:
        return read_entries(path)
    from ringback.study.file import read

    return read(path).models
