"""From rows to results, on studies small enough to work by hand."""

from __future__ import annotations

from itertools import product
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ringback.report import wording
from ringback.report.compute import compute, rate_of
from ringback.report.model import (
    ArmResults,
    Comparison,
    Count,
    EpisodeRow,
    FlipPair,
    StudyFacts,
    StudyResults,
)
from ringback.report.wording import too_few
from ringback.stats import wilson
from tests.report.studies import TASKS, arm_facts, rows, study

BASELINE = arm_facts("reference", "baseline")
ARM = arm_facts("careless", agent="careless")
TWO = study([BASELINE, ARM])


def results(baseline: str, arm: str, trials: int = 1) -> StudyResults:
    """A study of two arms; trials are separated by a space."""
    facts = study([BASELINE, ARM], trials=trials)
    return compute(facts, rows(facts, {"reference": baseline.split(), "careless": arm.split()}))


def versus(found: StudyResults) -> Comparison:
    comparison = found.arms[1].versus
    assert comparison is not None
    return comparison


def test_a_whole_small_study() -> None:
    found = results("yyyn yyyy", "nynn yyin", trials=2)
    baseline, arm = found.arms
    assert (baseline.name, baseline.role, baseline.versus) == ("reference", "baseline", None)
    assert (arm.rate.solved, arm.rate.planned, arm.rate.rate) == (3, 8, 0.375)
    # two trials of a task hang together: 8 episodes are worth about 4
    assert arm.rate.effective == pytest.approx(45 / 11)
    assert arm.rate.interval is not None
    plain = wilson(3, 8)
    assert plain is not None
    assert arm.rate.interval.high - arm.rate.interval.low > plain.high - plain.low
    assert (arm.repairable.solved, arm.repairable.planned) == (1, 6)
    assert (arm.unrepairable.solved, arm.unrepairable.planned) == (2, 2)
    assert [(g.name, g.tasks, g.rate.solved, g.rate.planned) for g in arm.families] == [
        ("mms", 1, 0, 2),
        ("mobile_data", 1, 0, 2),
        ("service", 2, 3, 4),
    ]
    assert arm.endings == (
        Count("user_stop", 3),
        Count("max_steps", 4),
        Count("infrastructure_error", 1),
    )
    assert (arm.totals.planned, arm.totals.run, arm.totals.graded) == (8, 8, 7)
    assert arm.totals.reasons == (Count("infrastructure_error", 1),)
    assert arm.steps is not None
    # steps 100, 11, 100, 100; 10, 11, 3, 100
    assert (arm.steps.episodes, arm.steps.mean, arm.steps.median, arm.steps.most) == (
        8,
        435 / 8,
        55.5,
        100,
    )
    assert (found.totals.planned, found.totals.graded, found.totals.ungraded) == (16, 15, 1)

    paired = versus(found)
    assert paired.difference.difference == 3 / 8 - 7 / 8
    assert (paired.difference.better, paired.difference.worse) == (0, 4)
    assert (paired.difference.tasks, paired.difference.pairs) == (4, 8)
    assert (paired.difference.tasks_better, paired.difference.tasks_worse) == (0, 3)
    assert [(flip.task, flip.better, flip.worse) for flip in paired.flips] == [
        ("calls/airplane", 0, 1),
        ("data/off", 0, 2),
        ("mms/apn", 0, 1),
    ]
    assert paired.flips[0].pairs == (
        FlipPair(0, better=False, baseline="s-reference-0-0", session="s-careless-0-0"),
    )
    assert paired.pairs.planned == 8
    assert (paired.pairs.both, paired.pairs.only_baseline, paired.pairs.neither) == (7, 1, 0)
    assert paired.completed is not None
    assert (paired.completed.pairs, paired.completed.worse) == (7, 3)
    assert paired.completed.difference == -3 / 7
    assert paired.repairable is not None
    assert (paired.repairable.tasks, paired.repairable.worse) == (3, 4)
    assert paired.unrepairable is not None
    assert paired.unrepairable.remark == "no task changed outcome"


