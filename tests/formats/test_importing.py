"""Recordings in the store: each once, graded, found again by what is known of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from ringback.canonical import Json
from ringback.episode.episode import Episode
from ringback.episode.events import Draw, Limits, Note, Setup, Start
from ringback.episode.identity import arm, cell_hash, condition, opening, session_id
from ringback.formats import Recording, Skipped, kitaru
from ringback.formats.importing import Importer, Tally
from ringback.formats.recording import bounded
from ringback.formats.regrade import regrade
from ringback.formats.session import Session
from ringback.formats.tau2 import read
from ringback.formats.tau2.write import Run, results_file
from ringback.grading.grade import Grade
from ringback.sessions import Store, parse_selection
from ringback.telecom import domain
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


def _ours(**condition_: str) -> Session:
    """A session that was played here, or in a lab with another domain."""
    who = condition(domain, Setup("rules", "1"), Limits())
    what = arm(domain, Setup("reference", "1"), domain.policies[0])
    start = opening(domain, who, what, "base", Draw(domain.tasks("small")[0].id, 0, 7), at=1.0)
    episode = Episode(start, domain)
    episode.finish("timeout", "exception", None, at=2.0)
    return Session(tuple(episode.events), {}) if not condition_ else _renamed(episode, condition_)


def _renamed(episode: Episode, condition_: dict[str, str]) -> Session:
    start = episode.start
    task = condition_.pop("task", None)
    draw = start.draw if task is None else replace(start.draw, task=task)
    other: Start = replace(start, condition=replace(start.condition, **condition_), draw=draw)
    cell = cell_hash(other.condition, other.arm, other.arm_name, other.draw)
    other = replace(other, session=session_id(cell, other.attempt))
    return Session((other, *episode.events[1:]), {})


@pytest.mark.parametrize("change", [{"domain": "elsewhere"}, {"task": "unheard_of"}])
def test_a_session_whose_domain_or_task_is_not_here_does_not_stop_the_rest(
    store: Store, tmp_path: Path, change: dict[str, str]
) -> None:
    foreign, good = _ours(**change), _ours()
    file = tmp_path / "k.jsonl"
    file.write_bytes(kitaru.line(foreign) + kitaru.line(good))
    importer = Importer(store)
    for entry in kitaru.read(file):
        importer.take(entry)
    tally = importer.tally
    assert (tally.added, tally.ungraded, tally.unreadable) == (2, 1, 0)
    assert store.row(foreign.start.session).grader is None
    assert store.row(good.start.session).grader is not None


@pytest.mark.parametrize(
    ("problem", "words"),
    [
        (RecursionError, "nested too deeply"),
        (OverflowError, "out of range"),
        (MemoryError, "more memory"),
    ],
)
def test_what_nobody_foresaw_costs_the_file_and_is_a_sentence(
    problem: type[Exception], words: str
) -> None:
    def entries() -> Iterator[Recording | Skipped]:
        yield Skipped("a.json", 0, "it is of another domain", broken=False)
        raise problem

    first, last = bounded("a.json", entries())
    assert isinstance(first, Skipped)
    assert not first.broken
    assert isinstance(last, Skipped)
    assert last.broken
    assert words in last.why


def test_a_session_that_cannot_be_kept_costs_itself(store: Store, file: Path) -> None:
    first, second, *_ = (entry for entry in read(file) if isinstance(entry, Recording))
    deep: Json = 1
    for _ in range(100_000):
        deep = [deep]
    *events, end = first.events
    note = Note(seq=len(events), cause=len(events) - 1, what="x", detail=deep)
    importer = Importer(store)
    importer.take(Recording((*events, note, replace(end, seq=len(events) + 1)), first.contents))
    importer.take(second)
    assert (importer.tally.added, importer.tally.unreadable) == (1, 1)
    (broken,) = importer.tally.broken
    assert (broken.source, broken.place) == ("some.json", 0)
    assert "nested too deeply" in broken.why


@pytest.mark.parametrize("gone", [True, False])
def test_one_without_messages_is_written_and_read_as_the_same(
    store: Store, tmp_path: Path, gone: bool
) -> None:
    simulation = solved().simulation(messages=None)
    if gone:
        del simulation["messages"]
    (first,) = read(write(tmp_path / "a.json", result_file([simulation])))
    assert isinstance(first, Recording)
    data = b"".join(results_file(Run(1, None), [Session(first.events, first.contents)]))
    (tmp_path / "b.json").write_bytes(data)
    (again,) = read(tmp_path / "b.json")
    assert isinstance(again, Recording)
    assert again.start.session == first.start.session


@pytest.mark.parametrize("messages", [None, []])
@pytest.mark.parametrize("recorded", [0.0, 1.0, None])
def test_one_without_messages_has_a_grade_only_where_its_ending_gives_it(
    store: Store, tmp_path: Path, messages: list[Json] | None, recorded: float | None
) -> None:
    """Whatever was recorded of it, and again the same when it is there already."""
    stated = {"messages": messages, "reward_info": None if recorded is None else recorded}
    endings = ("user_stop", "agent_stop", "max_steps", "infrastructure_error")
    simulations = [
        solved().simulation(id=ending, termination_reason=ending, **stated) for ending in endings
    ]
    path = write(tmp_path / "a.json", result_file(simulations))
    for tally in (_taken(store, path), _taken(store, path)):
        assert (tally.entries, tally.ungraded) == (4, 2)
    rows = {str(row.ending): row for row in store.rows()}
    assert {ending: (row.reward, row.solved) for ending, row in rows.items()} == {
        "user_stop": (None, None),
        "agent_stop": (None, None),
        "max_steps": (0.0, False),
        "infrastructure_error": (None, None),
    }
    unknown = {row.ending for row in store.rows(parse_selection(["solved=unknown"]))}
    assert unknown == {"user_stop", "agent_stop", "infrastructure_error"}
    for row in rows.values():
        found = store.grade(row.id, Grade)
        assert found is not None
        assert not found.verdict.end
    lines = [
        regrade(entry.events) for entry in read(path, lean=True) if isinstance(entry, Recording)
    ]
    assert [line.reward for line in lines] == [0.0, 0.0, 0.0, 0.0]  # as the reference has it
    assert [line.env for line in lines] == [(False, False), (False, False), None, None]
    assert [line.strict for line in lines] == [None, None, 0.0, None]
