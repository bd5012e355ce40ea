"""What we write as a results file: tau2's form, read back with all that the form can hold."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given

from ringback.domain import ActionCheck, EndCheck
from ringback.episode.events import (
    AnyEvent,
    Draw,
    End,
    Limits,
    ModelCall,
    Reported,
    Results,
    Setup,
    Start,
    Turn,
)
from ringback.episode.identity import arm, condition, opening
from ringback.errors import InputError
from ringback.formats import Recording
from ringback.formats.session import Session
from ringback.formats.tau2 import read
from ringback.formats.tau2.write import Run, results_file
from ringback.formats.tau2.write_simulation import simulation_object
from ringback.formats.tau2.write_tasks import task_object
from ringback.telecom import domain
from tests.formats.generated import examples, sessions
from tests.formats.tau2.made import Call, Json, Talk, result_file, solved, write
from tests.lamp import LAMP

RUN = Run(trials=10, seed=7, at=1_796_044_968.0)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tau2") / "results.json"


def written(*given: Session) -> dict[str, Any]:
    return json.loads(b"".join(results_file(RUN, given)))


def came_back(file: Path, session: Session) -> tuple[AnyEvent, ...]:
    file.write_bytes(b"".join(results_file(RUN, [session])))
    (found,) = read(file)
    assert isinstance(found, Recording), found
    return found.events


def deeds(events: tuple[AnyEvent, ...]) -> list[object]:
    """What was said, called and answered, without the ids that tau2's form gives every call."""
    found: list[object] = []
    for event in events:
        match event:
            case Turn():
                found.append((event.by, event.text, [(c.tool, c.arguments) for c in event.calls]))
            case Results():
                found.append([(r.text, r.error, r.world) for r in event.results])
            case _:
                pass
    return found


@examples(100)
@given(session=sessions())
def test_what_was_said_and_done_comes_back(file: Path, session: Session) -> None:
    assume(session.end is not None)
    events = came_back(file, session)
    assert deeds(events) == deeds(session.events)
    first, ours = events[0], session.start
    assert isinstance(first, Start)
    assert first.draw == ours.draw
    assert first.world == ours.world
    assert first.condition.greeting == ours.condition.greeting
    assert first.condition.limits.steps == ours.condition.limits.steps
    assert first.arm.agent.name == ours.arm.agent.name
    assert first.origin is not None
    assert first.origin.id == ours.session
    end = events[-1]
    assert isinstance(end, End)
    assert session.end is not None
    assert end.ending == session.end.ending


@examples(60)
@given(session=sessions())
def test_costs_are_summed_by_turn_and_unknown_stays_unknown(file: Path, session: Session) -> None:
    assume(session.end is not None)
    (simulation,) = written(session)["simulations"]
    asked = [event for event in session.events if isinstance(event, ModelCall)]
    for side in ("agent", "user"):
        prices = [event.answer.price.usd for event in asked if event.by == side]
        known = [usd for usd in prices if usd is not None]
        stated = simulation[f"{side}_cost"]
        if prices and len(known) == len(prices):
            assert math.isclose(stated, sum(known), abs_tol=1e-9)
        else:
            assert stated is None
    for event in came_back(file, session):
        if isinstance(event, Reported):
            assert event.price.usd is None or event.price.usd > 0


def test_every_official_task_is_set_up_and_judged_by_what_the_world_says() -> None:
    for task in domain.tasks("full"):
        found = task_object(domain, task)
        verdict = domain.check(task, (), domain.world(task))
        criteria = found["evaluation_criteria"]
        assert [item["name"] for item in criteria["actions"]] == [a.name for a in verdict.actions]
        assert [item["func_name"] for item in criteria["env_assertions"]] == [
            check.name for check in verdict.end
        ]
        assert found["initial_state"]["initialization_actions"][0]["func_name"] == "set_user_info"


def test_tasks_are_as_in_the_recordings(shared: Path) -> None:
    """Set-up, steps, states and basis, word for word, of every task in the real files."""
    seen = 0
    for path in sorted((shared / "recordings").glob("*tau2.json.gz")):
        with gzip.open(path) as stream:
            recorded = json.load(stream)["tasks"]
        for theirs in recorded:
            ours = task_object(domain, domain.task(theirs["id"]))
            actions = theirs["initial_state"]["initialization_actions"]
            assert ours["initial_state"]["initialization_actions"] == actions, theirs["id"]
            criteria, own = theirs["evaluation_criteria"], ours["evaluation_criteria"]
            states = [item | {"message": None} for item in criteria["env_assertions"]]
            assert own["env_assertions"] == states, theirs["id"]
            steps = [(a["requestor"], a["name"], a["arguments"]) for a in criteria["actions"]]
            assert [(a["requestor"], a["name"], a["arguments"]) for a in own["actions"]] == steps
            seen += 1
    assert seen > 90


