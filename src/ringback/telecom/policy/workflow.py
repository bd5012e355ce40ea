"""The `workflow` policy as data: what to find out, in which order, and what to do about it.

The prose in `render` is made from this data and the reference agent executes it, so the two cannot
say different things. Everything is frozen; nothing here imports the world, so that the policy stays
a statement about the world that tests can hold against it.
"""

from __future__ import annotations

from ringback.telecom.policy.facts import MAX_REFUEL_GB
from ringback.telecom.policy.model import Do, Goal, Stage, Step, Topic, When

__all__ = ["GOALS", "STAGES", "STEPS", "goal", "steps"]

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
                "A VPN that performs poorly cuts the speed to a tenth. It can be connected again.",
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

_GOALS = {item.topic: item for item in GOALS}


def goal(topic: Topic) -> Goal:
    """How to see that this topic's trouble is over."""
    return _GOALS[topic]


def steps(topic: Topic) -> tuple[Step, ...]:
    """The steps of a topic, in order."""
    return tuple(step for step in STEPS if topic in step.topics)
