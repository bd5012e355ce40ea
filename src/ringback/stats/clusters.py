"""Paired differences over calls that come in clusters: the step check.

The calls of one recorded session hang together, so whole sessions are resampled. The statistic is a
ratio of sums, (better - worse) / calls. Two intervals stand side by side:

- the percentile interval, as for tasks (`ringback.stats.bootstrap`);
- the studentized one: each resample's deviation in its own standard error, t* = (d* - d) / se*, and
  the ends d - t se, with t the same ranks of t* (B. Efron and R. J. Tibshirani, "An Introduction to
  the Bootstrap", 1993, section 12.5; A. C. Cameron, J. B. Gelbach and D. L. Miller,
  "Bootstrap-based improvements for inference with clustered errors", Review of Economics and
  Statistics 90 (2008) 414-427, on why with few clusters). se is the clustered standard error of
  `ringback.stats.rates`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import inf, sqrt

from msgspec import Struct

from ringback.stats.bootstrap import Standing
from ringback.stats.interval import Interval
from ringback.stats.resampling import resampled_sums, tail_rank, two_ends
from ringback.stats.tally import Tally

__all__ = ["FEW_CLUSTERS", "ClusterDifference", "cluster_difference", "cluster_differences"]

FEW_CLUSTERS = 10
"""With fewer clusters no resampling of them can be trusted."""


class ClusterDifference(Struct, frozen=True, kw_only=True):
    """A rate over calls minus the one it is paired with, by clusters of calls.

    `better` are the calls that only the model in question hit, `worse` those that only the other
    did. `percentile` is None where every cluster shows the same difference; `studentized` is None
    there too, and where so many resamples have no spread of their own that an end is unbounded.
    `unadjusted` reads the percentile interval: not distinguishable where that has zero in it, and
    where there is none, as of a single cluster. `design_effect` is the clustered variance over that
    of as many independent calls, None with one cluster or where all calls show the same.
    `largest_share` is the largest cluster's share of the calls; `few` says that there are fewer
    than `FEW_CLUSTERS`, too few for either interval to be trusted.
    """

    clusters: int
    calls: int
    better: int
    worse: int
    difference: float
    percentile: Interval | None
    studentized: Interval | None
    unadjusted: Standing
    design_effect: float | None
    largest_share: float
    few: bool
    resamples: int


def cluster_difference(
    clusters: Sequence[Tally], *, seed: int, resamples: int = 10_000, level: float = 0.95
) -> ClusterDifference:
    """`cluster_differences` for a single model."""
    return cluster_differences([clusters], seed=seed, resamples=resamples, level=level)[0]


def cluster_differences(
    models: Sequence[Sequence[Tally]], *, seed: int, resamples: int = 10_000, level: float = 0.95
) -> tuple[ClusterDifference, ...]:
    """Each model's difference to the repeat, over the same resamples of the same clusters.

    `models[m][c]` holds cluster c's calls: as many pairs for every model, those that only the model
    hit as better, those that only the repeat did as worse. Raises `ValueError` without clusters,
    where models have other clusters or other numbers of calls, and for too few resamples.
    """
    rank = tail_rank(resamples, level)
    if not models:
        return ()
    sizes = [each.pairs for each in models[0]]
    if not sizes:
        raise ValueError("there is no cluster")
    if any([each.pairs for each in clusters] != sizes for clusters in models):
        raise ValueError("every model must be compared on the same calls")
    columns = [sizes, [size * size for size in sizes]]
    for clusters in models:
        gains = [each.better - each.worse for each in clusters]
        columns += [
            gains,
            [gain * gain for gain in gains],
            [gain * size for gain, size in zip(gains, sizes, strict=True)],
        ]
    sums = resampled_sums(columns, seed=seed, resamples=resamples)
    rows: list[list[int]] = [[int(value) for value in column] for column in sums.T.tolist()]
    return tuple(
        _found(clusters, rows[:2], rows[2 + 3 * place : 5 + 3 * place], rank, resamples, level)
        for place, clusters in enumerate(models)
    )


class _Ratio(Struct, frozen=True):
    """A ratio of sums with what its clustered variance needs, all exact."""

    gain: int
    calls: int
    squares: int  # sum (g_i N - G n_i)^2 = N^2 sum g^2 - 2 G N sum g n + G^2 sum n^2

    @classmethod
    def of(cls, n: int, nn: int, g: int, gg: int, gn: int) -> _Ratio:
        return cls(g, n, n * n * gg - 2 * g * n * gn + g * g * nn)

    def variance(self, clusters: int) -> Fraction:
        return Fraction(clusters * self.squares, (clusters - 1) * self.calls**4)


def _found(
    clusters: Sequence[Tally],
    sizes: Sequence[Sequence[int]],
    gains: Sequence[Sequence[int]],
    rank: int,
    resamples: int,
    level: float,
) -> ClusterDifference:
    many = len(clusters)
    better = sum(each.better for each in clusters)
    worse = sum(each.worse for each in clusters)
    seen = _Ratio.of(
        sum(each.pairs for each in clusters),
        sum(each.pairs**2 for each in clusters),
        better - worse,
        sum((each.better - each.worse) ** 2 for each in clusters),
        sum((each.better - each.worse) * each.pairs for each in clusters),
    )
    difference = seen.gain / seen.calls
    percentile: Interval | None = None
    studentized: Interval | None = None
    unadjusted: Standing = "not distinguishable"
    if seen.squares:
        low, high = _percentile(sizes[0], gains[0], rank)
        percentile = Interval(low, high, level, "percentile bootstrap")
        resampled = map(_Ratio.of, *sizes, *gains)
        unadjusted = "better" if low > 0 else "worse" if high < 0 else unadjusted
        studentized = _studentized(seen, list(resampled), many, rank, level)
    return ClusterDifference(
        clusters=many,
        calls=seen.calls,
        better=better,
        worse=worse,
        difference=difference,
        percentile=percentile,
        studentized=studentized,
        unadjusted=unadjusted,
        design_effect=_design_effect(seen, better + worse, many),
        largest_share=max(each.pairs for each in clusters) / seen.calls,
        few=many < FEW_CLUSTERS,
        resamples=resamples,
    )


def _percentile(calls: Sequence[int], gains: Sequence[int], rank: int) -> tuple[float, float]:
    import numpy as np

    return two_ends(np.array(gains, dtype=float) / np.array(calls, dtype=float) + 0.0, rank)


def _studentized(
    seen: _Ratio, resampled: Sequence[_Ratio], clusters: int, rank: int, level: float
) -> Interval | None:
    """The ends d - t se; None where one of them would be infinite."""
    factor = clusters / (clusters - 1)
    deviations = sorted(_deviation(each, seen, factor) for each in resampled)
    low, high = deviations[rank - 1], deviations[-rank]
    if low == -inf or high == inf:
        return None
    difference = seen.gain / seen.calls
    error = sqrt(seen.variance(clusters))
    return Interval(
        max(-1.0, difference - high * error),
        min(1.0, difference - low * error),
        level,
        "studentized bootstrap",
    )


def _deviation(each: _Ratio, seen: _Ratio, factor: float) -> float:
    """(d* - d) / se*; infinite where the resample has no spread and is not d."""
    apart = each.gain * seen.calls - seen.gain * each.calls
    if not each.squares:
        return 0.0 if not apart else inf if apart > 0 else -inf
    error = sqrt(factor * each.squares) / (each.calls * each.calls)
    return apart / (each.calls * seen.calls) / error


def _design_effect(seen: _Ratio, changed: int, clusters: int) -> float | None:
    """The clustered variance over sum (y - d)^2 / (N (N - 1)) of the calls taken one by one."""
    calls = seen.calls
    alone = changed * calls - seen.gain**2  # N sum (y - d)^2
    if clusters < 2 or not alone:
        return None
    return float(seen.variance(clusters) / Fraction(alone, calls * calls * (calls - 1)))
