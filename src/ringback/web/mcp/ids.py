"""The id of a message that cannot be read as a whole, so that its caller does not wait for ever.

JSON that is nested too deep, or has half a surrogate pair in it, is more than a parser takes; where
its outermost members begin and end can be seen all the same.
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple

__all__ = ["Known", "id_in"]

_PARTS = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[{]+|[\]}]+|[:,]|[^\s"\[\]{}:,]+', re.DOTALL)


class Known(NamedTuple):
    """What is known of a message's id: whether it has one, and which, None where it is no id."""

    there: bool
    id: str | int | None


def id_in(line: bytes) -> Known:
    """The id of the object that a line holds, the last if it has several, as parsers take it.

    A line that is no object from its first byte to its last has none.
    """
    text = line.strip()
    if not text.startswith(b"{"):
        return Known(there=False, id=None)
    found = Known(there=False, id=None)
    depth, name, after = 0, b"", b""
    for match in _PARTS.finditer(text):
        part = match[0]
        if part[0] in b"[{":
            if depth == 1 and after == b":" and _says_id(name):
                found = Known(there=True, id=None)
            depth += len(part)
        elif part[0] in b"]}":
            depth -= len(part)
            if depth < 0 or (depth == 0 and match.end() != len(text)):
                return Known(there=False, id=None)
        elif depth == 1 and part not in (b":", b",") and after == b":" and _says_id(name):
            found = Known(there=True, id=_usable(part))
        if depth == 1:
            name, after = (name, part) if part == b":" else (part, b"")
    return found if depth == 0 else Known(there=False, id=None)


def _says_id(name: bytes) -> bool:
    return name == b'"id"' or (b"\\u" in name and _read(name) == "id")


def _usable(part: bytes) -> str | int | None:
    value = _read(part)
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    return value


def _read(part: bytes) -> object:
    """A string or a number; None for what cannot be read, or not be said again in UTF-8."""
    try:
        value: object = json.loads(part)
        str(value).encode()
    except ValueError:  # no UTF-8 is one too
        return None
    return value
