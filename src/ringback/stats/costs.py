"""Cost per solved task: what all runs cost, over the ones that were solved.

A ratio of sums over tasks, resampled by whole tasks. A resample in which nothing is solved stands
for an infinite cost, so the upper end can be unbounded; that is the figure, not a failure of it (E.
C. Fieller, "Some problems in interval estimation", Journal of the Royal Statistical Society B 16
(1954) 175-185, on ratios whose denominator may be zero).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, isinf, ldexp
from typing import Literal, TypeAlias

from msgspec import Struct

from ringback.stats.resampling import on_grid, resampled_sums, tail_rank, two_ends

__all__ = ["CostPerSolved", "Lacking", "TaskCost", "cost_per_solved"]

Lacking: TypeAlias = Literal["none solved", "price unknown"]


class TaskCost(Struct, frozen=True):
    """One task's trials together: how many were solved, and what all of them cost.

    `cost` is None where the price of any of them is unknown.
    """

    solved: int
    cost: float | None


class CostPerSolved(Struct, frozen=True, kw_only=True):
    """Cost of all runs over solved runs, in whatever unit the costs have.

    `value` is None, and `lacking` says why, where none was solved (undefined) or a price is unknown
    (unknown; `unknown` counts the tasks). `cost` is then None for an unknown price only. `low` and
    `high` are the percentile interval's ends; `high` is None where it is `unbounded`. Both are None
    where the interval would have no width.
    """

    tasks: int
    solved: int
    unknown: int
    cost: float | None
    value: float | None
    lacking: Lacking | None
    low: float | None
    high: float | None
    unbounded: bool
    level: float


def cost_per_solved(
    tasks: Sequence[TaskCost], *, seed: int, resamples: int = 10_000, level: float = 0.95
) -> CostPerSolved:
    """The cost per solved run with its interval over tasks.

    Raises `ValueError` without tasks, for a cost that is negative or not finite, and for too few
    resamples.
    """
    rank = tail_rank(resamples, level)
    if not tasks:
        raise ValueError("there is no task")
    solved = sum(each.solved for each in tasks)
    costs = [each.cost for each in tasks if each.cost is not None]
    if any(not 0 <= each < float("inf") for each in costs) or any(
        each.solved < 0 for each in tasks
    ):
        raise ValueError("a cost must be finite and, like a count, not negative")
    unknown = len(tasks) - len(costs)
    total = None if unknown else fsum(costs)
    lacking: Lacking | None = "price unknown" if unknown else None if solved else "none solved"
    low: float | None = None
    high: float | None = None
    unbounded = False
    if lacking is None:
        ends = _ends(costs, [each.solved for each in tasks], seed, resamples, rank)
        unbounded = isinf(ends[1])
        if ends[0] < ends[1]:
            low, high = ends[0], None if unbounded else ends[1]
    return CostPerSolved(
        tasks=len(tasks),
        solved=solved,
        unknown=unknown,
        cost=total,
        value=None if lacking is not None or total is None else total / solved,
        lacking=lacking,
        low=low,
        high=high,
        unbounded=unbounded,
        level=level,
    )


def _ends(
    costs: Sequence[float], solved: Sequence[int], seed: int, resamples: int, rank: int
) -> tuple[float, float]:
    import numpy as np

    whole, exponent = on_grid(costs)
    sums = resampled_sums([whole, solved], seed=seed, resamples=resamples)
    values = np.full(resamples, np.inf)
    np.divide(sums[:, 0], sums[:, 1], out=values, where=sums[:, 1] > 0)
    low, high = two_ends(values, rank)
    return ldexp(low, exponent), high if isinf(high) else ldexp(high, exponent)
