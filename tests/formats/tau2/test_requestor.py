"""A call counts as of the side that its requestor names, as with tau2, and the session says so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ringback.domains import load
from ringback.episode.episode import Episode
from ringback.episode.events import Note, Reported, Turn
from ringback.formats import Recording
from ringback.formats.recording import REQUESTOR
from ringback.formats.regrade import regrade
from ringback.formats.session import Session
from ringback.formats.tau2 import read
from ringback.formats.tau2.write_simulation import simulation_object
from tests.formats.tau2.made import Talk, result_file, solved, write

Json = dict[str, Any]


def _read(path: Path, simulation: Json) -> tuple[Recording, float | None]:
    """The session, whose reward comes out the same however it is read."""
    write(path, result_file([simulation]))
    (whole,), (lean,) = read(path), read(path, lean=True)
    assert isinstance(whole, Recording)
    assert isinstance(lean, Recording)
    found = regrade(whole.events)
    assert found.reward == regrade(lean.events).reward
    Episode.from_events(whole.events, load(whole.start.condition.domain))
    return whole, found.reward


def _notes(recording: Recording) -> list[Any]:
    return [
        each.detail
        for each in recording.events
        if isinstance(each, Note) and each.what == REQUESTOR
    ]


def _calls(simulation: Json, role: str) -> list[Json]:
    return [
        call
        for message in simulation["messages"]
        if message["role"] == role
        for call in message["tool_calls"] or ()
    ]


def _gone(call: Json) -> None:
    del call["requestor"]


def _agents(call: Json) -> None:
    call["requestor"] = "assistant"


@pytest.mark.parametrize(("change", "named"), [(_gone, None), (_agents, "assistant")])
def test_what_the_caller_does_for_the_agent_repairs_nothing(
    tmp_path: Path, change: Callable[[Json], None], named: str | None
) -> None:
    simulation = solved().simulation()
    for call in _calls(simulation, "user"):
        change(call)
    found, reward = _read(tmp_path / "a.json", simulation)
    assert reward == 0.0
    notes = _notes(found)
    assert notes
    assert all((note["role"], note["requestor"]) == ("user", named) for note in notes)
    made = [each for each in found.events if isinstance(each, Turn) and each.calls]
    assert {each.by for each in made} == {"agent"}
    again = simulation_object(Session(found.events, found.contents))
    assert again["messages"] == simulation["messages"]


def test_what_an_agents_message_calls_for_the_caller_is_done_on_the_phone(tmp_path: Path) -> None:
    simulation = solved().simulation()
    for message in simulation["messages"]:
        if message["role"] == "user" and message["tool_calls"]:
            message["role"] = "assistant"
    found, reward = _read(tmp_path / "a.json", simulation)
    assert reward == 1.0
    assert [note["requestor"] for note in _notes(found)] == ["user"]
    assert not regrade(found.events).conduct


def test_calls_of_both_sides_in_one_message_are_a_turn_each(tmp_path: Path) -> None:
    simulation = solved().simulation()
    messages = simulation["messages"]
    place = next(
        i for i, each in enumerate(messages) if each["role"] == "user" and each["tool_calls"]
    )
    message, answer = messages[place], messages[place + 1]
    extra: Json = {"id": "more", "name": "get_bill", "arguments": {}, "requestor": "assistant"}
    message["tool_calls"].insert(0, extra)
    message["content"] = "I do it."
    messages.insert(place + 1, {**answer, "id": "more", "content": "?", "error": True})
    found, reward = _read(tmp_path / "a.json", simulation)
    assert reward == 1.0
    (note,) = _notes(found)
    assert (note["calls"], note["requestor"], note["role"]) == ([0], "assistant", "user")
    assert "text" not in note
    turns = [each for each in found.events if isinstance(each, Turn) and each.calls]
    mixed = [(each.by, each.text) for each in turns if "get_bill" in {c.tool for c in each.calls}]
    assert mixed == [("agent", None)]
    assert ("user", "I do it.") in [(each.by, each.text) for each in turns]
    costs = [each for each in found.events if isinstance(each, Reported)]
    said = [each for each in messages if each["role"] != "tool" and each["cost"]]
    assert len(costs) == len(said)


def test_words_beside_calls_of_the_other_side_stand_in_the_note(tmp_path: Path) -> None:
    simulation = solved().simulation()
    (call,) = _calls(simulation, "user")
    message = next(
        each for each in simulation["messages"] if call in (each.get("tool_calls") or ())
    )
    message["content"] = "I do it."
    call["requestor"] = "assistant"
    (note,) = _notes(_read(tmp_path / "a.json", simulation)[0])
    assert note["text"] == "I do it."


@pytest.mark.parametrize("named", [None, "system", 3, ["user"]])
def test_where_no_side_is_named_the_messages_own_holds(tmp_path: Path, named: Any) -> None:
    simulation = solved().simulation()
    for call in _calls(simulation, "user"):
        call["requestor"] = named
    found, reward = _read(tmp_path / "a.json", simulation)
    assert (reward, _notes(found)) == (1.0, [])


def test_a_run_without_a_caller_has_nobody_else_to_call(tmp_path: Path) -> None:
    def simulation(named: str) -> Json:
        talk = Talk(solo=True).call("agent", ("toggle_data", {}))
        talk.say("agent", "###STOP###")
        (call,) = _calls({"messages": talk.messages}, "assistant")
        call["requestor"] = named
        return talk.simulation(termination_reason="agent_stop")

    found, reward = _read(tmp_path / "a.json", simulation("assistant"))
    assert (found.start.condition.domain, reward, _notes(found)) == ("telecom-solo", 1.0, [])
    found, reward = _read(tmp_path / "b.json", simulation("user"))
    assert (reward, len(_notes(found))) == (0.0, 1)
