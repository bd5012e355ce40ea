"""The paired per-task bootstrap of a difference in solve rate, and the two verdicts on it.

Tasks are resampled, whole, with all their trials: trials of one task are not independent, tasks
are taken to be. The interval is the percentile interval (B. Efron and R. J. Tibshirani, "An
Introduction to the Bootstrap", 1993, section 13.3), with the quantile rule of
`ringback.stats.resampling.two_ends`: exchanging the arms mirrors it exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, TypeAlias

from msgspec import Struct

from ringback.stats.flips import ArmTest, sign_flip_test
from ringback.stats.interval import Interval
from ringback.stats.resampling import alpha, resampled_sums, tail_rank, two_ends
from ringback.stats.sign import sign_test
from ringback.stats.tally import Tally
from ringback.stats.tango import tango

__all__ = [
    "FEW_TASKS",
    "PairedDifference",
    "Remark",
    "Standing",
    "Tally",
    "claimed",
    "few_changed",
    "half_width",
    "paired_difference",
    "paired_differences",
]

FEW_TASKS = 10
"""With fewer changed tasks the interval's coverage strays from its level (docs/statistics.md)."""

Standing: TypeAlias = Literal["better", "worse", "not distinguishable"]
Remark: TypeAlias = Literal["no task changed outcome", "same difference in every task"]


class PairedDifference(Struct, frozen=True, kw_only=True):
    """An arm's solve rate minus the baseline's, over pairs of the same task and trial.

    `better` and `worse` count the pairs that differ, `tasks_better` and `tasks_worse` the tasks
    whose sum over trials does.

    `interval` is the percentile bootstrap's. Where every task shows the same difference there is
    nothing to resample; `remark` then says which case it is, and the interval is Tango's (its
    `method` says so) with a pair for each task. It is None only where every task shows the same
    fraction of its trials: then no interval is honest.

    `unadjusted` is the plain reading: better or worse where the interval stays clear of zero (where
    there is none, where the difference does), else not distinguishable. `verdict` is
    ours, never bolder: where fewer than `FEW_TASKS` tasks changed it also asks for an exact p of at
    most 1 - level (McNemar's with one trial, else the sign-flip test's over tasks), and it asks for
    enough tasks that an exact test could tell anything apart (6 at 95%). `mcnemar` is McNemar's p,
    None with several trials.
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
    unadjusted: Standing
    mcnemar: float | None


def claimed(found: PairedDifference, test: ArmTest | None, arms: int) -> Standing:
    """What an arm may be called among `arms` that are tested together.

    Its verdict, where it is the only one, and where its adjusted `test` upholds that. An arm
    without a test (noise, a control) stands outside: its verdict is its own.
    """
    lost = arms > 1 and test is not None and not test.distinguishable
    return "not distinguishable" if lost else found.verdict


def few_changed(found: PairedDifference) -> bool:
    """Whether so few tasks changed that the interval is rough, and an exact test has a say.

    With several trials a task changed where it came out better or worse over all of them: trials
    that agree add nothing, and those that cancel out are no change.
    """
    return found.tasks_better + found.tasks_worse < FEW_TASKS


def half_width(found: PairedDifference) -> float | None:
    """Half the width of the interval: what a study was able to tell, after it was run.

    None without an interval. Power is a question for before a run (`ringback.stats.power`); worked
    out afterwards from the difference seen, it says nothing that the p-value does not (J. M. Hoenig
    and D. M. Heisey, "The abuse of power", The American Statistician 55 (2001) 19-24).
    """
    return None if found.interval is None else (found.interval.high - found.interval.low) / 2


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
    sign: so zero is inside the interval exactly when an end touches it.

    The draws come from `resample_counts(seed, ...)`. Raises `ValueError` without tasks, for arms
    with unequal numbers of tasks, and for too few resamples.
    """
    rank = tail_rank(resamples, level)
    tasks = len(arms[0]) if arms else 0
    if arms and not tasks:
        raise ValueError("there is no task to compare on")
    if any(len(tallies) != tasks for tallies in arms):
        raise ValueError("every arm must be compared on the same tasks")
    spread = [tallies for tallies in arms if len({_difference(each) for each in tallies}) > 1]
    ends = iter(_ends(spread, seed, resamples, rank) if spread else ())
    found: list[PairedDifference] = []
    for tallies in arms:
        same = len({_difference(each) for each in tallies}) == 1
        found.append(_found(tallies, None if same else next(ends), resamples, level))
    return tuple(found)


def _found(
    tallies: Sequence[Tally], ends: tuple[float, float] | None, resamples: int, level: float
) -> PairedDifference:
    """An arm's figures, from its tallies and the bootstrap's ends where it has any."""
    tasks = len(tallies)
    better = sum(each.better for each in tallies)
    worse = sum(each.worse for each in tallies)
    pairs = sum(each.pairs for each in tallies)
    difference = (better - worse) / pairs
    mcnemar = sign_test(better, worse) if pairs == tasks else None
    remark: Remark | None = None
    if ends is None:
        changed = better or worse
        remark = "same difference in every task" if changed else "no task changed outcome"
        interval = _without_spread(tasks, better - worse, pairs, level)
        unadjusted = (
            _clear(difference, difference)
            if interval is None
            else _clear(interval.low, interval.high)
        )
    else:
        interval = Interval(*ends, level, "percentile bootstrap")
        unadjusted = _clear(*ends)
    sure = sign_test(tasks, 0) < alpha(level)
    gains = [each.better - each.worse for each in tallies]
    if sum(map(bool, gains)) < FEW_TASKS:
        # With one trial this is McNemar's exact test.
        sure = sure and sign_flip_test(gains) <= alpha(level)
    return PairedDifference(
        tasks=tasks,
        pairs=pairs,
        better=better,
        worse=worse,
        tasks_better=sum(each.better > each.worse for each in tallies),
        tasks_worse=sum(each.better < each.worse for each in tallies),
        difference=difference,
        interval=interval,
        verdict=unadjusted if sure else "not distinguishable",
        remark=remark,
        resamples=resamples,
        unadjusted=unadjusted,
        mcnemar=None if mcnemar is None else float(mcnemar),
    )


def _difference(tally: Tally) -> Fraction:
    return Fraction(tally.better - tally.worse, tally.pairs)


def _clear(low: float, high: float) -> Standing:
    return "better" if low > 0 else "worse" if high < 0 else "not distinguishable"


def _without_spread(tasks: int, gain: int, pairs: int, level: float) -> Interval | None:
    """Tango's interval where every task shows no difference, or a difference in all its trials."""
    if gain not in (0, pairs, -pairs):
        return None
    return tango(tasks if gain > 0 else 0, tasks if gain < 0 else 0, tasks, level)


def _ends(
    arms: Sequence[Sequence[Tally]], seed: int, resamples: int, rank: int
) -> list[tuple[float, float]]:
    """The k-th smallest and k-th largest resampled difference of each arm."""
    columns = [[each.better - each.worse for each in tallies] for tallies in arms]
    columns += [[each.pairs for each in tallies] for tallies in arms]
    sums = resampled_sums(columns, seed=seed, resamples=resamples)
    many = len(arms)
    return [two_ends(sums[:, arm] / sums[:, many + arm] + 0.0, rank) for arm in range(many)]
