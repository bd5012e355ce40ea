"""Sign flips against every choice of signs, scipy and statsmodels; Holm against statsmodels."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from random import Random
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from statsmodels.stats import contingency_tables, multitest

from ringback.stats import Tally, arm_tests, holm, sign_flip_test, sign_test

gains = st.lists(st.integers(-4, 4), max_size=10)
shares = st.integers(0, 200).map(lambda n: Fraction(n, 200))


@given(gains)
def test_counts_every_choice_of_signs(study: list[int]) -> None:
    seen = abs(sum(study))
    sums = [
        abs(sum(sign * gain for sign, gain in zip(signs, study, strict=True)))
        for signs in product((1, -1), repeat=len(study))
    ]
    wanted = Fraction(sum(each >= seen for each in sums), len(sums))
    assert sign_flip_test(study) == wanted


@given(gains, st.randoms())
def test_neither_order_nor_labels_nor_unit_matter(study: list[int], random: Random) -> None:
    found = sign_flip_test(study)
    other = list(study)
    random.shuffle(other)
    assert found == sign_flip_test(other)
    assert found == sign_flip_test([-gain for gain in study])
    assert found == sign_flip_test([3 * gain for gain in study])
    assert found == sign_flip_test([*study, 0])


@given(st.integers(0, 30), st.integers(0, 30))
def test_with_one_trial_it_is_mcnemars_exact_test(better: int, worse: int) -> None:
    study = [1] * better + [-1] * worse
    assert sign_flip_test(study) == sign_test(better, worse)
    if better + worse:
        other = (
            cast("Any", contingency_tables).mcnemar([[5, better], [worse, 7]], exact=True).pvalue
        )
        assert float(sign_test(better, worse)) == pytest.approx(float(other), rel=1e-9)


def test_against_scipys_permutations() -> None:
    study = [3, -1, 2, 2, 0, -1, 1, 3, 1]
    other = cast("Any", scipy_stats).permutation_test(
        (np.array(study),), np.sum, permutation_type="samples", n_resamples=np.inf
    )
    assert float(sign_flip_test(study)) == pytest.approx(float(other.pvalue), rel=1e-9)


def test_drawn_signs_come_near_and_are_never_zero() -> None:
    study = [3, -1, 2, 2, 0, -1, 1, 3, 1]
    exact = float(sign_flip_test(study))
    drawn = float(sign_flip_test(study, draws=40_000, seed=1))
    assert drawn == pytest.approx(exact, abs=0.01)
    assert sign_flip_test([1] * 200, draws=99) == Fraction(1, 100)
    assert sign_flip_test(study, draws=1000, seed=5) == PINNED


PINNED = Fraction(107, 1001)


@given(st.lists(shares, min_size=1, max_size=8))
@settings(max_examples=5, deadline=None)  # a call of theirs takes a sixth of a second
def test_holm_is_statsmodels(values: list[Fraction]) -> None:
    other = cast("Any", multitest).multipletests([float(each) for each in values], method="holm")[1]
    assert [float(each) for each in holm(values)] == pytest.approx(list(other), abs=1e-12)


@given(st.lists(shares, min_size=1, max_size=6))
def test_holm_keeps_the_order_and_lowers_nothing(values: list[Fraction]) -> None:
    found = holm(values)
    for one, adjusted in zip(values, found, strict=True):
        assert one <= adjusted <= min(1, len(values) * one)
        for other, beside in zip(values, found, strict=True):
            assert adjusted <= beside or one > other


def test_holm_by_hand() -> None:
    # 0.01 * 3, 0.02 * 2 and 0.03 * 1, none below the one before.
    values = [Fraction(3, 100), Fraction(1, 100), Fraction(2, 100)]
    assert holm(values) == (Fraction(4, 100), Fraction(3, 100), Fraction(4, 100))
    assert holm([]) == ()


def test_each_arm_has_the_test_that_fits_it() -> None:
    single = [Tally(1, 1, 0)] * 9 + [Tally(1, 0, 1)] + [Tally(1, 0, 0)] * 30
    several = [Tally(4, 3, 0)] * 6 + [Tally(4, 1, 2)] * 2 + [Tally(4, 0, 0)] * 32
    large = [Tally(900, 700, 0)] * 300 + [Tally(900, 0, 701)] * 300
    first, second, third = arm_tests([single, several, large], seed=0, draws=500)
    assert (first.test, first.p) == ("exact McNemar", float(sign_test(9, 1)))
    assert second.test == "exact sign flip"
    assert second.p == float(sign_flip_test([3] * 6 + [-1] * 2))
    assert third.test == "Monte Carlo sign flip"
    assert third.p > 0.5
    # By hand: sums of at least 16 need all six 3s alike: 2 * 4 / 256, and 3 * 11 * 2 / 1024.
    assert (second.p, first.p) == (8 / 256, 22 / 1024)
    assert first.adjusted == second.adjusted == 66 / 1024
    assert [each.distinguishable for each in (first, second, third)] == [False] * 3
    assert arm_tests([single, several], seed=0)[0].distinguishable
    assert arm_tests([], seed=0) == ()


def test_refuses_no_draws() -> None:
    with pytest.raises(ValueError, match="too few"):
        sign_flip_test([1, 2], draws=0)
