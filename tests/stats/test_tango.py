"""Tango's interval against the likelihood maximised numerically, by hand, and its promises."""

from __future__ import annotations

from math import log, sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from ringback.stats import critical_value, tango, wilson

tables = st.tuples(st.integers(0, 12), st.integers(0, 12), st.integers(0, 30)).filter(
    lambda t: sum(t) > 0
)


def score(better: int, worse: int, pairs: int, difference: float) -> float:
    """The score statistic, its nuisance parameter found by maximising the likelihood."""
    same = pairs - better - worse

    def loss(q: float) -> float:
        parts = ((better, q + difference), (worse, q), (same, 1 - 2 * q - difference))
        return -sum(count * log(max(p, 1e-300)) for count, p in parts if count)

    low, high = max(0.0, -difference), (1 - difference) / 2
    found = optimize.minimize_scalar(  # pyright: ignore[reportUnknownMemberType]
        loss, bounds=(low, high), method="bounded", options={"xatol": 1e-13}
    )
    q = min((low, high, float(found.x)), key=loss)
    variance = pairs * (2 * q + difference * (1 - difference))
    return (better - worse - pairs * difference) / sqrt(variance)


@given(tables)
@settings(max_examples=60, deadline=None)
def test_the_ends_are_where_the_score_test_begins_to_reject(table: tuple[int, int, int]) -> None:
    better, worse, same = table
    found = tango(better, worse, better + worse + same)
    z = critical_value(0.95)
    pairs = better + worse + same
    if found.high < 1:
        assert score(better, worse, pairs, found.high) == pytest.approx(-z, abs=2e-4)
    if found.low > -1:
        assert score(better, worse, pairs, found.low) == pytest.approx(z, abs=2e-4)


@given(tables)
def test_holds_what_was_seen_and_mirrors(table: tuple[int, int, int]) -> None:
    better, worse, pairs = table[0], table[1], sum(table)
    found, other = tango(better, worse, pairs), tango(worse, better, pairs)
    assert -1 <= found.low <= (better - worse) / pairs <= found.high <= 1
    assert found.low < found.high
    assert (found.low, found.high) == (-other.high, -other.low)


@given(tables)
def test_rises_with_every_change_for_the_better(table: tuple[int, int, int]) -> None:
    better, worse, same = table
    if same:
        less, more = (tango(b, worse, sum(table)) for b in (better, better + 1))
        assert more.low >= less.low
        assert more.high >= less.high


@pytest.mark.parametrize("pairs", [1, 7, 40, 2285])
def test_without_a_change_it_is_the_wilson_interval_of_none(pairs: int) -> None:
    of_none = wilson(0, pairs)
    assert of_none is not None
    assert tango(0, 0, pairs).high == pytest.approx(of_none.high, rel=1e-12)


def test_by_hand_where_all_changed_one_way() -> None:
    # The likeliest q is (1 - d) / 2, the variance n (1 - d^2): n (1 - d)^2 = z^2 (1 - d^2), so that
    # the lower end is (n - z^2) / (n + z^2).
    z2 = critical_value(0.95) ** 2
    assert tango(40, 0, 40).low == pytest.approx((40 - z2) / (40 + z2), rel=1e-12)
    assert tango(40, 0, 40).high == 1.0


def test_by_hand_where_changes_balance() -> None:
    # With b = c = m at d > 0, B = 2 n d - 2 m and C = -m d (1 - d). For n = 20, m = 5 and d = 0.3,
    # B = 2, C = -1.05: q = (sqrt(4 + 168) - 2) / 80, score 6 / sqrt(20 (2 q + 0.21)) = 1.96...
    q = (sqrt(4 + 160 * 1.05) - 2) / 80
    level_z = 6 / sqrt(20 * (2 * q + 0.21))
    high = tango(5, 5, 20).high
    assert (high > 0.3) == (level_z < critical_value(0.95))
    assert high == pytest.approx(0.3, abs=0.02)


@pytest.mark.parametrize("counts", [(-1, 0, 4), (0, 0, 0), (3, 2, 4)])
def test_refuses_what_is_no_count(counts: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="not counts of pairs"):
        tango(*counts)
