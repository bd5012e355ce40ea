"""What a task is about, and what a check found, in words."""

from __future__ import annotations

from collections.abc import Mapping

from ringback.domain import EndCheck, Task, World
from ringback.telecom.recount.phone import speed_words
from ringback.telecom.recount.words import amount, listed
from ringback.telecom.world import state_of

__all__ = ["about", "finding"]

_GOALS: Mapping[str, str] = {
    "mobile_data_issue": "mobile data",
    "mms_issue": "picture messages (MMS)",
    "service_issue": "service",
}
_FAULTS: Mapping[str, str] = {
    "airplane_mode_on": "airplane mode is on",
    "unseat_sim_card": "the SIM card is not seated",
    "lock_sim_card_pin": "the SIM card is locked by its PIN",
    "break_apn_settings": "the APN settings are broken",
    "overdue_bill_suspension": "the line is suspended over an unpaid bill",
    "contract_end_suspension": "the line is suspended after its contract ended",
    "data_mode_off": "mobile data is switched off",
    "data_saver_mode_on": "Data Saver is on",
    "bad_network_preference": "the phone is held to a slow network",
    "bad_vpn": "a slow VPN is connected",
    "data_usage_exceeded": "the data allowance is used up",
    "data_usage_exceeded_no_refuel": "the data allowance is used up and no more may be bought",
    "user_abroad_roaming_enabled_off": "roaming is off on the phone of a customer abroad",
    "user_abroad_roaming_disabled_on": "roaming is off at the carrier for a customer abroad",
    "user_abroad_roaming_disabled_off": (
        "roaming is off at the carrier and on the phone of a customer abroad"
    ),
    "bad_wifi_calling": "Wi-Fi Calling takes the messages",
    "break_apn_mms_setting": "the APN has no address for MMS",
    "break_app_sms_permission": "the messaging app lacks the SMS permission",
    "break_app_storage_permission": "the messaging app lacks the storage permission",
    "break_app_both_permissions": "the messaging app lacks the SMS and storage permissions",
}


def about(task: Task) -> str:
    """The case in a sentence or two: what is to work again, and what stands in its way."""
    goal = _GOALS.get(task.family, task.family)
    faults = [_FAULTS.get(name, name) for name in task.faults]
    count = "one fault" if len(faults) == 1 else f"{len(faults)} faults"
    if not task.repairable:
        text = f"Recognize that {goal} cannot be restored on the call, and hand it over: "
        return f"{text}{listed(faults)} ({count})."
    text = f"Restore {goal} where {listed(faults)} ({count})."
    if "data_usage_exceeded" in task.faults:
        text += " A paid refuel needs the customer's agreement."
    return text


def finding(check: EndCheck, end: World) -> str:
    """What a check on the end state found, as after "found": whether it is met or not."""
    state = state_of(end)
    match check.name:
        case "assert_mobile_data_status":
            return f"mobile data {_works(check, check.arguments['expected_status'])}"
        case "assert_can_send_mms":
            return f"MMS {_works(check, check.arguments['expected_status'])}"
        case "assert_internet_speed":
            return f"a connection of {words}" if "Mbps" in (words := speed_words(state)) else words
        case "assert_service_status":
            return f"the network status {state.phone.network_connection_status}"
        case "assert_no_overdue_bill":
            return "the overdue bill settled" if check.met else "the overdue bill unpaid"
        case "assert_data_refueling_amount":
            line = state.carrier.line(str(check.arguments["line_id"]))
            added = 0.0 if line is None else line.data_refueling_gb
            wanted = check.arguments["expected_amount"]
            more = "" if check.met else f" where {amount(float(str(wanted)))} GB are due"
            return f"{amount(added)} GB of refuelled data{more}"
        case _:
            return f"{check.name} {'met' if check.met else 'not met'}"


def _works(check: EndCheck, wanted: object) -> str:
    """The state, where the check asks for it to be `wanted`."""
    return "working" if check.met is (wanted is True) else "not working"
