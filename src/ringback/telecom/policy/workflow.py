"""The `workflow` policy as data: what to find out, in which order, and what to do about it.

The prose in `render` is made from this data and the reference agent executes it, so the two cannot
say different things. Everything is frozen; nothing here imports the world, so that the policy stays
a statement about the world that tests can hold against it.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from ringback.canonical import Json
from ringback.domain import Side

__all__ = [
    "ACCOUNT_TOOLS",
    "FACTS",
    "GOALS",
    "MAX_REFUEL_GB",
    "PHONE_TOOLS",
    "STAGES",
    "STEPS",
    "TODAY",
    "TROUBLES",
    "Do",
    "Fact",
    "Goal",
    "Source",
    "Stage",
    "Step",
    "Topic",
    "Trouble",
    "Use",
    "When",
    "fact",
    "goal",
    "steps",
]

TODAY = "2025-02-25"
"""The date on which every call takes place: the world's clock stands still."""

MAX_REFUEL_GB = 2.0
"""How much data may be added to a line, what was added before included."""

Topic: TypeAlias = Literal["service", "data", "mms"]
Source: TypeAlias = Literal["account", "phone", "customer"]


class Use(Struct, frozen=True):
    """A tool by its name and what it is for in everyday words."""

    tool: str
    words: str


class Trouble(Struct, frozen=True):
    """What a customer calls about: its short name and how it shows."""

    topic: Topic
    name: str
    words: str


class Fact(Struct, frozen=True):
    """Something to find out.

    `tools` show it, the preferred one first; a fact with source `customer` is asked for. `states`
    are all it can be, in the world's own words where the world has them.
    """

    name: str
    label: str
    source: Source
    tools: tuple[str, ...]
    states: tuple[str, ...]
    note: str = ""


class When(Struct, frozen=True):
    """True where the fact is in one of these states."""

    fact: str
    states: tuple[str, ...]


class Do(Struct, frozen=True):
    """One action of a step, by the agent (`side` agent) or by the customer on the agent's word.

    An argument value that begins with `$` is taken from the case: `$customer_id`, `$line_id`,
    `$bill_id`. `leaves` says how facts stand once it has worked; `reread` names facts that it may
    bring to light and that must be read again.
    """

    side: Side
    tool: str
    words: str
    arguments: tuple[tuple[str, Json], ...] = ()
    leaves: tuple[tuple[str, str], ...] = ()
    reread: tuple[str, ...] = ()


class Step(Struct, frozen=True):
    """One decision: where all of `when` hold, do `do` in order; else go on to the next step.

    `consent` is what the customer must agree to first. With `transfer` there is nothing to repair:
    hand the call over.
    """

    name: str
    title: str
    topics: tuple[Topic, ...]
    when: tuple[When, ...]
    why: str
    do: tuple[Do, ...] = ()
    consent: str | None = None
    transfer: bool = False


class Stage(Struct, frozen=True):
    """Steps that belong together; the checks of a stage can be asked for in one message."""

    name: str
    title: str
    steps: tuple[Step, ...]


class Goal(Struct, frozen=True):
    """How the agent knows that a topic's trouble is over: the check, and what it must show."""

    topic: Topic
    tool: str
    fact: str
    good: tuple[str, ...]
    words: str


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

_ALL: tuple[Topic, ...] = ("service", "data", "mms")
_DATA: tuple[Topic, ...] = ("data", "mms")
_RESET_APN = (
    Do(
        "user",
        "reset_apn_settings",
        "set the APN back to its defaults",
        leaves=(("apn", "internet"), ("mmsc", "set")),
    ),
    Do("user", "reboot_device", "restart the phone, without which the reset does not take hold"),
)
_RESUME = (
    Do(
        "agent",
        "resume_line",
        "put the line back in service",
        (("customer_id", "$customer_id"), ("line_id", "$line_id")),
        leaves=(("line_status", "Active"),),
    ),
    Do(
        "user",
        "reboot_device",
        "restart the phone, which finds the network only then",
        reread=("signal",),
    ),
)

