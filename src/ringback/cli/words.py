"""Figures in words, as the command line prints them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ringback.report.model import Rate
    from ringback.stats import Interval

__all__ = ["counted", "interval_words", "percent_words", "points_words", "rate_words"]


def counted(number: int, thing: str) -> str:
    """``1 task``, ``40 tasks``."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def percent_words(rate: float | None) -> str:
    """A rate between 0 and 1 as ``70.0%``; a dash where it is unknown."""
    return "-" if rate is None else f"{100 * rate:.1f}%"


def points_words(difference: float | None) -> str:
    """A difference of rates in percentage points, with its sign."""
    return "-" if difference is None else f"{100 * difference:+.1f}"


def interval_words(interval: Interval | None, *, signed: bool = False) -> str:
    """An interval's ends in percent or, signed, in points."""
    if interval is None:
        return "-"
    low, high = 100 * interval.low, 100 * interval.high
    return f"{low:+.1f} to {high:+.1f}" if signed else f"{low:.1f}% to {high:.1f}%"


def rate_words(name: str, rate: Rate) -> str:
    """A line of a run's summary: solved of planned, the rate and its interval."""
    start = f"{name:<13}{rate.solved:>6} of {rate.planned:<7}"
    return f"{start}{percent_words(rate.rate):>8}   {interval_words(rate.interval)}"
