"""Which faults stand in a state of the world: what is still to be repaired, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType

from ringback.domain import Task
from ringback.telecom.carrier import TODAY, Line
from ringback.telecom.faults import FAULTS, OVERDUE_BILL, USER_LINE
from ringback.telecom.phone import search_network
from ringback.telecom.state import State
from ringback.telecom.tasks import compositions, repair

__all__ = ["CLOSING", "STANDS", "broken", "fewest_steps", "standing"]

_OPENING = 8
CLOSING = 6
"""Steps that the last test and goodbye take."""

_BY_USER, _BY_AGENT = 4, 2


def standing(task: Task, state: State) -> tuple[str, ...]:
    """The task's faults that stand in a state, in the task's order.

    At the start these are all of them, after the whole repair none. One that only a human colleague
    can put right always stands.
    """
    return tuple(name for name in task.faults if STANDS[name](task, state))


def broken(task: Task, start: State, end: State) -> tuple[str, ...]:
    """The faults of the task's family that stand at the end and neither stood nor are the task's.

    They were made on the way: a switch that was fine was flipped.
    """
    return tuple(
        name
        for name in _of_family(task.family)
        if name not in task.faults and STANDS[name](task, end) and not STANDS[name](task, start)
    )


@lru_cache(maxsize=8)
def _of_family(family: str) -> tuple[str, ...]:
    return tuple(
        sorted({name for task in compositions() if task.family == family for name in task.faults})
    )


def fewest_steps(task: Task) -> int:
    """The steps of a call in which the repair is made plainly, one thing at a time.

    To open the call, find the account and its line takes 8; a step of the customer 4 (it is asked
    for, done, answered by the phone, reported), one of the agent 2; the last test and goodbye 6.
    """
    steps = sum(_BY_USER if step.side == "user" else _BY_AGENT for step in repair(task))
    return _OPENING + steps + CLOSING


def _line(state: State) -> Line | None:
    return state.carrier.line(USER_LINE)


def _unpaid_or_suspended(task: Task, state: State) -> bool:  # noqa: ARG001
    bill, line = state.carrier.bill(OVERDUE_BILL), _line(state)
    if (bill is not None and bill.status != "Paid") or line is None or line.status != "Active":
        return True
    found = search_network(state.phone, state.around).network_connection_status
    return found == "connected" != state.phone.network_connection_status  # not yet restarted


def _contract_ended(task: Task, state: State) -> bool:  # noqa: ARG001
    line = _line(state)
    return line is None or line.contract_end_date < TODAY


def _slow_network(task: Task, state: State) -> bool:
    mode = state.phone.network_mode_preference
    if task.family == "mobile_data_issue":
        return mode != "4g_5g_preferred"
    return mode == "2g_only"


def _slow_vpn(task: Task, state: State) -> bool:  # noqa: ARG001
    vpn = state.phone.vpn_details
    return state.phone.vpn_connected and vpn is not None and vpn.server_performance == "poor"


def _lacks(*permissions: str) -> Callable[[Task, State], bool]:
    def stands(task: Task, state: State) -> bool:  # noqa: ARG001
        app = state.phone.app("messaging")
        return app is None or not all(getattr(app.permissions, name) for name in permissions)

    return stands


def _where(holds: Callable[[State], bool]) -> Callable[[Task, State], bool]:
    return lambda _, state: holds(state)


STANDS: Mapping[str, Callable[[Task, State], bool]] = MappingProxyType(
    {
        "airplane_mode_on": _where(lambda state: state.phone.airplane_mode),
        "unseat_sim_card": _where(lambda state: state.phone.sim_card_missing),
        "lock_sim_card_pin": _where(lambda state: state.phone.sim_card_status == "locked_pin"),
        "break_apn_settings": _where(
            lambda state: state.phone.active_apn_settings.apn_name == "broken"
        ),
        "overdue_bill_suspension": _unpaid_or_suspended,
        "contract_end_suspension": _contract_ended,
        "data_mode_off": _where(lambda state: not state.phone.data_enabled),
        "data_saver_mode_on": _where(lambda state: state.phone.data_saver_mode),
        "bad_network_preference": _slow_network,
        "bad_vpn": _slow_vpn,
        "data_usage_exceeded": _where(lambda state: state.around.mobile_data_usage_exceeded),
        "data_usage_exceeded_no_refuel": _where(
            lambda state: state.around.mobile_data_usage_exceeded
        ),
        "user_abroad_roaming_enabled_off": _where(lambda state: not state.phone.roaming_enabled),
        "user_abroad_roaming_disabled_on": _where(lambda state: not state.around.roaming_allowed),
        "user_abroad_roaming_disabled_off": _where(
            lambda state: not (state.phone.roaming_enabled and state.around.roaming_allowed)
        ),
        "bad_wifi_calling": _where(
            lambda state: (
                state.phone.wifi_calling_enabled and state.phone.wifi_calling_mms_over_wifi
            )
        ),
        "break_apn_mms_setting": _where(
            lambda state: state.phone.active_apn_settings.mmsc_url is None
        ),
        "break_app_sms_permission": _lacks("sms"),
        "break_app_storage_permission": _lacks("storage"),
        "break_app_both_permissions": _lacks("sms", "storage"),
    }
)
"""Every fault's test by its name."""

assert STANDS.keys() == FAULTS.keys()
