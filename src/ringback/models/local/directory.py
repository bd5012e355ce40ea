"""A directory of a running model's own: for its socket and for conversations put aside."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
import time
from pathlib import Path

__all__ = ["own_directory", "tidy"]

_STALE = 60.0  # seconds after which what a killed process left may go
_PREFIX = "ringback-local-"


def own_directory() -> tuple[Path, int]:
    """A directory for this model's socket and files, and the lock that says it is in use."""
    base = Path(tempfile.gettempdir())
    if len(str(base)) > 70:  # a socket's path has some 104 bytes at most
        base = Path("/tmp")
    for old in base.glob(f"{_PREFIX}*"):
        _sweep(old)
    directory = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=base))
    lock = os.open(directory / "lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return directory, lock


def _sweep(old: Path) -> None:
    """Remove what a process left that was killed."""
    with contextlib.suppress(OSError):
        if old.stat().st_uid != os.getuid() or time.time() - old.stat().st_mtime < _STALE:
            return
        lock = os.open(old / "lock", os.O_RDWR | os.O_CLOEXEC | os.O_CREAT, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(old, ignore_errors=True)
        finally:
            os.close(lock)


def tidy(held: list[object], directory: Path, lock: int) -> None:
    """End what is held, then remove the directory and give back its lock."""
    held.clear()  # ends the server
    shutil.rmtree(directory, ignore_errors=True)
    with contextlib.suppress(OSError):
        os.close(lock)
