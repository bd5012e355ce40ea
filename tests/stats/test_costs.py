"""Cost per solved task, and means per episode: by hand, by definition, and what is unknown."""

from __future__ import annotations

from fractions import Fraction
from math import inf, isinf
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from ringback.stats import TaskCost, cost_per_solved, mean_per_episode
from ringback.stats.draws import resample_counts
from ringback.stats.resampling import tail_rank

studies = st.lists(
    st.builds(TaskCost, st.integers(0, 3), st.floats(0, 1e6, allow_subnormal=False)),
    min_size=1,
    max_size=8,
)


@given(studies, st.integers(0, 100))
@settings(max_examples=60, deadline=None)
def test_equals_its_definition(study: list[TaskCost], seed: int) -> None:
    found = cost_per_solved(study, seed=seed, resamples=200)
    costs = [Fraction(each.cost or 0) for each in study]
    solved = sum(each.solved for each in study)
    assert found.cost == pytest.approx(float(sum(costs)))
    if not solved:
        assert (found.value, found.lacking) == (None, "none solved")
        assert (found.low, found.high, found.unbounded) == (None, None, False)
        return
    assert found.value == pytest.approx(float(sum(costs) / solved))
    values: list[float] = []
    for block in resample_counts(seed, len(study), 200):
        for row in block.tolist():
            some = sum(n * each.solved for n, each in zip(row, study, strict=True))
            total = sum((n * cost for n, cost in zip(row, costs, strict=True)), Fraction(0))
            values.append(float(total / some) if some else inf)
    values.sort()
    rank = tail_rank(200, 0.95)
    low, high = values[rank - 1], values[-rank]
    assert found.unbounded == isinf(high)
    if found.low is None:
        assert low == pytest.approx(high, rel=1e-9, abs=1e-9)
    else:
        assert found.low == pytest.approx(low, rel=1e-9, abs=1e-9)
        assert found.high == (None if isinf(high) else pytest.approx(high, rel=1e-9, abs=1e-9))


def test_none_solved_in_many_resamples_leaves_no_upper_bound() -> None:
    # With one of 40 solved (39/40)^40 = 36% of resamples hold none, with five 0.5%.
    one = cost_per_solved([TaskCost(int(n == 0), 0.5) for n in range(40)], seed=0)
    assert (one.value, one.high, one.unbounded) == (20.0, None, True)
    assert one.low is not None
    five = cost_per_solved([TaskCost(int(n < 5), 0.5) for n in range(40)], seed=0)
    assert not five.unbounded
    assert five.high is not None
    assert five.high > 4.0


def test_an_unknown_price_is_unknown_and_never_nothing() -> None:
    found = cost_per_solved([TaskCost(1, 0.5), TaskCost(1, None)], seed=0)
    assert (found.cost, found.value, found.lacking, found.unknown) == (
        None,
        None,
        "price unknown",
        1,
    )


def test_without_spread_there_is_a_figure_and_no_interval() -> None:
    found = cost_per_solved([TaskCost(1, 0.25)] * 10, seed=0)
    assert (found.value, found.low, found.high, found.unbounded) == (0.25, None, None, False)
    free = cost_per_solved([TaskCost(1, 0.0), TaskCost(0, 0.0)] * 9, seed=0)
    assert (free.value, free.cost) == (0.0, 0.0)


@given(studies)
@settings(max_examples=30, deadline=None)
def test_more_expensive_runs_lower_no_figure(study: list[TaskCost]) -> None:
    dearer = [TaskCost(each.solved, 2 * (each.cost or 0)) for each in study]
    one, two = (cost_per_solved(each, seed=0, resamples=200) for each in (study, dearer))
    if one.value is not None and two.value is not None:
        assert two.value == pytest.approx(2 * one.value)
        if one.low is not None and two.low is not None:
            assert two.low == 2 * one.low


@pytest.mark.parametrize("cost", [-1.0, inf, float("nan")])
def test_refuses_what_is_no_cost(cost: float) -> None:
    with pytest.raises(ValueError, match="must be finite"):
        cost_per_solved([TaskCost(1, cost)], seed=0)
    with pytest.raises(ValueError, match="no task"):
        cost_per_solved([], seed=0)


def test_pinned() -> None:
    study = [TaskCost(n % 3, 0.01 * (n % 7) + 0.003) for n in range(40)]
    found = cost_per_solved(study, seed=20261130)
    assert (found.value, found.low, found.high) == PINNED


PINNED = (0.03256410256410257, 0.023584905660377225, 0.04689655172413791)


def test_a_mean_leaves_out_what_is_unknown_and_says_so() -> None:
    found = mean_per_episode([[3, None], [5, 7], [None, None]], seed=0)
    assert (found.mean, found.episodes, found.unknown, found.tasks) == (5.0, 3, 3, 2)
    nothing = mean_per_episode([[None], []], seed=0)
    assert (nothing.mean, nothing.interval, nothing.unknown) == (None, None, 1)
    same = mean_per_episode([[4, 4], [4]], seed=0)
    assert (same.mean, same.interval) == (4.0, None)


def test_a_mean_agrees_with_scipy() -> None:
    random = Random(3)
    values = [random.expovariate(1 / 30) for _ in range(120)]
    found = mean_per_episode([[value] for value in values], seed=0)
    other = scipy_stats.bootstrap(
        (np.array(values),),
        np.mean,
        n_resamples=10_000,
        method="percentile",
        rng=np.random.default_rng(1),
    ).confidence_interval
    assert found.interval is not None
    assert found.mean == pytest.approx(sum(values) / 120)
    assert found.interval.low == pytest.approx(other.low, rel=0.02)
    assert found.interval.high == pytest.approx(other.high, rel=0.02)


def test_trials_of_a_task_stay_together_in_a_mean() -> None:
    together = mean_per_episode([[1.0] * 4, [9.0] * 4] * 5, seed=0)
    apart = mean_per_episode([[1.0, 9.0, 1.0, 9.0]] * 9 + [[1.0, 9.0, 1.0, 8.0]], seed=0)
    assert together.interval is not None
    assert apart.interval is not None
    assert together.interval.high - together.interval.low > 3
    assert apart.interval.high - apart.interval.low < 0.1


@given(st.lists(st.floats(-1e12, 1e12, allow_subnormal=False), min_size=2, max_size=8))
@settings(max_examples=40, deadline=None)
def test_a_mean_lies_within_what_was_seen(values: list[float]) -> None:
    found = mean_per_episode([[value] for value in values], seed=0, resamples=100)
    if found.interval is not None:
        assert found.interval.low <= found.interval.high
        slack = 1e-9 * max(map(abs, values))
        assert min(values) - slack <= found.interval.low
        assert found.interval.high <= max(values) + slack


def test_a_mean_refuses_what_is_not_finite() -> None:
    with pytest.raises(ValueError):
        mean_per_episode([[1.0], [inf]], seed=0)
