"""What the reference agent reads out of customers' sentences."""

from __future__ import annotations

import time

import pytest

from ringback.agents.reference.reading import read

FACTS: list[tuple[str, dict[str, str]]] = [
    # airplane mode
    ("Airplane mode is off.", {"airplane": "off"}),
    ("Airplane Mode is definitely turned off.", {"airplane": "off"}),
    ("Airplane mode isn't on.", {"airplane": "off"}),
    ("Airplane mode is not off, it's on", {"airplane": "on"}),
    ("Airplane mode? It's off.", {"airplane": "off"}),
    ("Airplane mode = ON", {"airplane": "on"}),
    ("My phone is not in airplane mode", {"airplane": "off"}),
    ("I took it out of airplane mode.", {"airplane": "off"}),
    ("I see a little airplane icon at the top of my screen. What is that?", {"airplane": "on"}),
    ("I don't see an airplane icon", {"airplane": "off"}),
    ("It was in airplane mode. I turned it off.", {"airplane": "off"}),
    ("I turned flight mode on and then off again.", {"airplane": "off"}),
    ("No, airplane mode is off", {"airplane": "off"}),
    ("Should I turn airplane mode off? It is on right now.", {"airplane": "on"}),
    # questions, plans and wishes state nothing
    ("Should I turn off airplane mode?", {}),
    ("I'll turn off airplane mode now.", {}),
    ("You asked me to turn off airplane mode", {}),
    ("If airplane mode is on, let me know", {}),
    ("I'm not sure if data saver is on", {}),
    ("I want to be able to send MMS.", {}),
    ("I really need to get excellent internet speed.", {}),
    ("Data saver is on. Let's turn off data saver and see.", {"saver": "on"}),
    ("Turn off airplane mode, then disconnect the VPN.", {}),
    ("Yes, please transfer me so that I can have excellent speed.", {}),
    # several at once, and lists
    ("I turned off airplane mode and mobile data is on", {"airplane": "off", "data": "on"}),
    ("I turned off airplane mode and data saver", {"airplane": "off", "saver": "off"}),
    ("Both data saver and VPN are turned off.", {"saver": "off", "vpn": "off"}),
    ("Neither Data Saver nor the VPN is on", {"saver": "off", "vpn": "off"}),
    ("There's nothing about Data Saver or VPN showing.", {"saver": "off", "vpn": "off"}),
    ("mobile data on, roaming off", {"data": "on", "roaming": "off"}),
    ("- VPN is connected\n- Data Saver is on", {"vpn": "unknown", "saver": "on"}),
    ("Airplane mode? Off. SIM? Active.", {"airplane": "off", "sim": "active"}),
    (
        "Airplane mode: off; SIM card: active; connection: connected; signal: excellent; "
        "network: 5G; mobile data: on; data roaming: off; Wi-Fi: off; Wi-Fi connected: no.",
        {"airplane": "off", "sim": "active", "signal": "excellent", "data": "on", "roaming": "off"},
    ),
    (
        "the airplane mode thing is off and the mobile data is on, and no VPN",
        {"airplane": "off", "data": "on", "vpn": "off"},
    ),
    # mobile data and roaming: the switch, not whether it works
    ("Mobile data still isn't working", {}),
    ("I still can't use mobile data.", {}),
    ("It says mobile data is enabled but roaming is disabled", {"data": "on", "roaming": "off"}),
    ("signal none (no service); no data flowing (no signal)", {"signal": "none"}),
    ("Data roaming on the phone is on", {"roaming": "on"}),
    ("Roaming: not enabled", {"roaming": "off"}),
    ("I don't have data roaming turned on", {"roaming": "off"}),
    ("data roaming is disabled. Everything else is on.", {"roaming": "off"}),
    # SIM
    ("no SIM", {"sim": "missing"}),
    ("There's no SIM card detected", {"sim": "missing"}),
    ("It says it can't find the SIM card", {"sim": "missing"}),
    ("the phone can't detect the SIM", {"sim": "missing"}),
    ("The SIM card isn't missing, it's fine", {"sim": "active"}),
    (
        "the SIM is working fine, mobile data is not enabled and roaming is switched off.",
        {"sim": "active", "data": "off", "roaming": "off"},
    ),
    ("SIM is active and not locked", {"sim": "active"}),
    ("It says SIM locked, and it wants the PIN code.", {"sim": "locked_pin"}),
    ("SIM card: locked_pin", {"sim": "locked_pin"}),
    ("The SIM is asking for a PUK", {"sim": "locked_puk"}),
    # network mode
    ("it says 2g_only", {"mode": "2g_only"}),
    ("It only uses 2G.", {"mode": "2g_only"}),
    ("The preferred network mode is 4G/5G preferred", {"mode": "4g_5g_preferred"}),
    ("I changed the network mode from 2g_only to 4g_5g_preferred", {"mode": "4g_5g_preferred"}),
    # APN
    (
        'The APN name is set to "internet" and the MMSC URL is "http://mms.example.com/x."',
        {"apn": "internet", "mmsc": "set"},
    ),
    (
        "APN name: internet; MMSC URL: not set; MMS APN: mms; MMS proxy: not set; MMS port: "
        "not set; reset at reboot: no.",
        {"apn": "internet", "mmsc": "not set"},
    ),
    ("the APN name says broken", {"apn": "broken"}),
    ("The MMSC isn't set, and the APN is internet.", {"apn": "internet", "mmsc": "not set"}),
    ("there's nothing under MMSC URL", {"mmsc": "not set"}),
    ("The MMSC is set and Wi-Fi calling is not on", {"mmsc": "set", "wifi_calling": "off"}),
    # Wi-Fi calling
    ("Wi-Fi is off and Wi-Fi calling is enabled", {"wifi_calling": "on"}),
    (
        "Wi-Fi calling is on, with MMS over Wi-Fi also on",
        {"wifi_calling": "on", "mms_over_wifi": "on"},
    ),
    # VPN
    ("VPN: connected; protocol: OpenVPN; performance: poor; setting: off.", {"vpn": "poor"}),
    ("VPN: not connected; setting: off.", {"vpn": "off"}),
    ("the VPN is on", {"vpn": "unknown"}),
    ("No VPN is connected", {"vpn": "off"}),
    ("I disconnected the VPN and the icon is gone", {"vpn": "off"}),
    # permissions
    ("permissions: storage only", {"sms_permission": "missing", "storage_permission": "granted"}),
    (
        "It only has permission for phone - it doesn't have storage or SMS permissions enabled.",
        {"sms_permission": "missing", "storage_permission": "missing"},
    ),
    (
        "App: messaging; allowed: sms, phone; not allowed: storage, network.",
        {"sms_permission": "granted", "storage_permission": "missing"},
    ),
    (
        "SMS permission: denied. Storage permission: granted",
        {"sms_permission": "missing", "storage_permission": "granted"},
    ),
    ("I granted the sms permission", {"sms_permission": "granted"}),
    # signal, speed, MMS
    ("I still have no bars", {"signal": "none"}),
    ("I have full bars", {"signal": "excellent"}),
    ("Speed: 275.00 Mbps; rating: Excellent.", {"speed": "excellent"}),
    ("it's 55 Mbps. I really need it to be excellent.", {"speed": "good"}),
    ("The speed test failed, it says no connection", {"speed": "none"}),
    ("I still can't send picture messages", {"mms": "not possible"}),
    ("my messaging app is now able to send MMS messages again", {"mms": "possible"}),
    ("I can send MMS now, no problem", {"mms": "possible"}),
    # where the customer is
    ("I'm in France right now", {"whereabouts": "abroad"}),
    ("I'm at home in the United States", {"whereabouts": "home"}),
    ("I'm not abroad", {"whereabouts": "home"}),
]

