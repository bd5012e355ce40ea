"""Figures over sessions: those of a study's results wherever both define them, and what else is."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from ringback.episode.events import Results, Turn
from ringback.overview.model import Overview
from ringback.report.model import StudyResults
from ringback.sessions import Store
from ringback.study.results import results
from tests.overview.made import TASKS, arm, change, record, report, study, versus

STUDY = """
name = "s"
question = "Which?"
tasks = "small"
trials = 2
seed = 4
[user]
name = "rules"
[baseline]
agent = "reference"
[arms.careless]
agent = "careless"
[arms.hasty]
agent = "hasty"
[arms.sloppy]
agent = "careless"
settings = { skip = 0.8 }
"""


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[StudyResults, Overview, Path]:
    """A study's results and a report over its sessions."""
    folder = tmp_path_factory.mktemp("both")
    store = folder / "s.db"
    plan = study(folder, store, STUDY)
    with Store.open(store, write=False) as opened:
        theirs = results(plan, opened, "", partings=False)
    return theirs, report(store), store


def test_an_arms_figures_are_those_of_the_study(
    both: tuple[StudyResults, Overview, Path],
) -> None:
    theirs, ours, _ = both
    (condition,) = ours.conditions
    assert [each.name for each in condition.arms] == [each.name for each in theirs.arms]
    for one, other in zip(theirs.arms, condition.arms, strict=True):
        for mine, planned in (
            (other.rate, one.rate),
            (other.repairable, one.repairable),
            (other.unrepairable, one.unrepairable),
        ):
            assert (mine.solved, mine.graded) == (planned.solved, planned.planned)
            assert (mine.rate, mine.interval) == (planned.rate, planned.interval)
            assert mine.effective == planned.effective
        assert (other.sessions, other.graded) == (one.totals.planned, one.totals.graded)
        for name in (
            "endings",
            "steps",
            "agent_cost",
            "user_cost",
            "cost_per_solved",
            "faults",
            "failures",
            "unblamed",
            "conduct",
            "strict_differs",
        ):
            assert getattr(other, name) == getattr(one, name), name
    assert arm(ours, "careless").steps != arm(ours, "hasty").steps


def test_a_comparison_is_that_of_the_study(both: tuple[StudyResults, Overview, Path]) -> None:
    theirs, ours, _ = both
    for one in theirs.arms[1:]:
        other = versus(ours, one.name)
        assert one.versus is not None
        assert other.baseline == theirs.arms[0].name
        assert other.difference == one.versus.difference
        assert (other.test, other.claimed) == (one.versus.test, one.versus.claimed)
        assert (other.pairs, other.unpaired) == (one.versus.pairs.both, ())
        flips = [pair for flip in one.versus.flips for pair in flip.pairs]
        assert [(each.session, each.baseline, each.better) for each in other.flips] == [
            (pair.session, pair.baseline, pair.better) for pair in flips
        ]
    assert versus(ours, "hasty").flips


def test_a_session_is_told_as_in_the_studys_grid(
    both: tuple[StudyResults, Overview, Path],
) -> None:
    theirs, ours, _ = both
    grid = {cell.session: cell for row in theirs.grid for cells in row.cells for cell in cells}
    assert {line.id for line in ours.sessions} == set(grid)
    for line in ours.sessions:
        cell = grid[line.id]
        for name in ("outcome", "reward", "ending", "steps", "blame", "kinds", "conduct", "reason"):
            assert getattr(line, name) == getattr(cell, name), name


def test_who_called_what_is_counted_from_the_events(
    both: tuple[StudyResults, Overview, Path],
) -> None:
    _, ours, store = both
    made: Counter[tuple[str, str]] = Counter()
    errors: Counter[tuple[str, str]] = Counter()
    with Store.open(store, write=False) as opened:
        for line in ours.sessions:
            if line.arm != "careless":
                continue
            turns: dict[int, Turn] = {}
            for event in opened.events(line.id):
                if isinstance(event, Turn):
                    turns[event.seq] = event
                    made.update((event.by, call.tool) for call in event.calls)
                elif isinstance(event, Results):
                    calls = turns[event.turn].calls
                    for call, result in zip(calls, event.results, strict=True):
                        errors[event.by, call.tool] += result.error
    found = arm(ours, "careless").tools
    assert {(use.side, use.tool): use.calls for use in found} == made
    assert {(use.side, use.tool): use.errors for use in found if use.errors} == +errors
    assert {use.side for use in found} == {"agent", "user"}
    assert all(use.unanswered == 0 for use in found)


def test_the_same_sessions_give_the_same_figures(
    both: tuple[StudyResults, Overview, Path],
) -> None:
    _, ours, store = both
    assert report(store) == ours


def test_without_a_graded_outcome_a_session_is_in_no_rate(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    record(store, "reference")
    whole = arm(report(store), "reference")
    assert (whole.rate.solved, whole.rate.graded, whole.least, whole.most) == (3, 3, 1.0, 1.0)
    (first, *_) = report(store).sessions
    change(store, "UPDATE sessions SET ending = NULL WHERE id = ?", first.id)
    change(
        store,
        "DELETE FROM grades WHERE session = (SELECT number FROM sessions WHERE id = ?)",
        first.id,
    )
    found = report(store)
    cut = arm(found, "reference")
    assert (cut.sessions, cut.graded, cut.ungraded) == (3, 2, 1)
    assert [(each.name, each.count) for each in cut.reasons] == [("still open", 1)]
    assert (cut.rate.solved, cut.rate.graded, cut.rate.rate) == (2, 2, 1.0)
    assert cut.least == pytest.approx(2 / 3)
    assert cut.most == 1.0
    assert "1 without a graded outcome (still open 1)" in found.headline[0]
    assert TASKS[0] in {line.task for line in found.sessions}


def test_what_the_store_has_no_grade_of_is_graded_by_todays_checks(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    record(store, "hasty")
    before = report(store)
    change(store, "DELETE FROM grades")
    change(store, "UPDATE sessions SET grader = NULL")
    found = report(store)
    assert arm(found, "hasty") == arm(before, "hasty")
    assert (before.graded_now, found.graded_now) == (0, 3)
    assert any("nothing was stored" in rest for _, rest in found.limits)
    with Store.open(store, write=False) as opened:
        assert not opened.grades([line.id for line in found.sessions])


def test_grades_by_other_checks_are_taken_and_said(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    record(store, "hasty")
    now = arm(report(store), "hasty").graders
    assert [each.count for each in now] == [3]
    (first, *_) = report(store).sessions
    old = f'"grader":"{now[0].name}"'
    change(
        store,
        "UPDATE grades SET body = CAST(replace(CAST(body AS TEXT), ?, ?) AS BLOB) "
        "WHERE session = (SELECT number FROM sessions WHERE id = ?)",
        old,
        '"grader":"0"',
        first.id,
    )
    found = report(store)
    assert [(each.name, each.count) for each in found.older_grades] == [("telecom 0", 1)]
    assert any("telecom 0 1" in rest and "ringback regrade" in rest for _, rest in found.limits)
    assert arm(found, "hasty").rate == arm(report(store), "hasty").rate
