"""What a recorded span is: a model call or not, one that failed or not."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, cast

__all__ = ["attribute", "error_of", "failed", "is_call", "seconds", "started"]

_CALLS = ("chat", "text_completion", "generate_content")
_FAILED = 2


def attribute(span: Mapping[str, Any], name: str) -> Any:
    """A span's attribute; None where it is empty or not there."""
    found = span.get("attributes")
    return cast("dict[str, Any]", found).get(name) if isinstance(found, dict) else None


def is_call(span: Mapping[str, Any]) -> bool:
    """Whether the span is a model call: by its operation, which where unsaid is taken for one."""
    operation = attribute(span, "gen_ai.operation.name")
    return operation is None or operation in _CALLS


def failed(span: Mapping[str, Any]) -> bool:
    """Whether the span says that it failed: code 2, or an error's type."""
    status = cast("dict[str, Any]", span.get("status") or {})
    return status.get("code") == _FAILED or bool(attribute(span, "error.type"))


def error_of(span: Mapping[str, Any]) -> str:
    """What a failed span says of its failure."""
    status = cast("dict[str, Any]", span.get("status") or {})
    said = [attribute(span, "error.type"), status.get("message")]
    return ": ".join(part for part in said if part) or "it failed, and does not say why"


def started(span: Mapping[str, Any]) -> float | None:
    """When the span began, in Unix seconds; None where that or its zone is not said."""
    at = _time(span.get("start_time"))
    return None if at is None or at.tzinfo is None else at.timestamp()


def seconds(span: Mapping[str, Any]) -> float | None:
    """How long the span took; None where that cannot be known."""
    first, last = _time(span.get("start_time")), _time(span.get("end_time"))
    if first is None or last is None or (first.tzinfo is None) != (last.tzinfo is None):
        return None
    took = (last - first).total_seconds()
    return took if took >= 0 else None


def _time(value: object) -> datetime | None:
    if isinstance(value, datetime):
        return value
    if not isinstance(value, str):
        return None
    try:
        return datetime.fromisoformat(value)
    except ValueError:
        return None
