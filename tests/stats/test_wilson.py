"""Wilson's interval against other implementations, its own equation and worked cases."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from statsmodels.stats import proportion

from ringback.stats import Interval, critical_value, wilson

counts = st.integers(1, 3000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
levels = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99, 0.999])


def ends(successes: int, total: int, level: float = 0.95) -> Interval:
    found = wilson(successes, total, level)
    assert found is not None
    return found


def other_wilson(successes: int, total: int, level: float) -> tuple[float, float]:
    module: Any = proportion  # its types allow tables, too
    found = module.proportion_confint(successes, total, alpha=1 - level, method="wilson")
    low, high = found
    return float(low), float(high)


@given(counts, levels)
def test_agrees_with_statsmodels_and_scipy(count: tuple[int, int], level: float) -> None:
    found = ends(*count, level)
    low, high = other_wilson(*count, level)
    assert found.low == pytest.approx(low, abs=1e-12)
    assert found.high == pytest.approx(high, abs=1e-12)
    other = scipy_stats.binomtest(*count).proportion_ci(level, method="wilson")
    assert found.low == pytest.approx(other.low, abs=1e-12)
    assert found.high == pytest.approx(other.high, abs=1e-12)
    assert (found.level, found.method) == (level, "wilson")


@given(counts, levels)
def test_its_ends_solve_the_score_equation(count: tuple[int, int], level: float) -> None:
    rate, found = count[0] / count[1], ends(*count, level)
    z2 = critical_value(level) ** 2
    for end in (found.low, found.high):
        assert (rate - end) ** 2 == pytest.approx(z2 * end * (1 - end) / count[1], abs=1e-12)


@given(counts, levels)
def test_mirrors_and_holds_the_rate(count: tuple[int, int], level: float) -> None:
    successes, total = count
    found, mirror = ends(successes, total, level), ends(total - successes, total, level)
    assert 0 <= found.low <= successes / total <= found.high <= 1
    assert found.low == pytest.approx(1 - mirror.high, abs=1e-12)


def test_grows_with_the_level_and_shrinks_with_the_number() -> None:
    widths = [ends(12, 40, level) for level in (0.8, 0.9, 0.95, 0.99)]
    assert [w.high - w.low for w in widths] == sorted(w.high - w.low for w in widths)
    larger = [ends(3 * k, 10 * k) for k in (1, 4, 40)]
    assert [w.low for w in larger] == sorted(w.low for w in larger)


def test_worked_cases() -> None:
    # 12 of 40, by hand: z^2 = 3.841459; center 0.3 + 3.841459/80 = 0.348018,
    # half 1.959964 sqrt(0.21/40 + 3.841459/6400) = 0.149922, scale 1.096036.
    assert ends(12, 40).low == pytest.approx(0.18075, abs=1e-5)
    assert ends(12, 40).high == pytest.approx(0.45430, abs=1e-5)
    # With no failure the lower end is n / (n + z^2).
    assert ends(40, 40).low == pytest.approx(40 / (40 + 3.8414588), abs=1e-8)


def test_the_ends_are_exact_at_the_edges() -> None:
    assert ends(0, 40).low == 0.0
    assert ends(40, 40).high == 1.0
    assert ends(0, 1).high < 1.0


def test_of_nothing_is_unknown() -> None:
    assert wilson(0, 0) is None


@pytest.mark.parametrize(("successes", "total"), [(-1, 4), (5, 4), (0, -1)])
def test_refuses_what_is_no_count(successes: int, total: int) -> None:
    with pytest.raises(ValueError, match="is not a count"):
        wilson(successes, total)


@pytest.mark.parametrize("level", [0.0, 1.0, 95.0, -0.5])
def test_refuses_what_is_no_level(level: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        wilson(1, 2, level)


@given(st.floats(0.01, 0.9999))
def test_critical_value_agrees_with_scipy(level: float) -> None:
    expected = float(scipy_stats.norm.ppf((1 + level) / 2))
    assert critical_value(level) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_the_written_critical_values_are_right_to_the_last_digits(level: float) -> None:
    expected = float(scipy_stats.norm.ppf((1 + level) / 2))
    assert critical_value(level) == pytest.approx(expected, rel=1e-15)
