"""The rate of one arm, over episodes that come in tasks or calls that come in sessions.

Trials of one task hang together, and so do the calls of one session. The standard error over such
groups is the clustered one: with group totals s_i of n_i, p = sum s / sum n and m groups,

    se^2 = m / (m - 1) * sum (s_i - p n_i)^2 / (sum n)^2

(W. G. Cochran, "Sampling Techniques", 3rd edition 1977, section 3.12, for a ratio of sums, without
the finite population's correction; with trials alike it is the standard error of the mean over task
means, and the formula of E. Miller, "Adding error bars to evals", 2024, appendix A, times m / (m -
1)). p (1 - p) / se^2 is the number of independent episodes that would give the same error: L. Kish,
"Survey Sampling", 1965, section 8.2, whose design effect is n over it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from msgspec import Struct

from ringback.stats.interval import Interval
from ringback.stats.wilson import wilson, wilson_of

__all__ = ["ClusteredRate", "SingleRate", "clustered_rate", "single_rate"]


class SingleRate(Struct, frozen=True, kw_only=True):
    """Solved of planned episodes, and how many independent ones they are worth.

    `effective` is clamp(p (1 - p) / se^2, tasks, episodes), se the standard error over tasks;
    `tasks` where that error is zero or there is one task; the episodes themselves where each task
    has one. `interval` is Wilson's with that number. All three are None without episodes.
    """

    tasks: int
    episodes: int
    solved: int
    rate: float | None
    effective: float | None
    interval: Interval | None


class ClusteredRate(Struct, frozen=True, kw_only=True):
    """Hits among calls that come in clusters.

    `interval` is Wilson's over the calls, as if they were independent. `design_effect` says how
    many times as large the variance is with the clusters taken as they are, None where it cannot
    be told: fewer than two clusters, or a rate of exactly 0 or 1. `clustered` is Wilson's with
    calls / design effect (never more than the calls, never fewer than the clusters).
    """

    clusters: int
    calls: int
    hits: int
    rate: float | None
    interval: Interval | None
    design_effect: float | None
    clustered: Interval | None


def single_rate(tasks: Sequence[tuple[int, int]], level: float = 0.95) -> SingleRate:
    """The rate of an arm from (solved, episodes) of each task.

    Every planned episode counts; one without a graded outcome is unsolved. Raises `ValueError` for
    a task without episodes or with more solved than that.
    """
    solved, episodes = _total(tasks)
    if not episodes:
        return SingleRate(tasks=0, episodes=0, solved=0, rate=None, effective=None, interval=None)
    size = _effective(tasks, solved, episodes)
    return SingleRate(
        tasks=len(tasks),
        episodes=episodes,
        solved=solved,
        rate=solved / episodes,
        effective=float(size),
        interval=wilson_of(solved, episodes, float(size), level),
    )


def clustered_rate(clusters: Sequence[tuple[int, int]], level: float = 0.95) -> ClusteredRate:
    """The rate over calls from (hits, calls) of each cluster, with its design effect.

    Raises `ValueError` as `single_rate` does.
    """
    hits, calls = _total(clusters)
    size = _effective(clusters, hits, calls) if calls else Fraction(1)
    deviation = _squares(clusters, hits, calls)
    effect: Fraction | None = None
    if len(clusters) > 1 and 0 < hits < calls:
        alone = (len(clusters) - 1) * hits * (calls - hits) * calls
        effect = Fraction(len(clusters) * deviation, alone)
    return ClusteredRate(
        clusters=len(clusters),
        calls=calls,
        hits=hits,
        rate=hits / calls if calls else None,
        interval=wilson(hits, calls, level),
        design_effect=None if effect is None else float(effect),
        clustered=wilson_of(hits, calls, float(size), level) if calls else None,
    )


def _total(groups: Sequence[tuple[int, int]]) -> tuple[int, int]:
    for hits, size in groups:
        if not 0 <= hits <= size or size < 1:
            raise ValueError(f"{hits} of {size} is not a count")
    return sum(hits for hits, _ in groups), sum(size for _, size in groups)


def _squares(groups: Sequence[tuple[int, int]], hits: int, total: int) -> int:
    """The squared deviations, sum (s_i n - s n_i)^2, times n^2 to be whole."""
    return sum((each * total - hits * size) ** 2 for each, size in groups)


def _effective(groups: Sequence[tuple[int, int]], hits: int, total: int) -> Fraction:
    """How many independent episodes these are worth, exactly."""
    squares = _squares(groups, hits, total)
    if len(groups) < 2 or not squares:
        return Fraction(len(groups))
    many = len(groups)
    # p (1-p) / se^2 with all denominators multiplied out.
    size = Fraction(hits * (total - hits) * total**2 * (many - 1), many * squares)
    return min(max(size, Fraction(many)), Fraction(total))
