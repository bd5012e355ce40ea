"""What there is to find out, and the tools of both sides, as the policy names them."""

from __future__ import annotations

from ringback.telecom.policy.model import Fact, Trouble, Use

__all__ = ["ACCOUNT_TOOLS", "FACTS", "MAX_REFUEL_GB", "PHONE_TOOLS", "TODAY", "TROUBLES", "fact"]

TODAY = "2025-02-25"
"""The date on which every call takes place: the world's clock stands still."""

MAX_REFUEL_GB = 2.0
"""How much data may be added to a line, what was added before included."""

TROUBLES: tuple[Trouble, ...] = (
    Trouble("service", "no service", "the phone shows no signal and calls cannot be made"),
    Trouble("data", "mobile data", "the internet does not work, stops working or is slow"),
    Trouble("mms", "picture messages", "MMS cannot be sent"),
)

ACCOUNT_TOOLS: tuple[Use, ...] = (
    Use("get_customer_by_phone", "find the customer by a phone number"),
    Use("get_customer_by_id", "find the customer by customer id (C and digits)"),
    Use("get_customer_by_name", "find the customer by full name and date of birth (YYYY-MM-DD)"),
    Use("get_details_by_id", "open a line, device, bill, customer or plan by its id"),
    Use("get_bills_for_customer", "list the customer's bills, the newest first"),
    Use("get_data_usage", "see a line's used data, its allowance and what was added to it"),
    Use("send_payment_request", "ask the customer's phone for payment of one bill"),
    Use("resume_line", "put a suspended line back in service"),
    Use("suspend_line", "suspend an active line; no procedure in this policy needs it"),
    Use("enable_roaming", "allow roaming on a line"),
    Use("disable_roaming", "forbid roaming on a line; no procedure in this policy needs it"),
    Use("refuel_data", "add data to a line, charged per GB"),
    Use("transfer_to_human_agents", "hand the call to a human colleague, with a summary"),
)
"""The agent's own tools."""

PHONE_TOOLS: tuple[Use, ...] = (
    Use("check_status_bar", "read the icons at the top of the screen"),
    Use(
        "check_network_status",
        "read airplane mode, SIM, connection, signal, and the switches of mobile data and roaming",
    ),
    Use("check_network_mode_preference", "read the preferred network mode"),
    Use("run_speed_test", "measure the speed of mobile data"),
    Use("check_sim_status", "read the state of the SIM card"),
    Use("check_data_restriction_status", "read whether Data Saver is on"),
    Use("check_apn_settings", "read the APN name and the MMSC address"),
    Use("check_wifi_status", "read whether Wi-Fi is on and connected"),
    Use("check_wifi_calling_status", "read Wi-Fi calling and whether MMS is sent over Wi-Fi"),
    Use("check_vpn_status", "read whether a VPN is connected and how well it performs"),
    Use("check_installed_apps", "list the apps"),
    Use("check_app_status", "read an app's details"),
    Use("check_app_permissions", "read which permissions an app has"),
    Use("can_send_mms", "try whether a picture message can be sent"),
    Use("check_payment_request", "see the payment request that is waiting, if any"),
    Use("toggle_airplane_mode", "flip airplane mode"),
    Use("reseat_sim_card", "take the SIM card out and put it back in"),
    Use("toggle_data", "flip mobile data"),
    Use("toggle_roaming", "flip data roaming"),
    Use("toggle_data_saver_mode", "flip Data Saver"),
    Use("set_network_mode_preference", "choose the preferred network mode"),
    Use("set_apn_settings", "type in APN settings by hand; no procedure in this policy needs it"),
    Use("reset_apn_settings", "set the APN back to its defaults, which takes hold at a restart"),
    Use("toggle_wifi", "flip Wi-Fi; the phone refuses while airplane mode is on"),
    Use("toggle_wifi_calling", "flip Wi-Fi calling"),
    Use("connect_vpn", "connect the VPN; no procedure in this policy needs it"),
    Use("disconnect_vpn", "disconnect the VPN"),
    Use("grant_app_permission", "give an app one permission"),
    Use("reboot_device", "restart the phone"),
    Use("make_payment", "pay the payment request that is waiting"),
)
"""What the customer can do on the phone. None of it is a tool of the agent."""

