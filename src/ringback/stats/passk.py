"""pass^k: the chance that k episodes of a task are all solved.

Source: S. Yao, N. Shinn, P. Razavi and K. Narasimhan, "tau-bench: a benchmark for tool-agent-user
interaction in real-world domains", 2024, section 3: of a task with c of n trials solved, C(c, k) /
C(n, k) is the unbiased estimate, and the figure is its mean over tasks. pass^1 is pass@1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import lcm
from typing import NamedTuple

from msgspec import Struct

from ringback.stats.interval import Interval
from ringback.stats.resampling import on_grid, resampled_sums, tail_rank, two_ends
from ringback.stats.wilson import wilson

__all__ = ["PassK", "pass_k"]

_EXACT = 1 << 40  # a common denominator up to here leaves room for sums over tasks
_BLOCK = 256  # figures resampled at a time: of thousands of trials there are as many


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
    values: list[float] = []
    ends: list[Interval | None] = []
    columns: list[_Column] = []
    for chances in _chances(tasks):
        # Tasks of one chance are added at once: its fraction may be of thousands of digits.
        alike = Counter(chances)
        values.append(float(sum(each * count for each, count in alike.items()) / len(tasks)))
        if len(alike) > 1:
            columns.append(_column(len(values) - 1, chances))
            ends.append(None)
        else:
            solved = chances[0] * len(tasks)
            ends.append(wilson(int(solved), len(tasks), level) if chances[0] in (0, 1) else None)
        if len(columns) == _BLOCK:
            _fill(ends, columns, len(tasks), seed, resamples, rank, level)
    _fill(ends, columns, len(tasks), seed, resamples, rank, level)
    return tuple(
        PassK(
            k=k,
            tasks=len(tasks),
            short=sum(trials < k for _, trials in tasks),
            value=values[k - 1] if k <= len(values) else None,
            interval=ends[k - 1] if k <= len(values) else None,
        )
        for k in range(1, most + 1)
    )


def _chances(tasks: Sequence[tuple[int, int]]) -> Iterator[list[Fraction]]:
    """The estimate of each task, for k = 1 and so on, as far as all tasks have so many trials.

    C(n, k) is made of C(n, k - 1).
    """
    ways = {count: 1 for task in tasks for count in task}
    for k in range(1, min(trials for _, trials in tasks) + 1):
        for count, before in ways.items():
            ways[count] = before * (count - k + 1) // k
        found = {task: Fraction(ways[task[0]], ways[task[1]]) for task in set(tasks)}
        yield [found[task] for task in tasks]


class _Column(NamedTuple):
    """The chances at `place` as whole numbers: of `shared`, times two to the `exponent`."""

    place: int
    numbers: list[int]
    shared: int
    exponent: int


def _column(place: int, chances: Sequence[Fraction]) -> _Column:
    shared = 1
    for denominator in {chance.denominator for chance in chances}:
        shared = lcm(shared, denominator)
        if shared > _EXACT // len(chances):
            whole, exponent = on_grid([float(chance) for chance in chances])
            return _Column(place, whole, 1, exponent)
    return _Column(place, [int(chance * shared) for chance in chances], shared, 0)


def _fill(
    ends: list[Interval | None],
    columns: list[_Column],
    tasks: int,
    seed: int,
    resamples: int,
    rank: int,
    level: float,
) -> None:
    """Put the intervals of these columns in their places, and empty the list."""
    if not columns:
        return
    sums = resampled_sums([each.numbers for each in columns], seed=seed, resamples=resamples)
    for at, each in enumerate(columns):
        values = sums[:, at] / (each.shared * tasks) * 2.0**each.exponent
        ends[each.place] = Interval(*two_ends(values, rank), level, "percentile bootstrap")
    columns.clear()
