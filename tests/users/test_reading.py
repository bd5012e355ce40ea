"""What a message is taken to ask: many wordings for each thing, and traps."""

from __future__ import annotations

import time

import pytest

from ringback.users.rules.reading import Reading, read


def acts(text: str) -> list[str]:
    """The requests of a message: act topic value, and a star where there is a condition."""
    return [
        " ".join(part for part in (request.act, request.topic, request.value) if part)
        + ("*" if request.when else "")
        for request in read(text).requests
    ]


def asked(text: str) -> set[tuple[str, str]]:
    return {(request.act, request.topic) for request in read(text).requests}


SWITCHES = [
    ("Please turn off airplane mode.", "switch airplane off"),
    ("Could you switch airplane mode off for me?", "switch airplane off"),
    ("Take the phone out of flight mode, please.", "switch airplane off"),
    ("You'll need to disable Airplane Mode.", "switch airplane off"),
    ("Now I'd like you to turn **Airplane Mode OFF**.", "switch airplane off"),
    ("Airplane mode needs to be off.", "switch airplane off"),
    ("Make sure airplane mode is off.", "switch airplane off"),
    ("Make sure airplane mode is not on.", "switch airplane off"),
    ("Go ahead and leave airplane mode.", "switch airplane off"),
    ("Next step: run `toggle_airplane_mode()`.", "switch airplane flip"),
    ("Use the toggle_airplane_mode action on your phone.", "switch airplane flip"),
    ("Would you mind toggling airplane mode?", "switch airplane flip"),
    ("Please turn on mobile data.", "switch data on"),
    ("Toggle mobile data on", "switch data on"),
    ("Kindly enable your cellular data.", "switch data on"),
    ("Let's get mobile data switched on.", "switch data on"),
    ("I recommend that you activate mobile data.", "switch data on"),
    ("The next step is to turn your mobile data back on.", "switch data on"),
    ("Please run toggle_data() to turn it ON.", "switch data on"),
    ("Please turn data roaming on, since you are abroad.", "switch roaming on"),
    ("Since you're travelling, enable roaming on your phone.", "switch roaming on"),
    ("Can you switch on international roaming in the settings?", "switch roaming on"),
    ("Please disable Data Saver.", "switch saver off"),
    ("Turn data saver mode off.", "switch saver off"),
    ("Your phone is saving data; switch the data saver off.", "switch saver off"),
    ("Try turning off Wi-Fi Calling.", "switch wifi_calling off"),
    ("Please deactivate wifi calling for the moment.", "switch wifi_calling off"),
    ("We should switch Wi\u2011Fi calling off.", "switch wifi_calling off"),
    ("Please disconnect from your VPN.", "switch vpn off"),
    ("Could you turn the VPN off?", "switch vpn off"),
    ("Run disconnect_vpn().", "switch vpn off"),
    ("Please turn Wi-Fi off.", "switch wifi off"),
    (
        "Could you now make sure that roaming is also turned on on the phone itself?",
        "switch roaming on",
    ),
    ("Would you be able to disconnect the VPN?", "switch vpn off"),
    (
        "Here's how to turn off airplane mode:\n1. Swipe down.\n2. Tap the icon.",
        "switch airplane off",
    ),
    ("Turn __data saver__ off.", "switch saver off"),
]


@pytest.mark.parametrize(("text", "expected"), SWITCHES)
def test_switches_in_many_wordings(text: str, expected: str) -> None:
    assert acts(text) == [expected]