def test_the_grid_has_every_planned_cell_in_order() -> None:
    found = results("yyyn", "yi.x")
    assert [row.task for row in found.grid] == [task.id for task in TASKS]
    arm = [row.cells[1][0] for row in found.grid]
    assert [cell.outcome for cell in arm] == ["solved", "ungraded", "ungraded", "ungraded"]
    assert [cell.reason for cell in arm] == [None, "infrastructure_error", "not_run", "interrupted"]
    assert [cell.session for cell in arm] == [
        "s-careless-0-0",
        "s-careless-1-0",
        None,
        "s-careless-3-0",
    ]
    assert arm[2].steps is None
    assert found.arms[1].totals.run == 2
    assert found.arms[1].totals.reasons == (
        Count("infrastructure_error", 1),
        Count("interrupted", 1),
        Count("not_run", 1),
    )


def test_what_was_not_run_is_unsolved_and_unknown_not_zero() -> None:
    found = compute(TWO, [])
    arm = found.arms[1]
    assert (arm.rate.planned, arm.rate.solved, arm.rate.rate) == (4, 0, 0.0)
    assert (arm.steps, arm.endings) == (None, ())
    assert versus(found).completed is None
    assert not versus(found).settled
    assert found.totals.reasons == (Count("not_run", 8),)


def test_a_study_without_unrepairable_tasks_has_no_rate_there() -> None:
    facts = study([BASELINE, ARM], tasks=[task for task in TASKS if task.repairable])
    found = compute(facts, rows(facts, {"reference": ["yyy"], "careless": ["yny"]}))
    assert (found.arms[1].unrepairable.planned, found.arms[1].unrepairable.rate) == (0, None)
    assert found.arms[1].unrepairable.interval is None
    assert versus(found).unrepairable is None
    assert versus(found).repairable == versus(found).difference


def test_a_noise_arm_is_marked_where_it_could_not_differ() -> None:
    for first, second, expected in ((True, True, True), (True, False, False), (False, True, False)):
        facts = study(
            [
                arm_facts("reference", "baseline", deterministic=first),
                arm_facts("noise", "noise", deterministic=second),
                arm_facts("floor", "floor", deterministic=True),
            ]
        )
        found = compute(
            facts, rows(facts, {"reference": ["yyyy"], "noise": ["yyyy"], "floor": ["nnnn"]})
        )
        marks = [arm.versus.by_construction for arm in found.arms if arm.versus is not None]
        assert marks == [expected, False]


def test_conduct_is_counted_by_episode_and_strict_disagreement_too() -> None:
    plain = rows(TWO, {"careless": ["yyyn"]})
    noted = [
        msgspec.structs.replace(plain[0], conduct=("b", "a", "a"), strict_differs=True),
        msgspec.structs.replace(plain[1], conduct=("a",)),
        *plain[2:],
    ]
    arm = compute(TWO, noted).arms[1]
    assert arm.conduct == (Count("a", 2), Count("b", 1))
    assert arm.strict_differs == 1
    assert wording.strict_checks(arm) == f"1 of {arm.totals.graded} graded episodes"


letters = st.text("yni.x", min_size=4, max_size=4)