def test_real_simulations_are_written_as_they_were(shared: Path) -> None:
    """All but the policy's text, which stands once for the file."""
    seen = 0
    for path in sorted((shared / "recordings").glob("*tau2.json.gz")):
        with gzip.open(path) as stream:
            recorded = json.load(stream)["simulations"]
        for entry in read(path):
            if not isinstance(entry, Recording) or entry.end is None:
                continue
            theirs = recorded[entry.origin.place]
            theirs.pop("policy", None)
            assert simulation_object(Session(entry.events, entry.contents)) == theirs
            seen += 1
    assert seen > 100


@examples(30)
@given(session=sessions(models=False))
def test_the_form_is_whole(session: Session) -> None:
    """What tau2's own loader asks for, by its documented fields."""
    assume(session.end is not None)
    found = written(session)
    info = found["info"]
    assert isinstance(info["git_commit"], str)
    assert all(isinstance(info[name], int) for name in ("num_trials", "max_steps", "max_errors"))
    assert info["environment_info"]["domain_name"] in ("telecom", "telecom-workflow")
    assert isinstance(info["environment_info"]["policy"], str)
    (simulation,) = found["simulations"]
    assert simulation["task_id"] in {task["id"] for task in found["tasks"]}
    for name in ("id", "timestamp", "start_time", "end_time", "termination_reason"):
        assert isinstance(simulation[name], str)
    assert isinstance(simulation["duration"], float)
    open_calls: list[str] = []
    for place, message in enumerate(simulation["messages"]):
        assert message["turn_idx"] == place
        if message["role"] == "tool":
            assert message["id"] == open_calls.pop(0)
            continue
        assert not open_calls
        assert message["role"] in ("assistant", "user")
        for call in message["tool_calls"] or ():
            assert isinstance(call["arguments"], dict)
            open_calls.append(call["id"])
    reward = simulation["reward_info"]
    if session.grade is not None and session.grade.reward is not None:
        assert reward["reward"] == session.grade.reward
        met: list[EndCheck | ActionCheck] = [*session.grade.verdict.end]
        assert [item["met"] for item in reward["env_assertions"]] == [check.met for check in met]


def test_another_world_is_refused() -> None:
    who, what = condition(LAMP, Setup("u", "1"), Limits()), arm(LAMP, Setup("a", "1"), "short")
    start = opening(LAMP, who, what, "base", Draw("dark", 0, 0))
    session = Session((start, End(seq=1, ending="timeout", rule="clock")))
    with pytest.raises(InputError, match="telecom alone"):
        b"".join(results_file(RUN, [session]))


NUMBER: Call = ("get_customer_by_phone", {"phone_number": "555-123-2002"})
LINES: list[Call] = [("get_details_by_id", {"id": name}) for name in ("L1001", "L1002", "L1003")]


def _several() -> Talk:
    """A turn of three calls, one of which fails, in the midst of a conversation."""
    calls = [*LINES[:2], ("get_details_by_id", {"id": "nobody"})]
    talk = Talk().say("user", "Hello.").call("agent", NUMBER).call("agent", *calls)
    return talk.say("agent", "Yes?").say("user", "###STOP###")


def _reordered(messages: list[Json]) -> list[Json]:
    return [*messages[:5], messages[7], messages[5], messages[6], *messages[8:]]


def _partial(messages: list[Json]) -> list[Json]:
    return [*messages[:5], messages[7], *messages[8:]]


def _never(messages: list[Json]) -> list[Json]:
    return [*messages[:5], *messages[8:]]


def _grouped(messages: list[Json]) -> list[Json]:
    answers = [messages[7], messages[5], messages[6]]
    return [*messages[:5], {"role": "tool", "tool_messages": answers}, *messages[8:]]


def _unnamed(messages: list[Json]) -> list[Json]:
    bare = [{**one, "id": None} for one in messages[5:8]]
    return [*messages[:5], *bare, *messages[8:]]


def _another_role(messages: list[Json]) -> list[Json]:
    return [*messages[:3], {"role": "system", "content": "Be brief."}, *messages[3:]]


@pytest.mark.parametrize(
    "changed", [_reordered, _partial, _never, _grouped, _unnamed, _another_role]
)
def test_answers_stay_with_their_calls(
    tmp_path: Path, changed: Callable[[list[Json]], list[Json]]
) -> None:
    simulation = _several().simulation()
    assert [one["role"] for one in simulation["messages"][4:9]] == [
        "assistant", "tool", "tool", "tool", "assistant",
    ]  # fmt: skip
    simulation["messages"] = changed(simulation["messages"])
    (found,) = read(write(tmp_path / "t.json", result_file([simulation])))
    assert isinstance(found, Recording)
    theirs = {name: value for name, value in simulation.items() if name != "policy"}
    assert simulation_object(Session(found.events, found.contents)) == theirs


def test_what_is_exported_and_read_again_is_the_same_session(tmp_path: Path) -> None:
    for new in (True, False):
        path = write(tmp_path / "t.json", result_file([solved(new=new).simulation()], new=new))
        (found,) = read(path)
        assert isinstance(found, Recording)
        session = Session(found.events, found.contents)
        path.write_bytes(b"".join(results_file(Run(trials=4, seed=None), [session])))
        (again,) = read(path)
        assert isinstance(again, Recording)
        assert again.start.session == found.start.session
