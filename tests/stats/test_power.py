"""Power: the formula by hand, against simulation, and its promises."""

from __future__ import annotations

from math import ceil, sqrt
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from ringback.stats import (
    Tally,
    detectable,
    minimum_detectable,
    paired_differences,
    single_rate,
    tasks_needed,
)

noises = st.floats(0, 0.5)
differences = st.floats(0.02, 0.6)


def test_by_hand() -> None:
    # 10 points beside 5% noise: psi = 0.15, (1.96 sqrt 0.15 + 0.8416 sqrt 0.14)^2 / 0.01 = 115.2.
    z, power = 1.959963984540054, 0.8416212335729143
    exact = (z * sqrt(0.15) + power * sqrt(0.14)) ** 2 / 0.01
    assert tasks_needed(0.1, 0.05) == ceil(exact) == 116
    # With three trials noise counts a third.
    third = (z * sqrt(0.1 + 0.05 / 3) + power * sqrt(0.1 + 0.05 / 3 - 0.01)) ** 2 / 0.01
    assert tasks_needed(-0.1, 0.05, trials=3) == ceil(third)


@given(differences, noises, st.integers(1, 4))
def test_the_smallest_difference_and_the_tasks_for_it_agree(
    difference: float, noise: float, trials: int
) -> None:
    tasks = tasks_needed(difference, noise, trials=trials)
    found = minimum_detectable(tasks, noise, trials=trials)
    assert found is not None
    assert found <= difference + 1e-9
    assert tasks_needed(found, noise, trials=trials) <= tasks
    if tasks > 6:
        fewer = minimum_detectable(tasks - 1, noise, trials=trials)
        assert fewer is None or fewer >= found


@given(differences, noises, st.integers(1, 3))
def test_more_noise_power_or_level_ask_for_no_fewer_tasks(
    difference: float, noise: float, trials: int
) -> None:
    tasks = tasks_needed(difference, noise, trials=trials)
    assert tasks_needed(difference, noise + 0.1, trials=trials) >= tasks
    assert tasks_needed(difference, noise, trials=trials, power=0.9) >= tasks
    assert tasks_needed(difference, noise, trials=trials, level=0.99) >= tasks
    assert tasks_needed(difference, noise, trials=trials + 1) <= tasks
    assert tasks_needed(difference + 0.1, noise, trials=trials) <= tasks


@pytest.mark.parametrize(("tasks", "noise"), [(114, 0.1), (200, 0.05)])
def test_studies_of_that_size_find_it_about_as_often(tasks: int, noise: float) -> None:
    smallest = minimum_detectable(tasks, noise)
    assert smallest is not None
    random = Random(5)
    arms: list[list[Tally]] = []
    for _ in range(400):
        draws = [random.random() for _ in range(tasks)]
        arms.append(
            [Tally(1, int(u < noise / 2), int(noise / 2 <= u < noise + smallest)) for u in draws]
        )
    found = paired_differences(arms, seed=0, resamples=1000)
    share = sum(each.verdict == "worse" for each in found) / len(found)
    assert share == pytest.approx(0.8, abs=0.08)


def test_from_a_noise_arm_and_its_upper_bound() -> None:
    noise = [Tally(1, 1, 0)] * 2 + [Tally(1, 0, 1)] * 2 + [Tally(1, 0, 0)] * 36
    found = detectable(noise, tasks=114)
    rate = single_rate([(1, 1)] * 4 + [(0, 1)] * 36)
    assert rate.interval is not None
    assert (found.noise, found.noise_upper) == (0.1, rate.interval.high)
    assert found.difference == minimum_detectable(114, 0.1)
    assert found.difference_upper == minimum_detectable(114, rate.interval.high)
    assert (found.remark, found.tasks, found.trials, found.power) == (None, 114, 1, 0.8)


def test_a_zero_that_was_seen_is_evidence_and_one_by_construction_is_not() -> None:
    quiet = [Tally(1, 0, 0)] * 40
    seen = detectable(quiet, tasks=40)
    assert seen.noise == 0.0
    assert seen.difference is not None
    assert seen.difference_upper is not None
    assert seen.difference < seen.difference_upper
    built = detectable(quiet, tasks=40, by_construction=True)
    assert built.remark == "zero by construction"
    assert (built.noise, built.noise_upper, built.difference, built.difference_upper) == (None,) * 4
    assert detectable([], tasks=40).remark == "no noise arm"


def test_too_few_tasks_find_nothing() -> None:
    assert minimum_detectable(5, 0.0) is None
    assert minimum_detectable(6, 0.0) is not None
    assert tasks_needed(1.0, 0.0) == 6


def test_the_written_quantiles_are_right() -> None:
    for power in (0.8, 0.9, 0.95, 0.85):
        z = float(scipy_stats.norm.ppf(power))
        wanted = (1.959963984540054 * sqrt(0.3) + z * sqrt(0.26)) ** 2 / 0.04
        assert tasks_needed(0.2, 0.1, power=power) == ceil(wanted)


def test_refuses_nonsense() -> None:
    for difference in (0.0, 1.5, 1e-7, 5e-324):
        with pytest.raises(ValueError, match="a difference lies"):
            tasks_needed(difference, 0.1)
    with pytest.raises(ValueError, match="at least one task"):
        minimum_detectable(0, 0.1)
    with pytest.raises(ValueError, match="share of pairs"):
        tasks_needed(0.1, 1.5)
    with pytest.raises(ValueError, match="share of pairs"):
        tasks_needed(0.1, 0.1, trials=0)
    with pytest.raises(ValueError, match="power must be"):
        tasks_needed(0.1, 0.1, power=1.0)
