"""Opening what others hand us: plain or gzipped files, and folders of them.

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

__all__ = ["WHOLE_BYTES", "TooLarge", "Unreadable", "chunks", "read_bytes", "walk"]

WHOLE_BYTES = 64 << 20
"""How much of a file, unpacked, is taken into memory at once."""

_MOST_BYTES = 64 << 30  # how much a file may hold, unpacked, read piece by piece
_MOST_FOLD = 100  # beyond `WHOLE_BYTES`, how many times its packed size a file may hold
_CHUNK = 1 << 20  # bytes read or unpacked at a time
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
    member = zlib.decompressobj(31)
    read, size, full = len(data), 0, False
    try:
        while data or full:
            part = member.decompress(data, _CHUNK)
            full = len(part) == _CHUNK
            size += len(part)
            if size > _MOST_BYTES or (size > WHOLE_BYTES and size > _MOST_FOLD * read):
                raise Unreadable(f"unpacks to {size:,} bytes or more, as no recording does")
            if part:
                yield part
            data = member.unconsumed_tail
            if member.eof:
                data = member.unused_data or file.read(_CHUNK)
                read += len(data) if not member.unused_data else 0
                if data.strip(b"\0") == b"":
                    return
                if not data.startswith(_GZIP):
                    raise Unreadable("has something else after its gzip data")
                member, full = zlib.decompressobj(31), False
            elif not data and not full:
                data = file.read(_CHUNK)
                read += len(data)
    except zlib.error as problem:
        raise Unreadable(f"is damaged: its gzip data cannot be unpacked ({problem})") from None
    raise Unreadable("is cut off: its gzip data end too early")


def walk(folder: Path) -> Iterator[Path]:
    """Every entry under a folder that is not itself a folder, in the order of their names.

    Folders behind symbolic links, and those that cannot be listed, are given as entries. What
    cannot be read of them is said by `read_bytes`.
    """
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        yield folder
        return
    for entry in entries:
        path = folder / entry.name
        if entry.is_dir(follow_symlinks=False):
            yield from walk(path)
        else:
            yield path
