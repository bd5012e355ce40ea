"""The gate: by hand, at the touching point, and what it takes to settle it."""

from __future__ import annotations

from math import sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ringback.stats import Gate, Tally, gate, paired_difference, tango


def single(outcomes: str) -> list[Tally]:
    return [Tally(1, int(each == "+"), int(each == "-")) for each in outcomes]


def of(outcomes: str, margin: float = 0.05) -> Gate:
    return gate(paired_difference(single(outcomes), seed=0), margin)


@given(st.text("+-.", min_size=1, max_size=60), st.floats(0.01, 0.5), st.floats(0.001, 0.4))
@settings(max_examples=60, deadline=None)
def test_a_wider_margin_never_stops_what_a_narrower_one_lets_pass(
    outcomes: str, margin: float, more: float
) -> None:
    difference = paired_difference(single(outcomes), seed=0, resamples=200)
    narrow, wide = gate(difference, margin), gate(difference, margin + more)
    order = ["fail", "inconclusive", "pass"]
    assert order.index(narrow.outcome) <= order.index(wide.outcome)
    if wide.tasks_needed is not None:
        assert wide.tasks_needed >= wide.tasks


@given(st.lists(st.sampled_from("+-."), min_size=1, max_size=60))
@settings(max_examples=60, deadline=None)
def test_no_loss_passes_that_a_score_test_would_not_rule_out(outcomes: list[str]) -> None:
    """Held against Tango's score at the margin itself, worked out from its definition."""
    found = of("".join(outcomes), 0.1)
    better, worse, n, d = outcomes.count("+"), outcomes.count("-"), len(outcomes), -0.1
    if found.outcome == "pass" and better + worse < 10:
        b = (2 * n - better + worse) * d - better - worse
        q = (sqrt(b * b - 8 * n * (-worse * d * (1 - d))) - b) / (4 * n)
        assert (better - worse - n * d) / sqrt(n * (2 * q + d * (1 - d))) > 1.959963


@pytest.mark.parametrize("outcomes", ["+.", "+" + "." * 39, "-" + "." * 39, "+++++"])
def test_nothing_passes_on_almost_no_data(outcomes: str) -> None:
    # Where nothing got worse, resamples cannot reach below zero, on however few tasks.
    found = of(outcomes)
    assert found.outcome == "inconclusive"
    assert found.tasks_needed is None or found.tasks_needed > len(outcomes)


def test_what_decided_is_shown_and_as_many_tasks_settle_it() -> None:
    found = of("+" + "." * 39)
    assert found.interval is not None
    assert found.score is not None
    assert (found.interval.low, round(found.score.low, 3)) == (0.0, -0.065)
    assert found.tasks_needed is not None
    assert of("+" + "." * (found.tasks_needed - 1)).outcome == "pass"
    assert of("+" * 12 + "." * 88).score is None  # many changes: the interval alone


def ends(found: Gate) -> tuple[float, float, float, float]:
    assert found.interval is not None
    assert found.score is not None
    return found.interval.low, found.interval.high, found.score.low, found.score.high


def test_where_tango_is_asked_both_intervals_must_clear_the_margin() -> None:
    low, _, score_low, _ = ends(of("++++----", 0.65))
    assert low < -0.65 < score_low
    assert of("++++----", 0.65).outcome == "inconclusive"
    low, _, score_low, _ = ends(of("+" + "." * 39))
    assert score_low < -0.05 < low
    assert of("+" + "." * 39).outcome == "inconclusive"
    _, high, _, score_high = ends(of("----....", 0.05))
    assert high < -0.05 < score_high
    assert of("----....", 0.05).outcome == "inconclusive"
    _, high, _, score_high = ends(of("-" * 8 + "." * 22, 0.11))
    assert score_high < -0.11 < high
    assert of("-" * 8 + "." * 22, 0.11).outcome == "inconclusive"
    assert of("-" * 8 + "." * 22, 0.09).outcome == "fail"


def test_tango_is_asked_below_ten_changed_tasks() -> None:
    for nine in ("+" * 9 + "." * 91, "-" * 9 + "." * 91, "+++++----" + "." * 91):
        assert of(nine).score is not None
        assert of(nine + nine[0]).score is None


