"""What we write in Kitaru's form: its own importer takes it, and it comes back event by event."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import assume, given

from ringback.formats import Recording
from ringback.formats.kitaru import line, read
from ringback.formats.session import Session
from ringback.formats.tau2 import read as read_tau2
from ringback.formats.tau2.write import Run, results_file
from tests.formats.generated import examples, sessions
from tests.formats.kitaru.importing import imported


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kitaru") / "sessions.jsonl"


@examples(150)
@given(session=sessions())
def test_kitaru_takes_it_and_it_comes_back_as_it_was(file: Path, session: Session) -> None:
    data = line(session)
    (theirs,) = imported(data)
    assert theirs.external_id == session.start.session
    file.write_bytes(data)
    (ours,) = read(file)
    assert isinstance(ours, Recording), ours
    assert ours.events == session.events
    assert ours.contents == session.contents


@examples(20)
@given(session=sessions())
def test_writing_what_was_read_gives_the_same_line(file: Path, session: Session) -> None:
    file.write_bytes(line(session))
    (ours,) = read(file)
    assert isinstance(ours, Recording)
    assert line(Session(ours.events, ours.contents, session.grade)) == line(session)


@examples(30)
@given(session=sessions())
def test_a_session_that_came_from_a_tau2_file(file: Path, session: Session) -> None:
    assume(session.end is not None)
    results = file.with_name("results.json")
    results.write_bytes(b"".join(results_file(Run(trials=10, seed=None), [session])))
    (recording,) = read_tau2(results)
    assert isinstance(recording, Recording)
    data = line(Session(recording.events, recording.contents))
    imported(data)
    file.write_bytes(data)
    (again,) = read(file)
    assert isinstance(again, Recording)
    assert (again.events, again.contents) == (recording.events, recording.contents)
