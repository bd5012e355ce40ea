"""One spelling for every JSON value, so that equal values have equal bytes and equal digests."""

from __future__ import annotations

import hashlib
import math
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

__all__ = ["Json", "canonical", "digest", "encode"]

if TYPE_CHECKING:
    Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
else:
    Json = Any  # msgspec reads annotations at run time and knows no recursive types

_encoder = msgspec.json.Encoder(order="sorted")


def canonical(value: Any) -> Json:
    """The JSON value with every whole float written as an integer: 25 and 25.0 are one number.

    Structs and tuples become objects and arrays. Raises `TypeError` for what JSON cannot hold:
    NaN, infinities, keys that are no text.
    """
    return _whole(msgspec.to_builtins(value))


def _whole(value: Any) -> Json:
    match value:
        case bool() | int() | str() | None:
            return value
        case float():
            if not math.isfinite(value):
                raise TypeError(f"{value} is not a JSON value")
            return int(value) if value.is_integer() else value
        case dict():
            return {_text(key): _whole(item) for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        case list() | tuple():
            return [_whole(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
        case _:
            raise TypeError(f"{type(value).__name__} is not a JSON value")


def _text(key: object) -> str:
    if not isinstance(key, str):
        raise TypeError(f"the key {key!r} is not text, and JSON has no other keys")
    return key


def encode(value: Any) -> bytes:
    """The canonical UTF-8 bytes: keys sorted, no spaces, whole floats as integers.

    Raises `TypeError` as `canonical` does, and `UnicodeEncodeError` for half a surrogate pair.
    """
    return _encoder.encode(canonical(value))


def digest(value: Any) -> str:
    """BLAKE2b-128 of the canonical bytes, as 32 hexadecimal digits."""
    return hashlib.blake2b(encode(value), digest_size=16).hexdigest()
