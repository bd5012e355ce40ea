"""Recorded text made harmless to look at: what cannot be seen is spelled out.

Model output can hold terminal escapes, NUL, text that runs backwards or code points that no
encoding can write. Everything that a person is shown passes through here, in the terminal and on
the page; what is stored stays as it came.
"""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec

from ringback.canonical import Json

__all__ = [
    "brief",
    "clip",
    "json_bytes",
    "json_text",
    "one_line",
    "result_text",
    "single_line",
    "value_text",
    "visible",
]

# Controls but tab and newline, soft hyphen, bidirectional and invisible formatting characters,
# line separators, lone surrogates, noncharacters, tags. The joiners U+200C and U+200D stay:
# scripts and emoji need them, and they move nothing.
_LOW = "\x00-\x08\x0b-\x1f"
_REST = (
    "\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\ufffe\uffff\ud800-\udfff\U000e0000-\U000e007f"
)
_UNSEEN = re.compile(f"[{_LOW}{_REST}]")
_UNSEEN_IN_LINE = re.compile(f"[\t\n{_LOW}{_REST}]")
_UNSEEN_IN_JSON = re.compile(f"[{_REST}]")  # the others are escapes already
_SHORT = {"\t": r"\t", "\n": r"\n", "\r": r"\r"}


_DEEPEST = 8  # levels of a record that are spread out; what lies deeper stays JSON


def _spell(found: re.Match[str]) -> str:
    code = ord(found[0])
    if found[0] in _SHORT:
        return _SHORT[found[0]]
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def visible(text: str) -> str:
    r"""The text with every character that would not be seen, or would act, spelled ``\x1b``.

    Newlines and tabs stay; a Windows line end becomes a newline. The result can always be encoded
    as UTF-8 and has no character that XML forbids.
    """
    return _UNSEEN.sub(_spell, text.replace("\r\n", "\n"))


def single_line(text: str) -> str:
    r"""The visible text as one line: line ends and tabs are spelled too, ``\n``, ``\r`` and ``\t``.

    For every value that is shown as one, such as a name or a cell of a table.
    """
    return text if text.isprintable() else _UNSEEN_IN_LINE.sub(_spell, text)


def clip(text: str, limit: int) -> tuple[str, int]:
    """At most `limit` characters of the text, and how many were left off."""
    if len(text) <= limit:
        return text, 0
    return text[:limit], len(text) - limit


def one_line(text: str, limit: int) -> str:
    """The visible text on one line, cut to `limit` characters with an ellipsis."""
    line = " ".join(visible(text[: 4 * limit + 64]).split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def value_text(value: Json) -> str:
    """A JSON value as a person reads it: bare words and numbers, ``none`` for null."""
    match value:
        case None:
            return "none"
        case str():
            return value or '""'
        case _:
            return json_text(value)


def json_text(value: Json) -> str:
    """A JSON value as compact JSON; Python's spelling where it holds what JSON cannot."""
    try:
        return msgspec.json.encode(value).decode()
    except UnicodeEncodeError:  # a lone surrogate
        return repr(value)


def json_bytes(value: Any, indent: int = 0) -> bytes:
    r"""A value as JSON in which everything that would not be seen is an escape, ``\u202e``.

    `indent` spaces a level, 0 for one line. Half a surrogate pair, as in the name of a
    file that is not UTF-8, comes out as its escape.
    """
    try:
        data = msgspec.json.encode(value)
    except UnicodeEncodeError:
        data = json.dumps(msgspec.to_builtins(value)).encode()
    if not data.isascii() or b"\x7f" in data:
        data = _UNSEEN_IN_JSON.sub(_escape, data.decode()).encode()
    return msgspec.json.format(data, indent=indent) if indent else data


def _escape(found: re.Match[str]) -> str:
    return json.dumps(found[0])[1:-1] if found[0] != "\x7f" else r"\u007f"


def brief(value: Json, limit: int = 60) -> Json:
    """The value with every long text in it cut, and how long it is."""
    match value:
        case str() if len(value) > limit:
            return f"{one_line(value, limit)} ({len(value):,} characters)"
        case dict():
            return {key: brief(item, limit) for key, item in value.items()}
        case list():
            return [brief(item, limit) for item in value]
        case _:
            return value


def result_text(text: str) -> str:
    """A tool's answer to look at: a JSON record as ``key: value; key: value``, a list line by line.

    Any other text stays as it is. For the eye alone: what is stored and sent is the text itself.
    """
    if not text.startswith(("{", "[")):
        return text
    try:
        value: Json = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return text
    if isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        return "\n".join(_spread(item) for item in value)
    return _spread(value) or text


def _spread(value: Json, depth: int = 0) -> str:
    if depth > _DEEPEST:
        return json_text(value)
    match value:
        case dict():
            pairs = [f"{key}: {_nested(item, depth)}" for key, item in value.items()]
            return "; ".join(pairs)
        case list():
            return ", ".join(_nested(item, depth) for item in value)
        case _:
            return value_text(value)


def _nested(value: Json, depth: int) -> str:
    if isinstance(value, dict | list):
        if not value:
            return "none"
        inside = _spread(value, depth + 1)
        return f"({inside})" if isinstance(value, dict) or depth else inside
    return value_text(value)
