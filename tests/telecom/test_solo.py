"""Telecom without a caller: the agent holds the phone."""

from __future__ import annotations

import pytest

from ringback.domain import Did, Happening
from ringback.domains import load
from ringback.errors import InputError
from ringback.telecom.tasks import repair

SOLO, TELECOM = load("telecom-solo"), load("telecom")


def test_the_agent_has_every_tool_and_the_user_none() -> None:
    tools = SOLO.tools("agent")
    both = [*TELECOM.tools("agent"), *TELECOM.tools("user")]
    assert {tool.name for tool in tools} == {tool.name for tool in both}
    assert {tool.side for tool in tools} == {"agent"}
    assert SOLO.tools("user") == ()
    world = SOLO.world(SOLO.task("[mobile_data_issue]data_mode_off[PERSONA:None]"))
    assert not world.call("agent", "toggle_data", {}).error
    assert not world.call("agent", "get_details_by_id", {"id": "L1002"}).error
    assert world.call("user", "toggle_data", {}).error
    assert world.call("agent", "fly", {}).error


def test_tasks_begin_and_calls_act_as_in_telecom() -> None:
    for task in list(TELECOM.tasks("full"))[::100]:
        solo, usual = SOLO.world(SOLO.task(task.id)), TELECOM.world(task)
        assert solo.digest() == usual.digest()
        for step in repair(task):
            ours = solo.copy().call("agent", step.tool, dict(step.arguments))
            assert ours == usual.copy().call(step.side, step.tool, dict(step.arguments))
            solo.call("agent", step.tool, dict(step.arguments))
            usual.call(step.side, step.tool, dict(step.arguments))
            assert solo.digest() == usual.digest()


def test_a_repair_by_the_agent_alone_meets_the_strict_checks() -> None:
    for task in list(TELECOM.tasks("full"))[::100]:
        world = SOLO.world(task)
        history: list[Happening] = []
        for seq, step in enumerate(repair(task)):
            before = world.copy()
            outcome = world.call("agent", step.tool, dict(step.arguments))
            arguments = dict(step.arguments)
            history.append(
                Did(seq, 0, "agent", step.tool, arguments, outcome, before, world.copy())
            )
        verdict = SOLO.check(task, history, world)
        assert verdict.satisfied
        assert all(action.strict for action in verdict.actions)
        assert {note.kind for note in verdict.conduct} <= {"refuel_without_consent"}


def test_nothing_can_be_played() -> None:
    with pytest.raises(InputError, match="recordings"):
        SOLO.tasks("test")
    with pytest.raises(InputError, match="recordings"):
        SOLO.policy("workflow")
