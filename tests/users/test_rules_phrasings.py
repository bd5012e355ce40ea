"""What the customer does first, whoever asks and however: own wordings, in many manners."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec
import pytest

from ringback.telecom import domain
from ringback.users.rules.reading import read
from tests.users.calls import Talk, any_task
from tests.users.frames import CLOSINGS, OPENINGS


class Phrasing(msgspec.Struct, frozen=True):
    """A request, and the action of the phone that it asks for."""

    action: str
    text: str


class Message(msgspec.Struct, frozen=True):
    """A whole message, with what was said before; the first action is one of `first`, if any."""

    goal: str
    before: list[str]
    text: str
    first: list[str]


HERE = Path(__file__).parent
PHRASINGS = [
    msgspec.json.decode(line, type=Phrasing)
    for line in (HERE / "phrasings.jsonl").read_bytes().splitlines()
]
MESSAGES = [
    msgspec.json.decode(line, type=Message)
    for line in (HERE / "messages.jsonl").read_bytes().splitlines()
]
TASKS = {
    "mms": any_task("mms_issue", "bad_wifi_calling"),
    "data": any_task("mobile_data_issue", "bad_vpn", "data_saver_mode_on"),
    "service": any_task("service_issue", "overdue_bill_suspension"),
}
OF_MMS = {
    "can_send_mms",
    "grant_app_permission",
    "check_app_permissions",
    "toggle_wifi_calling",
    "reset_apn_settings",
}
# A careful caller looks before it turns anything, and takes one of two looks that show the same.
LOOKS_FIRST = {
    "toggle_airplane_mode": "check_status_bar",
    "toggle_data": "check_network_status",
    "toggle_roaming": "check_network_status",
    "toggle_data_saver_mode": "check_data_restriction_status",
    "toggle_wifi": "check_wifi_status",
    "toggle_wifi_calling": "check_wifi_calling_status",
    "connect_vpn": "check_vpn_status",
    "disconnect_vpn": "check_vpn_status",
    "grant_app_permission": "check_app_permissions",
    "set_network_mode_preference": "check_network_mode_preference",
    "make_payment": "check_payment_request",
    "check_status_bar": "check_network_status",
    "check_network_status": "check_status_bar",
    "check_app_status": "check_app_permissions",
    "set_apn_settings": "reset_apn_settings",
}
NOTHING: set[tuple[str, str]] = set()
DOES = {"switch", "grant", "mode", "reset_apn", "pay", "reboot", "reseat"}


def goal_of(action: str) -> str:
    if "payment" in action or action == "reboot_device":
        return "service"
    return "mms" if action in OF_MMS else "data"


@cache
def first_of(goal: str, text: str) -> str | None:
    talk = Talk(TASKS[goal])
    talk.say(text)
    return talk.deeds[0] if talk.deeds else None


def test_every_action_of_the_phone_is_asked_for_in_a_dozen_ways() -> None:
    for tool in domain.tools("user"):
        assert sum(phrasing.action == tool.name for phrasing in PHRASINGS) >= 12, tool.name


@pytest.mark.parametrize("phrasing", PHRASINGS, ids=lambda p: f"{p.action}: {p.text[:50]!r}")
def test_it_is_the_action_that_was_asked_for(phrasing: Phrasing) -> None:
    first = first_of(goal_of(phrasing.action), phrasing.text)
    assert first in (phrasing.action, LOOKS_FIRST.get(phrasing.action, phrasing.action))
    if not phrasing.action.startswith(("check_", "run_", "can_")):
        assert DOES & {request.act for request in read(phrasing.text).requests}


@pytest.mark.parametrize("number", range(len(PHRASINGS)))
def test_what_is_said_around_a_request_changes_nothing(number: int) -> None:
    phrasing = PHRASINGS[number]
    goal = goal_of(phrasing.action)
    for step in (0, 7):
        opening = OPENINGS[(number + step) % len(OPENINGS)]
        closing = CLOSINGS[(3 * number + step) % len(CLOSINGS)]
        framed = f"{opening}\n\n{phrasing.text}\n\n{closing}"
        assert first_of(goal, framed) == first_of(goal, phrasing.text), framed


@pytest.mark.parametrize("message", MESSAGES, ids=lambda m: repr(m.text[:60]))
def test_whole_messages_are_followed(message: Message) -> None:
    talk = Talk(TASKS[message.goal])
    for text in message.before:
        talk.say(text)
    talk.say(message.text)
    assert talk.deeds[0] in message.first if message.first else not talk.deeds


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("I could add 2 GB of data for $4. Let me know if you'd like that.", "data_offer"),
        ("Would a different, larger plan be an option? Do you want me to change your plan?",
         "plan_offer"),
        ("Should I route this call to a person from our support team?", "transfer_offer"),
    ],
)  # fmt: skip
def test_offers_are_heard(text: str, question: str) -> None:
    assert question in read(text).questions


@pytest.mark.parametrize(
    ("text", "news"),
    [
        ("I've just transferred you to one of my colleagues.", "transfer"),
        ("We're now connecting you with a specialist.", "transfer"),
        ("A human agent takes over now.", "transfer"),
        ("Your call has been passed and is being transferred to a senior agent.", "transfer"),
        ("Your line was reactivated a minute ago.", "acted"),
        ("I'll create a bill, and the payment request has been sent to your phone.", "bill_sent"),
    ],
)
def test_news_is_heard(text: str, news: str) -> None:
    assert news in read(text).news


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Take your time to check the signal bars.", {("look", "signal")}),
        ("Roaming is set so they know you abroad. You may now see a signal.", NOTHING),
        ("Once that is enabled and completed on our side, I'll tell you to restart.", NOTHING),
        ("Please restart your phone. If that did not help, there are other ways.",
         {("reboot", "phone")}),
        ("Please restart your phone. If you have other concerns, feel free to ask!",
         {("reboot", "phone")}),
        ("And is data roaming on?", {("look", "roaming")}),
        ("Disconnecting the VPN may help. Could you do that?", {("switch", "vpn")}),
        ("A restart of the phone is required now.", {("reboot", "phone")}),
        ("No restart is needed.", NOTHING),
        ("You should not restart the phone yet.", NOTHING),
        ("If the SIM is marked as missing, reseat it.", {("reseat", "sim")}),
        ("If you're comfortable with that, please restart your phone.", {("reboot", "phone")}),
        ("A good plan has 10 gigabytes. What do the signal bars say?", {("look", "signal")}),
        ("I'm here to help if the data still isn't working after turning roaming on.", NOTHING),
    ],
)  # fmt: skip
def test_what_a_message_asks(text: str, expected: set[tuple[str, str]]) -> None:
    assert {(request.act, request.topic) for request in read(text).requests} == expected


def test_of_the_messages_many_want_nothing_of_the_phone() -> None:
    assert sum(not message.first for message in MESSAGES) >= 60


def test_it_means_what_the_message_before_was_about() -> None:
    talk = Talk(TASKS["data"])
    talk.say("Is Data Saver on?")
    talk.say("Please turn it off.")
    assert talk.deeds == ["toggle_data_saver_mode"]


def test_once_more_means_the_same_look() -> None:
    talk = Talk(TASKS["service"])
    talk.say("What does the SIM status say?")
    talk.say("Could you check that once more?")
    assert talk.deeds == ["check_sim_status"]


def test_a_switch_that_is_to_go_one_way_and_back_is_not_looked_at_first() -> None:
    talk = Talk(TASKS["data"])
    talk.say("Please turn airplane mode on, wait a moment, and turn it off again.")
    assert talk.deeds == ["toggle_airplane_mode", "toggle_airplane_mode"]
    assert talk.episode.world.fields()["phone.airplane_mode"] is False


def test_after_a_statement_about_the_line_the_caller_tries_whether_it_works() -> None:
    talk = Talk(TASKS["data"])
    talk.say("Your line has 2 GB more data at its disposal.")
    assert talk.deeds == ["run_speed_test"]
    talk.say("The line is in order.")
    assert talk.deeds == []
