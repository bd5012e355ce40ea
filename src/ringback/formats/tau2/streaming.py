"""A result file too large to take into memory: its simulations one at a time.

The file is gone through twice, once for all that stands beside the simulations, once for them. Only
strings and brackets are looked at, each byte once; what a simulation says is read by whoever gets
its bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from ringback.formats.files import Unreadable, chunks

__all__ = ["MOST", "simulations", "skeleton"]

MOST = 128 << 20
"""Bytes that one simulation may have, or all that stands beside them."""

_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(")?|[\[\]{}]', re.DOTALL)
_TEXT = re.compile(rb"[^\"\\]*+(?:\\.[^\"\\]*+)*+", re.DOTALL)
_SCALAR = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[^\s,"\[\]{}]++', re.DOTALL)
_BETWEEN = (b" ", b"\t", b"\r", b"\n", b",")
_NAME = b"simulations"
_LOOKED = 6 * len(_NAME) + 1  # how much of a text is looked at; each letter may be escaped


def skeleton(path: Path) -> bytes:
    """The file as JSON with an empty list of simulations; `Unreadable` as `chunks` raises it.

    So it is for a file that has more than `MOST` bytes beside its simulations.
    """
    parts: list[bytes] = []
    size = 0
    for inside, part in _pieces(path):
        if inside is False:
            parts.append(part)
            size += len(part)
            if size > MOST:
                raise Unreadable(f"has more than {MOST >> 20} MiB beside its simulations")
    return b"".join(parts)


def simulations(path: Path) -> Iterator[bytes | None]:
    """The bytes of each entry of the simulations, in order; `Unreadable` as `chunks` raises it.

    None for one of more than `MOST` bytes, which is passed over.
    """
    parts: list[bytes] = []
    size = 0
    for inside, part in _pieces(path):
        if inside and part:
            size += len(part)
            if size <= MOST:
                parts.append(part)
            else:
                parts.clear()
        elif inside is None:
            if size > MOST:
                yield None
            elif parts and parts[0][:1] in (b"{", b"["):
                yield b"".join(parts)
            else:  # whatever else stands among them
                yield from (found[0] for found in _SCALAR.finditer(b"".join(parts)))
            parts.clear()
            size = 0


def _pieces(path: Path) -> Iterator[tuple[bool | None, bytes]]:
    """The file's bytes in order, each piece within the simulations or not.

    A piece None comes where an object or a list among the simulations begins or ends, and between
    others. No byte is looked at twice, but for a few where one chunk meets the next.
    """
    depth, inside, named = 0, False, False
    text = False  # whether a chunk ends within one
    word = b""  # and how that begins
    left = b""  # a backslash that the next chunk goes on from
    for chunk in chunks(path):
        buffer = left + chunk
        start, left = 0, b""
        if text:
            start = _end_of_text(buffer)
            word = (word + buffer[: min(start, _LOOKED)])[:_LOOKED]
            if buffer[start : start + 1] != b'"':
                yield inside, buffer[:start]
                left = buffer[start:]
                continue
            text, named = False, depth == 1 and _is_name(word)
            start += 1
        done, last, opens, safe = 0, start, len(buffer), len(buffer)
        for token in _TOKEN.finditer(buffer, start):
            begins, ends = token.span()
            mark = buffer[begins]
            if mark in b'"':
                if token[1] is None:
                    text, word = True, buffer[begins + 1 : min(ends, begins + 1 + _LOOKED)]
                    opens, safe, left = begins, ends, buffer[ends:]
                    break
                last = ends
                named = depth == 1 and _is_name(buffer[begins + 1 : ends - 1])
            elif mark in b"[{":
                if inside and depth == 2:
                    yield True, buffer[done:begins]
                    yield None, b""
                    done = begins
                depth += 1
                if depth == 2 and named and mark in b"[":
                    yield False, buffer[done:ends]
                    done, inside = ends, True
                named = False
            else:
                depth -= 1
                if inside and depth <= 2:
                    end = ends if depth == 2 else begins
                    yield True, buffer[done:end]
                    yield None, b""
                    done, inside = end, depth == 2
        if inside and depth == 2:  # so that small things do not pile up
            gap = max(buffer.rfind(mark, max(done, last), opens) for mark in _BETWEEN) + 1
            if gap > done:
                yield True, buffer[done:gap]
                yield None, b""
                done = gap
        yield inside, buffer[done:safe]


def _end_of_text(buffer: bytes) -> int:
    """Where a text ends, or how far it can be followed, that goes on in this chunk."""
    found = _TEXT.match(buffer)
    return found.end() if found else 0


def _is_name(word: bytes) -> bool:
    """Whether a text between its quotes is the name of the list, however it is spelled."""
    if b"\\" not in word or len(word) >= _LOOKED:
        return word == _NAME
    try:
        return msgspec.json.decode(b'"%b"' % word) == _NAME.decode()
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
