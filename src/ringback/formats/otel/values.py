"""Attributes, times and ids as OTLP's JSON spells them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import msgspec

__all__ = ["attributes", "nanos", "span_id", "spelled", "trace_id"]

_MOST_NANOS = 2**64 - 1
_MOST_INT = 2**63 - 1


def attributes(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The attributes whose value is known: text, truth, number, or a list of texts."""
    return [
        {"key": name, "value": _value(value)} for name, value in values.items() if value is not None
    ]


def _value(value: Any) -> dict[str, Any]:
    match value:
        case bool():
            return {"boolValue": value}
        case int() if abs(value) <= _MOST_INT:
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": value}
        case list() | tuple():
            return {"arrayValue": {"values": [_value(item) for item in value]}}  # pyright: ignore[reportUnknownVariableType]
        case str():
            return {"stringValue": value}
        case _:
            return {"stringValue": spelled(value)}


def spelled(value: Any) -> str:
    """A value as JSON text, which is what tracing tools show of messages and arguments."""
    return msgspec.json.encode(value).decode()


def nanos(at: float | None) -> str | None:
    """Unix seconds as the nanoseconds of OTLP; None where unknown or out of its range."""
    if at is None or not 0 < at < _MOST_NANOS / 1e9:
        return None
    seconds, rest = divmod(at, 1)
    return str(int(seconds) * 10**9 + round(rest * 1e9))


def trace_id(session: str) -> str:
    """32 hexadecimal digits: the same session is the same trace in every export."""
    return hashlib.blake2b(session.encode(), digest_size=16, person=b"ringback trace").hexdigest()


def span_id(session: str, what: str) -> str:
    """16 hexadecimal digits for one part of a session."""
    data = f"{session} {what}".encode()
    return hashlib.blake2b(data, digest_size=8, person=b"ringback span").hexdigest()
