"""What stood at the end of a call, as fields: from the world, and from what was done and seen.

Which fields there are follows from the task and the call: what each of its faults touches, what its
checks look at, what a step of either side may have changed, and whether a speed was tested. Lines
and bills that are not of the case are there where a step was taken on them. `line_id` names the
line where one of the fields is of the carrier's records and no check of the task says which line
that is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias, cast

from msgspec import Struct

from ringback.canonical import Json
from ringback.domain import Did, Happening, Task, World
from ringback.telecom.carrier import Line
from ringback.telecom.checks import end_checks
from ringback.telecom.faults import OVERDUE_BILL, USER_LINE
from ringback.telecom.phone import can_send_mms, sim_status, speed
from ringback.telecom.state import State
from ringback.telecom.tools import TOOLS
from ringback.telecom.world import state_of

__all__ = ["FIELDS", "observed"]


class _Seen(Struct, frozen=True):
    """The end of a call: the state, and the calls that led there."""

    state: State
    calls: tuple[Did, ...]

    @property
    def line(self) -> Line:
        line = self.state.carrier.line(USER_LINE)
        if line is None:
            raise LookupError(f"the records have no line {USER_LINE}")
        return line


_Read: TypeAlias = Callable[[_Seen], Json]


def observed(task: Task, history: Sequence[Happening], end: World) -> dict[str, Json]:
    """The fields of a task with their values at the end, in a fixed order.

    Money in USD, data in GB, speed in Mbps; None for a speed where there is no connection. Like all
    that has no line beside it, `charge_usd` is of the line of the case alone.
    """
    seen = _Seen(state_of(end), tuple(h for h in history if isinstance(h, Did)))
    wanted = {*_wanted(task, seen)}
    return {name: read(seen) for name, read in FIELDS.items() if name in wanted}


def _wanted(task: Task, seen: _Seen) -> Iterator[str]:
    touched = [name for fault in task.faults for name in _OF_FAULT[fault]]
    checks = end_checks(task, seen.state)
    changed = [name for call in seen.calls for name in _changed(call)]
    yield from touched
    yield from changed
    if "apn_reset_and_rebooted" in {*touched, *changed} and not _apn_reset(seen):
        yield "apn_settings_in_order"
    for check in checks:
        yield from _OF_CHECK.get(check.name, ())
    if any(call.tool == "run_speed_test" and not call.outcome.error for call in seen.calls):
        yield from _SPEED
    names_line = any("line_id" in check.arguments for check in checks)
    if _CARRIERS & {*touched, *changed} and not names_line:
        yield "line_id"
    if not task.repairable:
        yield "transferred_to_human"


def _changed(call: Did) -> tuple[str, ...]:
    """The fields that a step may have changed."""
    spec = TOOLS.get(call.tool)
    if call.outcome.error or spec is None or not (spec.writes or call.tool in _OF_STEP):
        return ()
    line = _argument(call, "line_id")
    if line not in ("", USER_LINE):
        return ("charge_usd_all_lines", "other_lines")[call.tool != "refuel_data" :]
    if call.tool in _BILLING:
        return tuple(
            "overdue_bill_status" if bill == OVERDUE_BILL else "other_bills"
            for bill in _bills(call)
        )
    if call.tool == "grant_app_permission":
        named = f"messaging_{_argument(call, 'permission')}_permission"
        mine = _argument(call, "app_name") == "messaging" and named in FIELDS
        return (named,) if mine else ()
    return _OF_STEP.get(call.tool, ())


def _argument(call: Did, name: str) -> str:
    given = call.arguments
    value = cast("dict[str, Json]", given).get(name) if isinstance(given, dict) else None
    return value if isinstance(value, str) else ""


def _bills(call: Did) -> tuple[str, ...]:
    """The bill that a step is about: that of the request, for the customer's payment."""
    request = state_of(call.before).around.payment_request
    if call.tool == "send_payment_request":
        return (_argument(call, "bill_id"),)
    return () if request is None else (request.bill_id,)


