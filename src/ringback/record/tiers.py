"""How hard a case is, by the number of its faults."""

from __future__ import annotations

from ringback.domain import Task
from ringback.record.document import Tier

__all__ = ["TIERS", "tier"]

TIERS: tuple[Tier, ...] = ("easy", "medium", "hard")
_EASY, _MEDIUM = 2, 5


def tier(task: Task) -> Tier:
    """``easy`` up to 2 faults, ``medium`` from 3 to 5, ``hard`` from 6 on."""
    faults = len(task.faults)
    return "easy" if faults <= _EASY else "medium" if faults <= _MEDIUM else "hard"
