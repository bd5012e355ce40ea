"""The exact sign test against scipy and by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from ringback.stats import sign_test

counts = st.integers(0, 60)


@given(counts, counts)
def test_is_the_two_sided_binomial_test(better: int, worse: int) -> None:
    if better + worse:
        wanted = float(scipy_stats.binomtest(better, better + worse).pvalue)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType, reportAttributeAccessIssue]
        assert float(sign_test(better, worse)) == pytest.approx(wanted, abs=1e-12)


@given(counts, counts)
def test_does_not_rise_as_changes_go_one_way(better: int, worse: int) -> None:
    more, less = max(better, worse), min(better, worse)
    assert sign_test(more + 1, less) <= sign_test(more, less) == sign_test(less, more)


def test_by_hand() -> None:
    assert sign_test(0, 2) == Fraction(1, 2)
    assert sign_test(4, 0) == Fraction(1, 8)
    assert sign_test(6, 0) == Fraction(1, 32)
    assert sign_test(0, 0) == sign_test(3, 3) == 1
    with pytest.raises(ValueError, match="not counts"):
        sign_test(-1, 2)
