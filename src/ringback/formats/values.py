"""Single values of other programs' files, read without guessing: what is not itself is unknown."""

from __future__ import annotations

import math
from datetime import UTC, datetime

__all__ = ["MOST_USD", "clipped", "count", "instant", "number", "seconds", "text", "usd", "whole"]

MOST_USD = 1_000_000
"""Beyond this an amount is taken for no cost of a call or a run: sums of any number stay finite."""

_MOST = 2**63 - 1


def whole(value: object) -> int | None:
    """A whole number that fits 64 bits; None for all else."""
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > _MOST:
        return None
    return value


def count(value: object) -> int | None:
    """Such a number from 0, of tokens, say; None for all else."""
    found = whole(value)
    return found if found is not None and found >= 0 else None


def text(value: object) -> str | None:
    """A text that is not empty; None for all else."""
    return value if isinstance(value, str) and value else None


def number(value: object) -> float | None:
    """A number that is finite; None for all else, true and false among it."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if math.isfinite(found) else None


def seconds(value: object) -> float | None:
    """A duration in seconds: such a number, not below zero; None for all else."""
    found = number(value)
    return found if found is not None and found >= 0 else None


def usd(value: object) -> float | None:
    """An amount of USD: as `seconds`, or such a number in text, as programs write decimals.

    None for one beyond `MOST_USD` too.
    """
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    found = seconds(value)
    return found if found is not None and found <= MOST_USD else None


def clipped(value: str, most: int = 60) -> str:
    """A text of theirs within a sentence of ours: on one line, with so many characters at most."""
    line = " ".join(value[: 4 * most].split())
    return line if len(line) <= most and len(value) <= 4 * most else f"{line[:most]}…"


def instant(value: object, *, utc: bool = False) -> float | None:
    """Unix seconds of an ISO date; None for all else.

    One without a zone is unknown, unless it is said to be `utc`.
    """
    if not isinstance(value, str):
        return None
    try:
        found = datetime.fromisoformat(value)
        if found.tzinfo is None:
            return found.replace(tzinfo=UTC).timestamp() if utc else None
        return found.timestamp()
    except (ValueError, OverflowError):
        return None
