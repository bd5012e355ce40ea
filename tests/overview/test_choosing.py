"""Which arm is the baseline, what cases were picked by, and how sure the short answer is."""

from __future__ import annotations

from pathlib import Path

import pytest

from ringback.overview.headline import headline
from ringback.replay.changes import Changes
from tests.overview import test_drawn as drawn
from tests.overview.made import TASKS, arm, change, record, report
from tests.replay.stores import replay

SOLVES = Changes(agent="reference")


def test_of_arms_with_as_many_pairs_that_of_most_sessions_is_the_baseline(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    record(store, "hasty", tasks=TASKS[:2])
    record(store, "reference")
    change(
        store,
        "UPDATE sessions SET ending = NULL, grader = NULL WHERE arm_name = 'reference' "
        "AND task = ?",
        TASKS[2],
    )
    (condition,) = report(store).conditions
    assert [each.graded for each in condition.arms] == [2, 2]
    assert condition.baseline == "reference"


@pytest.mark.parametrize("useless", ["without an outcome", "there twice"])
def test_draws_that_make_no_pair_make_no_baseline(tmp_path: Path, useless: str) -> None:
    store = tmp_path / "s.db"
    for agent in ("reference", "hasty"):
        record(store, agent, tasks=TASKS[:1])
    for agent in ("careless", "do-nothing"):
        twice = useless == "there twice" and agent == "careless"
        record(store, agent, tasks=TASKS[1:], seed=5, trials=2 if twice else 1)
    if useless == "there twice":
        change(store, "UPDATE sessions SET trial = 0")
    else:
        change(
            store,
            "UPDATE sessions SET ending = NULL, grader = NULL WHERE arm_name = 'careless'",
        )
    (condition,) = report(store).conditions
    assert [each.name for each in condition.arms] == [
        *("reference", "hasty"),
        *("careless", "do-nothing"),
    ]
    assert condition.baseline == "reference"


def test_replays_of_what_had_no_outcome_were_not_picked_by_it(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    record(store, "hasty", trials=2)
    lines = report(store).sessions
    first = next(line.id for line in lines if line.outcome == "unsolved")
    replay(store, SOLVES, first, name="again")
    assert arm(report(store), "again").picked == "failed"
    change(store, "UPDATE sessions SET ending = NULL, grader = NULL WHERE id = ?", first)
    found = arm(report(store), "again")
    assert (found.picked, found.rate.rate) == (None, 1.0)


def test_failures_of_one_arm_and_successes_of_another_are_picked_too(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    record(store, "hasty")
    record(store, "hasty", settings={"patience": 1})
    lines = report(store).sessions
    for name, outcome in (("hasty", "unsolved"), ("hasty (2)", "solved")):
        picked = [line.id for line in lines if line.arm == name and line.outcome == outcome]
        assert 0 < len(picked) < 3
        replay(store, SOLVES, *picked, name="again")
    found = arm(report(store), "again")
    assert (found.picked, found.rate.rate) == ("either", None)


def test_the_short_answer_is_no_surer_than_the_table(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    record(store, "reference")
    record(store, "hasty")
    base = report(store)
    too_few = drawn.difference(*[-1] * 4, *[0] * 4)
    found = drawn.condition(base, drawn.CLEAR, drawn.FEW, drawn.UNSURE, too_few)
    said = headline(base.facts, [found], 6, 0, base.left_out)
    (sentence,) = [each for each in said if each.startswith("Worse than reference: ")]
    parts = [part.partition(" (") for part in sentence.removesuffix(".").split("; ")]
    assert [part[0] for part in parts] == [
        "Worse than reference: arm 0",
        "arm 1",
        "not told from reference: arm 2",
        "too few changes to tell from reference: arm 3",
    ]
    assert parts[0][2].endswith(", 20 pairs)")
    assert parts[1][2].endswith(", 16 pairs, few changes)")
