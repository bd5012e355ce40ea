"""Rates over tasks and clusters, against a regression with clustered errors and by hand."""

from __future__ import annotations

from math import sqrt
from random import Random
from typing import Any, cast

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import assume, given
from hypothesis import strategies as st

from ringback.stats import clustered_rate, single_rate, wilson, wilson_of

groups = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 5))
    .filter(lambda t: t[0] + t[1] > 0)
    .map(lambda t: (t[0], t[0] + t[1])),
    min_size=2,
    max_size=12,
)


def outcomes(tasks: list[tuple[int, int]]) -> tuple[list[float], list[int]]:
    values = [float(n < s) for s, many in tasks for n in range(many)]
    return values, [place for place, (_, many) in enumerate(tasks) for _ in range(many)]


def clustered_error(tasks: list[tuple[int, int]]) -> float:
    """The error of a mean by regression on a constant, clustered by task."""
    values, places = outcomes(tasks)
    fitted = cast("Any", sm.OLS(values, np.ones(len(values)))).fit()
    robust = fitted.get_robustcov_results(cov_type="cluster", groups=np.array(places))
    return float(robust.bse[0])


def published_error(tasks: list[tuple[int, int]]) -> float:
    """The clustered error that inspect_ai publishes: all products within a cluster, C / (C - 1)."""
    values, places = outcomes(tasks)
    mean = sum(values) / len(values)
    total = sum(
        (a - mean) * (b - mean)
        for a, one in zip(values, places, strict=True)
        for b, other in zip(values, places, strict=True)
        if one == other
    )
    return sqrt(max(total, 0.0) * len(tasks) / (len(tasks) - 1)) / len(values)


@given(groups)
def test_effective_size_is_that_of_the_clustered_error(tasks: list[tuple[int, int]]) -> None:
    found = single_rate(tasks)
    assert found.rate is not None
    assert found.effective is not None
    error = published_error(tasks)
    if error < 1e-7:
        assert found.effective == len(tasks)
        return
    assert clustered_error(tasks) == pytest.approx(error, rel=1e-6)
    worth = found.rate * (1 - found.rate) / error**2
    wanted = min(max(worth, len(tasks)), found.episodes)
    assert found.effective == pytest.approx(wanted, rel=1e-9)
    assert found.interval == wilson_of(found.solved, found.episodes, found.effective)


@given(groups)
def test_design_effect_is_the_ratio_of_variances(clusters: list[tuple[int, int]]) -> None:
    found = clustered_rate(clusters)
    assert found.rate is not None
    assert found.interval == wilson(found.hits, found.calls)
    if found.design_effect is None:
        assert found.hits in (0, found.calls)
    else:
        alone = found.rate * (1 - found.rate) / found.calls
        wanted = published_error(clusters) ** 2 / alone
        assert found.design_effect == pytest.approx(wanted, rel=1e-9, abs=1e-12)


@given(groups, st.randoms())
def test_order_moves_nothing(tasks: list[tuple[int, int]], random: Random) -> None:
    other = list(tasks)
    random.shuffle(other)
    assert single_rate(tasks) == single_rate(other)
    assert clustered_rate(tasks) == clustered_rate(other)


@given(groups)
def test_unsolved_for_solved_mirrors(tasks: list[tuple[int, int]]) -> None:
    assume(0 < sum(solved for solved, _ in tasks) < sum(many for _, many in tasks))
    one = single_rate(tasks)
    other = single_rate([(many - solved, many) for solved, many in tasks])
    assert one.effective == other.effective
    assert one.interval is not None
    assert other.interval is not None
    assert one.interval.low == pytest.approx(1 - other.interval.high, abs=1e-12)


def test_with_one_trial_it_is_wilson() -> None:
    tasks = [(1, 1)] * 12 + [(0, 1)] * 28
    found = single_rate(tasks)
    assert (found.effective, found.interval) == (40.0, wilson(12, 40))


def test_trials_that_agree_are_worth_one_and_trials_apart_all() -> None:
    together = single_rate([(4, 4)] * 5 + [(0, 4)] * 5)
    assert together.effective == 10.0  # p (1-p) / se^2 = 0.25 / (0.25 / 9) = 9, no less than tasks
    assert together.interval == wilson(5, 10)
    apart = single_rate([(2, 4)] * 10)
    assert apart.effective == 10.0  # an error of zero says nothing
    mixed = single_rate([(2, 4)] * 9 + [(3, 4)])
    assert mixed.effective == 40.0  # more than independent ones would be: held at the episodes


def test_by_hand_between_the_bounds() -> None:
    # Task means 1, 1, 0.5, 0: p = 0.625, sum of squares 0.6875, se^2 = 0.6875 / (4 * 3), and
    # p (1-p) / se^2 = 0.234375 * 12 / 0.6875 = 4.0909...
    found = single_rate([(2, 2), (2, 2), (1, 2), (0, 2)])
    assert found.effective == pytest.approx(0.234375 * 12 / 0.6875, rel=1e-15)


def test_edges() -> None:
    nothing = single_rate([])
    assert (nothing.rate, nothing.effective, nothing.interval) == (None, None, None)
    one = single_rate([(3, 4)])
    assert (one.rate, one.effective) == (0.75, 1.0)
    every = single_rate([(4, 4)] * 40)
    assert every.effective == 40.0
    assert every.interval == wilson(40, 40)
    none = clustered_rate([])
    assert (none.rate, none.interval, none.design_effect, none.clustered) == (None,) * 4
    assert clustered_rate([(3, 4)]).design_effect is None


@pytest.mark.parametrize("task", [(-1, 2), (3, 2), (0, 0)])
def test_refuses_what_is_no_count(task: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="is not a count"):
        single_rate([(1, 1), task])
    with pytest.raises(ValueError, match="is not a count"):
        clustered_rate([(1, 1), task])


def test_wilson_of_fewer_is_wider_and_refuses_nonsense() -> None:
    narrow, wide = wilson_of(10, 40, 40), wilson_of(10, 40, 12.5)
    assert narrow is not None
    assert wide is not None
    assert wide.low < narrow.low < narrow.high < wide.high
    for size in (0.0, 41.0):
        with pytest.raises(ValueError, match="cannot be worth"):
            wilson_of(10, 40, size)
