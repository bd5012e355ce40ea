"""Recordings in the store: each once, graded, found again by what is known of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ringback.formats import Recording
from ringback.formats.importing import Importer, Tally
from ringback.formats.tau2 import read
from ringback.grading.grade import Grade
from ringback.sessions import Store, parse_selection
from tests.formats.tau2.made import Talk, result_file, solved, write


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.open(tmp_path / "s.db")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    asked = Talk().say("user", "Hello.").say("agent", "Yes?").say("user", "###STOP###")
    simulations = [
        solved().simulation(),
        asked.simulation(id="second", reward_info={"reward": 0.0}),
        solved().simulation(id="third", task_id="[mobile_data_issue]unheard_of"),
        solved().simulation(id="fourth", termination_reason=None),
        {"task_id": 3, "messages": "none"},
    ]
    return write(tmp_path / "some.json", result_file(simulations))


def _taken(store: Store, path: Path) -> Tally:
    importer = Importer(store)
    for entry in read(path):
        importer.take(entry)
    return importer.tally


def test_each_is_stored_once_and_counted(store: Store, file: Path) -> None:
    first = _taken(store, file)
    assert (first.added, first.there, first.ungraded, first.unreadable) == (4, 0, 2, 1)
    assert first.entries == 5
    again = _taken(store, file)
    assert (again.added, again.there, again.ungraded, again.unreadable) == (0, 4, 2, 1)
    assert len(list(store.rows())) == 4


def test_what_is_stored_is_graded_and_found(store: Store, file: Path) -> None:
    _taken(store, file)
    rows = list(store.rows(parse_selection(["origin=tau2", "solved=yes"])))
    assert [row.reward for row in rows] == [1.0]
    assert rows[0].agent == "made-up"
    assert rows[0].family == "mobile_data_issue"
    assert len(list(store.rows(parse_selection(["solved=no"])))) == 1
    grade = store.grade(rows[0].id, Grade)
    assert grade is not None
    assert grade.solved


def test_events_and_texts_come_back(store: Store, file: Path) -> None:
    _taken(store, file)
    for entry in read(file):
        if isinstance(entry, Recording):
            assert store.events(entry.start.session) == list(entry.events)
            assert store.contents(entry.contents) == entry.contents


def test_a_grade_that_is_missing_is_made_up_for(store: Store, file: Path) -> None:
    """As after a power cut between the session and its grade."""
    entry = next(each for each in read(file) if isinstance(each, Recording))
    importer = Importer(store)
    importer._add(entry)  # pyright: ignore[reportPrivateUsage]
    assert store.row(entry.start.session).grader is None
    importer.take(entry)
    assert store.row(entry.start.session).reward == 1.0
