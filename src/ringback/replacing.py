"""Files that are written whole or not at all, in place of what they held before."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Generator
from pathlib import Path
from typing import BinaryIO

__all__ = ["replacing"]


@contextlib.contextmanager
def replacing(path: Path) -> Generator[BinaryIO, None, None]:
    """A file to write, which takes the place of `path` when the block ends without an exception.

    Until then, and if it ends with one, `path` is as it was and nothing is left beside it. Raises
    `OSError` where the file or its folder cannot be written.
    """
    # Not named after the file, whose name may be as long as a name can be.
    temporary = path.with_name(f".ringback-{secrets.token_hex(8)}.tmp")
    try:
        file = temporary.open("xb")  # one that is there is somebody else's, and stays
    except OSError as problem:
        problem.filename = str(path)  # the name that the caller knows
        raise
    try:
        with file:
            yield file
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
