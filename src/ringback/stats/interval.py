"""What an interval is, and which figures come without one."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

__all__ = ["Interval", "Method"]

Method: TypeAlias = Literal[
    "wilson",
    "percentile bootstrap",
    "tango score",
    "simultaneous bootstrap",
    "studentized bootstrap",
]


class Interval(Struct, frozen=True):
    """A two-sided interval at `level` (0.95 for 95%), its ends included, and how it was made."""

    low: float
    high: float
    level: float
    method: Method
