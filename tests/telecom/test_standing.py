"""What still stands of a task's faults, in any state of the world."""

from __future__ import annotations

import pytest

from ringback.telecom import domain
from ringback.telecom.faults import FAULTS
from ringback.telecom.standing import STANDS, broken, fewest_steps, standing
from ringback.telecom.tasks import compositions, repair
from ringback.telecom.world import state_of
from tests.telecom.test_checks import task_with


def test_all_faults_stand_at_the_start_and_none_after_the_repair() -> None:
    assert STANDS.keys() == FAULTS.keys()
    for task in compositions()[::3]:
        world = domain.world(task)
        start = state_of(world)
        assert standing(task, start) == task.faults
        assert broken(task, start, start) == ()
        if task.repairable:
            for step in repair(task):
                world.call(step.side, step.tool, dict(step.arguments))
            assert standing(task, state_of(world)) == ()


@pytest.mark.parametrize("family", ["mobile_data_issue", "service_issue", "mms_issue"])
def test_each_step_of_a_repair_puts_its_fault_right(family: str) -> None:
    for task in [t for t in compositions() if t.family == family and t.repairable][::9]:
        world = domain.world(task)
        for at, name in enumerate(task.faults):
            for step in FAULTS[name].repair or ():
                world.call(step.side, step.tool, dict(step.arguments))
            left = standing(task, state_of(world))
            assert name not in left or name == "overdue_bill_suspension"
            assert {*left} <= {*task.faults[at:], "overdue_bill_suspension"}


def test_a_paid_and_resumed_line_waits_for_the_restart() -> None:
    task = task_with("service_issue", "overdue_bill_suspension")
    world = domain.world(task)
    for step in repair(task):
        assert standing(task, state_of(world)) == task.faults
        world.call(step.side, step.tool, dict(step.arguments))
    assert standing(task, state_of(world)) == ()


def test_a_switch_that_was_fine_and_was_flipped_is_broken() -> None:
    task = task_with("mobile_data_issue", "data_saver_mode_on")
    world = domain.world(task)
    start = state_of(world)
    world.call("user", "toggle_data", {})
    assert broken(task, start, state_of(world)) == ("data_mode_off",)


def test_a_plain_repair_fits_the_usual_limit() -> None:
    steps = [fewest_steps(task) for task in compositions()]
    assert min(steps) > 14
    assert max(steps) < 100
