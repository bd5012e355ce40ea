"""Whether a change may pass: its difference to the baseline against a margin.

That an arm is worse by less than a margin is shown where the interval's lower end lies above
-margin, and that it is worse by more where the upper end lies below it (W. C. Blackwelder,
"'Proving the null hypothesis' in clinical trials", Controlled Clinical Trials 3 (1982) 345-353).
All else is inconclusive, and more tasks would settle it unless the difference is the margin itself.

Resamples know no changes but those seen: where nothing got worse the percentile interval cannot
reach below zero, however few tasks there are. So where fewer than `FEW_TASKS` tasks changed,
Tango's score interval over tasks must clear the margin as well (`ringback.stats.tango`; with
several trials a task counts whole whatever share of them changed). And nothing passes on fewer
tasks than an exact test could tell anything apart on.
"""

from __future__ import annotations

from math import floor
from typing import Literal, TypeAlias

from msgspec import Struct

from ringback.stats.bootstrap import PairedDifference, few_changed
from ringback.stats.interval import Interval
from ringback.stats.resampling import alpha
from ringback.stats.sign import sign_test
from ringback.stats.tango import tango
from ringback.stats.wilson import critical_value

__all__ = ["Gate", "GateOutcome", "gate"]

GateOutcome: TypeAlias = Literal["pass", "fail", "inconclusive"]

_MOST_TASKS = 1e9


class Gate(Struct, frozen=True, kw_only=True):
    """What the gate says, and why.

    `interval` is the difference's, None where it has none, which settles nothing. `score` is
    Tango's over tasks where so few changed that it must clear the margin too, else None.
    `tasks_needed` is None unless the outcome is inconclusive and more tasks like these, no more
    than a billion, would settle it: the number in all, if the difference stays what it is and
    intervals narrow as they do.
    """

    outcome: GateOutcome
    margin: float
    difference: float
    interval: Interval | None
    score: Interval | None
    tasks: int
    tasks_needed: int | None


def gate(found: PairedDifference, margin: float = 0.05) -> Gate:
    """Hold a paired difference against a margin (0.05 for 5 points, what may be lost).

    An end that touches -margin settles nothing. Raises `ValueError` unless 0 < margin < 1.
    """
    if not 0 < margin < 1:
        raise ValueError(f"a margin lies between 0 and 1, unlike {margin}")
    outcome: GateOutcome = "inconclusive"
    score: Interval | None = None
    needed: int | None = None
    if found.interval is not None:
        score = _score(found, found.interval)
        both = [found.interval] if score is None else [found.interval, score]
        low, high = min(each.low for each in both), max(each.high for each in both)
        fewest = _fewest(found.interval.level)
        if low > -margin and found.tasks >= fewest:
            outcome = "pass"
        elif high < -margin:
            outcome = "fail"
        else:
            needed = _needed(found, margin, found.interval, low, high)
            if needed is not None and found.difference > -margin:
                needed = max(needed, fewest)  # to pass; a loss may show on fewer
    return Gate(
        outcome=outcome,
        margin=margin,
        difference=found.difference,
        interval=found.interval,
        score=score,
        tasks=found.tasks,
        tasks_needed=needed,
    )


def _score(found: PairedDifference, interval: Interval) -> Interval | None:
    """Tango's interval where few tasks changed and the interval is not Tango's already."""
    if interval.method == "tango score" or not few_changed(found):
        return None
    return tango(found.tasks_better, found.tasks_worse, found.tasks, interval.level)


def _fewest(level: float) -> int:
    """The fewest tasks of which an exact test could tell anything apart: 6 at 95%."""
    tasks = 1
    while sign_test(tasks, 0) >= alpha(level):
        tasks += 1
    return tasks


def _needed(
    found: PairedDifference, margin: float, interval: Interval, low: float, high: float
) -> int | None:
    """How many tasks bring the end that decides to the near side of the margin."""
    apart = found.difference + margin
    if apart == 0:
        return None
    if interval.method == "tango score":
        # Without a change the ends are -+z^2 / (n + z^2); where all n tasks came out better the
        # lower one is (n - z^2) / (n + z^2), where all came out worse the upper one its negative.
        square = critical_value(interval.level) ** 2
        if found.difference == 0:
            return _whole(square * (1 / margin - 1))
        sign = 1 if found.difference > 0 else -1
        return _whole(square * (1 - sign * margin) / (1 + sign * margin))
    reach = found.difference - low if apart > 0 else high - found.difference
    # Half-widths shrink with the square root of the tasks.
    return _whole(found.tasks * (reach / apart) * (reach / apart))


def _whole(tasks: float) -> int | None:
    """The next whole number; None for what nobody could ever play."""
    return floor(tasks) + 1 if tasks < _MOST_TASKS else None
