"""Opening what others hand us: plain or gzipped files.

Only regular files are opened, nothing is run, and nothing that a file says is used as a path. What
cannot be read is one sentence.
"""

from __future__ import annotations

import os
import stat
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

__all__ = ["WHOLE_BYTES", "TooLarge", "Unreadable", "chunks", "read_bytes"]

WHOLE_BYTES = 64 << 20
"""How much of a file, unpacked, is taken into memory at once."""

_MOST_BYTES = 64 << 30  # how much a file may hold, unpacked, read piece by piece
_MOST_FOLD = 100  # beyond `WHOLE_BYTES`, how many times its packed size a file may hold
_CHUNK = 1 << 20  # bytes read or unpacked at a time
_BIT = 1 << 14  # bytes handed to zlib at a time, which copies what it leaves of them each time
_GZIP = b"\x1f\x8b"
_MARK = b"\xef\xbb\xbf"
_OTHERS = (
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
    (b"PK\x03\x04", "a zip archive"),
    (b"\x28\xb5\x2f\xfd", "packed with zstd"),
    (b"BZh", "packed with bzip2"),
    (b"\xfd7zXZ", "packed with xz"),
    (b"PAR1", "a Parquet file"),
    (b"SQLite format 3", "an SQLite database"),
    (_GZIP, "gzip within gzip"),
)


class Unreadable(Exception):  # noqa: N818 - the word is the error
    """A file that cannot be read; its text ends a sentence that begins with the file's name."""


class TooLarge(Unreadable):
    """A file that holds more than was to be taken into memory; `chunks` reads it."""


def read_bytes(path: Path, *, most: int = WHOLE_BYTES) -> bytes:
    """The whole content of a file, unpacked where it is gzip, without a byte order mark.

    Raises `Unreadable` as `chunks` does, and `TooLarge` for one that holds more than `most` bytes.
    """
    parts: list[bytes] = []
    size = 0
    for part in chunks(path):
        size += len(part)
        if size > most:
            raise TooLarge(f"holds more than {most:,} bytes")
        parts.append(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def chunks(path: Path) -> Iterator[bytes]:
    """The content of a file in pieces, likewise, in memory of a few megabytes.

    Raises `Unreadable` for what is not a regular file, is empty, cut off, damaged, packed or
    encoded in another way, or is a bomb: gzip data that grow as no recording does.
    """
    first = True
    for part in _unpacked(path):
        if first:
            for mark, what in _OTHERS:
                if part.startswith(mark):
                    raise Unreadable(f"is {what}; give it as UTF-8 text, plain or as gzip")
            if b"\0" in part[:64]:
                raise Unreadable("is not UTF-8 text")
            part = part.removeprefix(_MARK)
            first = False
        yield part
    if first:
        raise Unreadable("is empty")


def _unpacked(path: Path) -> Iterator[bytes]:
    try:
        # Not to hang on a pipe that nobody writes to.
        number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with open(number, "rb") as file:  # noqa: PTH123 - a descriptor, not a path
            found = os.fstat(number)
            if not stat.S_ISREG(found.st_mode):
                raise Unreadable(f"is {_kind(found.st_mode)}, not a file")
            data = file.read(_CHUNK)
            packed = data.startswith(_GZIP)
            yield from _inflated(file, data) if packed else _plain(file, data)
    except OSError as problem:
        raise Unreadable(f"cannot be opened ({problem.strerror or problem})") from None
    except ValueError as problem:  # a name that no file can have
        raise Unreadable(f"cannot be opened ({problem})") from None


def _kind(mode: int) -> str:
    kinds = (
        (stat.S_ISDIR, "a folder"),
        (stat.S_ISFIFO, "a pipe"),
        (stat.S_ISSOCK, "a socket"),
    )
    return next((name for test, name in kinds if test(mode)), "a device")


def _plain(file: BinaryIO, data: bytes) -> Iterator[bytes]:
    size = 0
    while data:
        size += len(data)
        if size > _MOST_BYTES:
            raise Unreadable(f"holds more than {_MOST_BYTES >> 30} GiB; split it")
        yield data
        data = file.read(_CHUNK)


def _inflated(file: BinaryIO, data: bytes) -> Iterator[bytes]:
    """All members of a gzip file."""
    members = _Members()
    read = size = 0
    while data:
        read += len(data)
        for at in range(0, len(data), _BIT):
            for part in members.parts(data[at : at + _BIT]):
                size += len(part)
                if size > _MOST_BYTES or (size > WHOLE_BYTES and size > _MOST_FOLD * read):
                    raise Unreadable(f"unpacks to {size:,} bytes or more, as no recording does")
                yield part
        data = file.read(_CHUNK)
    if not members.ended:
        raise Unreadable("is cut off: its gzip data end too early")


class _Members:
    """The members of a gzip file, one after the other, with zeros between them or at the end."""

    def __init__(self) -> None:
        self._member = zlib.decompressobj(31)
        self._whole = 0  # members that have ended
        self._begun = False  # whether this one has given anything

    @property
    def ended(self) -> bool:
        """Whether the data end here as they should."""
        return self._member.eof

    def parts(self, data: bytes) -> Iterator[bytes]:
        """What the next bytes unpack to, in pieces; raises `Unreadable`."""
        full = False
        while data or full:
            if self._member.eof:
                data = data.lstrip(b"\0")
                if not data:
                    return
                self._member, self._begun = zlib.decompressobj(31), False
            try:
                part = self._member.decompress(data, _CHUNK)
            except zlib.error as problem:
                if self._whole and not self._begun:
                    raise Unreadable("has something else after its gzip data") from None
                why = f"is damaged: its gzip data cannot be unpacked ({problem})"
                raise Unreadable(why) from None
            full = len(part) == _CHUNK and not self._member.eof
            self._begun = self._begun or bool(part)
            self._whole += self._member.eof
            data = self._member.unused_data if self._member.eof else self._member.unconsumed_tail
            if part:
                yield part
