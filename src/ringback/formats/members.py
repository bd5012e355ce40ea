"""Members that a JSON object has several times: what reads it keeps the last, and says nothing.

Outside of texts a colon stands after each key and nowhere else. So where what a decoder makes of a
value has as many colons as the value itself, no key stood there twice, however it was spaced; and
that is quickly counted.
"""

from __future__ import annotations

import re
from collections import Counter

import msgspec

__all__ = ["key_words", "repeated", "repeated_within"]

_decode, _encode = msgspec.json.Decoder().decode, msgspec.json.Encoder().encode
_values = msgspec.json.Decoder(dict[str, msgspec.Raw])
_KEY = re.compile(rb'[\s{,]*+("[^"\\]*+(?:\\.[^"\\]*+)*+")\s*+:\s*+', re.DOTALL)
_OPENING = re.compile(rb'\s*+\{(\s*+)"[^"\\]*+":(\s*+)')
_TAIL = 256  # bytes at the end of an object among which its last spaces are looked for
_NEXT = re.compile(rb"\s*+[,}]")
_WHOLE = 8 << 20  # bytes from which a value is not decoded to be looked at
_COLON = b"\\u003"  # how one begins that is escaped; so do others
_MOST = 100  # keys that are told
_PART = re.compile(rb'("[^"\\]*+(?:\\.[^"\\]*+)*+")(\s*+:)?|[\[\]{}]', re.DOTALL)
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[\]{}]|[^\s,"\[\]{}]++', re.DOTALL)


def repeated(data: bytes | msgspec.Raw) -> dict[str, int]:
    """The keys that a JSON object has more than once, and how often; empty for any other value.

    Of the outermost object of valid JSON only. In time that grows with the text, and little of it
    where the object is written with even spaces, as programs do.
    """
    try:
        values = _values.decode(data)
    except msgspec.ValidationError:
        return {}
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):  # half a pair in a key, deep
        values = {}
    if values and _is_all(memoryview(data), values):
        return {}
    data = bytes(data)
    keys: Counter[str] = Counter()
    at = 0
    while found := _KEY.match(data, at):
        key = _spelled(found[1])
        keys[key] += 1
        at = found.end()
        value = bytes(values.get(key, b""))
        if value and data.startswith(value, at) and _NEXT.match(data, at + len(value)):
            at += len(value)
        else:  # the key stands there again, with another value
            at = _after(data, at)
    return {key: count for key, count in keys.items() if count > 1}


def repeated_within(data: bytes | msgspec.Raw) -> dict[str, int]:
    """The keys that any object within a JSON value has more than once, and how often.

    By where they stand: ``messages[].cost`` is a key of an object in a list. Of valid JSON only, in
    time that grows with the text; the first hundred of them.
    """
    data = bytes(data)
    if len(data) <= _WHOLE and _COLON not in data:
        try:
            again = _encode(_decode(data))
        except (msgspec.DecodeError, UnicodeError, RecursionError):  # half a pair in a text, deep
            pass
        else:
            if data.count(b":") == again.count(b":"):
                return {}
    return _gone_through(data)


def _gone_through(data: bytes) -> dict[str, int]:
    """The same, looking at each text and bracket."""
    found: dict[str, int] = {}
    keys: list[set[str] | None] = []  # of each object that is open what it has had, None of a list
    path: list[str] = []  # where in each of them this is
    for part in _PART.finditer(data):
        mark = data[part.start()]
        if mark in b"{[":
            keys.append(set() if mark == b"{"[0] else None)
            path.append("[]")
        elif mark in b"}]":
            if keys:
                keys.pop()
                path.pop()
        elif part.end(2) >= 0 and keys and (had := keys[-1]) is not None:  # a text is not copied
            text = part[1]
            name = _spelled(text) if b"\\" in text else text[1:-1].decode("utf-8", "replace")
            path[-1] = f".{name}"
            if name in had:
                place = "".join(path).removeprefix(".")
                if place in found or len(found) < _MOST:
                    found[place] = found.get(place, 1) + 1
            had.add(name)
    return found


def key_words(keys: dict[str, int]) -> str:
    """What `repeated` found, as the object of a sentence: ``the key 'info' twice``."""
    said = [
        f"the key {key[:60]!r} {'twice' if count == 2 else f'{count:,} times'}"
        for key, count in list(keys.items())[:3]
    ]
    return " and ".join(said)


def _is_all(data: memoryview, values: dict[str, msgspec.Raw]) -> bool:
    """Whether the object that these were read from is just as long as they are together.

    With the same spaces before each key, and after each, as there are around the first one.
    """
    opening = _OPENING.match(data)
    end = bytes(data[-_TAIL:]).rstrip()
    if opening is None or end[-1:] != b"}":
        return False
    before, after, keys = len(opening[1]), len(opening[2]), len(values)
    spaces = before + after * keys + (before or after) * (keys - 1) + _spaces(end[:-1])
    marks = 2 + 2 * keys + keys + keys - 1  # braces, quotes, colons, commas
    said = sum(map(len, values)) + sum(map(len, values.values()))
    length = len(data) - (opening.start(1) - 1) - (min(_TAIL, len(data)) - len(end))
    return length == said + marks + spaces


def _spaces(end: bytes) -> int:
    return len(end) - len(end.rstrip())


def _spelled(raw: bytes) -> str:
    try:
        return msgspec.json.decode(raw, type=str)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return raw.decode("utf-8", "replace")


def _after(data: bytes, at: int) -> int:
    """Where the value ends that begins at a place of valid JSON."""
    depth = 0
    for token in _TOKEN.finditer(data, at):
        mark = token[0][:1]
        depth += (mark in b"[{") - (mark in b"]}")
        if depth == 0:
            return token.end()
    return len(data)