@given(letters, letters, st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_the_order_of_rows_does_not_matter(one: str, other: str, random: Random) -> None:
    made = rows(TWO, {"reference": [one], "careless": [other]})
    expected = compute(TWO, made)
    random.shuffle(made)
    assert compute(TWO, made) == expected


@given(letters, letters)
@settings(max_examples=60, deadline=None)
def test_the_figures_add_up(one: str, other: str) -> None:
    found = results(one, other)
    paired = versus(found)
    for arm, drawn in zip(found.arms, (one, other), strict=True):
        check_arm(arm, drawn)
    solved = [arm.rate.solved for arm in found.arms]
    assert paired.difference.difference == (solved[1] - solved[0]) / 4
    counted = paired.pairs
    assert counted.both + counted.only_arm + counted.only_baseline + counted.neither == 4
    assert len(paired.flips) == paired.difference.better + paired.difference.worse
    assert (paired.completed is None) == (counted.both in (0, 4))
    assert found.totals.planned == found.totals.graded + found.totals.ungraded == 8


def check_arm(arm: ArmResults, drawn: str) -> None:
    assert arm.rate.solved == drawn.count("y") == arm.repairable.solved + arm.unrepairable.solved
    assert arm.rate.planned == 4
    assert arm.totals.graded == sum(each in "yn" for each in drawn)
    assert arm.totals.run == sum(each in "yni" for each in drawn)
    assert sum(count.count for count in arm.endings) == arm.totals.run
    assert sum(count.count for count in arm.totals.reasons) == arm.totals.ungraded
    assert sum(group.rate.solved for group in arm.families) == arm.rate.solved


SEVEN = study(
    [BASELINE, ARM],
    tasks=[*TASKS, *(msgspec.structs.replace(task, id=task.id + "/2") for task in TASKS[:3])],
)


@pytest.mark.parametrize(("facts", "tasks"), [(TWO, 4), (SEVEN, 7)])
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_settled_means_that_no_outcome_of_the_ungraded_changes_what_is_said(
    facts: StudyFacts, tasks: int, data: st.DataObject
) -> None:
    holes = data.draw(st.sets(st.integers(0, 2 * tasks - 1), max_size=6))
    letters = data.draw(st.text("yn", min_size=2 * tasks, max_size=2 * tasks))
    both = "".join("i" if place in holes else each for place, each in enumerate(letters))

    def said(both: str) -> Comparison:
        found = compute(
            facts, rows(facts, {"reference": [both[:tasks]], "careless": [both[tasks:]]})
        )
        return versus(found)

    def meaning(found: Comparison) -> tuple[str, bool, bool]:
        difference = found.difference
        few = too_few(difference)
        return difference.verdict, few, few and difference.difference > 0

    meanings: set[tuple[str, bool, bool]] = set()
    for fill in product("yn", repeat=len(holes)):
        filled = list(both)
        for place, each in zip(holes, fill, strict=True):
            filled[place] = each
        whole = "".join(filled)
        meanings.add(meaning(said(whole)))
    found = said(both)
    assert found.settled == (meanings == {meaning(found)})


@pytest.mark.parametrize(
    "row",
    [
        EpisodeRow(arm="nobody", task=TASKS[0].id, trial=0),
        EpisodeRow(arm="careless", task="unheard-of", trial=0),
        EpisodeRow(arm="careless", task=TASKS[0].id, trial=1),
        EpisodeRow(arm="careless", task=TASKS[0].id, trial=-1),
    ],
)
def test_refuses_a_row_that_was_not_planned(row: EpisodeRow) -> None:
    with pytest.raises(ValueError, match="no planned cell"):
        compute(TWO, [row])


@pytest.mark.parametrize(
    "row",
    [
        EpisodeRow(arm="careless", task=TASKS[0].id, trial=0, graded=True, ungraded="why"),
        EpisodeRow(arm="careless", task=TASKS[0].id, trial=0, solved=True),
        EpisodeRow(arm="careless", task=TASKS[0].id, trial=0, session="s", ending="user_stop"),
    ],
)
def test_refuses_a_row_that_contradicts_itself(row: EpisodeRow) -> None:
    with pytest.raises(ValueError, match="graded or says why"):
        compute(TWO, [row])


def test_refuses_two_rows_of_a_cell() -> None:
    row = EpisodeRow(arm="careless", task=TASKS[0].id, trial=0)
    with pytest.raises(ValueError, match="two rows"):
        compute(TWO, [row, row])


def test_refuses_facts_that_make_no_study() -> None:
    with pytest.raises(ValueError, match="stands first"):
        compute(study([ARM, BASELINE]), [])
    with pytest.raises(ValueError, match="exactly one baseline"):
        compute(study([BASELINE, arm_facts("other", "baseline")]), [])
    with pytest.raises(ValueError, match="'careless' occurs twice"):
        compute(study([BASELINE, ARM, ARM]), [])
    with pytest.raises(ValueError, match="at least one task"):
        compute(study([BASELINE], tasks=[]), [])


def test_rate_of_nothing_is_unknown() -> None:
    assert rate_of(0, 0).rate is None
    assert rate_of(0, 0).interval is None