STEPS = [
    ("Please restart your phone.", "reboot phone"),
    ("Could you restart it?", "reboot phone"),
    ("Reboot the device now", "reboot phone"),
    ("Turn your phone off and back on again.", "reboot phone"),
    ("Power cycle the handset, please.", "reboot phone"),
    ("Switch the phone off, wait ten seconds, and turn it back on.", "reboot phone"),
    ("You can go ahead and restart your phone now.", "reboot phone"),
    ("Have you tried restarting your phone?", "reboot phone"),
    ("Perform this action: **reboot_device()**", "reboot phone"),
    ("Take the SIM out and put it back.", "reseat sim"),
    ("Please remove your SIM card and reinsert it.", "reseat sim"),
    ("Let's try reseating the SIM card.", "reseat sim"),
    ("Could you pop the SIM tray out and back in?", "reseat sim"),
    ("Eject the SIM card, wait a moment, and slide it back in.", "reseat sim"),
    ("Please reset your APN settings to default.", "reset_apn apn"),
    ("Next, reset the Access Point Name settings.", "reset_apn apn"),
    ("Restore the APN to its defaults.", "reset_apn apn"),
    ("Change preferred network type to 4G/5G.", "mode mode 4g_5g_preferred"),
    ("Please set your network mode preference to `4g_5g_preferred`.", "mode mode 4g_5g_preferred"),
    ("Switch your network mode from 2G to a faster option like 4G or 5G.",
     "mode mode 4g_5g_preferred"),
    ('set_network_mode_preference(mode="4g_5g_preferred")', "mode mode 4g_5g_preferred"),
    ("Please set the network mode to 3G only.", "mode mode 3g_only"),
    ("Grant the messaging app storage permission.", "grant permissions storage"),
    ("Please allow the messaging app access to SMS.", "grant permissions sms"),
    ("Run grant_app_permission(app_name='messaging', permission='sms').", "grant permissions sms"),
    ("Run a speed test.", "test speed"),
    ("Could you do another speed test and tell me the result?", "test speed"),
    ("Please test your internet speed.", "test speed"),
    ("Try sending a picture message.", "test mms"),
    ("Please send an MMS to yourself.", "test mms"),
    ("Run can_send_mms and let me know.", "test mms"),
    ("Please try using your mobile data again.", "test internet"),
    ("Try to load a web page.", "test internet"),
    ("Please pay the bill.", "pay payment"),
    ("Please complete the payment.", "pay payment"),
    ("Accept the payment request on your phone.", "pay payment"),
    ("OK. Please power your phone off, remove the SIM card, re-insert it firmly and power it on.",
     "reseat sim"),
    ("Please set your phone to prefer 5G/4G networks instead of 2G only.",
     "mode mode 4g_5g_preferred"),
    ("Open Settings, go to Apps, choose Messaging, tap Permissions, and enable Storage.",
     "grant permissions storage"),
    ("We don't need to reset anything; just restart the phone.", "reboot phone"),
    ("Check whether you can send MMS now.", "test mms"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), STEPS)
def test_steps_in_many_wordings(text: str, expected: str) -> None:
    assert acts(text) == [expected]


LOOKS = [
    ("Please check your status bar.", ("look", "bar")),
    ("What do you see at the top of your screen?", ("look", "bar")),
    ("Is airplane mode on?", ("look", "airplane")),
    ("Do you see a little airplane icon?", ("look", "airplane")),
    ("Is mobile data switched on?", ("look", "data")),
    ("Is Wi-Fi calling on?", ("look", "wifi_calling")),
    ("Can you check whether a VPN is connected?", ("look", "vpn")),
    ("Are you using a VPN?", ("look", "vpn")),
    ("Tell me whether data saver is enabled.", ("look", "saver")),
    ("Let me know what your SIM status says.", ("look", "sim")),
    ("Check that the SIM card is inserted properly.", ("look", "sim")),
    ("Which network mode is selected? I mean the preferred network type.", ("look", "mode")),
    ("Look at your APN settings and tell me what they say.", ("look", "apn")),
    ("Does your messaging app have permission for SMS and storage?", ("look", "permissions")),
    ("How many bars do you have?", ("look", "signal")),
    ("Is data roaming enabled on the phone?", ("look", "roaming")),
    ("Please check your payment requests.", ("look", "check_payment_request")),
    ("Use check_network_status, please.", ("look", "check_network_status")),
    ("`check_apn_settings`", ("look", "check_apn_settings")),
    ('{"name": "check_sim_status", "arguments": {}}', ("look", "check_sim_status")),
    ("Just to confirm: airplane mode is off, right?", ("look", "airplane")),
    ("List the permissions of the messaging app for me.", ("look", "permissions")),
    ("Look for the network mode preference and read me the exact words.", ("look", "mode")),
    ("The next step is to check your APN settings, as wrong ones are a common cause of MMS issues.",
     ("look", "apn")),
    ("Let's check a few settings that can affect MMS. Is a VPN active?", ("look", "vpn")),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), LOOKS)
def test_questions_and_looks(text: str, expected: tuple[str, str]) -> None:
    assert asked(text) == {expected}


