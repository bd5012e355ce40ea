"""What a reader of tau2 files promises: every simulation a session, and nothing lost on the way."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from ringback.canonical import digest
from ringback.domains import load
from ringback.episode.episode import Episode
from ringback.episode.events import (
    AnyEvent,
    End,
    Note,
    Reported,
    Results,
    Turn,
    decode,
    encode,
)
from ringback.episode.protocol import BEGINNING, advance
from ringback.episode.wire import Usage
from ringback.formats import Recording, Skipped
from ringback.formats.tau2 import read
from ringback.grading.grade import grade
from ringback.sessions import spent
from tests.formats.tau2.made import (
    DATA_OFF,
    Json,
    Talk,
    result_file,
    solved,
    write,
    write_folder,
)

E = TypeVar("E", bound=AnyEvent)
NO_REPAIR = "[service_issue]lock_sim_card_pin[PERSONA:Hard]"


def recordings(path: Path, *, lean: bool = False) -> list[Recording]:
    found = list(read(path, lean=lean))
    assert all(isinstance(each, Recording) for each in found), found
    return [each for each in found if isinstance(each, Recording)]


def one(path: Path, simulation: Json, **info: Any) -> Recording:
    (found,) = recordings(write(path / "one.json", result_file([simulation], **info)))
    return found


def of(kind: type[E], recording: Recording) -> list[E]:
    return [event for event in recording.events if isinstance(event, kind)]


def episode(recording: Recording) -> Episode:
    return Episode.from_events(recording.events, load(recording.start.condition.domain))


def notes(recording: Recording) -> Iterator[tuple[str, Any]]:
    return ((note.what, note.detail) for note in of(Note, recording))


@pytest.fixture(params=["one-2025", "one-1.x", "gz", "folder"])
def written(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    new = request.param != "one-2025"
    content = result_file([solved(new=new).simulation(), solved(NO_REPAIR).simulation()], new=new)
    if request.param == "folder":
        return write_folder(tmp_path / "run", content)
    return write(tmp_path / ("some.json.gz" if request.param == "gz" else "some.json"), content)


def test_every_form_gives_the_same_sessions(written: Path) -> None:
    found = recordings(written)
    assert sorted(each.start.draw.task or "" for each in found) == [DATA_OFF, NO_REPAIR]
    for each in found:
        graded = grade(episode(each))
        assert (graded.reward, graded.strict) == (1.0, 1.0)
        assert graded.divergences == 0


def test_a_session_can_be_stored_and_read_back(written: Path) -> None:
    for each in recordings(written):
        position = BEGINNING
        for event in each.events:
            position = advance(position, event)
            assert decode(encode(event)) == event
        assert all(digest(text) == name for name, text in each.contents.items())
        assert set(each.origin.contents.values()) <= each.contents.keys()


def test_what_was_said_and_done_is_kept_in_its_order(tmp_path: Path) -> None:
    talk = Talk().say("user", "Hello.")
    talk.call(
        "agent",
        ("get_data_usage", {"customer_id": "C1001", "line_id": "L1002"}),
        ("get_details_by_id", {"id": "L1002"}),
        text="One moment.",
    )
    talk.say("agent", "Please switch it on.")
    talk.call("user", ("toggle_data", {})).say("user", "Done. ###STOP###")
    found = one(tmp_path, talk.simulation())
    assert found.start.condition.greeting == "Good day. What is it?"
    said = [(turn.by, turn.text, [call.tool for call in turn.calls]) for turn in of(Turn, found)]
    assert said == [
        ("user", "Hello.", []),
        ("agent", "One moment.", ["get_data_usage", "get_details_by_id"]),
        ("agent", "Please switch it on.", []),
        ("user", None, ["toggle_data"]),
        ("user", "Done. ###STOP###", []),
    ]
    answers = [result.text for each in of(Results, found) for result in each.results]
    assert answers == [m["content"] for m in talk.messages if m["role"] == "tool"]
    assert [call.id for turn in of(Turn, found) for call in turn.calls] == [
        "made-1",
        "made-2",
        "made-3",
    ]
    assert episode(found).world.digest() == talk.world.digest()


def test_who_played_and_how_is_kept(tmp_path: Path) -> None:
    found = one(tmp_path, solved().simulation(trial=3, seed=99))
    start, origin = found.start, found.origin
    assert (start.arm.agent.name, start.condition.user.name) == ("made-up", "made-up-caller")
    assert start.arm.agent.settings == {
        "implementation": "llm_agent",
        "llm_args": {"temperature": 0.0},
    }
    assert (start.draw.trial, start.draw.seed) == (3, 99)
    assert (start.condition.limits.steps, start.condition.limits.errors) == (200, 10)
    assert start.condition.limits.seconds is None
    assert start.condition.world == start.condition.grader == "tau2 0123456"
    assert (origin.form, origin.source, origin.place) == ("tau2", "one.json", 0)
    assert origin.versions == {"tau2": "0123456789abcdef"}
    assert origin.more == {"agent_cost": 0.5, "user_cost": 0.25, "duration": 300.25}
    assert found.contents[origin.contents["policy"]] == "Be kind."
    assert found.contents[origin.contents["guidelines"]] == "Speak as a caller does."
    assert json.loads(found.contents[origin.contents["task"]])["id"] == DATA_OFF
    assert start.at == 1772359200.25
    assert found.end is not None
    assert found.end.at == 1772359500.5
    assert ("recorded_grade", {"reward": 1.0}) in list(notes(found))


def test_nothing_of_a_simulation_is_lost(tmp_path: Path) -> None:
    simulation = solved().simulation(surprise={"deep": [1, 2.5, None]}, review="Well done.")
    simulation["messages"][1]["mood"] = "sunny"
    found = one(tmp_path, simulation)
    rest = json.loads(found.contents[found.origin.contents["rest"]])
    for message, said in zip(rest["messages"], simulation["messages"], strict=True):
        assert {**said, **message} == said
        assert set(said) - set(message) <= {"content", "tool_calls"}
    kept = {**rest, "messages": simulation["messages"], "policy": "Be kind."}
    assert kept == simulation


def test_what_a_turn_cost_is_kept_with_its_source(tmp_path: Path) -> None:
    talk = Talk().say("user", "Hello.").say("agent", "Yes?", cost=0.0)
    talk.say("user", "###STOP###", cost=None)
    first, second, third = of(Reported, one(tmp_path, talk.simulation()))
    assert (first.model, first.price.usd, first.price.source) == (
        "made-up-caller",
        0.0125,
        "tau2 0123456",
    )
    assert (first.usage.input, first.usage.output, first.seconds) == (90, 7, 0.5)
    assert second.price.usd is None
    assert "0" in second.price.source
    assert third.price.usd is None


def test_a_run_without_a_caller_stands_in_its_own_domain(tmp_path: Path) -> None:
    talk = Talk(solo=True)
    talk.call("agent", ("get_customer_by_phone", {"phone_number": "555-123-2002"}))
    talk.call("agent", ("toggle_data", {})).say("agent", "###STOP###")
    dummy = {"implementation": "dummy_user", "llm": None, "llm_args": None}
    found = one(tmp_path, talk.simulation(termination_reason="agent_stop"), user_info=dummy)
    assert found.start.condition.domain == "telecom-solo"
    first = of(Turn, found)[0]
    assert (first.by, first.rule) == ("user", "ticket")
    assert first.text == "The caller has trouble: mobile_data_issue."
    graded = grade(episode(found))
    assert (graded.reward, graded.strict, graded.verdict.conduct) == (1.0, 1.0, ())


def test_an_agent_that_uses_the_phone_in_a_usual_run_is_refused(tmp_path: Path) -> None:
    talk = Talk().say("user", "Hello.").call("agent", ("toggle_data", {}))
    talk.say("agent", "Done.").say("user", "###STOP###")
    graded = grade(episode(one(tmp_path, talk.simulation())))
    assert graded.reward == 0.0
    assert [note.kind for note in graded.verdict.conduct] == ["phone_tool_by_agent"]


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("user_stop", "user_stop"),
        ("agent_stop", "agent_stop"),
        ("max_steps", "max_steps"),
        ("timeout", "timeout"),
        ("too_many_errors", "too_many_errors"),
        ("agent_error", "agent_error"),
        ("user_error", "user_error"),
        ("infrastructure_error", "infrastructure_error"),
        ("context_window_exceeded", "infrastructure_error"),
        ("unexpected_error", "infrastructure_error"),
        ("an_asteroid", "infrastructure_error"),
    ],
)
def test_endings_are_ours_and_their_word_is_kept(tmp_path: Path, theirs: str, ours: str) -> None:
    end = one(tmp_path, solved().simulation(termination_reason=theirs)).end
    assert end is not None
    assert (end.ending, end.rule) == (ours, theirs)


def test_an_unknown_ending_is_not_made_up(tmp_path: Path) -> None:
    assert one(tmp_path, solved().simulation(termination_reason=None)).end is None


def test_what_is_null_is_unknown(tmp_path: Path) -> None:
    simulation = solved().simulation(
        trial=None,
        seed=None,
        agent_cost=None,
        user_cost=None,
        start_time=None,
        end_time=None,
        duration=None,
        reward_info=None,
    )
    for message in simulation["messages"]:
        message |= {"timestamp": None, "usage": None, "cost": None}
    found = one(tmp_path, simulation, git_commit=None, max_steps=None, seed=None)
    assert found.start.draw.trial is None
    assert found.start.draw.seed is None
    assert found.start.condition.limits.steps is None
    assert found.start.condition.world == "tau2, version unknown"
    assert all(event.at is None for event in found.events)
    assert of(Reported, found)
    assert all((each.usage, each.price.usd) == (Usage(), None) for each in of(Reported, found))
    assert set(found.origin.more.values()) == {None}
    assert grade(episode(found)).reward == 1.0


def test_a_run_that_never_began_is_a_session_too(tmp_path: Path) -> None:
    nothing = Talk(greet=False).simulation(
        termination_reason="infrastructure_error", reward_info=None
    )
    found = one(tmp_path, nothing)
    assert [type(event).__name__ for event in found.events] == ["Start", "End"]
    assert grade(episode(found)).reward is None


def test_answers_find_their_calls_by_id_and_by_order(tmp_path: Path) -> None:
    talk = Talk().say("user", "Hello.")
    talk.call(
        "agent",
        ("get_details_by_id", {"id": "L1001"}),
        ("get_details_by_id", {"id": "P1002"}),
    )
    swapped = json.loads(json.dumps(talk.simulation()))
    swapped["messages"][3:5] = swapped["messages"][4], swapped["messages"][3]
    (answers,) = of(Results, one(tmp_path, swapped))
    assert answers.results[0].text.startswith('{"line_id":"L1001"')
    for message in swapped["messages"]:
        message["id"] = "" if message["role"] == "tool" else None
        for call in message.get("tool_calls") or ():
            call["id"] = ""
    (answers,) = of(Results, one(tmp_path, swapped))
    assert answers.results[1].text.startswith('{"line_id":"L1001"')


def test_several_answers_in_one_message_are_taken_apart(tmp_path: Path) -> None:
    talk = Talk().say("user", "Hello.")
    talk.call("agent", ("get_details_by_id", {"id": "L1001"}), ("check_it", {}))
    simulation = talk.simulation()
    together = {"role": "tool", "tool_messages": simulation["messages"][3:5]}
    simulation["messages"][3:5] = [together]
    (answers,) = of(Results, one(tmp_path, simulation))
    assert [result.error for result in answers.results] == [False, True]


def test_a_turn_that_is_lacking_is_filled_in_and_calls_count_all_the_same(tmp_path: Path) -> None:
    talk = Talk().say("user", "Hello.").say("agent", "Please.").say("agent", "Well?")
    talk.call("user", ("toggle_data", {})).say("user", "###STOP###")
    found = one(tmp_path, talk.simulation())
    filled = [turn for turn in of(Turn, found) if turn.rule == "not_recorded"]
    assert [(turn.by, turn.text, turn.calls) for turn in filled] == [("user", None, ())]
    assert grade(episode(found)).reward == 1.0


def test_what_cannot_be_a_turn_is_a_note(tmp_path: Path) -> None:
    simulation = Talk().say("user", "Hello.").say("agent", "Yes?").simulation()
    simulation["messages"] += [
        {"role": "system", "content": "Keep calm."},
        {"role": "tool", "id": "x", "content": "42", "error": False},
        {"role": "user", "content": "Wait.", "tool_calls": [{"name": "can_send_mms", "id": "y"}]},
        {"role": "assistant", "content": "Good bye."},
    ]
    found = one(tmp_path, simulation)
    unplaced = [detail for what, detail in notes(found) if what == "unplaced"]
    assert [(each["message"], each["role"]) for each in unplaced] == [
        (3, "system"),
        (4, "tool"),
        (5, "user"),
    ]
    assert unplaced[2]["tool_calls"][0]["name"] == "can_send_mms"
    assert of(Turn, found)[-1].text == "Good bye."


def test_calls_that_the_recording_ends_with_stay_calls(tmp_path: Path) -> None:
    talk = Talk().say("user", "Hello.")
    talk.call("agent", ("get_details_by_id", {"id": "L1001"}))
    simulation = talk.simulation(termination_reason="timeout")
    del simulation["messages"][-1]
    found = one(tmp_path, simulation)
    assert of(Turn, found)[-1].calls[0].tool == "get_details_by_id"
    assert not of(Results, found)
    assert grade(episode(found)).reward == 0.0


@pytest.mark.parametrize("given", ["not json", [1], None, 3.5, {"id": 7}])
def test_strange_arguments_stay_as_they_are(tmp_path: Path, given: Any) -> None:
    talk = Talk().say("user", "Hello.").call("agent", ("get_details_by_id", {"id": "L1001"}))
    simulation = talk.simulation()
    simulation["messages"][2]["tool_calls"][0]["arguments"] = given
    simulation["messages"][3] |= {"error": True}
    found = one(tmp_path, simulation)
    assert of(Turn, found)[-1].calls[0].arguments == given
    simulation["messages"][2]["tool_calls"][0]["arguments"] = {"ringback_raw_arguments": given}
    assert of(Turn, one(tmp_path, simulation))[-1].calls[0].arguments == given


def test_the_same_recording_is_one_session_wherever_it_lies(tmp_path: Path) -> None:
    simulation, another = solved().simulation(), solved(NO_REPAIR).simulation()
    first = write(tmp_path / "a.json", result_file([simulation, another]))
    turned = dict(reversed(simulation.items()))
    second = write(tmp_path / "b.json.gz", result_file([another, turned], num_trials=4))
    ids = [{each.start.session for each in recordings(path)} for path in (first, second)]
    assert ids[0] == ids[1]
    assert len(ids[0]) == 2
    changed = result_file([{**simulation, "seed": 42}, {**another, "id": "other"}])
    third = {each.start.session for each in recordings(write(tmp_path / "c.json", changed))}
    assert not third & ids[0]


def test_another_domain_is_passed_over_by_name(tmp_path: Path) -> None:
    file = result_file(
        [solved().simulation()], environment_info={"domain_name": "airline", "policy": None}
    )
    (found,) = read(write(tmp_path / "a.json", file))
    assert found == Skipped("a.json", 0, "it is of the domain airline, not telecom", broken=False)


def test_the_workflow_variant_is_telecom_with_a_policy_of_its_own(tmp_path: Path) -> None:
    info = {"domain_name": "telecom-workflow", "policy": "Follow the chart."}
    found = one(tmp_path, solved().simulation(policy=None), environment_info=info)
    assert found.start.condition.domain == "telecom"
    assert found.start.arm.policy == "telecom-workflow"
    assert found.contents[found.start.arm.texts] == "Follow the chart."


def test_a_voice_call_is_passed_over(tmp_path: Path) -> None:
    simulation = solved().simulation(messages=None, ticks=[{"tick_id": 0}], mode="full_duplex")
    (found,) = read(write(tmp_path / "a.json", result_file([simulation])))
    assert isinstance(found, Skipped)
    assert not found.broken


def test_a_task_that_is_not_known_makes_a_session_without_a_world(tmp_path: Path) -> None:
    found = one(tmp_path, {**solved().simulation(), "task_id": "[mobile_data_issue]dog_ate_phone"})
    assert found.start.draw.task is None
    assert found.start.world == ""
    assert ("task_unknown", "[mobile_data_issue]dog_ate_phone") in list(notes(found))


def test_a_task_that_is_graded_otherwise_is_said(tmp_path: Path) -> None:
    file = result_file([solved().simulation()])
    file["tasks"][0]["evaluation_criteria"]["reward_basis"] = ["ACTION"]
    (found,) = recordings(write(tmp_path / "a.json", file))
    assert ("task_differs", {"parts": ["reward basis"], "basis": ["actions"]}) in list(notes(found))


def test_a_task_with_another_caller_is_the_same_case(tmp_path: Path) -> None:
    simulation = solved(NO_REPAIR).simulation(task_id=NO_REPAIR.replace("Hard", "Easy"))
    found = one(tmp_path, simulation)
    assert found.start.draw.task == NO_REPAIR
    assert ("task_read_as", simulation["task_id"]) in list(notes(found))


def test_secrets_in_a_models_settings_are_not_taken_over(tmp_path: Path) -> None:
    who = {"implementation": "x", "llm": "m", "llm_args": {"api_key": "sk-123", "max_tokens": 9}}
    found = one(tmp_path, solved().simulation(), agent_info=who)
    settings = found.start.arm.agent.settings["llm_args"]
    assert isinstance(settings, dict)
    assert settings["max_tokens"] == 9
    everything = b"".join(encode(event) for event in found.events).decode()
    assert "sk-123" not in everything + "".join(found.contents.values())


def test_a_lean_reading_gives_the_same_turns_and_answers(written: Path) -> None:
    for full, lean in zip(recordings(written), recordings(written, lean=True), strict=True):
        assert not lean.contents
        assert [(t.text, t.calls, t.rule) for t in of(Turn, full)] == [
            (t.text, t.calls, t.rule) for t in of(Turn, lean)
        ]
        assert [[(r.text, r.error) for r in each.results] for each in of(Results, full)] == [
            [(r.text, r.error) for r in each.results] for each in of(Results, lean)
        ]
        assert [(e.ending, e.rule) for e in of(End, full)] == [
            (e.ending, e.rule) for e in of(End, lean)
        ]


def test_a_reply_of_unknown_cost_makes_the_sum_unknown(tmp_path: Path) -> None:
    talk = solved()
    for message in talk.messages[1:]:
        if message["role"] == "assistant":
            message |= {"usage": None, "cost": None}
            break
    found = spent(one(tmp_path, talk.simulation()).events)
    assert found["agent"].cost is None
    assert found["agent"].unpriced == 1
    assert found["agent"].usd > 0
    assert found["user"].cost is not None
    without = solved()
    for message in without.messages[1:]:
        message |= {"usage": None, "cost": None}
    nobody = {"implementation": "scripted", "llm": None}
    read_of = one(tmp_path, without.simulation(), agent_info=nobody)
    assert "agent" not in spent(read_of.events)


def test_calls_that_were_never_answered_cost_what_they_cost(tmp_path: Path) -> None:
    talk = Talk().say("user", "Hello.")
    talk.call("agent", ("get_customer_by_phone", {"phone_number": "555-123-2002"}), cost=3.0)
    del talk.messages[-1]
    talk.say("agent", "Yes?", cost=2.0).say("user", "###STOP###")
    found = one(tmp_path, talk.simulation())
    assert spent(found.events)["agent"].cost == 5.0
    assert [end.ending for end in of(End, found)] == ["user_stop"]


def test_a_task_that_the_file_lacks_or_hides_is_said(tmp_path: Path) -> None:
    content = result_file([solved().simulation()])
    (task,) = content["tasks"]
    for tasks, part in (
        ([], "no task"),
        (None, "no task"),
        ({"0": task}, "no task"),
        ([{**task, "id": "another"}], "no task"),
        ([{**task, "evaluation_criteria": 7}], "a task that cannot be read"),
    ):
        (found,) = recordings(write(tmp_path / "t.json", {**content, "tasks": tasks}))
        assert ("task_differs", {"parts": [part], "basis": None}) in list(notes(found))
        assert grade(episode(found)).reward == 1.0


@pytest.mark.parametrize("name", ["agent_info", "user_info", "environment_info"])
@pytest.mark.parametrize("odd", ["llm", 7, ["llm"], True])
def test_what_the_head_has_in_another_type_costs_itself(
    tmp_path: Path, name: str, odd: Any
) -> None:
    (found,) = recordings(
        write(tmp_path / "a.json", result_file([solved().simulation()], **{name: odd}))
    )
    assert grade(episode(found)).reward == 1.0
    start = found.start
    names = {"agent_info": start.arm.agent.name, "user_info": start.condition.user.name}
    expected = {"agent_info": "agent unknown", "user_info": "user unknown"}
    assert names.get(name) == expected.get(name)
    kept = json.loads(found.contents[found.origin.contents["info"]])
    assert kept[name] == odd


def test_an_index_that_is_no_list_is_said_and_the_simulations_are_read(tmp_path: Path) -> None:
    content = {**result_file([solved().simulation()]), "simulation_index": "none"}
    said, found = read(write(tmp_path / "a.json", content))
    assert isinstance(said, Skipped)
    assert (said.why, said.broken) == ("its simulation_index is no list", True)
    assert isinstance(found, Recording)
