"""The gate: by hand, at the touching point, and what it takes to settle it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ringback.stats import Gate, Tally, gate, paired_difference


def single(outcomes: str) -> list[Tally]:
    return [Tally(1, int(each == "+"), int(each == "-")) for each in outcomes]


def of(outcomes: str, margin: float = 0.05) -> Gate:
    return gate(paired_difference(single(outcomes), seed=0), margin)


@given(st.text("+-.", min_size=1, max_size=60), st.floats(0.01, 0.5))
@settings(max_examples=60, deadline=None)
def test_follows_the_interval(outcomes: str, margin: float) -> None:
    difference = paired_difference(single(outcomes), seed=0, resamples=200)
    found = gate(difference, margin)
    assert found.interval is not None
    if found.outcome == "pass":
        assert found.interval.low > -margin
    elif found.outcome == "fail":
        assert found.interval.high < -margin
    else:
        assert found.interval.low <= -margin <= found.interval.high
        if found.difference != -margin:
            assert found.tasks_needed is not None
            assert found.tasks_needed >= found.tasks


def test_passes_and_fails() -> None:
    assert of("+" * 20 + "." * 80).outcome == "pass"
    failing = of("-" * 30 + "." * 70)
    assert (failing.outcome, failing.tasks_needed) == ("fail", None)
    assert of("-" * 40).outcome == "fail"


def test_touching_the_margin_settles_nothing() -> None:
    # Two of 40 for the worse: the lower end lies at -5 of 40; a margin of just that is touched.
    difference = paired_difference(single("--" + "." * 38), seed=0)
    assert difference.interval is not None
    touched = gate(difference, -difference.interval.low)
    assert touched.outcome == "inconclusive"
    assert touched.tasks_needed == 41


def test_without_a_change_the_number_of_tasks_is_exact() -> None:
    found = of("." * 40)
    assert found.outcome == "inconclusive"
    assert found.tasks_needed is not None
    assert of("." * found.tasks_needed).outcome == "pass"
    assert of("." * (found.tasks_needed - 1)).outcome == "inconclusive"


def test_as_many_tasks_as_it_says_settle_it() -> None:
    found = of("+" * 5 + "-" * 6 + "." * 50)
    assert found.outcome == "inconclusive"
    assert found.tasks_needed is not None
    times = -(-found.tasks_needed // 61) + 1
    assert of(("+" * 5 + "-" * 6 + "." * 50) * times).outcome != "inconclusive"


def test_a_difference_of_just_the_margin_is_never_settled() -> None:
    found = gate(paired_difference(single("-" + "." * 19), seed=0), 0.05)
    assert (found.outcome, found.tasks_needed) == ("inconclusive", None)


def test_without_an_interval_it_is_inconclusive() -> None:
    found = gate(paired_difference([Tally(2, 0, 1)] * 40, seed=0), 0.05)
    assert (found.outcome, found.interval, found.tasks_needed) == ("inconclusive", None, None)


@pytest.mark.parametrize("margin", [0.0, -0.1, 1.0])
def test_refuses_what_is_no_margin(margin: float) -> None:
    with pytest.raises(ValueError, match="a margin lies"):
        of("+-..", margin)