NOTHING_TO_DO = [
    "Don't turn off airplane mode.",
    "Do not reboot yet.",
    "There is no need to restart your phone.",
    "Please don't remove the SIM card.",
    "Airplane mode disables all wireless connections.",
    "Data Saver can slow your connection down.",
    "Next, I'll check your line and enable roaming for you.",
    "We'll look at the APN settings later.",
    "I have enabled roaming on your line.",
    "If you need help finding the airplane mode switch, let me know.",
    "I can guide you through resetting the APN settings if you're unsure.",
    "Restarting the phone will not erase your photos.",
    "Your SIM card is active on our side.",
    "Thank you for restarting your phone.",
    "If this ever happens again, restart your phone.",
    "Once I have resumed the line, you'll need to restart your phone.",
    "Would you like more data, so you can use the internet right away?",
    "Please give me the phone number of the line that shows no service.",
    "Have a great day sending pictures!",
    "I can send a payment request for the open bill if you like.",
]


@pytest.mark.parametrize("text", NOTHING_TO_DO)
def test_traps_ask_for_nothing(text: str) -> None:
    assert acts(text) == []


SEVERAL = [
    (
        "If airplane mode is on, turn it off, then run a speed test.",
        ["switch airplane off*", "test speed"],
    ),
    ("Is mobile data on? If it's off please turn it on.", ["look data ask", "switch data on*"]),
    ("Is a VPN connected? If so, disconnect it.", ["look vpn ask", "switch vpn off*"]),
    (
        "Please turn mobile data on and airplane mode off.",
        ["switch data on", "switch airplane off"],
    ),
    ("Enable mobile data and data roaming.", ["switch data on", "switch roaming on"]),
    (
        "Turn Airplane Mode ON for ten seconds, then OFF again.",
        ["switch airplane on", "switch airplane off"],
    ),
    (
        "1. **Reset the APN settings** to default.\n2. Restart your phone.\n3. Try an MMS again.",
        ["reset_apn apn", "reboot phone", "test mms"],
    ),
    (
        "First turn off Wi-Fi calling, and then try sending a picture message.",
        ["switch wifi_calling off", "test mms"],
    ),
    (
        "Check your network mode. If it shows 2G or 3G, change it to 4G/5G preferred.",
        ["look mode", "mode mode 4g_5g_preferred*"],
    ),
    (
        "Please restart the phone. If it still doesn't work, take the SIM out and put it back in.",
        ["reboot phone", "reseat sim*"],
    ),
    (
        "Run `check_vpn_status()`. If a VPN is connected, run `disconnect_vpn()`.",
        ["look check_vpn_status", "switch vpn off*"],
    ),
    (
        "Grant both the storage and SMS permissions to the messaging app, then restart.",
        ["grant permissions storage", "grant permissions sms", "reboot phone"],
    ),
    (
        "Are you on a VPN? If yes, please disconnect it and re-run the speed test.",
        ["look vpn ask", "switch vpn off*", "test speed"],
    ),
    (
        "Does the messaging app have both permissions? If either one is missing, please grant it.",
        ["look permissions ask", "grant permissions*"],
    ),
    (
        "Run these and share the results: check_status_bar, check_network_status.",
        ["look check_status_bar", "look check_network_status"],
    ),
    (
        "If you're abroad, turn on data roaming. If you're at home, leave it off.",
        ["switch roaming on*", "switch roaming off*"],
    ),
    (
        "Would you like to reset the APN settings? After resetting, you'll need to restart.",
        ["reset_apn apn", "reboot phone"],
    ),
    (
        "1. Check the payment request on your phone.\n2. If it is right, make the payment.",
        ["look check_payment_request", "pay payment"],
    ),
    ("Please pay that bill on your phone if you agree with it.", ["pay payment"]),
    (
        "Please check the payment request and pay it.",
        ["look check_payment_request", "pay payment"],
    ),
]


@pytest.mark.parametrize(("text", "expected"), SEVERAL)
def test_several_requests_and_conditions(text: str, expected: list[str]) -> None:
    assert acts(text) == expected


def test_directions_repeat_the_wish_and_count_once() -> None:
    text = (
        "Please turn off airplane mode:\n"
        "1. Swipe down from the top of the screen.\n"
        "2. Tap the airplane icon to turn it off.\n"
        "3. It should now be off."
    )
    assert acts(text) == ["switch airplane off"]


def test_a_list_of_plans_with_a_start_asks_for_the_start_only() -> None:
    text = (
        "There is a bit to do:\n1. Enable mobile data.\n2. Change the network mode to 4G/5G.\n\n"
        "Let's start by enabling mobile data."
    )
    assert acts(text) == ["switch data on"]


