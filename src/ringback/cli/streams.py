"""Standard output and standard error: every text can be written, and what is lost is said."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

__all__ = ["Unwritten", "drop_stdout", "ready_streams"]

_Name: TypeAlias = Literal["stdout", "stderr"]


class Unwritten(OSError):  # noqa: N818 - the word is the error
    """Standard output takes no more: what was to be printed is not all there."""

    def __str__(self) -> str:
        why = "it is closed" if self.errno == errno.EBADF else self.strerror
        return f"Standard output cannot be written ({why}), so not all that was to come is there."


class _Out(io.FileIO):
    """Standard output: a reader that left is a `BrokenPipeError`, all else is `Unwritten`."""

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            raise
        except OSError as problem:
            raise Unwritten(problem.errno, problem.strerror) from None


class _Err(io.FileIO):
    """Standard error: where it cannot be written there is nobody to be told, and work goes on."""

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            raise
        except OSError:
            return memoryview(data).nbytes


def ready_streams() -> None:
    """Let every text be written somewhere, and a write that fails be known as what it is.

    What the terminal's encoding lacks becomes an escape. A stdout that was closed refuses what is
    written to it, as a full disk does; a stderr that was closed leads nowhere.
    """
    _ready("stdout", _Out, os.O_RDONLY)
    _ready("stderr", _Err, os.O_WRONLY)


def _ready(name: _Name, kind: Callable[..., io.FileIO], closed: int) -> None:
    stream: Any = getattr(sys, name)
    if stream is None:
        number = os.open(os.devnull, closed)
        setattr(sys, name, _over(kind(number, "w"), "utf-8", at_once=name == "stderr"))
    elif (number := _own(stream)) is not None:
        stream.flush()
        at_once = stream.line_buffering or stream.write_through
        fresh = kind(number, "w", closefd=False)
        setattr(sys, name, _over(fresh, stream.encoding, at_once=at_once))
    elif hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace")


def _own(stream: Any) -> int | None:
    """The number of one of the process's own streams; None for a test's, and for one of ours."""
    buffer = getattr(stream, "buffer", None)
    raw = getattr(buffer, "raw", buffer)
    return raw.fileno() if type(raw) is io.FileIO else None


def _over(raw: io.FileIO, encoding: str, *, at_once: bool) -> io.TextIOWrapper:
    buffer = io.BufferedWriter(raw)
    return io.TextIOWrapper(buffer, encoding, "backslashreplace", line_buffering=at_once)


def drop_stdout() -> None:
    """Point stdout at nothing, so that the interpreter's last flush fails no more."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