def _other_bills(seen: _Seen) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for call in seen.calls:
        if call.tool in _BILLING and not call.outcome.error:
            for name in _bills(call):
                bill = seen.state.carrier.bill(name)
                if name != OVERDUE_BILL and bill is not None:
                    found[name] = bill.status
    return found


def _other_lines(seen: _Seen) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for call in seen.calls:
        name = _argument(call, "line_id")
        line = seen.state.carrier.line(name)
        if line is None or "other_lines" not in _changed(call):
            continue
        fields = cast("dict[str, Json]", found.setdefault(name, {}))
        match call.tool:
            case "suspend_line" | "resume_line":
                fields["line_status"] = line.status
            case "enable_roaming" | "disable_roaming":
                fields["carrier_roaming_enabled"] = line.roaming_enabled
            case "refuel_data":
                fields["data_refueling_gb"] = line.data_refueling_gb
                fields["charge_usd"] = _charge_of(seen, name)
            case _:
                pass
    return found


def _charge(seen: _Seen) -> float:
    return _charge_of(seen, USER_LINE)


def _charges(seen: _Seen) -> float:
    """What all lines together were charged, where one that is not of the case was."""
    return _charge_of(seen, None)


def _charge_of(seen: _Seen, line: str | None) -> float:
    total = 0.0
    for call in seen.calls:
        record = call.outcome.record
        if call.tool == "refuel_data" and not call.outcome.error and isinstance(record, dict):
            charge = cast("dict[str, Any]", record)["charge"]
            total += charge if line in (None, record["line_id"]) else 0.0
    return total


def _apn_reset(seen: _Seen) -> bool:
    return any(
        call.tool == "reboot_device"
        and state_of(call.before).phone.active_apn_settings.reset_at_reboot
        for call in seen.calls
    )


def _slow_vpn(seen: _Seen) -> bool:
    vpn = seen.state.phone.vpn_details
    return seen.state.phone.vpn_connected and vpn is not None and vpn.server_performance == "poor"


def _bill(seen: _Seen) -> str | None:
    bill = seen.state.carrier.bill(OVERDUE_BILL)
    return None if bill is None else bill.status


def _allowed(permission: str) -> _Read:
    def read(seen: _Seen) -> bool:
        app = seen.state.phone.app("messaging")
        return app is not None and getattr(app.permissions, permission)

    return read


def _transferred(seen: _Seen) -> bool:
    return any(
        call.tool == "transfer_to_human_agents" and call.side == "agent" and not call.outcome.error
        for call in seen.calls
    )


def _apn_in_order(seen: _Seen) -> bool:
    apn = seen.state.phone.active_apn_settings
    return apn.apn_name == "internet" and apn.mmsc_url is not None


FIELDS: Mapping[str, _Read] = MappingProxyType(
    {
        "line_id": lambda _: USER_LINE,
        "line_status": lambda seen: seen.line.status,
        "contract_end_date": lambda seen: seen.line.contract_end_date,
        "overdue_bill_status": _bill,
        "airplane_mode": lambda seen: seen.state.phone.airplane_mode,
        "sim_status": lambda seen: sim_status(seen.state.phone),
        "carrier_roaming_enabled": lambda seen: seen.line.roaming_enabled,
        "phone_roaming_enabled": lambda seen: seen.state.phone.roaming_enabled,
        "mobile_data_enabled": lambda seen: seen.state.phone.data_enabled,
        "data_used_gb": lambda seen: seen.line.data_used_gb,
        "data_refueling_gb": lambda seen: seen.line.data_refueling_gb,
        "charge_usd": _charge,
        "charge_usd_all_lines": _charges,
        "data_saver_enabled": lambda seen: seen.state.phone.data_saver_mode,
        "degraded_vpn_connected": _slow_vpn,
        "vpn_connected": lambda seen: seen.state.phone.vpn_connected,
        "network_mode": lambda seen: seen.state.phone.network_mode_preference,
        "wifi_enabled": lambda seen: seen.state.phone.wifi_enabled,
        "wifi_calling_enabled": lambda seen: seen.state.phone.wifi_calling_enabled,
        "messaging_sms_permission": _allowed("sms"),
        "messaging_storage_permission": _allowed("storage"),
        "apn_reset_and_rebooted": _apn_reset,
        "apn_settings_in_order": _apn_in_order,
        "can_send_mms": lambda seen: can_send_mms(seen.state.phone, seen.state.around),
        "network_connection": lambda seen: seen.state.phone.network_connection_status,
        "final_speed_mbps": lambda seen: speed(seen.state.phone, seen.state.around)[0],
        "final_speed_description": lambda seen: speed(seen.state.phone, seen.state.around)[1],
        "transferred_to_human": _transferred,
        "other_lines": _other_lines,
        "other_bills": _other_bills,
    }
)
"""Every field by its name, in the order in which they are shown."""

