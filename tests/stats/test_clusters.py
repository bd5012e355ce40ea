"""Cluster differences by definition, by hand, against clustered errors, and their promises."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import sqrt
from random import Random
from typing import Any, cast

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st

from ringback.stats import (
    Interval,
    Tally,
    cluster_difference,
    cluster_differences,
    paired_difference,
)
from ringback.stats.draws import resample_counts
from ringback.stats.resampling import tail_rank

tallies = st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 4)).map(
    lambda t: Tally(max(1, sum(t)), t[0], t[1])
)
studies = st.lists(tallies, min_size=2, max_size=9)


def error(gains: Sequence[int], sizes: Sequence[int]) -> float:
    many, total = len(gains), sum(sizes)
    ratio = sum(gains) / total
    squares = sum((g - ratio * n) ** 2 for g, n in zip(gains, sizes, strict=True))
    return sqrt(many / (many - 1) * squares) / total


def ends(found: Interval | None) -> Interval:
    assert found is not None
    return found


@given(studies, st.integers(0, 50))
@settings(max_examples=50, deadline=None)
def test_equals_the_definitions(study: list[Tally], seed: int) -> None:
    found = cluster_difference(study, seed=seed, resamples=200)
    gains = [each.better - each.worse for each in study]
    sizes = [each.pairs for each in study]
    difference = sum(gains) / sum(sizes)
    assert found.difference == difference
    if found.percentile is None:
        assert len({Fraction(g, n) for g, n in zip(gains, sizes, strict=True)}) == 1
        return
    ratios: list[float] = []
    deviations: list[float] = []
    for block in resample_counts(seed, len(study), 200):
        for row in block.tolist():
            drawn = [place for place, often in enumerate(row) for _ in range(often)]
            some = [gains[place] for place in drawn], [sizes[place] for place in drawn]
            ratio = Fraction(sum(some[0]), sum(some[1]))
            ratios.append(float(ratio))
            if len({Fraction(g, n) for g, n in zip(*some, strict=True)}) == 1:
                apart = ratio - Fraction(sum(gains), sum(sizes))
                deviations.append(0.0 if not apart else float("inf") if apart > 0 else -9e999)
            else:
                deviations.append((float(ratio) - difference) / error(*some))
    rank = tail_rank(200, 0.95)
    ratios.sort()
    assert (found.percentile.low, found.percentile.high) == (ratios[rank - 1], ratios[-rank])
    deviations.sort()
    low, high = deviations[rank - 1], deviations[-rank]
    if found.studentized is None:
        assert abs(low) == float("inf") or high == float("inf")
    else:
        spread = error(gains, sizes)
        wanted = (max(-1, difference - high * spread), min(1, difference - low * spread))
        assert (found.studentized.low, found.studentized.high) == pytest.approx(wanted, abs=1e-9)


@given(studies)
@settings(max_examples=40, deadline=None)
def test_exchanging_the_sides_mirrors_everything(study: list[Tally]) -> None:
    one = cluster_difference(study, seed=0, resamples=200)
    other = cluster_difference(
        [Tally(each.pairs, each.worse, each.better) for each in study], seed=0, resamples=200
    )
    assert one.difference == -other.difference
    assert one.design_effect == other.design_effect
    for mine, theirs in ((one.percentile, other.percentile), (one.studentized, other.studentized)):
        if mine is not None:
            assert (mine.low, mine.high) == (-ends(theirs).high, -ends(theirs).low)


@given(studies, st.randoms())
@settings(max_examples=30, deadline=None)
def test_order_moves_no_count(study: list[Tally], random: Random) -> None:
    other = list(study)
    random.shuffle(other)
    one, two = (cluster_difference(each, seed=0, resamples=100) for each in (study, other))
    assert (one.difference, one.design_effect, one.largest_share) == (
        two.difference,
        two.design_effect,
        two.largest_share,
    )


@given(studies)
@settings(max_examples=30, deadline=None)
def test_the_design_effect_is_a_ratio_of_variances(study: list[Tally]) -> None:
    values = [
        value
        for each in study
        for value in [1] * each.better
        + [-1] * each.worse
        + [0] * (each.pairs - each.better - each.worse)
    ]
    places = [place for place, each in enumerate(study) for _ in range(each.pairs)]
    found = cluster_difference(study, seed=0, resamples=100).design_effect
    if len(set(values)) == 1:
        assert found is None
        return
    fitted = cast("Any", sm.OLS(values, np.ones(len(values)))).fit()
    robust = fitted.get_robustcov_results(cov_type="cluster", groups=np.array(places))
    assert found == pytest.approx(float(robust.bse[0] ** 2 / fitted.bse[0] ** 2), abs=1e-9)


def test_the_percentile_interval_is_that_over_tasks() -> None:
    study = [Tally(3, 1, 0), Tally(2, 0, 1), Tally(3, 2, 0)] * 7
    found = cluster_difference(study, seed=20261130)
    assert found.percentile == paired_difference(study, seed=20261130).interval
    assert (found.clusters, found.calls, found.better, found.worse) == (21, 56, 21, 7)


def test_pinned() -> None:
    study = [Tally(8 + n % 5, n % 3, (n * 7) % 4) for n in range(19)]
    found = cluster_difference(study, seed=20261130)
    studentized = ends(found.studentized)
    assert (found.design_effect, studentized.low, studentized.high) == PINNED


PINNED = (0.6961412804349967, -0.1212229162398832, 0.008617777493157452)


def test_few_clusters_and_a_large_one_are_said() -> None:
    few = cluster_difference([Tally(10, 2, 1)] * 8 + [Tally(20, 0, 5)], seed=0)
    assert (few.few, few.largest_share) == (True, 0.2)
    assert not cluster_difference([Tally(10, 2, 1)] * 9 + [Tally(20, 0, 5)], seed=0).few


def test_without_spread_there_is_no_interval() -> None:
    same = cluster_difference([Tally(4, 1, 0), Tally(8, 2, 0)] * 6, seed=0)
    assert (same.percentile, same.studentized) == (None, None)
    assert same.unadjusted == "not distinguishable"
    assert same.design_effect == 0.0
    one = cluster_difference([Tally(4, 1, 0)], seed=0)
    assert (one.percentile, one.studentized, one.design_effect, one.few) == (None, None, None, True)
    assert one.difference == 0.25
    assert one.unadjusted == "not distinguishable"  # no verdict without an interval


def test_two_clusters_leave_the_studentized_end_unbounded() -> None:
    found = cluster_difference([Tally(4, 1, 0), Tally(8, 0, 3)], seed=0)
    assert found.percentile is not None
    assert found.studentized is None


def test_models_are_told_together_or_alone_alike() -> None:
    models = [[Tally(8, n % 3, m) for n in range(12)] for m in range(3)]
    together = cluster_differences(models, seed=1, resamples=500)
    assert together == tuple(cluster_difference(each, seed=1, resamples=500) for each in models)
    assert cluster_differences([], seed=0) == ()


def test_refuses_other_calls() -> None:
    with pytest.raises(ValueError, match="same calls"):
        cluster_differences([[Tally(2, 0, 0)], [Tally(3, 0, 0)]], seed=0)
    with pytest.raises(ValueError, match="no cluster"):
        cluster_difference([], seed=0)
