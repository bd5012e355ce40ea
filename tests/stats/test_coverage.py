"""Whether the intervals hold the truth as often as they say: short runs of the simulations.

The whole tables are made by ``python -m benchmarks.coverage`` and stand in docs/statistics.md. With
400 studies a share of 95% is uncertain by 1.1 points, so that three of them stand around it here.
"""

from __future__ import annotations

import pytest
from benchmarks import coverage


@pytest.mark.parametrize(
    ("tasks", "better", "worse"),
    [each for each in coverage.PAIRED if min(each[1:]) >= 4],
)
def test_the_paired_interval_with_four_changes_each_way(
    tasks: int, better: int, worse: int
) -> None:
    share, unadjusted, ours = coverage.paired(tasks, better, worse, studies=400).shares
    assert 0.917 <= share <= 0.983
    assert ours <= unadjusted
    if better == worse:
        assert ours <= 0.06


def test_our_verdict_is_seldom_false_on_few_changes() -> None:
    for changes in (1, 2):
        assert coverage.paired(40, changes, changes, studies=400).shares[2] <= 0.025


def test_the_gate_seldom_lets_a_loss_of_its_margin_pass() -> None:
    # 2.5% are promised; of 400 studies that is uncertain by 0.8 points.
    for tasks, trials in ((40, 1), (10, 4), (40, 4)):
        alone, passes = coverage.gated(tasks, trials, 0.05, studies=400).shares
        assert passes <= 0.05
        assert passes <= alone


def test_rates_over_trials() -> None:
    ours, plain = coverage.rates(114, 4, 0.7, 0.3, studies=400).shares
    assert 0.917 <= ours <= 0.983
    assert plain < 0.9


def test_figures_over_tasks() -> None:
    for line in coverage.over_tasks(40, studies=60):
        assert line.shares[0] >= 0.86, line


def test_clusters() -> None:
    percentile, studentized = coverage.clusters(19, 8, 0.0, studies=100).shares
    assert percentile >= 0.88
    assert studentized >= 0.88


def test_the_tied_set_holds_the_best() -> None:
    assert coverage.tied(4, 40, 0.0, studies=60).shares[0] >= 0.88
    assert coverage.tied(4, 40, 0.2, studies=60).shares[0] >= 0.93


def test_the_smallest_detectable_difference_is_found_as_often_as_promised() -> None:
    for noise in (0.05, 0.2):
        _, unadjusted, ours = coverage.power(114, noise, studies=400).shares
        assert 0.72 <= ours <= unadjusted <= 0.9
