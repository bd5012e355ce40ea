"""Replays and forks of other programs' recordings: the case is taken, and never paired."""

from __future__ import annotations

from pathlib import Path

import pytest

from ringback.episode.events import Start
from ringback.errors import InputError
from ringback.formats import tau2
from ringback.formats.importing import Importer
from ringback.replay.changes import Changes, told_changes
from ringback.replay.places import at_event, at_step
from ringback.sessions import Store
from tests.formats.tau2.made import DATA_OFF, Talk, result_file, solved, write
from tests.replay.stores import fork, replay, rows, start_of


@pytest.fixture
def store(tmp_path: Path) -> Path:
    talk = Talk(DATA_OFF)
    talk.say("user", "My data does not work.")
    talk.call("agent", ("get_customer_by_phone", {"phone_number": "555-123-2002"}))
    talk.say("agent", "I cannot help with that.")
    talk.say("user", "A pity. ###STOP###")
    path = write(tmp_path / "r.json", result_file([solved().simulation(), talk.simulation(id="b")]))
    with Store.open(tmp_path / "s.db") as opened:
        importer = Importer(opened)
        for entry in tau2.read(path):
            importer.take(entry)
        assert importer.tally.added == 2
    return tmp_path / "s.db"


def test_an_imported_case_is_replayed_with_our_customer_and_never_paired(store: Path) -> None:
    plans, found = replay(store, Changes(agent="reference"), "origin=tau2")
    assert len(found.pairs) == 2
    assert not any(pair.paired for pair in found.pairs)
    assert all("recorded by another program (tau2)" in (pair.why or "") for pair in found.pairs)
    assert [pair.before for pair in found.pairs] == [True, False]
    assert {pair.after for pair in found.pairs} == {True}
    assert plans[0].condition.user.name == "rules"
    for row in rows(store, "arm=replay"):
        start = start_of(store, row.id)
        assert start.origin is None
        assert start.parent == row.parent is not None
        assert start.draw.task == DATA_OFF


def test_whose_agent_cannot_be_asked_must_be_named(store: Path) -> None:
    with pytest.raises(InputError, match=r"read from a recording of tau2.*--agent"):
        replay(store, Changes(), "origin=tau2")


def test_an_imported_call_is_forked_with_its_calls_run_again(store: Path) -> None:
    _, found = fork(store, at_step(4), Changes(agent="reference"), "origin=tau2", "solved=no")
    (pair,) = found.pairs
    assert (pair.before, pair.after, pair.paired) == (False, True, False)
    assert pair.session is not None
    with Store.open(store, write=False) as opened:
        events, theirs = opened.events(pair.session), opened.events(pair.parent)
    start, recorded = events[0], theirs[0]
    assert isinstance(start, Start)
    assert isinstance(recorded, Start)
    assert start.condition.forked is not None
    assert start.condition.greeting == recorded.condition.greeting
    assert start.condition.user.name == "rules"


def test_what_was_over_cannot_be_gone_on_with(store: Path) -> None:
    (row,) = rows(store, "origin=tau2", "solved=no")
    with Store.open(store, write=False) as opened:
        end = opened.events(row.id)[-1].seq
    with pytest.raises(InputError, match="is its end"):
        fork(store, at_event(end), Changes(agent="reference"), row.id)


def test_all_of_another_program_is_said_to_be_changed(store: Path) -> None:
    changes = Changes(agent="reference", policy="manual")
    plans, _ = replay(store, changes, "origin=tau2", name="f5")
    (plan,) = plans
    told = told_changes(plan.parents[0].start, plan.arms[0].arm, plan.condition.user)
    assert [(each.what, each.now) for each in told] == [
        ("agent", "reference"),
        ("customer", "rules"),
        ("policy", "manual"),
    ]
    assert told[0].was == plan.parents[0].start.arm.agent.name