_SPEED = ("final_speed_mbps", "final_speed_description")
_LINE = ("line_status", "overdue_bill_status")
_REFUEL = ("data_refueling_gb", "charge_usd")
_CARRIERS = frozenset(
    {
        "line_status",
        "contract_end_date",
        "overdue_bill_status",
        "carrier_roaming_enabled",
        "data_used_gb",
        *_REFUEL,
    }
)
_APN = ("apn_reset_and_rebooted",)
_OF_FAULT: Mapping[str, tuple[str, ...]] = {
    "airplane_mode_on": ("airplane_mode",),
    "unseat_sim_card": ("sim_status",),
    "lock_sim_card_pin": ("sim_status",),
    "break_apn_settings": _APN,
    "overdue_bill_suspension": _LINE,
    "contract_end_suspension": (*_LINE, "contract_end_date"),
    "data_mode_off": ("mobile_data_enabled",),
    "data_saver_mode_on": ("data_saver_enabled",),
    "bad_network_preference": ("network_mode",),
    "bad_vpn": ("degraded_vpn_connected",),
    "data_usage_exceeded": _REFUEL,
    "data_usage_exceeded_no_refuel": ("data_used_gb", *_REFUEL),
    "user_abroad_roaming_enabled_off": ("phone_roaming_enabled",),
    "user_abroad_roaming_disabled_on": ("carrier_roaming_enabled",),
    "user_abroad_roaming_disabled_off": ("carrier_roaming_enabled", "phone_roaming_enabled"),
    "bad_wifi_calling": ("wifi_calling_enabled",),
    "break_apn_mms_setting": _APN,
    "break_app_sms_permission": ("messaging_sms_permission",),
    "break_app_storage_permission": ("messaging_storage_permission",),
    "break_app_both_permissions": ("messaging_sms_permission", "messaging_storage_permission"),
}
_BILLING = frozenset({"send_payment_request", "make_payment"})
_OF_STEP: Mapping[str, tuple[str, ...]] = {
    "suspend_line": ("line_status",),
    "resume_line": ("line_status",),
    "enable_roaming": ("carrier_roaming_enabled",),
    "disable_roaming": ("carrier_roaming_enabled",),
    "refuel_data": _REFUEL,
    "transfer_to_human_agents": ("transferred_to_human",),
    "toggle_airplane_mode": ("airplane_mode",),
    "toggle_data": ("mobile_data_enabled",),
    "toggle_roaming": ("phone_roaming_enabled",),
    "toggle_data_saver_mode": ("data_saver_enabled",),
    "toggle_wifi": ("wifi_enabled",),
    "toggle_wifi_calling": ("wifi_calling_enabled",),
    "connect_vpn": ("vpn_connected",),
    "disconnect_vpn": ("degraded_vpn_connected",),
    "reseat_sim_card": ("sim_status",),
    "set_network_mode_preference": ("network_mode",),
    "set_apn_settings": ("apn_settings_in_order",),
    "reset_apn_settings": _APN,
}
_OF_CHECK: Mapping[str, tuple[str, ...]] = {
    "assert_can_send_mms": ("can_send_mms",),
    "assert_service_status": ("network_connection",),
    "assert_internet_speed": _SPEED,
}
