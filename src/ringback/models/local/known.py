"""What is known of a file of weights, remembered while its size and time stay the same."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import threading
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ringback.errors import InputError
from ringback.models.local.places import cache_dir

__all__ = ["remember_loads", "sha256_of", "was_loaded"]

_MOST = 200  # files remembered; the oldest go first
_lock = threading.Lock()


class _Known(Struct, frozen=True):
    size: int
    changed: int
    sha256: str
    loads: str | None = None


def sha256_of(path: Path) -> str:
    """The file's SHA-256 as 64 hexadecimal digits.

    Read once, a second or so for each GB, then remembered in the user's cache as long as its size
    and the time of its last change stay the same. Raises `InputError` if it cannot be read.
    """
    return _known(path).sha256


def was_loaded(path: Path, runtime: str) -> bool:
    """Whether this runtime has loaded this file before."""
    return _known(path).loads == runtime


def remember_loads(path: Path, runtime: str) -> None:
    """Keep in mind that this runtime loads this file."""
    known = _known(path)
    with _lock:
        _write({**_read(), str(path.resolve()): replace(known, loads=runtime)})


def _known(path: Path) -> _Known:
    try:
        real = path.resolve()
        state = real.stat()
        with _lock:
            found = _read().get(str(real))
        if found and (found.size, found.changed) == (state.st_size, state.st_mtime_ns):
            return found
        with real.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as problem:
        raise InputError(
            f"The model file {path} cannot be read ({problem.strerror}); check the path."
        ) from None
    known = _Known(state.st_size, state.st_mtime_ns, sha256)
    with _lock:
        _write({**_read(), str(real): known})
    return known


def _file() -> Path:
    return cache_dir() / "weights.json"


def _read() -> dict[str, _Known]:
    try:
        return msgspec.json.decode(_file().read_bytes(), type=dict[str, _Known])
    except (OSError, msgspec.DecodeError):
        return {}


def _write(known: dict[str, _Known]) -> None:
    """Put it down whole. A cache that cannot be written costs time, not the run."""
    kept = dict(list(known.items())[-_MOST:])
    with contextlib.suppress(OSError):
        _file().parent.mkdir(parents=True, exist_ok=True)
        number, name = tempfile.mkstemp(dir=_file().parent, prefix=".weights-")
        try:
            with os.fdopen(number, "wb") as file:
                file.write(msgspec.json.encode(kept))
            Path(name).replace(_file())
        except OSError:
            Path(name).unlink(missing_ok=True)
