"""Which arms may be the best one: simultaneous intervals, by a maximum statistic.

All arms' solve rates come of the same resamples of the same tasks. For each pair of arms the
resampled difference is measured from the seen one in standard errors; of each resample the largest
such deviation over all pairs is kept, and its quantile at the level is the one critical value c.
So the intervals d -+ c se of all pairs hold together with about that probability, whichever arm
came out on top. That is the maximum statistic of P. H. Westfall and S. S. Young ("Resampling-Based
Multiple Testing", 1993, chapter 2) over all pairs, as J. W. Tukey's method has it; the arms not
shown to be beaten are a subset that holds the best one in the sense of S. S. Gupta ("On some
multiple decision rules", Technometrics 7 (1965) 225-245).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import sqrt
from typing import TypeAlias

from msgspec import Struct

from ringback.stats.bootstrap import FEW_TASKS
from ringback.stats.flips import sign_flip_test
from ringback.stats.interval import Interval
from ringback.stats.resampling import alpha, resampled_sums, upper_rank
from ringback.stats.sign import sign_test

__all__ = ["Contender", "TiedSet", "tied_set"]


class Contender(Struct, frozen=True, kw_only=True):
    """An arm against the one that came out best.

    `difference` is its rate minus the best one's, `interval` the simultaneous interval of that;
    None for the best arm itself and where every task shows the same difference. `may_be_best` is
    False where at least one arm, by number in `beaten_by`, is shown to be better.
    """

    arm: int
    difference: float
    interval: Interval | None
    may_be_best: bool
    beaten_by: tuple[int, ...]


class TiedSet(Struct, frozen=True, kw_only=True):
    """The arms in the order given, and the number of the one with the highest rate.

    Of equal ones `best` is the first. `critical` is in standard errors, None where no pair of arms
    has any spread. Two arms that may both be best are not shown to be equal, and being tied is not
    handed on: a with b and b with c says nothing of a with c.
    """

    best: int
    level: float
    resamples: int
    critical: float | None
    contenders: tuple[Contender, ...]


class _Pair(Struct, frozen=True):
    """Arm `one` minus arm `other`: the sums' difference by task, and its standard error."""

    one: int
    other: int
    gains: tuple[int, ...]
    difference: float
    error: float


_Pairs: TypeAlias = dict[tuple[int, int], _Pair]


def tied_set(
    solved: Sequence[Sequence[int]],
    trials: Sequence[int],
    *,
    seed: int,
    resamples: int = 10_000,
    level: float = 0.95,
) -> TiedSet:
    """Which arms may be best, from `solved[a][t]` of the `trials[t]` episodes of task t.

    An arm is shown to be better than another where the simultaneous interval of their difference
    stays above zero. As for any verdict (`ringback.stats.bootstrap`), with fewer than 10 changed
    tasks the exact p (McNemar's with one trial, else the sign-flip test's) must be at most 1 -
    level too, and a difference that is the same in every task counts by the sign test over tasks,
    times the number of pairs.

    Leave out noise and floor arms. Raises `ValueError` for no arm, no task, a count that is none,
    and too few resamples.
    """
    _check(solved, trials)
    rank = upper_rank(resamples, level)
    pairs = _pairs(solved, trials)
    critical = _critical(pairs, solved, trials, seed, resamples, rank)
    totals = [sum(arm) for arm in solved]
    best = totals.index(max(totals))
    found: list[Contender] = []
    for arm in range(len(solved)):
        beaten = tuple(
            other
            for other in range(len(solved))
            if other != arm and _shown(pairs[other, arm], critical, len(pairs) // 2, level)
        )
        found.append(
            Contender(
                arm=arm,
                difference=(totals[arm] - totals[best]) / sum(trials),
                interval=None if arm == best else _interval(pairs[arm, best], critical, level),
                may_be_best=not beaten,
                beaten_by=beaten,
            )
        )
    return TiedSet(
        best=best,
        level=level,
        resamples=resamples,
        critical=critical,
        contenders=tuple(found),
    )


def _check(solved: Sequence[Sequence[int]], trials: Sequence[int]) -> None:
    if not solved or not trials:
        raise ValueError("there is no arm or no task to compare on")
    for arm in solved:
        if len(arm) != len(trials):
            raise ValueError("every arm must be compared on the same tasks")
        if any(not 0 <= hits <= most or most < 1 for hits, most in zip(arm, trials, strict=True)):
            raise ValueError("solved episodes must be between none and all of a task's")


def _pairs(solved: Sequence[Sequence[int]], trials: Sequence[int]) -> _Pairs:
    """Every ordered pair of arms."""
    found: _Pairs = {}
    total, tasks = sum(trials), len(trials)
    for one, mine in enumerate(solved):
        for other, theirs in enumerate(solved[:one]):
            gains = [a - b for a, b in zip(mine, theirs, strict=True)]
            gain = sum(gains)
            # sum (g_t - d n_t)^2, times total^2 so that it stays whole; see ringback.stats.rates.
            squares = sum((g * total - gain * n) ** 2 for g, n in zip(gains, trials, strict=True))
            error = sqrt(Fraction(squares * tasks, (tasks - 1) * total**4)) if squares else 0.0
            found[one, other] = _Pair(one, other, tuple(gains), gain / total, error)
            found[other, one] = _Pair(
                other, one, tuple(-each for each in gains), -gain / total, error
            )
    return found


def _critical(
    pairs: _Pairs,
    solved: Sequence[Sequence[int]],
    trials: Sequence[int],
    seed: int,
    resamples: int,
    rank: int,
) -> float | None:
    """The `rank`-th largest of the resamples' largest deviations."""
    import numpy as np

    spread = [pair for pair in pairs.values() if pair.error and pair.one > pair.other]
    if not spread:
        return None
    sums = resampled_sums([*solved, trials], seed=seed, resamples=resamples)
    largest = np.zeros(resamples)
    for pair in spread:
        values = (sums[:, pair.one] - sums[:, pair.other]) / sums[:, -1]
        np.maximum(largest, np.abs(values - pair.difference) / pair.error, out=largest)
    largest.partition(resamples - rank)
    return float(largest[resamples - rank])


def _shown(pair: _Pair, critical: float | None, pairs: int, level: float) -> bool:
    """Whether the first arm of the pair is shown to be better than the second."""
    tasks = len(pair.gains)
    if pair.difference <= 0:
        return False
    if critical is None or not pair.error:
        return pairs * sign_test(tasks, 0) <= alpha(level)
    if pair.difference - critical * pair.error <= 0 or sign_test(tasks, 0) >= alpha(level):
        return False
    if sum(map(bool, pair.gains)) < FEW_TASKS:
        return sign_flip_test(pair.gains) <= alpha(level)
    return True


def _interval(pair: _Pair, critical: float | None, level: float) -> Interval | None:
    if critical is None or not pair.error:
        return None
    half = critical * pair.error
    return Interval(
        max(-1.0, pair.difference - half),
        min(1.0, pair.difference + half),
        level,
        "simultaneous bootstrap",
    )
