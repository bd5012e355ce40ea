"""pass^k: the chance that k episodes of a task are all solved.

Source: S. Yao, N. Shinn, P. Razavi and K. Narasimhan, "tau-bench: a benchmark for tool-agent-user
interaction in real-world domains", 2024, section 3: of a task with c of n trials solved, C(c, k) /
C(n, k) is the unbiased estimate, and the figure is its mean over tasks. pass^1 is pass@1.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import comb, lcm

from msgspec import Struct

from ringback.stats.interval import Interval
from ringback.stats.resampling import on_grid, resampled_sums, tail_rank, two_ends
from ringback.stats.wilson import wilson

__all__ = ["PassK", "pass_k"]

_EXACT = 1 << 40  # a common denominator up to here leaves room for sums over tasks


class PassK(Struct, frozen=True, kw_only=True):
    """pass^k over tasks.

    `value` is None, and the figure undefined, where `short` tasks have fewer than k trials.
    `interval` is the percentile bootstrap over tasks; where all tasks agree it is Wilson's over the
    tasks if each is at 0 or each at 1, and else None.
    """

    k: int
    tasks: int
    short: int
    value: float | None
    interval: Interval | None


def pass_k(
    tasks: Sequence[tuple[int, int]], *, seed: int, resamples: int = 10_000, level: float = 0.95
) -> tuple[PassK, ...]:
    """pass^1, pass^2 and so on up to the largest number of trials, from (solved, trials) of tasks.

    Raises `ValueError` without tasks, for a task without trials or with more solved than those, and
    for too few resamples.
    """
    rank = tail_rank(resamples, level)
    if not tasks:
        raise ValueError("there is no task")
    for solved, trials in tasks:
        if not 0 <= solved <= trials or trials < 1:
            raise ValueError(f"{solved} of {trials} is not a count")
    most = max(trials for _, trials in tasks)
    defined = min(trials for _, trials in tasks)
    chances = [
        [Fraction(comb(solved, k), comb(trials, k)) for solved, trials in tasks]
        for k in range(1, defined + 1)
    ]
    ends = _ends([each for each in chances if len(set(each)) > 1], seed, resamples, rank)
    found: list[PassK] = []
    for k in range(1, most + 1):
        short = sum(trials < k for _, trials in tasks)
        value: float | None = None
        interval: Interval | None = None
        if not short:
            each = chances[k - 1]
            value = float(sum(each) / len(tasks))
            if len(set(each)) > 1:
                interval = Interval(*ends.pop(0), level, "percentile bootstrap")
            elif each[0] in (0, 1):
                interval = wilson(int(sum(each)), len(tasks), level)
        found.append(PassK(k=k, tasks=len(tasks), short=short, value=value, interval=interval))
    return tuple(found)


def _ends(
    chances: Sequence[Sequence[Fraction]], seed: int, resamples: int, rank: int
) -> list[tuple[float, float]]:
    """The ends for each k's chances by task."""
    if not chances:
        return []
    columns: list[list[int]] = []
    scales: list[tuple[int, int]] = []  # denominator, exponent of two
    for each in chances:
        shared = lcm(*(chance.denominator for chance in each))
        if shared <= _EXACT // len(each):
            columns.append([int(chance * shared) for chance in each])
            scales.append((shared, 0))
        else:
            whole, exponent = on_grid([float(chance) for chance in each])
            columns.append(whole)
            scales.append((1, exponent))
    sums = resampled_sums(columns, seed=seed, resamples=resamples)
    return [
        two_ends(sums[:, place] / (shared * len(chances[0])) * 2.0**exponent, rank)
        for place, (shared, exponent) in enumerate(scales)
    ]
