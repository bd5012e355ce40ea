"""The paired per-task bootstrap of a difference in solve rate.

Tasks are resampled, whole, with all their trials: trials of one task are not independent, tasks
are taken to be. The interval is the percentile interval (B. Efron and R. J. Tibshirani, "An
Introduction to the Bootstrap", 1993, section 13.3). Its quantile rule is theirs too (section 12.5):
with B resamples and level 1 - 2a, k = floor((B + 1) a), and the ends are the k-th smallest and the
k-th largest value. No interpolation; exchanging the arms mirrors the interval exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, TypeAlias

from msgspec import Struct

from ringback.stats.draws import resample_counts
from ringback.stats.interval import Interval
from ringback.stats.sign import sign_test

__all__ = [
    "PairedDifference",
    "Remark",
    "Standing",
    "Tally",
    "paired_difference",
    "paired_differences",
    "tail_rank",
]

Standing: TypeAlias = Literal["better", "worse", "not distinguishable"]
Remark: TypeAlias = Literal["no task changed outcome", "same difference in every task"]


class Tally(Struct, frozen=True):
    """One task's pairs: how many, in how many only the arm solved it, in how many only the other.

    Raises `ValueError` for a negative count, no pairs, or more changes than pairs.
    """

    pairs: int
    better: int
    worse: int

    def __post_init__(self) -> None:
        changed = self.better + self.worse
        if min(self.better, self.worse) < 0 or self.pairs < max(1, changed):
            raise ValueError(f"not a tally of pairs: {self}")


class PairedDifference(Struct, frozen=True, kw_only=True):
    """An arm's solve rate minus the baseline's, over pairs of the same task and trial.

    `better` and `worse` count the pairs that differ, `tasks_better` and `tasks_worse` the tasks
    whose sum over trials does. `interval` is None where the tasks show no spread, so that there is
    nothing to resample; `remark` then says which case it is, and belongs in the interval's place.
    """

    tasks: int
    pairs: int
    better: int
    worse: int
    tasks_better: int
    tasks_worse: int
    difference: float
    interval: Interval | None
    verdict: Standing
    remark: Remark | None
    resamples: int


def tail_rank(resamples: int, level: float) -> int:
    """The rank k = floor((B + 1) (1 - level) / 2), exactly, for the level as written in decimals.

    Raises `ValueError` where k is 0, that is where there are too few resamples for the level.
    """
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1, not {level}")
    rank = int((resamples + 1) * (1 - Fraction(repr(level))) / 2)
    if rank < 1:
        raise ValueError(f"{resamples} resamples are too few for the level {level}")
    return rank


def paired_difference(
    tallies: Sequence[Tally], *, seed: int, resamples: int = 10_000, level: float = 0.95
) -> PairedDifference:
    """`paired_differences` for a single arm."""
    return paired_differences([tallies], seed=seed, resamples=resamples, level=level)[0]


def paired_differences(
    arms: Sequence[Sequence[Tally]], *, seed: int, resamples: int = 10_000, level: float = 0.95
) -> tuple[PairedDifference, ...]:
    """Each arm's difference to the baseline, over the same resamples of the same tasks.

    `arms[a][t]` is arm a's tally for task t. The statistic is a ratio of sums over tasks, (better -
    worse) / pairs. The sums are exact integers, and a quotient of integers has its numerator's
    sign: so zero is inside the interval exactly when an end touches it, and "better" and "worse"
    need an interval that stays clear of zero.

    Where every task shows the same difference no resample can differ: the bootstrap sees no spread
    and would give an interval of no width. There is none then, but a remark, and the verdict is
    that of the exact sign test over the tasks (`sign_test`), at 1 - level. So that no verdict falls
    when an arm gains, tasks too few for that test to tell anything apart (fewer than 6 at 95%)
    give no verdict with an interval either.

    The draws come from `resample_counts(seed, ...)`. Raises `ValueError` without tasks, for arms
    with unequal numbers of tasks, and for too few resamples.
    """
    rank = tail_rank(resamples, level)
    tasks = len(arms[0]) if arms else 0
    enough = sign_test(tasks, 0) < 1 - Fraction(repr(level))
    if arms and not tasks:
        raise ValueError("there is no task to compare on")
    if any(len(tallies) != tasks for tallies in arms):
        raise ValueError("every arm must be compared on the same tasks")
    spread = [tallies for tallies in arms if len({_difference(each) for each in tallies}) > 1]
    ends = iter(_ends(spread, seed, resamples, rank) if spread else ())
    found: list[PairedDifference] = []
    for tallies in arms:
        better = sum(each.better for each in tallies)
        worse = sum(each.worse for each in tallies)
        pairs = sum(each.pairs for each in tallies)
        interval: Interval | None = None
        remark: Remark | None = None
        verdict: Standing = "not distinguishable"
        if len({_difference(each) for each in tallies}) > 1:
            low, high = next(ends)
            interval = Interval(low, high, level, "percentile bootstrap")
            if enough and (low > 0 or high < 0):
                verdict = "better" if low > 0 else "worse"
        else:
            changed = better or worse
            remark = "same difference in every task" if changed else "no task changed outcome"
            if better != worse and enough:
                verdict = "better" if better > worse else "worse"
        found.append(
            PairedDifference(
                tasks=tasks,
                pairs=pairs,
                better=better,
                worse=worse,
                tasks_better=sum(each.better > each.worse for each in tallies),
                tasks_worse=sum(each.better < each.worse for each in tallies),
                difference=(better - worse) / pairs,
                interval=interval,
                verdict=verdict,
                remark=remark,
                resamples=resamples,
            )
        )
    return tuple(found)


def _difference(tally: Tally) -> Fraction:
    return Fraction(tally.better - tally.worse, tally.pairs)


def _ends(
    arms: Sequence[Sequence[Tally]], seed: int, resamples: int, rank: int
) -> list[tuple[float, float]]:
    """The k-th smallest and k-th largest resampled difference of each arm."""
    import numpy as np

    gains = np.array([[each.better - each.worse for each in tallies] for tallies in arms]).T
    pairs = np.array([[each.pairs for each in tallies] for tallies in arms]).T
    # Products and sums below are integers under 2^53: a float holds them exactly, in any order.
    columns = np.concatenate([gains, pairs], axis=1).astype(np.float64)
    sums = np.concatenate(
        [
            counts.astype(np.float64) @ columns
            for counts in resample_counts(seed, gains.shape[0], resamples)
        ]
    )
    values = sums[:, : len(arms)] / sums[:, len(arms) :] + 0.0  # no negative zero
    values.partition((rank - 1, resamples - rank), axis=0)
    return [(float(a), float(b)) for a, b in zip(values[rank - 1], values[-rank], strict=True)]
