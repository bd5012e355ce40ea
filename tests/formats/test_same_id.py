"""Another session under an id that is in the store, or more or less of the same one: said."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from ringback.episode.episode import Episode
from ringback.episode.events import AnyEvent, Draw, Limits, Setup, Turn
from ringback.episode.identity import arm, condition, opening
from ringback.episode.participants import Reply
from ringback.formats import Recording, kitaru, tau2
from ringback.formats.importing import Importer, Tally
from ringback.formats.session import Session
from ringback.sessions import Store
from ringback.telecom import domain
from tests.formats.kitaru.test_foreign import node, record
from tests.formats.tau2.made import result_file, solved, write


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.open(tmp_path / "s.db")


def _played(*, words: str = "Hello.", over: bool = True) -> tuple[AnyEvent, ...]:
    """The session of one cell, as it was played in one store or another."""
    who = condition(domain, Setup("rules", "1"), Limits())
    what = arm(domain, Setup("reference", "1"), domain.policies[0])
    start = opening(domain, who, what, "base", Draw(domain.tasks("small")[0].id, 0, 7), at=1.0)
    episode = Episode(start, domain)
    episode.take(Reply(words), at=1.5)
    if over:
        episode.take(Reply("Good day."), at=1.75)
        episode.take(Reply("###STOP###"), at=2.0)
    return tuple(episode.events)


def _brought(store: Store, path: Path, *sessions: Sequence[AnyEvent]) -> Tally:
    path.write_bytes(b"".join(kitaru.line(Session(tuple(each), {})) for each in sessions))
    importer = Importer(store)
    for entry in kitaru.read(path):
        importer.take(entry)
    return importer.tally


def test_another_session_of_the_same_id_is_said_and_takes_no_place(
    store: Store, tmp_path: Path
) -> None:
    ours, theirs = _played(), _played(words="Good evening.")
    _brought(store, tmp_path / "a.jsonl", ours)
    tally = _brought(store, tmp_path / "b.jsonl", theirs, ours)
    assert (tally.added, tally.there, tally.unreadable, tally.ungraded) == (0, 1, 1, 0)
    (broken,) = tally.broken
    assert (broken.source, broken.place) == ("b.jsonl", 0)
    assert "the same id and other events" in broken.why
    (row,) = store.rows()
    assert tuple(store.events(row.id)) == ours


def test_its_grade_is_not_taken_for_the_one_that_is_there(store: Store, tmp_path: Path) -> None:
    open_, theirs = _played(over=False), _played(words="Good evening.")
    _brought(store, tmp_path / "a.jsonl", open_)
    _brought(store, tmp_path / "b.jsonl", theirs)
    (row,) = store.rows()
    assert (row.grader, row.ending) == (None, None)


def test_the_whole_of_what_is_only_begun_here_is_said(store: Store, tmp_path: Path) -> None:
    tally = _brought(store, tmp_path / "a.jsonl", _played(over=False))
    assert (tally.added, tally.unfinished, tally.ungraded) == (1, 1, 0)
    tally = _brought(store, tmp_path / "b.jsonl", _played())
    assert (tally.added, tally.there, tally.unreadable) == (0, 0, 1)
    assert "has only the beginning of session" in tally.broken[0].why
    (row,) = store.rows()
    assert (row.ending, row.grader) == (None, None)


def test_the_beginning_of_what_is_over_here_is_said(store: Store, tmp_path: Path) -> None:
    _brought(store, tmp_path / "a.jsonl", _played())
    tally = _brought(store, tmp_path / "b.jsonl", _played(over=False))
    assert (tally.there, tally.behind, tally.unreadable) == (1, 1, 0)
    assert (tally.unfinished, tally.ungraded) == (0, 0)


def test_a_session_of_another_program_that_goes_on_is_not_over(
    store: Store, tmp_path: Path
) -> None:
    path = tmp_path / "a.jsonl"
    lines = [record(node(0), status="in_progress"), record(node(0), external_id="other")]
    path.write_text("\n".join(map(json.dumps, lines)))
    for _ in range(2):
        importer = Importer(store)
        for entry in kitaru.read(path):
            importer.take(entry)
        assert (importer.tally.unfinished, importer.tally.ungraded) == (1, 1)


def test_a_forged_line_does_not_stand_for_a_recording(store: Store, tmp_path: Path) -> None:
    """The id of a recording says what was read, and a line may say so of other events."""
    path = write(tmp_path / "a.json", result_file([solved().simulation()]))
    (true,) = tau2.read(path)
    assert isinstance(true, Recording)
    forged = [
        replace(event, text="I was never here.")
        if isinstance(event, Turn) and event.text
        else event
        for event in true.events
    ]
    line = kitaru.line(Session(tuple(forged), true.contents))
    (tmp_path / "k.jsonl").write_bytes(line)
    importer = Importer(store)
    for entry in (*kitaru.read(tmp_path / "k.jsonl"), true):
        importer.take(entry)
    assert (importer.tally.added, importer.tally.unreadable) == (1, 1)
    assert (importer.tally.broken[0].source, importer.tally.broken[0].place) == ("a.json", 0)


def test_a_recording_that_says_the_same_was_there_whoever_read_it(
    store: Store, tmp_path: Path
) -> None:
    """How it is read may change a little: a note more, a time less."""
    path = write(tmp_path / "a.json", result_file([solved().simulation()]))
    (true,) = tau2.read(path)
    assert isinstance(true, Recording)
    before = [
        replace(event, at=None) if isinstance(event, Turn) else event for event in true.events
    ]
    importer = Importer(store)
    for entry in (Recording(tuple(before), true.contents), true):
        importer.take(entry)
    assert (importer.tally.added, importer.tally.there, importer.tally.unreadable) == (1, 1, 0)
