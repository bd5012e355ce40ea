"""All figures together: that they are the estimators' own, and what is paired with what."""

from __future__ import annotations

import pytest

from ringback.errors import InputError
from ringback.stats import (
    Tally,
    TaskCost,
    arm_tests,
    cost_per_solved,
    paired_difference,
    pass_k,
    single_rate,
    tied_set,
)
from ringback.stats.figures import figures
from ringback.stats.outcomes import Outcomes, Result


def arm(name: str, *cases: str, cost: float | None = None) -> Outcomes:
    """One text of ones and zeros a case, a trial each."""
    return Outcomes(
        name,
        {
            f"c{place:02}": {str(n): Result(each == "1", cost) for n, each in enumerate(trials)}
            for place, trials in enumerate(cases)
            if trials
        },
        cost is not None,
    )


BASE = arm("base", *["11", "10", "00", "01"] * 10, cost=0.5)
OTHER = arm("other", *["11", "11", "10", "01"] * 10)


def test_they_are_the_estimators_own() -> None:
    found = figures([BASE, OTHER], seed=3, resamples=500)
    base, other = found.arms
    tasks = [(2, 2), (1, 2), (0, 2), (1, 2)] * 10
    assert base.rate == single_rate(tasks)
    assert base.pass_k == pass_k(tasks, seed=3, resamples=500)
    assert base.cost == cost_per_solved(
        [TaskCost(solved, 1.0) for solved, _ in tasks], seed=3, resamples=500
    )
    assert (base.versus, other.cost) == (None, None)
    tallies = [Tally(2, 0, 0), Tally(2, 1, 0), Tally(2, 1, 0), Tally(2, 0, 0)] * 10
    assert other.versus is not None
    assert other.versus.difference == paired_difference(tallies, seed=3, resamples=500)
    assert other.versus.test == arm_tests([tallies], seed=3)[0]
    assert found.tied is not None
    assert found.tied.found == tied_set(
        [[2, 1, 0, 1] * 10, [2, 2, 1, 1] * 10], [2] * 40, seed=3, resamples=500
    )
    assert (found.tied.arms, found.tied.cases, found.tied.episodes) == (("base", "other"), 40, 80)


def test_only_what_both_have_is_paired_and_the_rest_counted() -> None:
    short = arm("short", "1", "", "11", *["11"] * 40)
    found = figures([BASE, short], resamples=500)
    versus = found.arms[1].versus
    assert versus is not None
    assert versus.difference is not None
    assert (versus.difference.tasks, versus.difference.pairs) == (39, 77)
    assert (versus.only_arm, versus.only_baseline) == (6, 3)
    assert found.arms[1].rate.episodes == 83


def test_nothing_in_common_is_no_comparison() -> None:
    apart = Outcomes("apart", {"z": {"0": Result(True, None)}}, False)
    found = figures([BASE, apart], resamples=500)
    versus = found.arms[1].versus
    assert versus is not None
    assert (versus.difference, versus.test, found.tied) == (None, None, None)
    assert (versus.only_arm, versus.only_baseline) == (1, 80)


def test_controls_are_shown_and_take_no_part() -> None:
    floor = arm("floor", *["00"] * 40)
    with_control = figures([BASE, OTHER, floor], controls=["floor"], resamples=500)
    without = figures([BASE, OTHER], resamples=500)
    assert with_control.arms[:2] == without.arms
    assert with_control.tied == without.tied
    control = with_control.arms[2]
    assert control.control
    assert control.versus is not None
    assert control.versus.test is None
    assert control.versus.difference is not None


def test_exchanging_the_baseline_mirrors() -> None:
    one = figures([BASE, OTHER], resamples=500).arms[1].versus
    other = figures([BASE, OTHER], baseline="other", resamples=500).arms[0].versus
    assert one is not None
    assert other is not None
    assert one.difference is not None
    assert other.difference is not None
    assert one.difference.difference == -other.difference.difference
    assert one.test == other.test


def test_an_unknown_cost_of_one_run_makes_its_case_unknown() -> None:
    cases = {"a": {"0": Result(True, 1.0), "1": Result(True, None)}, "b": {"0": Result(True, 1.0)}}
    cost = figures([Outcomes("x", cases, True)], resamples=500).arms[0].cost
    assert cost is not None
    assert (cost.lacking, cost.unknown) == ("price unknown", 1)


def test_refusals_are_sentences() -> None:
    with pytest.raises(InputError, match="no baseline 'x'; the arms are 'base', 'other'"):
        figures([BASE, OTHER], baseline="x")
    with pytest.raises(InputError, match="no control 'x'"):
        figures([BASE, OTHER], controls=["x"])
    with pytest.raises(InputError, match="both the baseline and a control"):
        figures([BASE, OTHER], controls=["base"])
    with pytest.raises(InputError, match="Two files are named 'base'"):
        figures([BASE, BASE])
    with pytest.raises(InputError, match="give --resamples 12500000 or fewer"):
        figures([BASE], resamples=20_000_000)
