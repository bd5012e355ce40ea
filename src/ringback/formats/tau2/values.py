"""Single values of a tau2 file, read without guessing: what is not what it should be is unknown."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Any, cast

from ringback.episode.wire import Price, Usage

__all__ = ["price", "seconds_of", "text", "tokens", "unix_seconds", "whole"]

_MOST = 2**63 - 1


def whole(value: Any) -> int | None:
    """A whole number that fits 64 bits."""
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > _MOST:
        return None
    return value


def text(value: Any) -> str | None:
    """A text that is not empty."""
    return value if isinstance(value, str) and value else None


def seconds_of(value: Any) -> float | None:
    """A duration in seconds, not below zero."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        seconds = float(value)
    except OverflowError:
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None


def unix_seconds(value: Any) -> float | None:
    """An ISO timestamp as Unix seconds. The files name no time zone: it is read as UTC."""
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return moment.timestamp()
    except (ValueError, OverflowError):
        return None


def tokens(value: Any) -> Usage | None:
    """What a message's usage says of its tokens; None where it says nothing."""
    if not isinstance(value, dict):
        return None
    usage = cast("dict[str, Any]", value)
    details = usage.get("prompt_tokens_details")
    thought = usage.get("completion_tokens_details")
    found = Usage(
        input=_count(usage, "prompt_tokens"),
        output=_count(usage, "completion_tokens"),
        cached=_count(details, "cached_tokens"),
        reasoning=_count(thought, "reasoning_tokens"),
    )
    return None if found == Usage() else found


def _count(holder: Any, name: str) -> int | None:
    if not isinstance(holder, dict):
        return None
    number = whole(cast("dict[str, Any]", holder).get(name))
    return number if number is not None and number >= 0 else None


def price(cost: Any, program: str) -> Price:
    """What a message cost by its file. The program writes 0 where it knows no price: unknown."""
    usd = seconds_of(cost)  # likewise a number that is finite and not below zero
    if usd is None:
        return Price(None, f"{program}, which recorded none")
    if usd == 0.0:
        return Price(None, f"{program}, which records 0 where it knows no price")
    return Price(usd, program)