def test_with_several_trials_tasks_are_what_counts() -> None:
    def trials(better: int, worse: int, same: int, pairs: int = 4) -> Gate:
        up, down = Tally(pairs, 1, 0), Tally(pairs, 0, 1)
        study = [up] * better + [down] * worse + [Tally(pairs, 0, 0)] * same
        return gate(paired_difference(study, seed=0))

    assert trials(1, 0, 1).outcome == "inconclusive"
    assert trials(3, 0, 37).outcome == "pass"
    assert trials(1, 0, 39).outcome == "inconclusive"
    assert trials(0, 4, 36).outcome == "inconclusive"
    assert trials(12, 12, 76).outcome == "pass"
    assert trials(0, 40, 0, pairs=1).outcome == "fail"


def test_passes_and_fails() -> None:
    assert of("+" * 20 + "." * 80).outcome == "pass"
    failing = of("-" * 30 + "." * 70)
    assert (failing.outcome, failing.tasks_needed) == ("fail", None)
    assert of("-" * 40).outcome == "fail"


def test_touching_the_margin_settles_nothing() -> None:
    difference = paired_difference(single("--" + "." * 38), seed=0)
    touched = gate(difference, -tango(0, 2, 40).low)
    assert touched.outcome == "inconclusive"
    assert touched.tasks_needed == 41
    assert gate(difference, 1e-9 - tango(0, 2, 40).low).outcome == "pass"
    lost = paired_difference(single("-" * 30 + "." * 10), seed=0)
    assert lost.interval is not None
    assert gate(lost, -lost.interval.high).outcome == "inconclusive"
    assert gate(lost, -lost.interval.high - 1e-9).outcome == "fail"


def test_without_a_change_the_number_of_tasks_is_exact() -> None:
    found = of("." * 40)
    assert found.outcome == "inconclusive"
    assert found.tasks_needed is not None
    assert of("." * found.tasks_needed).outcome == "pass"
    assert of("." * (found.tasks_needed - 1)).outcome == "inconclusive"


@pytest.mark.parametrize("margin", [0.01, 0.05, 0.3, 0.9])
@pytest.mark.parametrize(("sign", "settled"), [("+", "pass"), ("-", "fail")])
def test_where_all_tasks_changed_alike_it_is_exact_too(
    sign: str, settled: str, margin: float
) -> None:
    needed = next(n for n in range(1, 100) if of(sign * n, margin).outcome != "inconclusive")
    for played in range(1, needed):
        assert of(sign * played, margin).tasks_needed == needed
    assert of(sign * needed, margin).outcome == settled


def test_a_loss_needs_no_six_tasks() -> None:
    assert [of("-" * tasks).tasks_needed for tasks in range(1, 5)] == [5] * 4
    assert of("-" * 5).outcome == "fail"
    assert of("+" * 5).tasks_needed == 6


def test_as_many_tasks_as_it_says_settle_it() -> None:
    found = of("+" * 5 + "-" * 6 + "." * 50)
    assert found.outcome == "inconclusive"
    assert found.tasks_needed is not None
    times = -(-found.tasks_needed // 61) + 1
    assert of(("+" * 5 + "-" * 6 + "." * 50) * times).outcome != "inconclusive"


def test_a_difference_of_just_the_margin_is_never_settled() -> None:
    found = gate(paired_difference(single("-" + "." * 19), seed=0), 0.05)
    assert (found.outcome, found.tasks_needed) == ("inconclusive", None)


@pytest.mark.parametrize("margin", [1e-9, 1e-300, 5e-324])
@pytest.mark.parametrize("changes", ["." * 40, "+-" * 20, "+-" + "." * 38])
def test_a_margin_of_next_to_nothing_asks_for_no_number_that_nobody_could_play(
    changes: str, margin: float
) -> None:
    found = of(changes, margin)
    assert (found.outcome, found.tasks_needed) == ("inconclusive", None)


def test_without_an_interval_it_is_inconclusive() -> None:
    found = gate(paired_difference([Tally(2, 0, 1)] * 40, seed=0), 0.05)
    assert (found.outcome, found.interval, found.tasks_needed) == ("inconclusive", None, None)


@pytest.mark.parametrize("margin", [0.0, -0.1, 1.0])
def test_refuses_what_is_no_margin(margin: float) -> None:
    with pytest.raises(ValueError, match="a margin lies"):
        of("+-..", margin)