FACTS: tuple[Fact, ...] = (
    Fact(
        "line_status",
        "the line's status",
        "account",
        ("get_details_by_id",),
        ("Active", "Suspended", "Pending Activation", "Closed"),
    ),
    Fact(
        "contract",
        "the line's contract",
        "account",
        ("get_details_by_id",),
        ("running", "ended"),
        f"It has ended when contract_end_date lies before today, {TODAY}.",
    ),
    Fact(
        "bill",
        "the unpaid bill",
        "account",
        ("get_bills_for_customer",),
        ("none", "overdue", "awaiting payment"),
        "Look at each bill's status: Overdue, or Awaiting Payment where a request is already out.",
    ),
    Fact(
        "line_roaming",
        "roaming on the line",
        "account",
        ("get_details_by_id",),
        ("allowed", "not allowed"),
        "The line's roaming_enabled.",
    ),
    Fact(
        "allowance",
        "the line's data allowance",
        "account",
        ("get_data_usage",),
        ("left", "used up"),
        "Used up when data_used_gb has reached data_limit_gb plus data_refueling_gb.",
    ),
    Fact(
        "refuel",
        "room for more data",
        "account",
        ("get_data_usage",),
        ("possible", "at the limit"),
        f"At the limit when data_refueling_gb is already {MAX_REFUEL_GB} GB.",
    ),
    Fact(
        "whereabouts",
        "the customer's whereabouts",
        "customer",
        (),
        ("abroad", "home"),
        "Ask, unless the customer has said so.",
    ),
    Fact(
        "airplane",
        "airplane mode",
        "phone",
        ("check_network_status", "check_status_bar"),
        ("on", "off"),
    ),
    Fact(
        "sim",
        "the SIM card",
        "phone",
        ("check_network_status", "check_sim_status"),
        ("active", "missing", "locked_pin", "locked_puk"),
    ),
    Fact(
        "apn",
        "the APN name",
        "phone",
        ("check_apn_settings",),
        ("internet", "broken"),
    ),
    Fact(
        "data",
        "the mobile data switch",
        "phone",
        ("check_network_status", "check_status_bar"),
        ("on", "off"),
        "Without signal no data flows even when the switch is on: go by the switch.",
    ),
    Fact(
        "roaming",
        "the data roaming switch on the phone",
        "phone",
        ("check_network_status",),
        ("on", "off"),
    ),
    Fact(
        "mode",
        "the preferred network mode",
        "phone",
        ("check_network_mode_preference",),
        ("4g_5g_preferred", "4g_only", "3g_only", "2g_only"),
    ),
    Fact(
        "saver",
        "Data Saver",
        "phone",
        ("check_data_restriction_status", "check_status_bar"),
        ("on", "off"),
    ),
    Fact(
        "vpn",
        "the VPN",
        "phone",
        ("check_vpn_status", "check_status_bar"),
        ("off", "poor", "fair", "good", "excellent", "unknown"),
        "Off, or how well a connected VPN performs.",
    ),
    Fact(
        "wifi_calling",
        "Wi-Fi calling",
        "phone",
        ("check_wifi_calling_status",),
        ("on", "off"),
    ),
    Fact(
        "mms_over_wifi",
        "MMS over Wi-Fi",
        "phone",
        ("check_wifi_calling_status",),
        ("on", "off"),
    ),
    Fact(
        "mmsc",
        "the MMSC address",
        "phone",
        ("check_apn_settings",),
        ("set", "not set"),
    ),
    Fact(
        "sms_permission",
        "the messaging app's sms permission",
        "phone",
        ("check_app_permissions",),
        ("granted", "missing"),
    ),
    Fact(
        "storage_permission",
        "the messaging app's storage permission",
        "phone",
        ("check_app_permissions",),
        ("granted", "missing"),
    ),
    Fact(
        "signal",
        "the signal",
        "phone",
        ("check_status_bar", "check_network_status"),
        ("none", "poor", "fair", "good", "excellent"),
    ),
    Fact(
        "speed",
        "the speed of mobile data",
        "phone",
        ("run_speed_test",),
        ("none", "very poor", "poor", "fair", "good", "excellent"),
    ),
    Fact(
        "mms",
        "sending a picture message",
        "phone",
        ("can_send_mms",),
        ("possible", "not possible"),
    ),
)

_FACTS = {item.name: item for item in FACTS}


def fact(name: str) -> Fact:
    """The fact of this name; `KeyError` if there is none."""
    return _FACTS[name]
