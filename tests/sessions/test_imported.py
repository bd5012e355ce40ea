"""Sessions that other programs recorded: kept whole, once, and told apart from ours."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from ringback.episode.events import AnyEvent, Draw, End, Note, Origin, Reported, Start, Turn
from ringback.episode.identity import imported_ids
from ringback.episode.protocol import ProtocolError
from ringback.episode.wire import Price, Usage
from ringback.errors import InputError
from ringback.sessions import Spent, Store, parse_selection
from tests.sessions.made import begun, start

ORIGIN = Origin(form="tau2", source="results.json", place=3, digest="d1", id="theirs")


def recording(origin: Origin = ORIGIN) -> tuple[AnyEvent, ...]:
    opened, _ = start()
    unknown = Draw(task=None, trial=None, seed=None)
    session, _ = imported_ids(origin)
    first: Start = replace(
        opened, session=session, draw=unknown, origin=origin, world="", arm_name="theirs"
    )
    price = Price(0.25, "results.json")
    return (
        first,
        Turn(seq=1, by="user", text="Hello."),
        Reported(seq=2, cause=1, by="user", model="m", usage=Usage(input=9), price=price),
        Turn(seq=3, by="agent", text="Yes?"),
        Reported(seq=4, cause=3, by="agent", model=None, usage=Usage(), price=Price(None, "?")),
        Note(seq=5, cause=3, what="extra", detail={"mood": "calm"}),
        End(seq=6, ending="max_steps", rule="theirs", at=9.0),
    )


def add(store: Store, events: tuple[AnyEvent, ...], origin: Origin = ORIGIN) -> bool:
    _, cell = imported_ids(origin)
    return store.add(events, family=None, cell=cell, condition="c", arm="a")


def test_a_recording_comes_back_as_it_was_read(store: Store) -> None:
    events = recording()
    assert add(store, events)
    session = imported_ids(ORIGIN)[0]
    assert tuple(store.events(session)) == events
    row = store.row(session)
    assert (row.task, row.family, row.trial, row.seed) == (None, None, None, None)
    assert (row.origin, row.ending, row.steps, row.finished_at) == ("tau2", "max_steps", 2, 9.0)


def test_what_it_says_of_costs_is_summed_and_the_unknown_stays_unknown(store: Store) -> None:
    add(store, recording())
    session = imported_ids(ORIGIN)[0]
    spent = store.spent([session])[session]
    assert spent["user"] == Spent(calls=1, usd=0.25)
    assert spent["agent"].cost is None


def test_the_same_recording_is_there_once_wherever_it_lay(store: Store) -> None:
    assert add(store, recording())
    assert not add(store, recording())
    moved = replace(ORIGIN, source="other.json", place=0)
    assert not add(store, recording(moved), moved)
    other = replace(ORIGIN, digest="d2")
    assert add(store, recording(other), other)
    assert len(list(store.rows())) == 2


def test_recordings_and_our_own_are_told_apart(store: Store) -> None:
    add(store, recording())
    ours = begun(store).start.session
    assert [row.id for row in store.rows(parse_selection(["origin="]))] == [ours]
    imported = imported_ids(ORIGIN)[0]
    assert [row.id for row in store.rows(parse_selection(["origin=tau2"]))] == [imported]
    assert store.values("origin") == ["tau2"]
    assert "theirs" in store.values("arm")
    assert [row.id for row in store.rows(parse_selection(["arm=theirs"]))] == [imported]


def test_what_has_no_turns_has_no_count_of_steps(store: Store) -> None:
    first, *_ = recording()
    add(store, (first, End(seq=1, ending="agent_stop", rule="theirs")))
    row = store.row(imported_ids(ORIGIN)[0])
    assert (row.ending, row.steps, row.errors, row.seconds) == ("agent_stop", None, None, None)


def test_a_time_that_nobody_noted_is_unknown(store: Store) -> None:
    add(store, recording())
    other = replace(ORIGIN, digest="d2")
    first, turn, *rest = recording(other)
    assert isinstance(turn, Turn)
    add(store, (first, replace(turn, seconds=1.5), *rest), other)
    known = [store.row(imported_ids(each)[0]) for each in (ORIGIN, other)]
    assert [(row.steps, row.seconds) for row in known] == [(2, None), (2, 1.5)]


def test_events_that_are_no_session_leave_nothing_behind(store: Store) -> None:
    events = recording()
    for broken in ((), events[1:], (events[0], events[3])):
        with pytest.raises(ProtocolError):
            add(store, broken)
    assert not list(store.rows())


def test_a_recording_is_found_by_the_id_that_it_has_itself(store: Store) -> None:
    name = "sim 'a'\n1"
    named = replace(ORIGIN, digest="d3", id=name)
    again = replace(named, digest="d4")
    nameless = replace(ORIGIN, digest="d5", id=None)
    for origin in (ORIGIN, named, again, nameless):
        assert add(store, recording(origin), origin)
    begun(store)
    found = list(store.rows(parse_selection([f"origin-id={name}"])))
    assert {row.id for row in found} == {imported_ids(each)[0] for each in (named, again)}
    assert {row.origin_id for row in found} == {name}
    assert store.row(imported_ids(nameless)[0]).origin_id is None
    with pytest.raises(InputError, match="origin-id=sim"):
        next(store.rows(parse_selection(["origin-id=sim"])))
    with pytest.raises(InputError, match="origin-id="):
        parse_selection(["made-up-1"])


def test_a_recording_is_found_by_the_file_that_it_was_read_from(store: Store) -> None:
    names = ("a.json", "run/a.json", "run/b.json", "run%/c.json", "run.json", "old/run/b.json")
    for name in names:
        origin = replace(ORIGIN, digest=name, source=name)
        assert add(store, recording(origin), origin)
    begun(store)
    for word, wanted in (
        ("a.json", {"a.json", "run/a.json"}),
        ("b.json", {"run/b.json", "old/run/b.json"}),
        ("run", {"run/a.json", "run/b.json", "old/run/b.json"}),
        ("run/", {"run/a.json", "run/b.json", "old/run/b.json"}),
        ("./run/a.json", {"run/a.json"}),
        ("old/run", {"old/run/b.json"}),
        ("old/run/b.json", {"old/run/b.json"}),
        ("run%", {"run%/c.json"}),
    ):
        found = store.rows(parse_selection([f"file={word}"]))
        assert {row.origin_file for row in found} == wanted
    assert store.values("file") == sorted(names)
    for word in ("json", "un/b.json", "Run", "", "/", "older/a.json", "/run", "run_"):
        with pytest.raises(InputError, match="file="):
            next(store.rows(parse_selection([f"file={word}"])))