def test_what_the_agent_will_come_to_later_is_not_done_now() -> None:
    text = (
        "1. Turn off data saver.\n2. Set the network mode to 4G/5G.\n\n"
        "Once the first is done, I'll guide you through the network mode."
    )
    assert acts(text) == ["switch saver off"]


def test_an_announced_look_gives_way_to_the_order() -> None:
    text = "Let's check whether Wi-Fi calling gets in the way. Please turn Wi-Fi calling off."
    assert acts(text) == ["switch wifi_calling off"]


def test_reasoning_that_slipped_through_is_not_heard() -> None:
    assert acts("I might ask for a reboot.\nRestart your phone.\n</think>\nRun a speed test.") == [
        "test speed"
    ]


TALK = [
    ("May I have your full name and phone number?", {"name", "number"}),
    ("Please tell me your date of birth so that I can verify you.", {"birth"}),
    ("Where are you at the moment, are you abroad?", {"place"}),
    ("Would you like me to add 2.0 GB of data for $4.00?", {"data_offer"}),
    ("How much extra data would you like, in GB?", {"data_amount"}),
    ("Shall I enable roaming on your line?", {"roaming_offer"}),
    ("Would you like to switch to a bigger plan?", {"plan_offer"}),
    ("Would you like me to transfer you to a human agent?", {"transfer_offer"}),
    ("What model of phone do you have?", {"device"}),
    ("How long has this been going on?", {"since"}),
    ("Is there anything else I can help you with?", {"more"}),
]


@pytest.mark.parametrize(("text", "expected"), TALK)
def test_questions_to_the_caller(text: str, expected: set[str]) -> None:
    assert expected <= set(read(text).questions)


def test_a_statement_asks_no_question() -> None:
    text = "I can see what is wrong on the account: your data is used up. Shall I add 2 GB for $4?"
    assert read(text).questions == ("data_offer",)
    assert read(text).gigabytes == 2.0


TRANSFERS = [
    "I'm transferring you to a human agent now. Please hold.",
    "You are being transferred to a specialist.",
    "I will transfer you to one of our human agents.",
    "I have escalated this and am connecting you with a technician.",
    "A human colleague is taking over your call. Please stay on the line.",
    "One of our specialists will take it from here.",
    "I'm handing you over to a colleague.",
]
NO_TRANSFERS = [
    "If that doesn't help, I'll transfer you to a human agent.",
    "Would you like me to transfer you to a human agent?",
    "I can transfer you to a colleague if you prefer.",
    "I won't transfer you to an agent, we can fix this.",
    "Your call was connected to our support line.",
    "If I can't fix it, a colleague will take over.",
    "I don't want to hand you over to another agent yet.",
]


@pytest.mark.parametrize("text", TRANSFERS)
def test_transfers_are_heard(text: str) -> None:
    assert "transfer" in read(text).news


@pytest.mark.parametrize("text", NO_TRANSFERS)
def test_offers_of_a_transfer_are_no_transfers(text: str) -> None:
    assert "transfer" not in read(text).news


HOSTILE = [
    "",
    " ",
    "\x00\x1b[2J\x07",
    "###STOP###",
    "\ud800 lone surrogate",
    "?" * 5000,
    "((((" * 5000,
    "if " * 20000,
    "a" * 200000,
    "turn off and on " * 20000,
    "on, off, " * 20000,
    "- " * 50000,
    "\n" * 100000,
    "airplane mode " * 20000,
    "<" * 50000 + ">" * 50000,
    "\u202e\ufeff" * 20000,
    "1. " * 20000,
    "would you like me to " * 10000,
    "sim " * 20000 + "out",
    "restart " + "x " * 50000 + "phone",
    "<script>alert(1)</script>" * 1000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_no_text_breaks_the_reader_or_takes_long(text: str) -> None:
    started = time.perf_counter()
    assert isinstance(read(text), Reading)
    assert time.perf_counter() - started < 1.0


@pytest.mark.parametrize("text", ["Bananas are yellow.", "Lorem ipsum dolor sit amet.", "Hm."])
def test_what_is_not_understood_is_not_acted_on(text: str) -> None:
    reading = read(text)
    assert (reading.requests, reading.questions, reading.news) == ((), (), ())