STAGES: tuple[Stage, ...] = (
    Stage(
        "account",
        "The account",
        (
            Step(
                "contract-ended",
                "Suspended, and the contract has ended",
                _ALL,
                (When("line_status", ("Suspended",)), When("contract", ("ended",))),
                "A line whose contract has ended may not be put back in service, paid or not. "
                "Take no payment for it.",
                transfer=True,
            ),
            Step(
                "line-closed",
                "Neither active nor suspended",
                _ALL,
                (When("line_status", ("Pending Activation", "Closed")),),
                "Such a line is not yours to open.",
                transfer=True,
            ),
            Step(
                "overdue-bill",
                "Suspended, and a bill is overdue",
                _ALL,
                (
                    When("line_status", ("Suspended",)),
                    When("contract", ("running",)),
                    When("bill", ("overdue", "awaiting payment")),
                ),
                "Only one bill at a time can await payment. Where one already does, leave out the "
                "request and have that bill settled first.",
                (
                    Do(
                        "agent",
                        "send_payment_request",
                        "request payment of the overdue bill",
                        (("customer_id", "$customer_id"), ("bill_id", "$bill_id")),
                        leaves=(("bill", "awaiting payment"),),
                    ),
                    Do("user", "check_payment_request", "look at the request on the phone"),
                    Do("user", "make_payment", "pay it if bill and amount are right"),
                    Do(
                        "agent",
                        "get_details_by_id",
                        "open the bill and see that its status is Paid",
                        (("id", "$bill_id"),),
                    ),
                    *_RESUME,
                ),
                consent="the bill by its id, the amount, and that you will send a payment request "
                "for it to the phone",
            ),
            Step(
                "nothing-owed",
                "Suspended, and nothing is owed",
                _ALL,
                (
                    When("line_status", ("Suspended",)),
                    When("contract", ("running",)),
                    When("bill", ("none",)),
                ),
                "With no overdue bill and a running contract nothing keeps the line suspended.",
                _RESUME,
            ),
        ),
    ),
    Stage(
        "signal",
        "Signal",
        (
            Step(
                "airplane",
                "Airplane mode",
                _ALL,
                (When("airplane", ("on",)),),
                "It switches every radio off: no calls, no data, no messages.",
                (
                    Do(
                        "user",
                        "toggle_airplane_mode",
                        "switch airplane mode off",
                        leaves=(("airplane", "off"),),
                        reread=("signal",),
                    ),
                ),
            ),
            Step(
                "sim-missing",
                "No SIM card found",
                _ALL,
                (When("sim", ("missing",)),),
                "Without a seated SIM card there is no network. Once it is back in, its lock may "
                "show, so read its state again.",
                (
                    Do(
                        "user",
                        "reseat_sim_card",
                        "take the SIM card out and put it back in",
                        leaves=(("sim", "active"),),
                        reread=("sim", "signal"),
                    ),
                ),
            ),
            Step(
                "sim-locked",
                "SIM card locked",
                _ALL,
                (When("sim", ("locked_pin", "locked_puk")),),
                "A SIM card locked by PIN or PUK can be opened neither by you nor by anything on "
                "the phone.",
                transfer=True,
            ),
            Step(
                "apn-name",
                "APN name",
                ("service", "mms"),
                (When("apn", ("broken",)),),
                "With a broken APN name the phone does not register with the network.",
                _RESET_APN,
            ),
        ),
    ),
    Stage(
        "data",
        "Mobile data",
        (
            Step(
                "data-off",
                "Mobile data switch",
                _DATA,
                (When("data", ("off",)),),
                "With the switch off no data flows.",
                (
                    Do(
                        "user",
                        "toggle_data",
                        "switch mobile data on",
                        leaves=(("data", "on"),),
                    ),
                ),
            ),
            Step(
                "line-roaming",
                "Abroad: roaming on the line",
                _DATA,
                (When("whereabouts", ("abroad",)), When("line_roaming", ("not allowed",))),
                "Abroad, data flows only where the line allows roaming and the phone has it on: "
                "both are needed. Allowing it adds nothing to the bill; tell the customer.",
                (
                    Do(
                        "agent",
                        "enable_roaming",
                        "allow roaming on the line",
                        (("customer_id", "$customer_id"), ("line_id", "$line_id")),
                        leaves=(("line_roaming", "allowed"),),
                    ),
                ),
            ),
            Step(
                "phone-roaming",
                "Abroad: data roaming on the phone",
                _DATA,
                (When("whereabouts", ("abroad",)), When("roaming", ("off",))),
                "The phone's own switch is the other half of it. At home neither is needed.",
                (
                    Do(
                        "user",
                        "toggle_roaming",
                        "switch data roaming on",
                        leaves=(("roaming", "on"),),
                    ),
                ),
            ),
            Step(
                "allowance",
                "Data allowance used up",
                _DATA,
                (When("allowance", ("used up",)), When("refuel", ("possible",))),
                "Once the allowance is used up, data stops until more is added. The price per GB "
                "is data_refueling_price_per_gb in the line's plan. Add what was agreed and not "
                "more.",
                (
                    Do(
                        "agent",
                        "refuel_data",
                        "add the agreed amount to the line",
                        (
                            ("customer_id", "$customer_id"),
                            ("line_id", "$line_id"),
                            ("gb_amount", "$gb_amount"),
                        ),
                        leaves=(("allowance", "left"),),
                    ),
                ),
                consent=f"how many GB (offer {MAX_REFUEL_GB}, which is the most), the price per "
                "GB, and the total, which goes on the next bill",
            ),
            Step(
                "allowance-limit",
                "Data allowance used up, nothing left to add",
                _DATA,
                (When("allowance", ("used up",)), When("refuel", ("at the limit",))),
                f"No more than {MAX_REFUEL_GB} GB may be added to a line.",
                transfer=True,
            ),
        ),
    ),
    Stage(
        "speed",
        "Speed",
        (
            Step(
                "network-mode",
                "Preferred network mode",
                _DATA,
                (When("mode", ("4g_only", "3g_only", "2g_only")),),
                "An older network is slow, and 2G carries no picture messages.",
                (
                    Do(
                        "user",
                        "set_network_mode_preference",
                        "choose 4g_5g_preferred as the network mode",
                        (("mode", "4g_5g_preferred"),),
                        leaves=(("mode", "4g_5g_preferred"),),
                    ),
                ),
            ),
            Step(
                "data-saver",
                "Data Saver",
                ("data",),
                (When("saver", ("on",)),),
                "It cuts the speed to a fifth.",
                (
                    Do(
                        "user",
                        "toggle_data_saver_mode",
                        "switch Data Saver off",
                        leaves=(("saver", "off"),),
                    ),
                ),
            ),
            Step(
                "vpn",
                "VPN",
                ("data",),
                (When("vpn", ("poor", "unknown")),),
                "A VPN that performs poorly cuts the speed to a tenth. The customer can connect it again "
                "later.",
                (
                    Do(
                        "user",
                        "disconnect_vpn",
                        "disconnect the VPN",
                        leaves=(("vpn", "off"),),
                    ),
                ),
            ),
        ),
    ),
    Stage(
        "messaging",
        "Picture messages",
        (
            Step(
                "wifi-calling",
                "Wi-Fi calling",
                ("mms",),
                (When("wifi_calling", ("on",)), When("mms_over_wifi", ("on",))),
                "With Wi-Fi calling on and MMS set to go over Wi-Fi, picture messages do not leave "
                "by the mobile network.",
                (
                    Do(
                        "user",
                        "toggle_wifi_calling",
                        "switch Wi-Fi calling off",
                        leaves=(("wifi_calling", "off"),),
                    ),
                ),
            ),
            Step(
                "mmsc",
                "MMSC address",
                ("mms",),
                (When("mmsc", ("not set",)),),
                "Picture messages are sent to this address; the defaults contain it.",
                _RESET_APN,
            ),
            Step(
                "sms-permission",
                "Messaging app: sms",
                ("mms",),
                (When("sms_permission", ("missing",)),),
                "The messaging app needs both sms and storage to send pictures.",
                (
                    Do(
                        "user",
                        "grant_app_permission",
                        "give the messaging app the sms permission",
                        (("app_name", "messaging"), ("permission", "sms")),
                        leaves=(("sms_permission", "granted"),),
                    ),
                ),
            ),
            Step(
                "storage-permission",
                "Messaging app: storage",
                ("mms",),
                (When("storage_permission", ("missing",)),),
                "The other of the two permissions.",
                (
                    Do(
                        "user",
                        "grant_app_permission",
                        "give the messaging app the storage permission",
                        (("app_name", "messaging"), ("permission", "storage")),
                        leaves=(("storage_permission", "granted"),),
                    ),
                ),
            ),
        ),
    ),
)

STEPS: tuple[Step, ...] = tuple(step for stage in STAGES for step in stage.steps)

GOALS: tuple[Goal, ...] = (
    Goal(
        "service",
        "check_status_bar",
        "signal",
        ("poor", "fair", "good", "excellent"),
        "the status bar shows signal",
    ),
    Goal("data", "run_speed_test", "speed", ("excellent",), "the speed test reads Excellent"),
    Goal("mms", "can_send_mms", "mms", ("possible",), "the phone says that MMS can be sent"),
)

_FACTS = {item.name: item for item in FACTS}
_GOALS = {item.topic: item for item in GOALS}


def fact(name: str) -> Fact:
    """The fact of this name; `KeyError` if there is none."""
    return _FACTS[name]


def goal(topic: Topic) -> Goal:
    """How to see that this topic's trouble is over."""
    return _GOALS[topic]


def steps(topic: Topic) -> tuple[Step, ...]:
    """The steps of a topic, in order."""
    return tuple(step for step in STEPS if topic in step.topics)
