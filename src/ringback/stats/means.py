"""Means per episode: steps, seconds, tokens, with bootstrap intervals over tasks."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, ldexp

from msgspec import Struct

from ringback.stats.interval import Interval
from ringback.stats.resampling import on_grid, resampled_sums, tail_rank, two_ends

__all__ = ["Mean", "mean_per_episode"]


class Mean(Struct, frozen=True, kw_only=True):
    """A mean over the episodes of which the value is known; `unknown` others are left out.

    `mean` is None where none is known. `interval` is the percentile bootstrap over the tasks that
    have a known value, None where it would have no width: one such task, or all with equal means.
    """

    tasks: int
    episodes: int
    unknown: int
    mean: float | None
    interval: Interval | None


def mean_per_episode(
    tasks: Sequence[Sequence[float | None]],
    *,
    seed: int,
    resamples: int = 10_000,
    level: float = 0.95,
) -> Mean:
    """The mean of a quantity over episodes, from its values by task and trial; None is unknown.

    A ratio of sums over whole tasks, so that a task's trials stay together. Raises `ValueError` for
    a value that is not finite and for too few resamples.
    """
    rank = tail_rank(resamples, level)
    known = [[value for value in task if value is not None] for task in tasks]
    known = [task for task in known if task]
    episodes = sum(map(len, known))
    unknown = sum(map(len, tasks)) - episodes
    if not known:
        return Mean(tasks=0, episodes=0, unknown=unknown, mean=None, interval=None)
    totals = [fsum(task) for task in known]
    interval: Interval | None = None
    if len({total / len(task) for total, task in zip(totals, known, strict=True)}) > 1:
        whole, exponent = on_grid(totals)
        sums = resampled_sums([whole, list(map(len, known))], seed=seed, resamples=resamples)
        low, high = two_ends(sums[:, 0] / sums[:, 1] + 0.0, rank)
        low, high = ldexp(low, exponent), ldexp(high, exponent)
        interval = Interval(low, high, level, "percentile bootstrap")
    return Mean(
        tasks=len(known),
        episodes=episodes,
        unknown=unknown,
        mean=fsum(totals) / episodes,
        interval=interval,
    )
