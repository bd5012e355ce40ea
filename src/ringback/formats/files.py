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

__all__ = ["MOST_BYTES", "Unreadable", "read_bytes", "walk"]

MOST_BYTES = 2 << 30
"""How much a file may hold, unpacked."""

_TRUSTED = 64 << 20  # bytes up to which no file is taken for a bomb
_MOST_FOLD = 100  # beyond that, how many times its packed size a file may hold
_CHUNK = 1 << 20  # bytes unpacked at a time
_SLICE = 1 << 16  # bytes of packed data looked at at a time
_GZIP = b"\x1f\x8b"
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


def read_bytes(path: Path, *, most: int = MOST_BYTES) -> bytes:
    """The whole content of a file, unpacked where it is gzip, without a byte order mark.

    Raises `Unreadable` for what is not a regular file, is empty, cut off, damaged, packed or
    encoded in another way, or holds more than `most` bytes.
    """
    data = _content(path, most)
    if data.startswith(_GZIP):
        data = _unpacked(data, most)
    if not data:
        raise Unreadable("is empty")
    for mark, what in _OTHERS:
        if data.startswith(mark):
            raise Unreadable(f"is {what}; give it as UTF-8 text, plain or as gzip")
    if b"\0" in data[:64]:
        raise Unreadable("is not UTF-8 text")
    return data.removeprefix(b"\xef\xbb\xbf")


def _content(path: Path, most: int) -> bytes:
    try:
        # Not to hang on a pipe that nobody writes to.
        number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with open(number, "rb") as file:  # noqa: PTH123 - a descriptor, not a path
            found = os.fstat(number)
            if not stat.S_ISREG(found.st_mode):
                raise Unreadable(f"is {_kind(found.st_mode)}, not a file")
            if found.st_size > most:
                raise Unreadable(_too_much(most))
            data = file.read(most + 1)
    except OSError as problem:
        raise Unreadable(f"cannot be opened ({problem.strerror or problem})") from None
    except MemoryError:
        raise Unreadable("is larger than this machine's memory") from None
    if len(data) > most:
        raise Unreadable(_too_much(most))
    return data


def _kind(mode: int) -> str:
    kinds = (
        (stat.S_ISDIR, "a folder"),
        (stat.S_ISFIFO, "a pipe"),
        (stat.S_ISSOCK, "a socket"),
    )
    return next((name for test, name in kinds if test(mode)), "a device")


def _too_much(most: int) -> str:
    size = f"{most >> 30} GiB" if most >= 1 << 30 else f"{most:,} bytes"
    return f"holds more than {size}; split it"


def _unpacked(data: bytes, most: int) -> bytes:
    """All members of a gzip file, in a buffer that never outgrows the limits."""
    parts: list[bytes] = []
    size = place = 0
    member = zlib.decompressobj(31)
    try:
        while place < len(data):
            tail = data[place : place + _SLICE]
            place += len(tail)
            while tail or (parts and parts[-1]):
                part = member.decompress(tail, _CHUNK)
                parts.append(part)
                size += len(part)
                if size > most:
                    raise Unreadable(_too_much(most))
                if size > _TRUSTED and size > _MOST_FOLD * len(data):
                    raise Unreadable(
                        f"holds more than {_MOST_FOLD} times its packed size, as no recording does"
                    )
                tail = member.unconsumed_tail
                if member.eof:
                    break
            if member.eof:
                place -= len(member.unused_data)
                rest = data[place : place + _SLICE]
                if rest and not rest.startswith(_GZIP):
                    if rest.strip(b"\0"):
                        raise Unreadable("has something else after its gzip data")
                    break
                if rest:
                    member = zlib.decompressobj(31)
    except zlib.error as problem:
        raise Unreadable(f"is damaged: its gzip data cannot be unpacked ({problem})") from None
    except MemoryError:
        raise Unreadable("is larger than this machine's memory") from None
    if not member.eof:
        raise Unreadable("is cut off: its gzip data end too early")
    return b"".join(parts)


def walk(folder: Path) -> Iterator[Path]:
    """Every entry under a folder that is not itself a folder, in the order of their names.

    Folders behind symbolic links are given as entries, not entered. Raises `Unreadable` for a
    folder that cannot be listed.
    """
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as problem:
        raise Unreadable(f"cannot be listed ({problem.strerror or problem})") from None
    for entry in entries:
        path = folder / entry.name
        if entry.is_dir(follow_symlinks=False):
            yield from walk(path)
        else:
            yield path
