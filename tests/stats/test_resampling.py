"""The shared weights, the grid on which values are summed exactly, and the ranks."""

from __future__ import annotations

from fractions import Fraction
from math import inf, ldexp, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringback.stats.draws import resample_counts
from ringback.stats.resampling import alpha, on_grid, resampled_sums, two_ends, upper_rank

numbers = st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=50)


@given(numbers)
def test_the_grid_is_fine_and_leaves_room(values: list[float]) -> None:
    whole, exponent = on_grid(values)
    top = max(map(abs, values))
    assert sum(map(abs, whole)) < 2**53
    assert max(map(abs, whole)) * len(values) < 2**53
    for each, value in zip(whole, values, strict=True):
        assert abs(Fraction(each) * Fraction(2) ** exponent - Fraction(value)) <= top * 2.0**-45


@given(st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=50))
def test_whole_numbers_stay_themselves(values: list[int]) -> None:
    assert on_grid(values) == (values, 0)


@pytest.mark.parametrize("value", [2.0**1023, 5e-324, 0.75, 0.0])
def test_the_grid_reaches_the_ends_of_what_floats_hold(value: float) -> None:
    whole, exponent = on_grid([value, value / 2])
    assert ldexp(whole[0], exponent) == value


@pytest.mark.parametrize("value", [inf, -inf, nan])
def test_the_grid_refuses_what_cannot_be_summed(value: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        on_grid([1.0, value])


@pytest.mark.parametrize(("tasks", "resamples"), [(7, 300), (3000, 900)])
def test_sums_are_those_of_the_counted_draws(tasks: int, resamples: int) -> None:
    columns = [[(n * 37) % 11 - 5 for n in range(tasks)], [1] * tasks]
    found = resampled_sums(columns, seed=4, resamples=resamples)
    counts = np.concatenate(list(resample_counts(4, tasks, resamples)))
    assert (found[:, 1] == tasks).all()
    assert (found == counts @ np.array(columns).T).all()
    again = resampled_sums([columns[0]], seed=4, resamples=resamples)
    assert (again[:, 0] == found[:, 0]).all()


def test_sums_refuse_what_does_not_fit() -> None:
    wrong: list[list[list[int]]] = [[], [[]], [[1, 2], [1]]]
    for columns in wrong:
        with pytest.raises(ValueError, match="same tasks"):
            resampled_sums(columns, seed=0, resamples=10)
    with pytest.raises(ValueError, match="too large"):
        resampled_sums([[2**52, 1]], seed=0, resamples=10)


def test_ends_mirror() -> None:
    values = np.array([3.0, -1.0, 7.0, 0.0, 2.0])
    assert two_ends(values.copy(), 2) == (0.0, 3.0)
    low, high = two_ends(-values, 2)
    assert (low, high) == (-3.0, 0.0)


def test_ranks_are_exact() -> None:
    assert alpha(0.95) == Fraction(1, 20)
    assert upper_rank(9_999, 0.95) == 500
    assert upper_rank(19, 0.95) == 1
    with pytest.raises(ValueError, match="18 resamples are too few"):
        upper_rank(18, 0.95)
    with pytest.raises(ValueError, match="between 0 and 1"):
        alpha(1.0)
