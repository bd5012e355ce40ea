"""Files that are written whole or not at all, in place of what they held before."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
import secrets
from collections.abc import Generator
from pathlib import Path
from typing import BinaryIO

__all__ = ["followed", "replacing"]


def followed(path: Path) -> Path:
    """The file that a path leads to through all links; it need not be there.

    Raises `OSError` for a link that leads to itself, whatever the version of Python.
    """
    try:
        found = path.resolve()
    except RuntimeError:  # before Python 3.13
        found = path
    if found.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    return found


@contextlib.contextmanager
def replacing(path: Path) -> Generator[BinaryIO, None, None]:
    """A file to write, which takes the place of `path` when the block ends without an exception.

    Until then, and if it ends with one, `path` is as it was and nothing is left beside it. What a
    process that was killed left there is removed by the next one that writes the same `path`. Who
    may read and write what was there before, may do so after.
    Raises `OSError` where the file or its folder cannot be written.
    """
    # Not named after the file, whose name may be as long as a name can be.
    mark = hashlib.blake2b(os.fsencode(path.name), digest_size=4).hexdigest()
    for left in path.parent.glob(f".ringback-{mark}-*.tmp"):
        _remove_if_dead(left)
    try:
        file, temporary = _opened(path, mark)
    except OSError as problem:
        problem.filename = str(path)  # the name that the caller knows
        raise
    try:
        with file:
            with contextlib.suppress(OSError):  # there is none, or its owner is another
                os.fchmod(file.fileno(), path.stat().st_mode & 0o777)
            yield file
            file.flush()
            temporary.replace(path)  # while the lock is held, or another might remove it
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _opened(path: Path, mark: str) -> tuple[BinaryIO, Path]:
    """A new file beside `path`, locked for as long as this process has it open."""
    while True:
        temporary = path.with_name(f".ringback-{mark}-{secrets.token_hex(8)}.tmp")
        file = temporary.open("xb")  # one that is there is somebody else's, and stays
        with contextlib.suppress(OSError):  # without locks there, nobody removes what is left
            fcntl.flock(file, fcntl.LOCK_EX)
        if temporary.exists():
            return file, temporary
        file.close()  # taken for a dead process's before it was locked


def _remove_if_dead(left: Path) -> None:
    """Remove the file of a process that is no more, as the lock shows that it had."""
    with contextlib.suppress(OSError):
        number = os.open(left, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
            left.unlink()
        finally:
            os.close(number)
