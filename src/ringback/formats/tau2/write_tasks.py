"""Our tasks as tau2's files describe them: how the world is set up, and what is expected.

The set-up is named by tau2's own functions, which are facts of its form; what is expected comes
from the domain's checks, and the caller's words are our own.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from ringback.canonical import Json
from ringback.domain import ActionCheck, Domain, EndCheck, Side, Task

__all__ = ["BASIS", "action", "assertion", "requestor", "task_object"]

BASIS = MappingProxyType({"end_state": "ENV_ASSERTION", "actions": "ACTION"})
"""The parts of a reward's basis, and tau2's words for them."""

_LINE = {"customer_id": "C1001", "line_id": "L1002"}
_REQUESTORS: Mapping[Side, str] = MappingProxyType({"agent": "assistant", "user": "user"})


class _SetUp(NamedTuple):
    """A function that tau2 calls on one side's tools before a run begins."""

    env: str
    function: str
    arguments: Mapping[str, Json] = MappingProxyType({})


def _user(function: str, **arguments: Json) -> _SetUp:
    return _SetUp("user", function, arguments)


def _carrier(function: str, **arguments: Json) -> _SetUp:
    return _SetUp("assistant", function, {**_LINE, **arguments})


_CALLER = _user("set_user_info", name="John Smith", phone_number="555-123-2002")
_SEARCH = _user("simulate_network_search")
_ABROAD = _user("set_user_location", abroad=True)
_TAKE_SMS = _user("remove_app_permission", app_name="messaging", permission="sms")
_TAKE_STORAGE = _user("remove_app_permission", app_name="messaging", permission="storage")


def _suspended(*, contract_ended: bool) -> tuple[_SetUp, ...]:
    suspend = _carrier(
        "suspend_line_for_overdue_bill", new_bill_id="B1234321", contract_ended=contract_ended
    )
    return (suspend, _SEARCH)


_FAULTS: Mapping[str, tuple[_SetUp, ...]] = MappingProxyType(
    {
        "airplane_mode_on": (_user("turn_airplane_mode_on"),),
        "unseat_sim_card": (_user("unseat_sim_card"),),
        "lock_sim_card_pin": (_user("lock_sim_card", mode="pin"),),
        "break_apn_settings": (_user("break_apn_settings"),),
        "overdue_bill_suspension": _suspended(contract_ended=False),
        "contract_end_suspension": _suspended(contract_ended=True),
        "data_mode_off": (_user("turn_data_off"),),
        "data_saver_mode_on": (_user("turn_data_saver_mode_on"),),
        "bad_network_preference": (_user("set_network_mode_preference", mode="2g_only"),),
        "bad_vpn": (_user("break_vpn"),),
        "data_usage_exceeded": (_carrier("set_data_usage", data_used_gb=15.1),),
        "data_usage_exceeded_no_refuel": (
            _carrier("refuel_data", gb_amount=2.0),
            _carrier("set_data_usage", data_used_gb=17.1),
        ),
        "user_abroad_roaming_enabled_off": (
            _ABROAD,
            _user("turn_roaming_off"),
            _carrier("enable_roaming"),
        ),
        "user_abroad_roaming_disabled_on": (
            _ABROAD,
            _user("turn_roaming_on"),
            _carrier("disable_roaming"),
            _SEARCH,
        ),
        "user_abroad_roaming_disabled_off": (
            _ABROAD,
            _user("turn_roaming_off"),
            _carrier("disable_roaming"),
            _SEARCH,
        ),
        "bad_wifi_calling": (_user("set_wifi_calling", enabled=True, mms_over_wifi=True),),
        "break_apn_mms_setting": (_user("break_apn_mms_setting"),),
        "break_app_sms_permission": (_TAKE_SMS,),
        "break_app_storage_permission": (_TAKE_STORAGE,),
        "break_app_both_permissions": (_TAKE_SMS, _TAKE_STORAGE),
    }
)


def requestor(side: Side) -> str:
    """Their word for a side."""
    return _REQUESTORS[side]


def task_object(domain: Domain, task: Task) -> dict[str, Any]:
    """A task with all that tau2 needs to set it up and to grade it."""
    verdict = domain.check(task, (), domain.world(task))
    set_up = [_CALLER, *(step for fault in task.faults for step in _FAULTS[fault])]
    return {
        "id": task.id,
        "description": {"purpose": task.family, "relevant_policies": None, "notes": None},
        "user_scenario": {
            "persona": task.persona or None,
            "instructions": domain.scenario(task).text,
        },
        "ticket": None,
        "initial_state": {
            "initialization_data": None,
            "initialization_actions": [
                {"env_type": env, "func_name": function, "arguments": dict(arguments)}
                for env, function, arguments in set_up
            ],
            "message_history": None,
        },
        "evaluation_criteria": {
            "actions": [action(check, place) for place, check in enumerate(verdict.actions)],
            "env_assertions": [assertion(check) for check in verdict.end],
            "communicate_info": None,
            "nl_assertions": None,
            "reward_basis": [BASIS[part] for part in verdict.basis],
        },
    }


def action(check: ActionCheck, place: int) -> dict[str, Any]:
    """An expected step."""
    return {
        "action_id": f"{check.name}_{place}",
        "requestor": requestor(check.side),
        "name": check.name,
        "arguments": dict(check.arguments),
        "info": None,
        "compare_args": None if check.compare is None else list(check.compare),
    }


def assertion(check: EndCheck) -> dict[str, Any]:
    """An expected state."""
    return {
        "env_type": requestor(check.env),
        "func_name": check.name,
        "arguments": dict(check.arguments),
        "assert_value": True,
        "message": None,
    }
