"""What a tau2 message says of its cost and its tokens; what is not what it should be is unknown."""

from __future__ import annotations

from typing import Any, cast

from ringback.episode.wire import Price, Usage
from ringback.formats.values import MOST_USD, count, seconds

__all__ = ["price", "tokens"]


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
    return count(cast("dict[str, Any]", holder).get(name))


def price(cost: Any, program: str) -> Price:
    """What a message cost by its file. The program writes 0 where it knows no price: unknown."""
    usd = seconds(cost)  # likewise a number that is finite and not below zero
    if usd is not None and usd > MOST_USD:
        return Price(None, f"{program}, which recorded more than {MOST_USD:,} USD")
    if usd is None:
        return Price(None, f"{program}, which recorded none")
    if usd == 0.0:
        return Price(None, f"{program}, which records 0 where it knows no price")
    return Price(usd, program)
