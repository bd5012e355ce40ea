"""Whoever knows the facts and carries out the workflow solves every task, without any dialogue."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from ringback.canonical import Json
from ringback.domain import Did, Task, World
from ringback.telecom import domain
from ringback.telecom.policy.facts import MAX_REFUEL_GB, TODAY
from ringback.telecom.policy.model import Do, Step, Topic
from ringback.telecom.policy.workflow import STEPS, steps

_TOPICS: Mapping[str, Topic] = {
    "service_issue": "service",
    "mobile_data_issue": "data",
    "mms_issue": "mms",
}
_CASE = {
    "$customer_id": "C1001",
    "$line_id": "L1002",
    "$bill_id": "B1234321",
    "$gb_amount": MAX_REFUEL_GB,
}


def _on(value: Json) -> str:
    return "on" if value else "off"


def _facts(world: World) -> dict[str, str]:
    """The workflow's facts as they are in the world."""
    field = world.fields()
    line = {key.rpartition(".")[2]: value for key, value in field.items() if ".L1002." in key}
    bills = [value for key, value in field.items() if key.startswith("bill.B1234321.status")]
    added, used = line["data_refueling_gb"], line["data_used_gb"]
    assert isinstance(added, int | float)
    assert isinstance(used, int | float)
    details = field.get("phone.vpn_details.server_performance")
    permission = "phone.app_statuses.messaging.permissions."
    return {
        "line_status": str(line["status"]),
        "contract": "ended" if str(line["contract_end_date"]) < TODAY else "running",
        "bill": {"Overdue": "overdue", "Awaiting Payment": "awaiting payment"}.get(
            str(bills[0]) if bills else "", "none"
        ),
        "line_roaming": "allowed" if line["roaming_enabled"] else "not allowed",
        "allowance": "used up" if used >= 15.0 + added else "left",
        "refuel": "at the limit" if added >= MAX_REFUEL_GB else "possible",
        "whereabouts": "abroad" if field["around.is_abroad"] else "home",
        "airplane": _on(field["phone.airplane_mode"]),
        "sim": str(field["derived.sim_status"]),
        "apn": str(field["phone.active_apn_settings.apn_name"]),
        "mmsc": "set" if field.get("phone.active_apn_settings.mmsc_url") else "not set",
        "data": _on(field["phone.data_enabled"]),
        "roaming": _on(field["phone.roaming_enabled"]),
        "mode": str(field["phone.network_mode_preference"]),
        "saver": _on(field["phone.data_saver_mode"]),
        "vpn": str(details) if field["phone.vpn_connected"] else "off",
        "wifi_calling": _on(field["phone.wifi_calling_enabled"]),
        "mms_over_wifi": _on(field["phone.wifi_calling_mms_over_wifi"]),
        "sms_permission": "granted" if field[permission + "sms"] else "missing",
        "storage_permission": "granted" if field[permission + "storage"] else "missing",
    }


class _Worker:
    """Carries out steps on a world and keeps the history that the checks read."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.world = domain.world(task)
        self.history: list[Did] = []

    def holds(self, step: Step) -> bool:
        facts = _facts(self.world)
        return all(facts[when.fact] in when.states for when in step.when)

    def do(self, do: Do) -> None:
        arguments: dict[str, Json] = {
            name: _CASE[value] if isinstance(value, str) and value in _CASE else value
            for name, value in do.arguments
        }
        before, after = self.world, self.world.copy()
        outcome = after.call(do.side, do.tool, arguments)
        assert not outcome.error, (self.task.id, do.tool, outcome.text)
        seq = len(self.history)
        self.history.append(Did(seq, 0, do.side, do.tool, arguments, outcome, before, after))
        self.world = after

    def work(self) -> bool:
        for step in steps(_TOPICS[self.task.family]):
            if not self.holds(step):
                continue
            for do in step.do:
                self.do(do)
            if step.transfer:
                self.do(Do("agent", "transfer_to_human_agents", "", (("summary", "-"),)))
                break
        return domain.check(self.task, self.history, self.world).satisfied


@pytest.mark.parametrize("split", ["small", "base"])
def test_the_workflow_solves_the_split(split: str) -> None:
    tasks = domain.tasks(split)
    assert [task.id for task in tasks if not _Worker(task).work()] == []


def test_the_workflow_solves_a_sample_of_all_official_tasks() -> None:
    tasks = domain.tasks("full")[::11]
    assert [task.id for task in tasks if not _Worker(task).work()] == []


def test_it_transfers_exactly_where_nothing_can_be_repaired() -> None:
    for task in domain.tasks("full")[::7]:
        worker = _Worker(task)
        worker.work()
        transferred = any(did.tool == "transfer_to_human_agents" for did in worker.history)
        assert transferred != task.repairable, task.id


def test_nothing_is_due_on_a_healthy_phone_and_line() -> None:
    task = next(task for task in domain.tasks("small") if task.faults == ("airplane_mode_on",))
    worker = _Worker(task)
    assert [step.name for step in STEPS if worker.holds(step)] == ["airplane"]
    worker.work()
    assert [step.name for step in STEPS if worker.holds(step)] == []
