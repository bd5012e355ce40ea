"""What decides which session a simulation becomes, and what is said of it: a promise at a time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ringback.domains import load
from ringback.episode.events import Note, Reported
from ringback.formats import Recording, Skipped
from ringback.formats.recording import STATE_DIFFERS
from ringback.formats.regrade import regrade
from ringback.formats.tau2 import read
from tests.formats.tau2.made import DATA_OFF, Json, Talk, result_file, solved, write, write_folder

WHO: dict[str, Any] = {"implementation": "x", "llm": "m", "llm_args": {"temperature": 0.0}}
TWO_FAULTS = next(
    task.id
    for task in load("telecom").tasks("full")
    if len(task.faults) == 2 and task.family == "mobile_data_issue"
)


def one(path: Path, content: Json, *, lean: bool = False) -> Recording:
    (found,) = read(write(path / "one.json", content), lean=lean)
    assert isinstance(found, Recording)
    return found


def details(found: Recording, what: str) -> list[Any]:
    return [
        event.detail for event in found.events if isinstance(event, Note) and event.what == what
    ]


@pytest.mark.parametrize(
    ("side", "change"),
    [
        ("agent_info", {"llm": "another"}),
        ("user_info", {"llm": "another"}),
        ("agent_info", {"llm_args": {"temperature": 1.0}}),
    ],
)
def test_who_played_decides_which_session_it_is(
    tmp_path: Path, side: str, change: dict[str, Any]
) -> None:
    """The same words and deeds of another model are another recording."""
    content = result_file([solved().simulation()], agent_info=WHO, user_info=WHO)
    before = one(tmp_path, content).start.session
    assert one(tmp_path, content).start.session == before
    content["info"][side] = {**WHO, **change}
    assert one(tmp_path, content).start.session != before


def test_a_run_in_which_the_agent_alone_acts_has_no_caller(tmp_path: Path) -> None:
    """By its messages, where the file does not say who stood in for one."""
    talk = Talk(solo=True).call("agent", ("toggle_data", {})).say("agent", "###STOP###")
    simulation = talk.simulation(termination_reason="agent_stop")
    found = one(tmp_path, result_file([simulation], user_info=None))
    assert found.start.condition.domain == "telecom-solo"
    simulation["messages"][0]["role"] = "system"
    found = one(tmp_path, result_file([simulation], user_info=None))
    assert found.start.condition.domain == "telecom"
    for talk in (
        Talk(greet=False).call("agent", ("get_data_usage", {})).say("user", "###STOP###"),
        Talk().call("agent", ("get_data_usage", {})),
        Talk(greet=False).call("user", ("toggle_data", {})),
    ):
        found = one(tmp_path, result_file([talk.simulation()], user_info=None))
        assert found.start.condition.domain == "telecom"


def test_a_case_read_as_ours_keeps_its_own_id_when_graded(tmp_path: Path) -> None:
    theirs = DATA_OFF.replace("None", "Easy")
    found = one(tmp_path, result_file([solved().simulation(task_id=theirs)]))
    assert found.start.draw.task == DATA_OFF
    assert regrade(found.events).task == theirs


def test_faults_may_be_named_in_any_order(tmp_path: Path) -> None:
    family, _, rest = TWO_FAULTS.partition("]")
    faults, _, persona = rest.partition("[")
    turned = f"{family}]{'|'.join(reversed(faults.split('|')))}[{persona}"
    assert turned != TWO_FAULTS
    talk = Talk(TWO_FAULTS).say("user", "###STOP###")
    found = one(tmp_path, result_file([talk.simulation(task_id=turned)]))
    assert found.start.draw.task == TWO_FAULTS
    assert details(found, "task_read_as") == [turned]


@pytest.mark.parametrize("value", [False, 0, None, "true"])
def test_a_state_that_is_expected_not_to_hold_is_graded_otherwise(
    tmp_path: Path, value: Any
) -> None:
    content = result_file([solved().simulation()])
    content["tasks"][0]["evaluation_criteria"]["env_assertions"][0]["assert_value"] = value
    (detail,) = details(one(tmp_path, content), "task_differs")
    assert detail["parts"] == ["end state"]


def test_several_tasks_of_one_id_are_said_unless_they_are_the_same(tmp_path: Path) -> None:
    content = result_file([solved().simulation()])
    (task,) = content["tasks"]
    assert not details(one(tmp_path, {**content, "tasks": [task, task]}), "task_differs")
    other: Json = json.loads(json.dumps(task))
    other["evaluation_criteria"]["actions"] = []
    said = "several tasks of its id, of which the first is taken"
    for tasks, parts in (([task, other], [said]), ([other, task], [said, "actions"])):
        (detail,) = details(one(tmp_path, {**content, "tasks": tasks}), "task_differs")
        assert detail["parts"] == parts


def test_a_greeting_that_a_model_was_paid_for_costs_what_it_cost(tmp_path: Path) -> None:
    usage = {"prompt_tokens": 30, "completion_tokens": 5}
    for cost, tokens, known in ((0.5, usage, 0.5), (0.0, usage, None), (0.5, None, 0.5)):
        talk = Talk(greet=False).say("agent", "Good day.", cost=cost, usage=tokens)
        found = one(tmp_path, result_file([talk.say("user", "###STOP###").simulation()]))
        greeting, _ = (event for event in found.events if isinstance(event, Reported))
        assert (greeting.cause, greeting.by, greeting.price.usd) == (0, "agent", known)
        assert greeting.usage.input == (30 if tokens else None)
    free = Talk().say("user", "###STOP###").simulation()
    (only,) = (e for e in one(tmp_path, result_file([free])).events if isinstance(e, Reported))
    assert only.by == "user"


@pytest.mark.parametrize("lean", [True, False])
def test_what_an_error_says_is_no_state(tmp_path: Path, lean: bool) -> None:
    """Recorded as an error here, and there: the words of either are not compared."""
    talk = Talk().say("user", "Hello.").call("user", ("check_network_status", {}))
    talk.call("agent", ("get_customer_by_phone", {"phone_number": "1"})).say("user", "###STOP###")
    simulation = talk.simulation()
    phone, carrier = (each for each in simulation["messages"] if each["role"] == "tool")
    assert "off" in phone["content"]
    phone["content"], phone["error"] = phone["content"].replace("off", "on"), True
    assert carrier["error"]
    carrier["content"], carrier["error"] = '{"customer_id": "C1"}', False
    found = one(tmp_path, result_file([simulation]), lean=lean)
    assert not details(found, STATE_DIFFERS)
    said = [each.what for each in regrade(found.events).divergences]
    assert said == [
        "call 0: recorded an error, here no error",
        "call 0: recorded no error, here an error",
    ]


def test_a_call_that_is_laid_to_the_other_side_keeps_who_asked_for_it(tmp_path: Path) -> None:
    simulation = solved().simulation()
    call = next(each["tool_calls"][0] for each in simulation["messages"] if each["tool_calls"])
    call["requestor"] = "user"
    found = one(tmp_path, result_file([simulation]))
    kept = found.origin.contents
    rest = json.loads(found.contents[kept.get("rest") or kept["whole"]])
    assert call in [
        each for message in rest["messages"] for each in message.get("tool_calls") or ()
    ]


def test_entries_of_an_index_without_an_id_are_counted(tmp_path: Path) -> None:
    run = write_folder(tmp_path / "run", result_file([solved().simulation()]))
    content = json.loads((run / "results.json").read_text())
    content["simulation_index"] += [{"id": None}, {"task_id": "t"}, 7]
    write(run / "results.json", content)
    found, said = read(run)
    assert isinstance(found, Recording)
    assert isinstance(said, Skipped)
    assert (said.why, said.broken) == ("it lists 3 simulations without an id", True)
