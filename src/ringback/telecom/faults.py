"""The faults: what each does to a healthy world, and which steps put it right again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ringback.canonical import Json
from ringback.domain import Side
from ringback.telecom.carrier import LINE_ITEM_CHARGE, TODAY, Bill, Line, LineItem
from ringback.telecom.phone import App
from ringback.telecom.state import State, base_state, link, searched

__all__ = [
    "FAULTS",
    "OVERDUE_BILL",
    "REFUEL_GB",
    "USER_CUSTOMER",
    "USER_LINE",
    "USER_NAME",
    "USER_NUMBER",
    "Fault",
    "Step",
    "start_state",
]

USER_NAME = "John Smith"
USER_NUMBER = "555-123-2002"
USER_CUSTOMER = "C1001"
USER_LINE = "L1002"
OVERDUE_BILL = "B1234321"
REFUEL_GB = 2.0

Effect: TypeAlias = Callable[[State], State]


class Step(Struct, frozen=True):
    """A repair step: which side calls which tool with which arguments."""

    side: Side
    tool: str
    arguments: Mapping[str, Json] = MappingProxyType({})


class Fault(Struct, frozen=True):
    """What is broken. `repair` is None where only a human colleague can help."""

    name: str
    effect: Effect
    repair: tuple[Step, ...] | None


@lru_cache(maxsize=4096)
def start_state(faults: tuple[str, ...]) -> State:
    """The world in which the caller rings up: the user is set, then the faults in this order."""
    state = base_state()
    around = replace(state.around, name=USER_NAME, phone_number=USER_NUMBER)
    state = replace(state, around=around)
    for name in faults:
        state = FAULTS[name].effect(state)
    return link(state)


def _phone(state: State, **changes: Any) -> State:
    return replace(state, phone=replace(state.phone, **changes))


def _apn(state: State, **changes: Any) -> State:
    return _phone(state, active_apn_settings=replace(state.phone.active_apn_settings, **changes))


def _line(state: State, **changes: Any) -> State:
    line = replace(_user_line(state), **changes)
    return replace(state, carrier=state.carrier.with_line(line))


def _user_line(state: State) -> Line:
    line = state.carrier.line(USER_LINE)
    if line is None:
        raise LookupError(f"the base records have no line {USER_LINE}")
    return line


def _airplane_mode_on(state: State) -> State:
    return searched(_phone(state, airplane_mode=True))


def _unseat_sim_card(state: State) -> State:
    return searched(_phone(state, sim_card_missing=True))


def _lock_sim_card_pin(state: State) -> State:
    return searched(_phone(state, sim_card_status="locked_pin"))


def _break_apn_settings(state: State) -> State:
    return searched(_apn(state, apn_name="broken"))


def _suspended(state: State, **changes: Any) -> State:
    price = state.carrier.plan_of(_user_line(state)).price_per_month
    bill = Bill(
        bill_id=OVERDUE_BILL,
        customer_id=USER_CUSTOMER,
        period_start="2025-01-01",
        period_end="2025-01-31",
        issue_date="2025-01-01",
        total_due=price,
        due_date="2025-01-15",
        line_items=(LineItem(price, TODAY, LINE_ITEM_CHARGE),),
        status="Overdue",
    )
    state = replace(state, carrier=state.carrier.with_new_bill(bill))
    state = _line(state, status="Suspended", suspension_start_date=TODAY, **changes)
    return searched(link(state))


def _overdue_bill_suspension(state: State) -> State:
    return _suspended(state)


def _contract_end_suspension(state: State) -> State:
    return _suspended(state, contract_end_date="2025-01-31")


def _data_mode_off(state: State) -> State:
    return searched(_phone(state, data_enabled=False))


def _data_saver_mode_on(state: State) -> State:
    return _phone(state, data_saver_mode=True)


def _bad_network_preference(state: State) -> State:
    return searched(_phone(state, network_mode_preference="2g_only"))


def _bad_vpn(state: State) -> State:
    slow = replace(state.phone.vpn_server, server_performance="poor")
    return _phone(state, vpn_connected=True, vpn_details=slow, vpn_server=slow)


def _data_usage_exceeded(state: State) -> State:
    return _line(state, data_used_gb=15.1)


def _data_usage_exceeded_no_refuel(state: State) -> State:
    return _line(state, data_refueling_gb=REFUEL_GB, data_used_gb=17.1)


def _abroad(*, phone: bool, line: bool) -> Effect:
    def effect(state: State) -> State:
        state = replace(state, around=replace(state.around, is_abroad=True))
        state = _line(_phone(state, roaming_enabled=phone), roaming_enabled=line)
        return searched(state)

    return effect


def _bad_wifi_calling(state: State) -> State:
    return _phone(state, wifi_calling_enabled=True, wifi_calling_mms_over_wifi=True)


def _break_apn_mms_setting(state: State) -> State:
    return _apn(state, mmsc_url=None)


def _take_from_messaging(*permissions: str) -> Effect:
    taken = dict.fromkeys(permissions, False)

    def effect(state: State) -> State:
        apps = tuple(
            App(app.app_name, replace(app.permissions, **taken))
            if app.app_name == "messaging"
            else app
            for app in state.phone.app_statuses
        )
        return _phone(state, app_statuses=apps)

    return effect


def _by_user(tool: str, **arguments: Json) -> Step:
    return Step("user", tool, MappingProxyType(arguments))


def _by_agent(tool: str, **arguments: Json) -> Step:
    return Step("agent", tool, MappingProxyType({"customer_id": USER_CUSTOMER, **arguments}))


_REBOOT = _by_user("reboot_device")
_APN_RESET = (_by_user("reset_apn_settings"), _REBOOT)
_ROAMING_SWITCH = _by_user("toggle_roaming")
_ALLOW_ROAMING = _by_agent("enable_roaming", line_id=USER_LINE)
_GRANT_SMS = _by_user("grant_app_permission", app_name="messaging", permission="sms")
_GRANT_STORAGE = _by_user("grant_app_permission", app_name="messaging", permission="storage")

_ALL: tuple[Fault, ...] = (
    Fault("airplane_mode_on", _airplane_mode_on, (_by_user("toggle_airplane_mode"),)),
    Fault("unseat_sim_card", _unseat_sim_card, (_by_user("reseat_sim_card"),)),
    Fault("lock_sim_card_pin", _lock_sim_card_pin, None),
    Fault("break_apn_settings", _break_apn_settings, _APN_RESET),
    Fault(
        "overdue_bill_suspension",
        _overdue_bill_suspension,
        (
            _by_agent("send_payment_request", bill_id=OVERDUE_BILL),
            _by_user("make_payment"),
            _by_agent("resume_line", line_id=USER_LINE),
            _REBOOT,
        ),
    ),
    Fault("contract_end_suspension", _contract_end_suspension, None),
    Fault("data_mode_off", _data_mode_off, (_by_user("toggle_data"),)),
    Fault("data_saver_mode_on", _data_saver_mode_on, (_by_user("toggle_data_saver_mode"),)),
    Fault(
        "bad_network_preference",
        _bad_network_preference,
        (_by_user("set_network_mode_preference", mode="4g_5g_preferred"),),
    ),
    Fault("bad_vpn", _bad_vpn, (_by_user("disconnect_vpn"),)),
    Fault(
        "data_usage_exceeded",
        _data_usage_exceeded,
        (_by_agent("refuel_data", line_id=USER_LINE, gb_amount=REFUEL_GB),),
    ),
    Fault("data_usage_exceeded_no_refuel", _data_usage_exceeded_no_refuel, None),
    Fault("user_abroad_roaming_enabled_off", _abroad(phone=False, line=True), (_ROAMING_SWITCH,)),
    Fault("user_abroad_roaming_disabled_on", _abroad(phone=True, line=False), (_ALLOW_ROAMING,)),
    Fault(
        "user_abroad_roaming_disabled_off",
        _abroad(phone=False, line=False),
        (_ALLOW_ROAMING, _ROAMING_SWITCH),
    ),
    Fault("bad_wifi_calling", _bad_wifi_calling, (_by_user("toggle_wifi_calling"),)),
    Fault("break_apn_mms_setting", _break_apn_mms_setting, _APN_RESET),
    Fault("break_app_sms_permission", _take_from_messaging("sms"), (_GRANT_SMS,)),
    Fault("break_app_storage_permission", _take_from_messaging("storage"), (_GRANT_STORAGE,)),
    Fault(
        "break_app_both_permissions",
        _take_from_messaging("sms", "storage"),
        (_GRANT_SMS, _GRANT_STORAGE),
    ),
)

FAULTS: Mapping[str, Fault] = MappingProxyType({fault.name: fault for fault in _ALL})
"""Every fault by its name."""