ANSWERS: list[tuple[str, tuple[str, ...], dict[str, str]]] = [
    ("It's off.", ("check_data_restriction_status",), {"saver": "off"}),
    ("It's not connected", ("check_vpn_status",), {"vpn": "off"}),
    ("2G", ("check_network_mode_preference",), {"mode": "2g_only"}),
    ("It's locked.", ("check_sim_status",), {"sim": "locked_pin"}),
    ("Yes, it works now!", ("can_send_mms",), {"mms": "possible"}),
    ("It still doesn't work", ("toggle_data", "can_send_mms"), {"mms": "not possible"}),
    ("Yes, please help me.", ("check_vpn_status",), {}),
    (
        "storage and phone",
        ("check_app_permissions",),
        {"sms_permission": "missing", "storage_permission": "granted"},
    ),
    (
        "1. off\n2. active\n3. 2g_only",
        ("check_data_restriction_status", "check_sim_status", "check_network_mode_preference"),
        {"saver": "off", "sim": "active", "mode": "2g_only"},
    ),
    (
        "1. internet, MMSC http://mms.example.com/x\n2. connected, poor",
        ("check_apn_settings", "check_vpn_status"),
        {"apn": "internet", "mmsc": "set", "vpn": "poor"},
    ),
    (
        "I looked, and the SIM is working fine.",
        ("check_sim_status", "can_send_mms"),
        {"sim": "active"},
    ),
]


