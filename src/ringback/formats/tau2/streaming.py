"""A result file too large to take into memory: its simulations one at a time.

The file is gone through twice, once for all that stands beside the simulations, once for them. Only
strings and brackets are looked at; what a simulation says is read by whoever gets its bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ringback.formats.files import Unreadable, chunks

__all__ = ["simulations", "skeleton"]

_MOST = 512 << 20  # bytes of one simulation, or of all that stands beside them
_MOST_STRING = 64 << 20  # bytes of one text
_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}"]', re.DOTALL)
_SCALAR = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[^\s,"\[\]{}]+', re.DOTALL)
_BETWEEN = b" \t\r\n,"
_NAME = b'"simulations"'


def skeleton(path: Path) -> bytes:
    """The file as JSON with an empty list of simulations; `Unreadable` as `chunks` raises it."""
    parts: list[bytes] = []
    size = 0
    for inside, part in _pieces(path):
        if not inside:
            parts.append(part)
            size += len(part)
            _check(size)
    return b"".join(parts)


def simulations(path: Path) -> Iterator[bytes]:
    """The bytes of each entry of the simulations, in order; likewise."""
    entry = bytearray()
    for inside, part in _pieces(path):
        if inside is None:  # an entry ends
            yield from _entries(bytes(entry))
            entry.clear()
        elif inside:
            entry += part
            _check(len(entry))


def _entries(data: bytes) -> Iterator[bytes]:
    """An object or a list, and before it whatever else stands among the simulations."""
    data = data.strip(_BETWEEN)
    while data and data[:1] not in b"{[" and (found := _SCALAR.match(data)):
        yield found[0]
        data = data[found.end() :].lstrip(_BETWEEN)
    if data:
        yield data


def _check(size: int) -> None:
    if size > _MOST:
        raise Unreadable(f"has a part of more than {_MOST >> 20} MiB")


def _pieces(path: Path) -> Iterator[tuple[bool | None, bytes]]:
    """The file's bytes in order, each piece within the simulations or not.

    After each entry of the simulations, and at their end, comes a piece None.
    """
    buffer = b""
    depth, inside, named = 0, False, False
    for chunk in chunks(path):
        buffer += chunk
        done, safe = 0, len(buffer)
        for token in _TOKEN.finditer(buffer):
            start, scanned = token.span()
            mark = buffer[start]
            if mark in b'"':
                if scanned == start + 1:  # a string that goes on in the next chunk
                    safe = start
                    break
                named = depth == 1 and token[0] == _NAME
                continue
            if mark in b"[{":
                depth += 1
                if mark in b"[" and depth == 2 and named:
                    yield False, buffer[done:scanned]
                    done, inside = scanned, True
                named = False
                continue
            depth -= 1
            if inside and depth == 2:
                yield True, buffer[done:scanned]
                yield None, b""
                done = scanned
            elif inside and depth == 1:
                yield True, buffer[done:start]
                yield None, b""
                done, inside = start, False
        if safe > done:
            yield inside, buffer[done:safe]
        buffer = buffer[safe:]
        if len(buffer) > _MOST_STRING:
            raise Unreadable(f"has a text of more than {_MOST_STRING >> 20} MiB")
    if buffer:
        yield inside, buffer
