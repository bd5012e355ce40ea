"""Replays of what had failed come out better with nothing changed: nothing is read from them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ringback.overview import words
from ringback.overview.page import page
from ringback.overview.summary import summary
from ringback.replay.changes import Changes
from ringback.replay.places import at_event
from tests.overview.made import TASKS, arm, change, record, report, versus
from tests.replay.stores import fork, replay

_SOLVES = Changes(agent="reference")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A run of an agent that fails two of three cases."""
    record(tmp_path / "s.db", "hasty")
    return tmp_path / "s.db"


def test_replays_of_failures_have_no_rate_and_no_difference_from_them(store: Path) -> None:
    replay(store, _SOLVES, "arm=hasty", "solved=no", name="again")
    found = report(store)
    again = arm(found, "again")
    assert (again.picked, again.rate.solved, again.rate.graded) == ("failed", 2, 2)
    assert (again.rate.rate, again.rate.interval, again.least, again.cost_per_solved) == (
        None,
        None,
        None,
        None,
    )
    assert (again.repairable.rate, again.repairable.graded) == (None, 2)
    assert arm(found, "hasty").picked is None
    assert arm(found, "hasty").rate.rate is not None
    one = versus(found, "again")
    assert (one.unread, one.pairs, one.difference, one.test, one.claimed, one.flips) == (
        "failed",
        2,
        None,
        None,
        None,
        (),
    )
    said = " ".join(found.headline)
    assert "again solved 2 of 2, which is no rate, since its cases are only ones that" in said
    assert "No difference is read from hasty: again, since the cases of one are only" in said
    assert [lead for lead, _ in found.limits if lead == "Replays of what had come out alike."]
    for text in (page(found).decode(), summary(found)):
        assert "not read: its cases are only ones that had failed" in text
        assert "not compared: the cases of one are only ones that had failed in the other" in text
        assert "+100" not in text
    assert versus(report(store, baseline="again"), "hasty").unread == "failed"


def test_so_it_is_where_what_they_replay_is_not_selected(store: Path) -> None:
    replay(store, _SOLVES, "arm=hasty", "solved=no", name="again")
    found = report(store, "arm=again")
    assert (arm(found, "again").picked, arm(found, "again").rate.rate) == ("failed", None)


def test_so_it_is_with_what_had_been_solved_and_with_one_call(store: Path) -> None:
    replay(store, Changes(agent="do-nothing"), "arm=hasty", "solved=yes", name="worse")
    found = report(store)
    assert (arm(found, "worse").picked, versus(found, "worse").unread) == ("solved", "solved")
    assert words.picked(arm(found, "worse")) == "its cases are only ones that had been solved"


def test_a_replay_of_such_a_replay_is_no_better(store: Path) -> None:
    replay(store, _SOLVES, "arm=hasty", "solved=no", name="again")
    replay(store, Changes(agent="careless"), "arm=again", name="third")
    found = report(store)
    assert (arm(found, "third").picked, versus(found, "third").unread) == ("failed", "failed")
    # Those two met the same cases, and neither was picked by what became of the other.
    other = versus(report(store, baseline="again"), "third")
    assert (other.unread, other.pairs) == (None, 2)
    assert other.difference is not None


def test_a_replay_of_all_of_an_arm_is_read(store: Path) -> None:
    replay(store, _SOLVES, "arm=hasty", name="again")
    found = report(store)
    assert (arm(found, "again").picked, arm(found, "again").rate.rate) == (None, 1.0)
    assert (versus(found, "again").unread, versus(found, "again").pairs) == (None, 3)


def test_a_replay_of_all_of_an_arm_that_failed_all_is_read(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    record(store, "hasty", tasks=TASKS[:2])
    replay(store, _SOLVES, "solved=no", name="again")
    assert (arm(report(store), "again").picked, versus(report(store), "again").unread) == (
        None,
        None,
    )


def test_a_replay_of_some_that_came_out_in_both_ways_is_read(store: Path) -> None:
    failed, solved = (
        next(line.id for line in report(store).sessions if line.outcome == outcome)
        for outcome in ("unsolved", "solved")
    )
    replay(store, _SOLVES, failed, solved, name="again")
    found = report(store)
    assert (arm(found, "again").picked, versus(found, "again").pairs) == (None, 2)


def test_of_an_arm_with_other_cases_too_only_the_difference_is_not_read(store: Path) -> None:
    record(store, "reference", seed=3)
    replay(store, Changes(agent="careless"), "arm=hasty", "solved=no", name="again")
    replay(store, Changes(agent="careless"), "arm=reference", name="again")
    found = report(store, baseline="again")
    again = arm(found, "again")
    assert (again.sessions, again.picked, again.rate.rate is None) == (5, None, False)
    assert versus(found, "hasty").unread == "failed"
    assert (versus(found, "reference").unread, versus(found, "reference").pairs) == (None, 3)


def test_what_a_study_planned_is_no_such_replay(store: Path) -> None:
    replay(store, _SOLVES, "arm=hasty", "solved=no", name="again")
    change(
        store,
        "INSERT INTO memberships (cell, study, arm_name) "
        "SELECT cell, 'spring', arm_name FROM sessions WHERE arm_name = 'again'",
    )
    found = report(store)
    assert (arm(found, "again").picked, versus(found, "again").unread) == (None, None)


def test_named_ones_that_came_out_alike_in_one_arm_are_not_read(store: Path) -> None:
    replay(store, _SOLVES, "arm=hasty", name="again")
    lines = report(store).sessions
    tasks = {line.task for line in lines if line.arm == "hasty" and line.outcome == "unsolved"}
    named = [line.id for line in lines if line.task in tasks]
    assert len(named) == 4
    found = report(store, *named)
    assert found.facts.unread == "alike"
    assert "no rate and no difference is read" in " ".join(found.headline)
    # All of an arm are not named for what became of them, be it that all were solved.
    assert report(store, *(line.id for line in lines)).facts.unread is None
    hasty = [line.id for line in lines if line.arm == "hasty"]
    assert report(store, *hasty).facts.unread is None


def test_a_fork_among_named_ones_lifts_no_ban(store: Path) -> None:
    fork(store, at_event(3), _SOLVES, "arm=hasty", name="rescue")
    lines = report(store).sessions
    failed = [line.id for line in lines if line.arm == "hasty" and line.outcome == "unsolved"]
    saved = next(line.id for line in lines if line.forked and line.outcome == "solved")
    assert report(store, *failed).facts.unread == "alike"
    assert report(store, *failed, saved).facts.unread == "alike"
    assert report(store, failed[0], saved).facts.unread == "alone"
