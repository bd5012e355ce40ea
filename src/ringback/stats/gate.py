"""Whether a change may pass: its difference to the baseline against a margin.

That an arm is worse by less than a margin is shown where the interval's lower end lies above
-margin, and that it is worse by more where the upper end lies below it (W. C. Blackwelder,
"'Proving the null hypothesis' in clinical trials", Controlled Clinical Trials 3 (1982) 345-353).
All else is inconclusive, and more tasks would settle it unless the difference is the margin itself.
"""

from __future__ import annotations

from math import floor
from typing import Literal, TypeAlias

from msgspec import Struct

from ringback.stats.bootstrap import PairedDifference
from ringback.stats.interval import Interval
from ringback.stats.wilson import critical_value

__all__ = ["Gate", "GateOutcome", "gate"]

GateOutcome: TypeAlias = Literal["pass", "fail", "inconclusive"]


class Gate(Struct, frozen=True, kw_only=True):
    """What the gate says, and why.

    `tasks_needed` is None unless the outcome is inconclusive and more tasks like these would settle
    it: the number in all, if the difference stays what it is and the interval narrows as intervals
    do. `interval` is the difference's, None where it has none.
    """

    outcome: GateOutcome
    margin: float
    difference: float
    interval: Interval | None
    tasks: int
    tasks_needed: int | None


def gate(found: PairedDifference, margin: float = 0.05) -> Gate:
    """Hold a paired difference against a margin (0.05 for 5 points, what may be lost).

    An end that touches -margin settles nothing. Raises `ValueError` unless 0 < margin < 1.
    """
    if not 0 < margin < 1:
        raise ValueError(f"a margin lies between 0 and 1, unlike {margin}")
    outcome: GateOutcome = "inconclusive"
    if found.interval is not None:
        if found.interval.low > -margin:
            outcome = "pass"
        elif found.interval.high < -margin:
            outcome = "fail"
    return Gate(
        outcome=outcome,
        margin=margin,
        difference=found.difference,
        interval=found.interval,
        tasks=found.tasks,
        tasks_needed=_needed(found, margin) if outcome == "inconclusive" else None,
    )


def _needed(found: PairedDifference, margin: float) -> int | None:
    """How many tasks bring the interval's end to the near side of the margin."""
    interval, apart = found.interval, found.difference + margin
    if interval is None or apart == 0:
        return None
    if interval.method == "tango score" and found.difference == 0:
        # Without a change the ends are -+z^2 / (n + z^2).
        z = critical_value(interval.level)
        return floor(z * z * (1 / margin - 1)) + 1
    reach = found.difference - interval.low if apart > 0 else interval.high - found.difference
    # Half-widths shrink with the square root of the tasks.
    return floor(found.tasks * (reach / apart) ** 2) + 1
