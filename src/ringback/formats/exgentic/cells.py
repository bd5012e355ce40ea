"""Cells of a row as JSON, and what of them is too long to keep."""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import msgspec

from ringback.canonical import Json, digest
from ringback.formats.exgentic.shards import Row
from ringback.formats.members import repeated_within

__all__ = ["LONGEST", "digest_of", "first", "instructions", "plain", "rest_of", "short"]

LONGEST = 64 << 20
"""Characters of a cell beyond which it is not read: its length and digest are kept."""

_encoder = msgspec.json.Encoder(order="sorted")


def instructions(raw: str) -> str:
    """Instructions as text: the texts of their parts, or as they came where they have none."""
    try:
        parts = msgspec.json.decode(raw)
    except (msgspec.MsgspecError, RecursionError):
        return raw
    if repeated_within(raw.encode()):
        return raw
    texts: list[str] = []
    for part in cast("list[Any]", parts if isinstance(parts, list) else [parts]):
        match part:
            case str() | {"content": str()}:
                texts.append(part if isinstance(part, str) else cast("str", part["content"]))
            case _:
                return raw
    return "\n\n".join(texts)


def rest_of(span: Mapping[str, Any], gone: Sequence[str]) -> Json:
    """A span but for the attributes that are whole in the call; what is too long is only named."""
    kept = dict(span)
    attributes = span.get("attributes")
    if isinstance(attributes, dict):
        found = cast("dict[str, Any]", attributes)
        kept["attributes"] = {
            name: _named(value) for name, value in found.items() if name not in gone
        }
    return plain(kept)


def _named(value: Any) -> Any:
    if isinstance(value, str) and len(value) > LONGEST:
        return {"characters": len(value), "digest": digest(value)}
    return value


def short(text: str) -> str:
    """The text; `ValueError` where it is longer than `LONGEST`."""
    if len(text) > LONGEST:
        raise ValueError(f"a text of {len(text):,} characters is not read")
    return text


def first(values: Any) -> str | None:
    """The first text of a cell with a list of them; None where it has none."""
    return cast("list[str | None]", values)[0] if isinstance(values, list) and values else None


def plain(value: Any) -> Json:
    """The value of a cell as JSON; what JSON lacks (NaN, bytes, dates) as text."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else str(value)
        case dict():
            return {str(key): plain(item) for key, item in cast("dict[Any, Any]", value).items()}
        case list() | tuple():
            return [plain(item) for item in cast("list[Any]", value)]
        case bytes():
            return base64.b64encode(value).decode()
        case _:
            return str(value)


def digest_of(row: Row) -> str:
    """BLAKE2b-128 of the row as read; where it lies is no part of it."""
    hasher = hashlib.blake2b(digest_size=16)
    for piece in _pieces(row):
        hasher.update(piece)
        hasher.update(b"\0")
    return hasher.hexdigest()


def _pieces(row: Row) -> Iterator[bytes]:
    yield _encoder.encode(plain(row.cells))
    if row.spans is None:
        yield b"none"
    for span in row.spans or ():
        yield _encoder.encode(plain(span))
