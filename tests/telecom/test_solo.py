"""Telecom without a caller: the agent holds the phone."""

from __future__ import annotations

import pytest

from ringback.domain import Diagnosing, Diagnosis, Did, Happening, Said
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


TICKET = "Hello, how can I help you today? I am sure that my data is on and my line is paid."
"""Speech that would be a customer's fault, were there a customer."""


def _judged(*calls: str) -> tuple[Diagnosis, list[Happening]]:
    task = SOLO.task("[mobile_data_issue]data_mode_off[PERSONA:None]")
    world = SOLO.world(task)
    history: list[Happening] = [Said(1, "user", TICKET)]
    for seq, tool in enumerate(calls, 2):
        before = world.copy()
        outcome = world.call("agent", tool, {})
        history.append(Did(seq, 0, "agent", tool, {}, outcome, before, world.copy()))
    verdict = SOLO.check(task, history, world)
    assert isinstance(SOLO, Diagnosing)
    return SOLO.diagnose(task, history, world, verdict, "user"), history


def test_nothing_is_laid_to_a_customer_that_is_not_there() -> None:
    for calls in ((), ("check_status_bar",), ("toggle_data", "toggle_data"), ("toggle_roaming",)):
        found, _ = _judged(*calls)
        assert {sign.by for sign in found.signs} <= {"agent", None}, calls
        assert not any("customer" in sign.text.lower() for sign in found.signs), calls
        assert {"roles_inverted", "denied_claim", "went_on", "ended_early"}.isdisjoint(
            sign.kind for sign in found.signs
        )
        assert any(sign.decisive for sign in found.signs)


def test_what_the_agent_breaks_on_the_phone_is_its_own_doing() -> None:
    found, history = _judged("toggle_data", "run_speed_test", "toggle_data")
    (undone,) = [sign for sign in found.signs if sign.kind == "undone"]
    assert (undone.by, undone.decisive, undone.seq) == ("agent", True, history[-1].seq)
