"""The tied set: its promises, cases worked by hand, and the critical value against theory."""

from __future__ import annotations

from math import sqrt
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from ringback.stats import TiedSet, tied_set

NEITHER = "not distinguishable"


def ones(outcomes: str) -> list[int]:
    return [int(each == "1") for each in outcomes]


def may_be_best(found: TiedSet) -> set[int]:
    return {each.arm for each in found.contenders if each.may_be_best}


@st.composite
def studies(draw: st.DrawFn) -> tuple[list[list[int]], list[int]]:
    trials = draw(st.lists(st.integers(1, 3), min_size=1, max_size=10))
    arm = st.tuples(*(st.integers(0, most) for most in trials)).map(list)
    return draw(st.lists(arm, min_size=1, max_size=4)), trials


@given(studies())
@settings(max_examples=60, deadline=None)
def test_the_best_is_among_those_that_may_be(study: tuple[list[list[int]], list[int]]) -> None:
    solved, trials = study
    found = tied_set(solved, trials, seed=0, resamples=400)
    totals = [sum(arm) for arm in solved]
    assert totals[found.best] == max(totals)
    assert found.best in may_be_best(found)
    for each in found.contenders:
        assert each.difference == (totals[each.arm] - max(totals)) / sum(trials)
        assert each.may_be_best == (not each.beaten_by)
        assert all(totals[other] > totals[each.arm] for other in each.beaten_by)
        if each.interval is not None:
            assert -1 <= each.interval.low <= each.difference <= each.interval.high <= 1
            if each.interval.high >= 0:
                assert found.best not in each.beaten_by


@given(studies(), st.randoms())
@settings(max_examples=60, deadline=None)
def test_the_order_of_arms_moves_nothing(
    study: tuple[list[list[int]], list[int]], random: Random
) -> None:
    solved, trials = study
    order = list(range(len(solved)))
    random.shuffle(order)
    one = tied_set(solved, trials, seed=0, resamples=400)
    other = tied_set([solved[place] for place in order], trials, seed=0, resamples=400)
    assert one.critical == other.critical
    assert may_be_best(one) == {order[place] for place in may_be_best(other)}


def test_equal_arms_are_tied_and_no_work_is_not() -> None:
    good = ones("1" * 30 + "0" * 10)
    found = tied_set([good, good, [0] * 40], [1] * 40, seed=0)
    assert may_be_best(found) == {0, 1}
    assert found.best == 0
    assert found.contenders[1].interval is None
    assert found.contenders[2].beaten_by == (0, 1)


def test_all_against_nothing_has_no_spread_and_is_told_apart() -> None:
    found = tied_set([[1] * 40, [0] * 40], [1] * 40, seed=0)
    assert (found.critical, may_be_best(found)) == (None, {0})
    few = tied_set([[1] * 5, [0] * 5], [1] * 5, seed=0)
    assert may_be_best(few) == {0, 1}


def test_without_spread_the_exact_test_is_adjusted_for_all_pairs() -> None:
    # 2 / 2^6 is 0.031 for one pair, and 0.094 for three; 3 * 2 / 2^7 is 0.047.
    assert may_be_best(tied_set([[1] * 6, [0] * 6], [1] * 6, seed=0)) == {0}
    assert may_be_best(tied_set([[1] * 6, [0] * 6, [0] * 6], [1] * 6, seed=0)) == {0, 1, 2}
    assert may_be_best(tied_set([[1] * 7, [0] * 7, [0] * 7], [1] * 7, seed=0)) == {0}


def test_two_arms_are_compared_as_by_a_normal_interval() -> None:
    # 60 tasks better and 40 worse of 400: d = 0.05, se = sqrt((100 - 1) / 399) / 20.
    first = ones("1" * 60 + "0" * 40 + "1" * 300)
    second = ones("0" * 60 + "1" * 40 + "1" * 300)
    found = tied_set([first, second], [1] * 400, seed=0)
    assert found.critical == pytest.approx(1.96, abs=0.06)
    interval = found.contenders[1].interval
    assert interval is not None
    half = 1.96 * sqrt((100 - 1) / 399) / 20
    assert (interval.low, interval.high) == pytest.approx((-0.05 - half, -0.05 + half), abs=0.004)
    assert interval.method == "simultaneous bootstrap"


def test_with_independent_arms_the_critical_value_is_tukeys() -> None:
    random = Random(7)
    arms = [[int(random.random() < 0.5) for _ in range(600)] for _ in range(5)]
    found = tied_set(arms, [1] * 600, seed=0)
    wanted = float(scipy_stats.studentized_range.ppf(0.95, 5, 10_000)) / sqrt(2)
    assert found.critical == pytest.approx(wanted, abs=0.08)


def test_few_changes_need_the_exact_test_too() -> None:
    # Five tasks of 40 one way: outside the interval, and McNemar's p is 0.0625.
    five = tied_set([[1] * 40, [0] * 5 + [1] * 35], [1] * 40, seed=0)
    interval = five.contenders[1].interval
    assert interval is not None
    assert interval.high < 0
    assert may_be_best(five) == {0, 1}
    assert may_be_best(tied_set([[1] * 40, [0] * 7 + [1] * 33], [1] * 40, seed=0)) == {0}


def test_few_changed_tasks_of_several_trials_need_it_too() -> None:
    # Five of 40, and seven, in one of two trials each: 2 / 2^5 and 2 / 2^7.
    arms = [[1] * 40, [0] * 5 + [1] * 35, [0] * 7 + [1] * 33]
    assert may_be_best(tied_set(arms[:2], [2] * 40, seed=0)) == {0, 1}
    assert may_be_best(tied_set([arms[0], arms[2]], [2] * 40, seed=0)) == {0}


def test_pinned() -> None:
    arms = [ones("1101110110"), ones("1001010110"), ones("0001010000")]
    found = tied_set([arm * 4 for arm in arms], [1] * 40, seed=20261130)
    assert (found.critical, may_be_best(found)) == PINNED


PINNED = (2.3418742493993996, {0})


def test_refuses_what_does_not_fit() -> None:
    with pytest.raises(ValueError, match="no arm or no task"):
        tied_set([], [1], seed=0)
    with pytest.raises(ValueError, match="no arm or no task"):
        tied_set([[]], [], seed=0)
    with pytest.raises(ValueError, match="same tasks"):
        tied_set([[1, 0], [1]], [1, 1], seed=0)
    with pytest.raises(ValueError, match="between none and all"):
        tied_set([[2, 0]], [1, 1], seed=0)
    with pytest.raises(ValueError, match="too few"):
        tied_set([[1], [0]], [1], seed=0, resamples=10)
