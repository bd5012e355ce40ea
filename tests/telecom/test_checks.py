"""The checks: what a reward is made of, by the reference rule and by the strict one."""

from __future__ import annotations

from typing import Any

import pytest

from ringback.domain import Did, Said, Side, Task, Verdict
from ringback.telecom import domain
from ringback.telecom.tasks import compositions, repair

NOTHING: dict[str, Any] = {}
LINE: dict[str, Any] = {"customer_id": "C1001", "line_id": "L1002"}
Story = list[tuple[Side, str, Any]]


def play(task: Task, story: Story) -> Verdict:
    world = domain.world(task)
    history: list[Said | Did] = [Said(0, "agent", domain.greeting)]
    for seq, (side, tool, arguments) in enumerate(story, 1):
        before = world.copy()
        outcome = world.call(side, tool, arguments)
        history.append(Did(seq, 0, side, tool, arguments, outcome, before, world.copy()))
    return domain.check(task, history, world)


def repaired(task: Task) -> Story:
    return [(step.side, step.tool, dict(step.arguments)) for step in repair(task)]


def task_with(family: str, *faults: str) -> Task:
    wanted = tuple(sorted(faults))
    return next(t for t in compositions() if t.family == family and t.faults == wanted)


def test_the_repair_steps_solve_every_composition() -> None:
    for task in compositions():
        verdict = play(task, repaired(task))
        assert verdict.satisfied, task.id
        assert all(check.met for check in verdict.end), task.id
        assert all(action.met and action.strict for action in verdict.actions), task.id


@pytest.mark.parametrize(("split", "hopeless"), [("base", 20), ("test", 12)])
def test_the_floors_are_what_they_must_be(split: str, hopeless: int) -> None:
    tasks = domain.tasks(split)
    transfer: Story = [("agent", "transfer_to_human_agents", {"summary": "help"})]
    solved = [task for task in tasks if play(task, transfer).satisfied]
    assert len(solved) == hopeless
    assert not any(task.repairable for task in solved)
    assert not any(play(task, []).satisfied for task in tasks)


def test_a_repairable_task_counts_its_end_state_alone() -> None:
    task = task_with("mobile_data_issue", "data_mode_off")
    verdict = play(task, [("user", "toggle_data", {}), ("user", "toggle_roaming", {})])
    assert verdict.basis == ("end_state",)
    assert [action.counted for action in verdict.actions] == [False]
    detour = play(task, [("agent", "toggle_data", {}), ("user", "toggle_data", "")])
    assert detour.satisfied


def test_a_hopeless_task_needs_its_transfer_too() -> None:
    task = task_with("service_issue", "lock_sim_card_pin")
    silent = play(task, [])
    assert silent.basis == ("end_state", "actions")
    assert [check.met for check in silent.end] == [True]
    assert not silent.satisfied
    assert play(task, [("agent", "transfer_to_human_agents", {"summary": "PIN"})]).satisfied


def test_a_transfer_does_not_hide_a_line_wrongly_resumed() -> None:
    task = task_with("service_issue", "contract_end_suspension")
    story: Story = [
        ("agent", "resume_line", LINE),
        ("user", "reboot_device", {}),
        ("agent", "transfer_to_human_agents", {"summary": "contract"}),
    ]
    verdict = play(task, story)
    assert not verdict.satisfied
    assert [action.met for action in verdict.actions] == [True]


@pytest.mark.parametrize("family", ["mobile_data_issue", "mms_issue"])
def test_with_the_refuel_limit_used_up_only_a_transfer_is_right(family: str) -> None:
    faults = ("data_usage_exceeded_no_refuel",)
    if family == "mms_issue":
        faults += ("bad_wifi_calling",)
    task = task_with(family, *faults)
    transfer: Story = [("agent", "transfer_to_human_agents", {"summary": "limit reached"})]
    assert play(task, transfer).satisfied
    refuel: Story = [("agent", "refuel_data", {**LINE, "gb_amount": 2.0})]
    assert not play(task, [*refuel, ("user", "toggle_wifi_calling", {}), *transfer]).satisfied


@pytest.mark.parametrize(
    ("amounts", "met"), [([2], True), ([1, 1.0], True), ([1.9], False), ([5.0], False)]
)
def test_exactly_two_gb_are_refuelled(amounts: list[float], met: bool) -> None:
    task = task_with("mobile_data_issue", "data_usage_exceeded", "data_mode_off")
    story: Story = [("agent", "refuel_data", {**LINE, "gb_amount": gb}) for gb in amounts]
    verdict = play(task, [*story, ("user", "toggle_data", {})])
    by_name = {check.name: check.met for check in verdict.end}
    assert by_name == {
        "assert_mobile_data_status": True,
        "assert_internet_speed": True,
        "assert_data_refueling_amount": met,
    }
    assert verdict.satisfied is met


def test_no_connection_is_not_a_fast_one() -> None:
    task = task_with("mobile_data_issue", "data_mode_off")
    assert [check.met for check in play(task, []).end] == [False, False]


@pytest.mark.parametrize(
    ("story", "met", "strict"),
    [
        ([("agent", "enable_roaming", LINE)], True, True),
        ([("agent", "enable_roaming", NOTHING)], True, False),
        ([("agent", "enable_roaming", "")], True, False),
        ([("user", "enable_roaming", LINE)], True, False),
        ([("agent", "enable_roaming", {"line_id": "L1002"})], True, False),
        ([("agent", "enable_roaming", {**LINE, "line_id": "L1001"})], False, False),
        ([("agent", "enable_roaming", {**LINE, "why": "abroad"})], False, False),
        ([("agent", "enable_roaming", "{")], False, False),
        ([("agent", "enable_roaming", {"customer_id": [[1]]})], False, False),
    ],
)
def test_the_two_rules_for_a_step_stand_side_by_side(story: Story, met: bool, strict: bool) -> None:
    task = task_with("mobile_data_issue", "user_abroad_roaming_disabled_on")
    (action,) = play(task, story).actions
    assert (action.name, action.side, action.compare) == ("enable_roaming", "agent", None)
    assert (action.met, action.strict) == (met, strict)


def test_equal_numbers_meet_a_step_and_true_is_no_number() -> None:
    task = task_with("mobile_data_issue", "data_usage_exceeded")
    for amount, met in ((2, True), (2.0, True), ("2.0", False), (True, False)):
        (action,) = play(task, [("agent", "refuel_data", {**LINE, "gb_amount": amount})]).actions
        assert (action.met, action.strict) == (met, met)


def test_for_a_transfer_the_name_alone_counts() -> None:
    task = task_with("service_issue", "lock_sim_card_pin")
    (action,) = play(task, [("agent", "transfer_to_human_agents", {})]).actions
    assert action.compare == ()
    assert action.met
    assert not action.strict


def test_a_restart_that_two_faults_need_is_expected_twice() -> None:
    task = task_with("service_issue", "break_apn_settings", "overdue_bill_suspension")
    assert [step.tool for step in repair(task)] == [
        "reset_apn_settings",
        "reboot_device",
        "send_payment_request",
        "make_payment",
        "resume_line",
        "reboot_device",
    ]


def test_a_world_of_another_domain_is_refused() -> None:
    task = domain.tasks("test")[0]
    with pytest.raises(TypeError, match="telecom world"):
        domain.check(task, [], object())  # pyright: ignore[reportArgumentType]
