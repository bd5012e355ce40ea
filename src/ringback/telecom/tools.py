"""What each tool is called, what it takes and what it is for, as the callers read it.

The descriptions are the only manual a model has for a tool, and the schemas are the only rule by
which arguments are checked (see `ringback.telecom.arguments`). Callers may rewrite the schemas that
they are handed, as some client libraries do: `tools` makes a copy for each, and the world checks by
its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

from ringback.domain import Side, Tool
from ringback.telecom.arguments import Parameters, parameters

__all__ = ["TOOLS", "Spec", "tools"]

Schema: TypeAlias = dict[str, Any]


def _text(description: str) -> Schema:
    return {"type": "string", "description": description}


def _object(properties: Mapping[str, Schema], description: str | None = None) -> Schema:
    schema: Schema = {"type": "object"}
    if description is not None:
        schema["description"] = description
    schema["properties"] = dict(properties)
    required = [name for name, schema in properties.items() if "default" not in schema]
    if required:
        schema["required"] = required
    schema["additionalProperties"] = False
    return schema


def _tool(side: Side, name: str, description: str, writes: bool, properties: Schema) -> Tool:
    return Tool(name, side, description, _object(properties), writes)


def _look(name: str, description: str, **properties: Schema) -> Tool:
    return _tool("agent", name, description, False, properties)


def _act(name: str, description: str, **properties: Schema) -> Tool:
    return _tool("agent", name, description, True, properties)


def _read(name: str, description: str, **properties: Schema) -> Tool:
    return _tool("user", name, description, False, properties)


def _press(name: str, description: str, **properties: Schema) -> Tool:
    return _tool("user", name, description, True, properties)


_CUSTOMER = _text("Id of the customer, such as C1001.")
_LINE = _text("Id of one of the customer's lines, such as L1002.")
_BILL = _text("Id of one of the customer's bills, such as B1001.")
_APP = _text("Name of an installed app, such as messaging.")


_AGENT_TOOLS = (
    _look(
        "get_customer_by_phone",
        "Find the customer to whom a phone number belongs, be it their own contact number or the "
        "number of one of their lines. Gives the account record; fails when nobody has the number.",
        phone_number=_text("The number with dashes, such as 555-123-2002."),
    ),
    _look(
        "get_customer_by_id",
        "Open a customer's account record by its id. Fails when no account has it.",
        customer_id=_CUSTOMER,
    ),
    _look(
        "get_customer_by_name",
        "Search accounts by full name and date of birth. Upper and lower case count the same in "
        "the name. Gives a list, which is empty when nobody fits.",
        full_name=_text("First and last name, such as John Smith."),
        dob=_text("Date of birth, written YYYY-MM-DD."),
    ),
    _look(
        "get_details_by_id",
        "Open any single record. The id's first letter says of which kind: L a line, D a device, "
        "B a bill, C a customer, P a plan. Fails when there is no such record.",
        id=_text("The record's id, such as L1002, D1002, B1001, C1001 or P1002."),
    ),
    _act(
        "suspend_line",
        "Put an Active line on hold from today. Fails when the line is in another status or is not "
        "this customer's.",
        customer_id=_CUSTOMER,
        line_id=_LINE,
        reason=_text("Why the line is put on hold."),
    ),
    _act(
        "resume_line",
        "Bring a line that is Suspended or Pending Activation back to Active. Looks neither at "
        "unpaid bills nor at the contract's end: check those first. The phone finds its network "
        "again only after a restart.",
        customer_id=_CUSTOMER,
        line_id=_LINE,
    ),
    _look(
        "get_bills_for_customer",
        "List a customer's bills, the most recently issued first.",
        customer_id=_CUSTOMER,
        limit={
            "type": "integer",
            "minimum": 0,
            "description": "How many bills to list at most.",
            "default": 12,
        },
    ),
    _act(
        "send_payment_request",
        "Ask the customer to pay a bill: it becomes Awaiting Payment and shows up on their phone, "
        "where they can pay it. Fails when the bill is not theirs or when any of their bills is "
        "Awaiting Payment already. Does not look at whether the bill is overdue.",
        customer_id=_CUSTOMER,
        bill_id=_BILL,
    ),
    _look(
        "get_data_usage",
        "Show how much data a line has used in this billing cycle, its plan's limit, the data "
        "refuelled on top, all in GB, and the day the cycle ends.",
        customer_id=_CUSTOMER,
        line_id=_LINE,
    ),
    _act(
        "enable_roaming",
        "Allow a line to use data abroad. Harmless when it is allowed already. The phone has a "
        "roaming switch of its own, which only the customer can turn.",
        customer_id=_CUSTOMER,
        line_id=_LINE,
    ),
    _act(
        "disable_roaming",
        "Stop a line from using data abroad. Harmless when it is stopped already.",
        customer_id=_CUSTOMER,
        line_id=_LINE,
    ),
    _act(
        "refuel_data",
        "Add data to a line's allowance for this cycle. It costs the amount times the plan's "
        "refuelling price per GB, which goes onto the customer's next bill. Name the price and "
        "have the customer's agreement first.",
        customer_id=_CUSTOMER,
        line_id=_LINE,
        gb_amount={
            "type": "number",
            "exclusiveMinimum": 0,
            "description": "GB to add, such as 2.0.",
        },
    ),
    _look(
        "transfer_to_human_agents",
        "Hand the case to a human colleague, for what neither you nor the customer can put right.",
        summary=_text("What the colleague should know: the problem and what was tried."),
    ),
)
_USER_TOOLS = (
    _read(
        "check_status_bar",
        "Look at the top line of your phone's screen: airplane mode, signal, network, mobile data, "
        "data saver, Wi-Fi, VPN and battery.",
    ),
    _read(
        "check_network_status",
        "Open the network settings: airplane mode, SIM card, connection, signal, network "
        "technology, and the switches for mobile data, data roaming and Wi-Fi.",
    ),
    _read(
        "check_network_mode_preference",
        "See which network technologies the phone is set to use.",
    ),
    _read(
        "run_speed_test",
        "Measure how fast mobile data is, in Mbps, with a rating from Very Poor to Excellent.",
    ),
    _read("check_sim_status", "See whether the SIM card is active, missing or locked."),
    _read("check_data_restriction_status", "See whether data saver is on."),
    _read(
        "check_apn_settings",
        "Open the access point (APN) settings: its name and what picture messages (MMS) go "
        "through.",
    ),
    _read("check_wifi_status", "See whether Wi-Fi is on and connected."),
    _read(
        "check_wifi_calling_status",
        "See whether Wi-Fi calling is on and whether picture messages (MMS) go over Wi-Fi.",
    ),
    _read("check_vpn_status", "See whether a VPN is connected and how well its server performs."),
    _read("check_installed_apps", "List the apps on the phone."),
    _read(
        "check_app_status",
        "Open an app's page in the settings: what it may and may not use.",
        app_name=_APP,
    ),
    _read(
        "check_app_permissions",
        "See which permissions an app has and which it lacks.",
        app_name=_APP,
    ),
    _read("can_send_mms", "Try to send a picture message (MMS) and see whether it goes out."),
    _read("check_payment_request", "See whether the carrier has asked you to pay a bill."),
    _press(
        "toggle_airplane_mode",
        "Switch airplane mode on if it is off, and off if it is on. Switching it on cuts Wi-Fi and "
        "VPN connections.",
    ),
    _press("reseat_sim_card", "Take the SIM card out and put it back in."),
    _press("toggle_data", "Switch mobile data on if it is off, and off if it is on."),
    _press(
        "toggle_roaming",
        "Switch data roaming (mobile data abroad) on if it is off, and off if it is on.",
    ),
    _press("toggle_data_saver_mode", "Switch data saver on if it is off, and off if it is on."),
    _press(
        "set_network_mode_preference",
        "Choose which network technologies the phone uses.",
        mode=_text("One of 4g_5g_preferred, 4g_only, 3g_only and 2g_only."),
    ),
    _press(
        "set_apn_settings",
        "Replace the whole access point (APN) record. What you leave out gets its usual value.",
        apn_settings=_object(
            {
                "apn_name": {
                    "type": "string",
                    "enum": ["internet", "broken"],
                    "description": "Name of the access point.",
                    "default": "internet",
                },
                "reset_at_reboot": {
                    "type": "boolean",
                    "description": "Whether the next restart brings the usual settings back.",
                    "default": False,
                },
                "mms_apn": {
                    "type": ["string", "null"],
                    "description": "Access point for picture messages.",
                    "default": "mms",
                },
                "mmsc_url": {
                    "type": ["string", "null"],
                    "description": "Address of the picture message centre; without it none is "
                    "sent.",
                    "default": "http://mms.carrier.com/mms/wapenc",
                },
                "mms_proxy": {
                    "type": ["string", "null"],
                    "description": "Proxy for picture messages.",
                    "default": None,
                },
                "mms_port": {
                    "type": ["integer", "null"],
                    "description": "Port for picture messages.",
                    "default": None,
                },
            },
            "The new record.",
        ),
    ),
    _press(
        "reset_apn_settings",
        "Mark the access point (APN) settings to go back to their usual values. It happens when "
        "the phone restarts.",
    ),
    _press(
        "reboot_device",
        "Restart the phone. It looks for its network again, and a marked APN reset is carried out.",
    ),
    _press(
        "toggle_wifi",
        "Switch Wi-Fi on if it is off, and off if it is on. Not possible in airplane mode.",
    ),
    _press("toggle_wifi_calling", "Switch Wi-Fi calling on if it is off, and off if it is on."),
    _press("connect_vpn", "Connect the phone's VPN."),
    _press("disconnect_vpn", "Disconnect the phone's VPN."),
    _press(
        "grant_app_permission",
        "Give an app a permission.",
        app_name=_APP,
        permission=_text("One of sms, storage, phone and network."),
    ),
    _press("make_payment", "Pay the bill that the carrier has asked you to pay."),
)


class Spec(Struct, frozen=True):
    """What the world goes by: whose a tool is, whether it can change anything, what it takes."""

    side: Side
    writes: bool
    takes: Parameters


TOOLS: Mapping[str, Spec] = MappingProxyType(
    {
        tool.name: Spec(tool.side, tool.writes, parameters(tool.name, tool.parameters))
        for tool in (*_AGENT_TOOLS, *_USER_TOOLS)
    }
)
"""Every tool of either side by its name."""

_encoded: dict[Side, bytes] = {
    "agent": msgspec.json.encode(_AGENT_TOOLS),
    "user": msgspec.json.encode(_USER_TOOLS),
}
_decoder = msgspec.json.Decoder(tuple[Tool, ...])


def tools(side: Side) -> tuple[Tool, ...]:
    """The tools of one side in their fixed order, as a copy for the caller alone."""
    return _decoder.decode(_encoded[side])