@pytest.mark.parametrize(("text", "facts"), FACTS)
def test_facts(text: str, facts: dict[str, str]) -> None:
    assert read(text).facts == facts


@pytest.mark.parametrize(("text", "asked", "facts"), ANSWERS)
def test_answers_that_leave_out_what_was_asked(
    text: str, asked: tuple[str, ...], facts: dict[str, str]
) -> None:
    assert read(text, asked).facts == facts


@pytest.mark.parametrize(
    ("text", "deeds"),
    [
        ("I restarted my phone.", {"reboot_device"}),
        ("I turned my phone off and back on", {"reboot_device"}),
        ("I haven't restarted it yet", set[str]()),
        ("Should I restart the phone?", set[str]()),
        ("I took the SIM out and put it back in", {"reseat_sim_card"}),
        (
            "I reset the APN settings and rebooted my phone, but it still says no signal",
            {"reset_apn_settings", "reboot_device"},
        ),
        ("I've paid the bill", {"make_payment"}),
        ("I gave the messaging app the SMS permission", {"grant_app_permission sms"}),
    ],
)
def test_deeds(text: str, deeds: set[str]) -> None:
    assert read(text).deeds == deeds


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Yes, please.", "yes"),
        ("Sure, go ahead", "yes"),
        ("No problem, go ahead.", "yes"),
        ("I'm okay with adding 2 GB for $4.00, but I don't want to change my plan.", "yes"),
        ("Yes, 2 GB is fine, but I don't want to change my plan.", "yes"),
        ("Can we go ahead with the refuel?", "yes"),
        ("No, thank you.", "no"),
        ("I'd rather not.", "no"),
        ("I don't want to pay more.", "no"),
        ("What is a refuel?", None),
        ("Hmm.", None),
    ],
)
def test_consent(text: str, answer: str | None) -> None:
    assert read(text).answer == answer


@pytest.mark.parametrize(
    ("text", "amount"), [("add 1.5 GB", 1.5), ("two gigabytes, please", 2.0), ("yes", None)]
)
def test_amounts(text: str, amount: float | None) -> None:
    assert read(text).amount_gb == amount


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("My picture messages fail", "mms"),
        ("I can't send photos to my sister", "mms"),
        ('It says "No Service" and I can\'t make calls or use mobile data', "service"),
        ("The internet on my phone is slow", "data"),
        ("Mobile data keeps stopping", "data"),
        ("Hello, are you there?", None),
    ],
)
def test_what_the_call_is_about(text: str, topic: str | None) -> None:
    assert read(text).topic == topic


def test_who_is_calling() -> None:
    who = read("Hi, I'm John Smith, born June 15, 1985. It's (555) 123-2002, id C1001.").identity
    assert who.number == "555-123-2002"
    assert who.customer_id == "C1001"
    assert who.name == "John Smith"
    assert who.birth_date == "1985-06-15"


@pytest.mark.parametrize("date", ["1985-06-15", "06/15/1985", "15 June 1985", "Jun 15th, 1985"])
def test_birth_dates(date: str) -> None:
    assert read(f"I was born on {date}.").identity.birth_date == "1985-06-15"


def test_no_message_stalls_the_reader() -> None:
    pieces = (
        "9",
        "not sim pin locked ",
        "signal is ",
        "permissions sms and storage ",
        ", ",
        "1. x\n",
    )
    begun = time.perf_counter()
    for piece in pieces:
        read(piece * (200_000 // len(piece)), ("can_send_mms", "check_status_bar"))
    assert time.perf_counter() - begun < 5
