"""The paired bootstrap against exact arithmetic, scipy, worked cases and its own promises."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import sqrt
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from ringback.stats import (
    FEW_TASKS,
    Interval,
    PairedDifference,
    Tally,
    arm_tests,
    claimed,
    few_changed,
    half_width,
    paired_difference,
    paired_differences,
    sign_test,
    tango,
)
from ringback.stats.draws import resample_counts
from ringback.stats.resampling import tail_rank

NEITHER = "not distinguishable"

tallies = st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 2)).map(
    lambda t: Tally(max(1, sum(t)), t[0], t[1])
)
studies = st.lists(tallies, min_size=1, max_size=12)


def single(outcomes: str) -> list[Tally]:
    """One trial a task: `+` only the arm solved it, `-` only the baseline, `.` no difference."""
    return [Tally(1, int(each == "+"), int(each == "-")) for each in outcomes]


def mirrored(study: Sequence[Tally]) -> list[Tally]:
    return [Tally(each.pairs, each.worse, each.better) for each in study]


def quick(study: Sequence[Tally], seed: int = 0, level: float = 0.95) -> PairedDifference:
    return paired_difference(study, seed=seed, resamples=400, level=level)


def ends(found: PairedDifference) -> Interval:
    assert found.interval is not None
    return found.interval


@given(studies, st.integers(0, 1000), st.sampled_from([0.8, 0.9, 0.95]))
@settings(max_examples=60, deadline=None)
def test_equals_the_definition_in_exact_arithmetic(
    study: list[Tally], seed: int, level: float
) -> None:
    found = quick(study, seed, level)
    values = sorted(
        Fraction(
            sum(int(n) * (each.better - each.worse) for n, each in zip(row, study, strict=True)),
            sum(int(n) * each.pairs for n, each in zip(row, study, strict=True)),
        )
        for block in resample_counts(seed, len(study), 400)
        for row in block
    )
    rank = tail_rank(400, level)
    low, high = values[rank - 1], values[-rank]
    if found.remark is not None:
        assert values[0] == values[-1] == Fraction(found.better - found.worse, found.pairs)
    else:
        assert (ends(found).low, ends(found).high) == (float(low), float(high))
    shown = (low, high)
    if found.remark is not None and found.interval is not None:
        shown = (found.interval.low, found.interval.high)
    assert found.unadjusted == ("better" if shown[0] > 0 else "worse" if shown[1] < 0 else NEITHER)
    sure = sign_test(len(study), 0) < 1 - Fraction(repr(level))
    gains = [each.better - each.worse for each in study if each.better != each.worse]
    if len(gains) < FEW_TASKS:
        flips = [
            sum(sign * gain for sign, gain in zip(signs, gains, strict=True))
            for signs in product((1, -1), repeat=len(gains))
        ]
        as_far = sum(abs(each) >= abs(sum(gains)) for each in flips)
        sure = sure and Fraction(as_far, len(flips)) <= 1 - Fraction(repr(level))
    assert found.verdict == (found.unadjusted if sure else NEITHER)


@given(studies, st.integers(0, 1000))
@settings(max_examples=60, deadline=None)
def test_exchanging_the_arms_mirrors_everything(study: list[Tally], seed: int) -> None:
    one, other = quick(study, seed), quick(mirrored(study), seed)
    assert one.difference == -other.difference
    assert (one.better, one.tasks_better) == (other.worse, other.tasks_worse)
    swap = {"better": "worse", "worse": "better"}
    assert one.verdict == swap.get(other.verdict, other.verdict)
    assert one.unadjusted == swap.get(other.unadjusted, other.unadjusted)
    assert one.mcnemar == other.mcnemar
    if one.interval is None:
        assert other.interval is None
    else:
        assert (one.interval.low, one.interval.high) == (-ends(other).high, -ends(other).low)


@given(st.lists(st.sampled_from("+-."), min_size=4, max_size=12), st.data())
@settings(max_examples=60, deadline=None)
def test_solving_one_more_task_lowers_no_end(outcomes: list[str], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(outcomes) - 1))
    raised = [*outcomes]
    raised[place] = {"-": ".", ".": "+", "+": "+"}[outcomes[place]]
    less, more = quick(single("".join(outcomes))), quick(single("".join(raised)))
    assert more.difference >= less.difference
    if ends(less).method == ends(more).method:
        assert ends(more).low >= ends(less).low
        assert ends(more).high >= ends(less).high


@given(studies, st.randoms())
@settings(max_examples=40, deadline=None)
def test_the_order_of_tasks_moves_no_count(study: list[Tally], random: Random) -> None:
    other = list(study)
    random.shuffle(other)
    one, two = quick(study), quick(other)
    assert (one.difference, one.better, one.worse) == (two.difference, two.better, two.worse)
    assert (one.tasks_better, one.tasks_worse) == (two.tasks_better, two.tasks_worse)
    assert (one.remark, one.mcnemar) == (two.remark, two.mcnemar)


@given(studies, st.data())
@settings(max_examples=40, deadline=None)
def test_an_arm_beside_it_changes_nothing(first: list[Tally], data: st.DataObject) -> None:
    size = len(first)
    others = data.draw(st.lists(st.lists(tallies, min_size=size, max_size=size), max_size=3))
    together = paired_differences([*others, first], seed=4, resamples=400)
    assert together[-1] == quick(first, 4)


def test_three_tasks_by_enumeration() -> None:
    # Of the 27 equally likely resamples of (+, -, .) one has sum 3 and three have sum 2, so that a
    # tail of one in fifteen, between 1/27 and 4/27, lies at 2.
    sums = sorted(sum(draw) for draw in product((1, -1, 0), repeat=3))
    assert (sums[-1], sums[-4], sums[-5]) == (3, 2, 1)
    found = paired_difference(single("+-."), seed=0, level=1 - 2 / 15)
    assert (ends(found).low, ends(found).high) == (-2 / 3, 2 / 3)
    assert found.verdict == "not distinguishable"


def test_against_scipy_and_the_normal_approximation() -> None:
    study = single("+" * 30 + "-" * 12 + "." * 158)
    found = paired_difference(study, seed=1)
    values = np.array([each.better - each.worse for each in study])
    other = scipy_stats.bootstrap(
        (values,), np.mean, n_resamples=10_000, method="percentile", rng=np.random.default_rng(2)
    ).confidence_interval
    half = 1.959964 * float(values.std()) / sqrt(len(values))
    assert found.difference == 0.09
    for low, high in ((other.low, other.high), (0.09 - half, 0.09 + half)):
        assert ends(found).low == pytest.approx(low, abs=0.006)
        assert ends(found).high == pytest.approx(high, abs=0.006)
    assert found.verdict == "better"
    assert (found.better, found.worse, found.tasks, found.pairs) == (30, 12, 200, 200)


def test_pinned() -> None:
    # Committed figures: the same on every machine, Python and numpy.
    found = paired_difference(single("-" * 9 + "++" + "." * 29), seed=20261130)
    assert (found.difference, ends(found).low, ends(found).high) == PINNED
    mixed = paired_difference([Tally(3, 1, 0), Tally(2, 0, 1), Tally(3, 2, 0)] * 7, seed=20261130)
    assert (mixed.difference, ends(mixed).low, ends(mixed).high) == PINNED_MIXED


PINNED = (-0.175, -0.325, -0.025)
PINNED_MIXED = (0.25, 0.05660377358490566, 0.4166666666666667)


def test_zero_is_inside_when_it_is_touched() -> None:
    # With three of 40 changed (37/40)^40 = 4.4% of resamples hold none of them; with four, 1.5%.
    touching = paired_difference(single("+" * 3 + "." * 37), seed=0)
    assert ends(touching).low == 0.0
    assert touching.unadjusted == "not distinguishable"
    clear = paired_difference(single("+" * 4 + "." * 36), seed=0)
    assert ends(clear).low == 1 / 40
    assert clear.unadjusted == "better"


@pytest.mark.parametrize(
    ("better", "worse", "verdict"),
    [(5, 0, NEITHER), (6, 0, "better"), (8, 1, "better"), (7, 1, NEITHER), (1, 8, "worse")],
)
def test_few_changes_need_an_exact_test_too(better: int, worse: int, verdict: str) -> None:
    # By hand: 2 / 2^5 = 0.0625, 2 / 2^6 = 0.03125, 2 * 10 / 2^9 = 0.039, 2 * 9 / 2^8 = 0.0703.
    found = paired_difference(single("+" * better + "-" * worse + "." * 31), seed=0)
    assert found.unadjusted != NEITHER
    assert found.verdict == verdict
    assert found.mcnemar == float(sign_test(better, worse))


@pytest.mark.parametrize(("changed", "verdict"), [(4, NEITHER), (5, NEITHER), (6, "better")])
def test_with_several_trials_few_changed_tasks_need_an_exact_test_too(
    changed: int, verdict: str
) -> None:
    # 2 / 2^4, 2 / 2^5 and 2 / 2^6, however many trials of each task changed.
    for better in (1, 2):
        study = [Tally(2, better, 0)] * changed + [Tally(2, 0, 0)] * (40 - changed)
        found = paired_difference(study, seed=0)
        assert (found.verdict, found.unadjusted, found.mcnemar) == (verdict, "better", None)


def test_with_many_changed_tasks_the_interval_decides() -> None:
    study = [Tally(2, 1, 0)] * 9 + [Tally(2, 0, 1)] + [Tally(2, 0, 0)] * 30
    assert paired_difference(study, seed=0).verdict == "better"


def test_with_ten_changed_tasks_it_decides_and_with_nine_the_exact_test_does() -> None:
    # Of 9 tasks' signs, 21 of 2^9 choices each way reach 16: p = 42 / 512.
    nine = [Tally(4, 4, 0)] * 5 + [Tally(4, 0, 1)] * 4
    found = paired_difference(nine, seed=0)
    assert (found.unadjusted, found.verdict) == ("better", NEITHER)
    assert few_changed(found)
    # 8 of 10: McNemar's p is 2 * 56 / 2^10 = 0.109, and is not asked for.
    found = paired_difference(single("+" * 8 + "--.."), seed=0)
    assert (found.unadjusted, found.verdict) == ("better", "better")
    assert found.mcnemar == 112 / 1024
    assert not few_changed(found)


def test_an_arm_that_stands_alone_is_called_by_its_verdict() -> None:
    # 12 of 16: the interval is clear of zero, McNemar's p is 0.077.
    study = single("+" * 12 + "-" * 4 + "." * 24)
    found = paired_difference(study, seed=0)
    (test,) = arm_tests([study], seed=0)
    assert found.verdict == "better"
    assert not test.distinguishable
    assert claimed(found, test, 1) == "better"
    assert claimed(found, test, 2) == NEITHER
    assert claimed(found, None, 2) == "better"


def test_trials_of_a_task_stay_together() -> None:
    # Two tasks' four trials in one go are one task's luck: much wider than eight tasks apart.
    together = paired_difference([Tally(4, 4, 0), Tally(4, 0, 4), *[Tally(4, 0, 0)] * 8], seed=0)
    apart = paired_difference(single("++++----" + "." * 32), seed=0)
    assert together.difference == apart.difference == 0
    assert ends(together).high > 1.5 * ends(apart).high


@pytest.mark.parametrize("trials", [1, 2])
@pytest.mark.parametrize("tasks", [1, 2, 40])
def test_no_changed_outcome_is_said_and_given_tangos_interval(tasks: int, trials: int) -> None:
    found = paired_difference([Tally(trials, 0, 0)] * tasks, seed=0)
    assert (found.difference, found.interval) == (0.0, tango(0, 0, tasks))
    assert found.remark == "no task changed outcome"
    assert found.verdict == found.unadjusted == "not distinguishable"


def test_changes_that_cancel_within_every_task_are_not_called_unchanged() -> None:
    found = paired_difference([Tally(2, 1, 1)] * 5, seed=0)
    assert (found.better, found.worse, found.tasks_better) == (5, 5, 0)
    assert (found.interval, found.verdict) == (tango(0, 0, 5), "not distinguishable")
    assert found.remark == "same difference in every task"


@pytest.mark.parametrize(
    ("tasks", "verdict"),
    [(1, "not distinguishable"), (5, "not distinguishable"), (6, "worse"), (40, "worse")],
)
def test_without_spread_there_is_a_remark_and_tangos_interval(tasks: int, verdict: str) -> None:
    for trials in (1, 3):
        found = paired_difference([Tally(trials, 0, trials)] * tasks, seed=0)
        assert (found.difference, found.interval) == (-1.0, tango(0, tasks, tasks))
        # Tango's upper end is 2z²/(n + z²) - 1: above zero with one task, below it with five.
        assert (found.verdict, found.unadjusted) == (verdict, NEITHER if tasks == 1 else "worse")
        assert found.remark == "same difference in every task"


def test_the_same_share_of_every_task_has_no_honest_interval() -> None:
    found = paired_difference([Tally(2, 1, 0)] * 40, seed=0)
    assert (found.difference, found.interval, found.verdict) == (0.5, None, "better")
    assert half_width(found) is None


def test_the_half_width_is_half_of_the_interval() -> None:
    found = paired_difference(single("+" * 6 + "-" * 4 + "." * 30), seed=0)
    assert half_width(found) == (ends(found).high - ends(found).low) / 2


ORDER = ["worse", "not distinguishable", "better"]


@given(st.lists(st.sampled_from("+-."), min_size=1, max_size=8), st.data())
@settings(max_examples=80, deadline=None)
def test_no_verdict_falls_when_one_more_task_is_solved(
    outcomes: list[str], data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(outcomes) - 1))
    raised = [*outcomes]
    raised[place] = {"-": ".", ".": "+", "+": "+"}[outcomes[place]]
    less, more = quick(single("".join(outcomes))), quick(single("".join(raised)))
    assert ORDER.index(more.verdict) >= ORDER.index(less.verdict)


def test_no_verdict_falls_where_the_exact_test_leaves_off() -> None:
    # Changes from 6 to 13, across the line at 10; the same resamples for all.
    shapes = [(b, c) for b in range(14) for c in range(14 - b)]
    arms = [single("+" * b + "." * (40 - b - c) + "-" * c) for b, c in shapes]
    found = dict(zip(shapes, paired_differences(arms, seed=3), strict=True))
    for (b, c), each in found.items():
        for more in ((b + 1, c), (b, c - 1)):
            if more in found:
                assert ORDER.index(found[more].verdict) >= ORDER.index(each.verdict), (b, c, more)


def test_the_rank_is_exact_and_named() -> None:
    assert tail_rank(10_000, 0.95) == 250
    assert tail_rank(9_999, 0.95) == 250
    assert tail_rank(39, 0.95) == 1
    assert tail_rank(19, 0.9) == 1
    with pytest.raises(ValueError, match="38 resamples are too few"):
        tail_rank(38, 0.95)
    with pytest.raises(ValueError, match="between 0 and 1"):
        tail_rank(100, 1.0)


@pytest.mark.parametrize("count", [(0, 0, 0), (1, 1, 1), (2, -1, 1), (3, 0, 4)])
def test_refuses_what_is_no_tally(count: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="not a tally"):
        Tally(*count)


def test_refuses_no_tasks_and_unequal_arms() -> None:
    with pytest.raises(ValueError, match="no task"):
        paired_difference([], seed=0)
    with pytest.raises(ValueError, match="same tasks"):
        paired_differences([single("+."), single("+")], seed=0)
    assert paired_differences([], seed=0) == ()


def test_many_tasks_fit_in_blocks() -> None:
    found = paired_difference(single(("+" + "." * 9 + "-") * 200), seed=0, resamples=1000)
    assert ends(found).low < 0 < ends(found).high
    assert found.tasks == 2200
