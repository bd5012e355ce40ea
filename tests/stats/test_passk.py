"""pass^k by hand, by counting every choice of trials, and its promises."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ringback.stats import pass_k, wilson
from ringback.stats.draws import resample_counts
from ringback.stats.resampling import tail_rank

tasks_of = st.lists(
    st.tuples(st.integers(0, 4), st.integers(1, 5)).map(lambda t: (min(t), t[1])),
    min_size=1,
    max_size=8,
)


def by_choice(solved: int, trials: int, k: int) -> Fraction:
    outcomes = [1] * solved + [0] * (trials - solved)
    choices = list(combinations(outcomes, k))
    return Fraction(sum(all(choice) for choice in choices), len(choices))


@given(tasks_of, st.integers(0, 100))
@settings(max_examples=60, deadline=None)
def test_equals_its_definition(tasks: list[tuple[int, int]], seed: int) -> None:
    found = pass_k(tasks, seed=seed, resamples=200)
    assert [each.k for each in found] == list(range(1, max(t for _, t in tasks) + 1))
    for each in found:
        assert each.short == sum(trials < each.k for _, trials in tasks)
        if each.short:
            assert (each.value, each.interval) == (None, None)
            continue
        chances = [by_choice(solved, trials, each.k) for solved, trials in tasks]
        assert each.value == float(sum(chances) / len(tasks))
        if len(set(chances)) == 1:
            if each.interval is not None:
                assert each.interval == wilson(int(sum(chances)), len(tasks))
            continue
        values = sorted(
            sum((int(n) * chance for n, chance in zip(row, chances, strict=True)), Fraction(0))
            / len(tasks)
            for block in resample_counts(seed, len(tasks), 200)
            for row in block
        )
        rank = tail_rank(200, 0.95)
        assert each.interval is not None
        wanted = (float(values[rank - 1]), float(values[-rank]))
        assert (each.interval.low, each.interval.high) == pytest.approx(wanted, rel=1e-15)


@given(tasks_of)
@settings(max_examples=40, deadline=None)
def test_falls_with_k(tasks: list[tuple[int, int]]) -> None:
    values = [each.value for each in pass_k(tasks, seed=0, resamples=100) if each.value is not None]
    assert values == sorted(values, reverse=True)
    assert values[0] == float(sum(Fraction(s, n) for s, n in tasks) / len(tasks))


def test_by_hand() -> None:
    # Of 4 trials 4, 2 and 0 solved: pass^2 is (1 + 1/6 + 0) / 3, pass^3 and pass^4 are 1/3.
    found = pass_k([(4, 4), (2, 4), (0, 4)], seed=0)
    assert [each.value for each in found] == [0.5, 7 / 18, 1 / 3, 1 / 3]


def test_where_all_tasks_agree() -> None:
    every = pass_k([(3, 3)] * 40, seed=0)
    assert [each.interval for each in every] == [wilson(40, 40)] * 3
    half = pass_k([(1, 2)] * 40, seed=0)
    assert (half[0].value, half[0].interval) == (0.5, None)
    assert (half[1].value, half[1].interval) == (0.0, wilson(0, 40))


def test_very_many_trials_still_sum() -> None:
    found = pass_k([(n, 60) for n in range(61)], seed=0, resamples=100)
    assert found[29].interval is not None
    assert found[29].interval.low < (found[29].value or 0) < found[29].interval.high


def test_refuses_what_is_no_count() -> None:
    with pytest.raises(ValueError, match="no task"):
        pass_k([], seed=0)
    with pytest.raises(ValueError, match="is not a count"):
        pass_k([(3, 2)], seed=0)


def test_hundreds_of_trials_are_one_figure_each() -> None:
    tasks = [(solved, 300) for solved in (300, 299, 280, 150, 0)] * 4
    found = pass_k(tasks, seed=3, resamples=400)
    assert [each.k for each in found] == list(range(1, 301))
    for k in (1, 2, 255, 256, 257, 300):
        figure = found[k - 1]
        each = [Fraction(comb(solved, k), comb(300, k)) for solved, _ in tasks]
        exact = sum(each, Fraction(0)) / len(each)
        assert figure.value is not None
        assert figure.value == float(exact)
        assert figure.interval is not None
        assert figure.interval.low <= figure.value <= figure.interval.high
