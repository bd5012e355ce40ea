"""What the reference agent says, and how it recognises later what a message of its own asked for.

The agent keeps nothing in mind between turns. What it asked is read from its own sentences, so that
a conversation begun by somebody else can be taken over too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from ringback.agents.reference.clauses import lines, normal

__all__ = [
    "NEEDS",
    "add_data",
    "asked",
    "farewell",
    "found_nobody",
    "handing_over",
    "pay_bill",
    "please",
    "solved",
    "which_line",
    "which_trouble",
    "who",
]

NEEDS: Mapping[str, tuple[str, str]] = {
    "whereabouts": (
        "Tell me where you are right now: at home in your own country, or abroad?",
        "Are you travelling in another country at the moment, or at home?",
    ),
    "check_network_status": (
        "Open the **network status** and tell me: is airplane mode on or off, what does it say "
        "about the SIM card, and are mobile data and data roaming on or off?",
        "Please find the page called **network status** in your settings and read it out to me "
        "line by line: airplane mode, SIM card, signal, mobile data, data roaming.",
    ),
    "check_status_bar": (
        "Look at the **status bar** at the top of the screen: what does it show for the signal?",
        "Please read me everything in the **status bar**, that is the row of icons at the very "
        "top. Is there a signal, or none?",
    ),
    "check_sim_status": (
        "Check the **SIM card status** and tell me what it says.",
        "Please look up the **SIM card status** once more: does it read active, missing or locked?",
    ),
    "check_network_mode_preference": (
        "Check the **network mode preference**: which mode is selected?",
        "Please look for the **network mode preference** and read me the exact words, for example "
        "2g_only or 4g_5g_preferred.",
    ),
    "check_data_restriction_status": (
        "Check the **Data Saver** setting: is it on or off?",
        "Please look once more whether **Data Saver** (the data restriction setting) is on or off.",
    ),
    "check_vpn_status": (
        "Check the **VPN status**: is a VPN connected, and if so, how good is its performance?",
        "Please look once more at the **VPN status**: does it say connected or not connected?",
    ),
    "check_apn_settings": (
        "Open the **APN settings**: what is the APN name, and is an MMSC URL filled in?",
        "Please read me two entries of the **APN settings**: the APN name, and the MMSC URL or "
        "that it is not set.",
    ),
    "check_wifi_calling_status": (
        "Check **Wi-Fi calling**: is it on or off, and is MMS over Wi-Fi on or off?",
        "Please look once more at **Wi-Fi calling**: on or off? The same for MMS over Wi-Fi.",
    ),
    "check_app_permissions": (
        "Check the **permissions of the messaging app**: which ones does it have?",
        "Please list the **permissions of the messaging app** for me. Does it have sms, and does "
        "it have storage?",
    ),
    "run_speed_test": (
        "Run a **speed test** and tell me the speed and the rating.",
        "Please run one more **speed test** and read me the number and the rating.",
    ),
    "can_send_mms": (
        "Check whether your phone **can send MMS** now.",
        "Please try once more whether you **can send an MMS**: does the phone say yes or no?",
    ),
    "check_payment_request": (
        "Check the **payment request** on your phone and make sure that the bill and the amount "
        "are right.",
        "Please open the **payment request** that I sent to your phone and read me the amount.",
    ),
    "make_payment": (
        "If it is right, **make the payment**.",
        "Please **pay that bill** on your phone if you agree with it.",
    ),
    "toggle_airplane_mode": (
        "Turn **airplane mode off**.",
        "Please switch **airplane mode off**, if it is still on.",
    ),
    "reseat_sim_card": (
        "Take the **SIM card out and put it back in**.",
        "Please **reseat the SIM card**: pull it out of its tray and insert it again.",
    ),
    "toggle_data": (
        "Turn **mobile data on**.",
        "Please switch **mobile data on**, if it is still off.",
    ),
    "toggle_roaming": (
        "Turn **data roaming on**.",
        "Please switch **data roaming on**, if it is still off.",
    ),
    "set_network_mode_preference": (
        "Set the **network mode preference** to 4g_5g_preferred.",
        "Please change the **network mode preference** to the option called 4g_5g_preferred.",
    ),
    "toggle_data_saver_mode": (
        "Turn **Data Saver off**.",
        "Please switch **Data Saver off**, if it is still on.",
    ),
    "disconnect_vpn": (
        "**Disconnect the VPN**.",
        "Please **disconnect from the VPN**, if it is still connected.",
    ),
    "toggle_wifi_calling": (
        "Turn **Wi-Fi calling off**.",
        "Please switch **Wi-Fi calling off**, if it is still on.",
    ),
    "reset_apn_settings": (
        "**Reset the APN settings** to their defaults.",
        "Please **reset the APN settings**, so that the standard ones come back.",
    ),
    "reboot_device": (
        "**Restart your phone**.",
        "Please **reboot the phone** and wait until it is back.",
    ),
    "grant_app_permission sms": (
        "Give the **messaging app** the **sms** permission.",
        "Please **grant the sms permission** to the messaging app.",
    ),
    "grant_app_permission storage": (
        "Give the **messaging app** the **storage** permission.",
        "Please **grant the storage permission** to the messaging app.",
    ),
}
"""Each thing to ask for, in a first and a second wording."""

_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        (
            "transferred",
            r"\bcolleague (?:is|will be) (?:taking|with)|\bbeing transferred\b|"
            r"\bhold\b.*\bhuman\b",
        ),
        ("closing", r"\banything else\b"),
        ("refuel", r"\b(?:add|refuel)\w*\b.*\$ ?\d.*|\badd\b[^?]*\bgb\b[^?]*\?"),
        (
            "payment",
            r"\b(?:shall|should|may|can|would)\b.*\b(?:payment request|pay)\b.*\?|"
            r"\bsend\w* (?:you )?(?:a |the )?payment request\b.*\?",
        ),
        ("number", r"\bwhich (?:line|number)\b|\bnumber of the line\b"),
        ("identity", r"\b(?:customer id|date of birth|phone number)\b"),
        (
            "topic",
            r"\bwhat (?:exactly )?(?:is not|isn't|does not) work\w*\b|\bwhat (?:seems to be|"
            r"is) the (?:problem|trouble|issue)\b",
        ),
        ("whereabouts", r"\babroad\b|\btravel\w*\b|\bin another country\b"),
        ("check_network_status", r"\bnetwork status\b"),
        ("check_payment_request", r"\b(?:check|open|look at|see|find)\b.*\bpayment request\b"),
        ("make_payment", r"\bmake the payment\b|\bpay (?:that|the|this|your) bill\b|\bpay it\b"),
        (
            "can_send_mms",
            r"\bcan send\b|\b(?:try|send)\w* (?:to send )?(?:an |a )?(?:mms|picture message)",
        ),
        ("run_speed_test", r"\bspeed test\b"),
        ("reset_apn_settings", r"\breset\b.*\bapn\b"),
        ("check_apn_settings", r"\bapn\b"),
        ("grant_app_permission sms", r"\b(?:give|grant|allow|enable|turn on)\b.*\bsms\b"),
        ("grant_app_permission storage", r"\b(?:give|grant|allow|enable|turn on)\b.*\bstorage\b"),
        ("check_app_permissions", r"\bpermissions?\b"),
        (
            "set_network_mode_preference",
            r"\b(?:set|change|choose|switch|select)\b.*\bnetwork (?:mode|type)\b",
        ),
        ("check_network_mode_preference", r"\bnetwork (?:mode|type)\b|\bpreferred network\b"),
        ("reseat_sim_card", r"\breseat\b|\bre-?insert\b|\bsim\b.*\b(?:back in|out)\b"),
        ("check_sim_status", r"\bsim\b"),
        ("toggle_wifi_calling", r"\b(?:turn|switch|disable)\b.*\bwi-?fi calling\b"),
        ("check_wifi_calling_status", r"\bwi-?fi calling\b"),
        ("disconnect_vpn", r"\b(?:disconnect|turn off|switch off)\b.*\bvpn\b"),
        ("check_vpn_status", r"\bvpn\b"),
        ("toggle_data_saver_mode", r"\b(?:turn|switch|disable)\b.*\bdata saver\b"),
        ("check_data_restriction_status", r"\bdata saver\b|\bdata restriction\b"),
        ("toggle_airplane_mode", r"\bairplane mode\b"),
        ("toggle_roaming", r"\broaming\b"),
        ("toggle_data", r"\b(?:turn|switch|enable)\b.*\bmobile data\b"),
        ("reboot_device", r"\b(?:restart|reboot)\b.*\bphone\b|\breboot\b|\brestart (?:it|your)\b"),
        ("check_status_bar", r"\bstatus bar\b|\bsignal\b"),
    )
)
_SENTENCE = re.compile(r"(?<=[.?!])\s+")


@lru_cache(maxsize=16_384)
def asked(text: str) -> tuple[str, ...]:
    """What an agent's message asks the customer for, in order: keys of `NEEDS`, and others.

    The others are ``refuel`` and ``payment`` (a consent), ``identity``, ``number``, ``topic``, and
    the two that say how far the call is: ``closing`` (is there anything else) and ``transferred``.
    With a numbered list only its items are read, one request each; else the last paragraph that
    asks for something.
    """
    found: list[str] = []
    text = text[:20_000]
    items = [line for number, line in lines(normal(text)) if number is not None]
    if items:
        return tuple(kind for piece in items if (kind := _kind(piece)) is not None)
    for paragraph in reversed(normal(text).split("\n\n")):
        for piece in _SENTENCE.split(" ".join(line for _, line in lines(paragraph))):
            kind = _kind(piece)
            if kind is not None and kind not in found:
                found.append(kind)
        if found:
            break
    return tuple(found)


def _kind(piece: str) -> str | None:
    return next((name for name, pattern in _KINDS if pattern.search(piece)), None)


def please(needs: Sequence[str], *, opening: str, again: Iterable[str] = (), repair: bool) -> str:
    """A message that asks for `needs`, those in `again` in their second wording.

    `opening` stands before it; `repair` says that something is to be changed, not only looked at.
    """
    second = frozenset(again)
    texts = [NEEDS[need][need in second] for need in needs]
    if len(texts) == 1:
        return f"{opening}\n\n{_polite(texts[0])}" if opening else _polite(texts[0])
    head = (
        "Please go through these steps in order:"
        if repair
        else "Please look at a few things for me:"
    )
    items = "\n".join(f"{number}. {text}" for number, text in enumerate(texts, 1))
    tail = (
        "When you are through, tell me how each step went and what the phone shows."
        if repair
        else "Tell me what you find for each of them."
    )
    return f"{_join(opening, head)}\n\n{items}\n\n{tail}"


def _join(opening: str, rest: str) -> str:
    return f"{opening} {rest}" if opening else rest


def _polite(text: str) -> str:
    if text.startswith(("Please", "Are ")):
        return text
    head, mark = (text[:2], text[2:]) if text.startswith("**") else ("", text)
    return f"Please {head}{mark[0].lower()}{mark[1:]}"


def who(attempt: int) -> str:
    """Ask who is calling."""
    if attempt == 0:
        return (
            "I will be glad to help. Could you give me the phone number that has the trouble? "
            "Your customer id, or your full name with your date of birth, would do too."
        )
    return (
        "To open your account I need one of three things: the phone number, the customer id (a C "
        "with digits), or your full name together with your date of birth. Which can you give me?"
    )


def found_nobody(what: str) -> str:
    """Say that the search found no account, and ask for another way."""
    return (
        f"I could not find an account with {what}. Could you check it, or give me something else: "
        "a phone number, your customer id, or your full name and date of birth?"
    )


def which_line(numbers: Sequence[str]) -> str:
    """Ask which of the account's lines this is about."""
    return (
        f"Thank you, I have found your account. It has several lines: {', '.join(numbers)}. Which "
        "line is giving you trouble?"
    )


def which_trouble() -> str:
    """Ask what does not work."""
    return (
        "Thank you. What exactly is not working: calls and signal altogether, mobile data, or "
        "sending picture messages?"
    )


def add_data(used: str, limit: str, price: str, total: str, amount: str) -> str:
    """Name the price of more data and ask for consent. Amounts as they are to be read."""
    return (
        f"Your account shows the cause: the line has used {used} GB of its {limit} GB, so data "
        f"has stopped. I can add {amount} GB now. It costs ${price} per GB, so ${total} in "
        f"total on your next bill. Shall I add {amount} GB for ${total}?"
    )


def pay_bill(bill: str, amount: str) -> str:
    """Name the overdue bill and ask whether to send a payment request."""
    return (
        f"Your line is suspended because bill {bill} over ${amount} is overdue. I can put the line "
        f"back in service once it is paid. Shall I send a payment request for ${amount} to your "
        "phone, so that you can pay it there?"
    )


def solved(again: bool) -> str:
    """Say that it works and ask whether there is anything else."""
    if again:
        return "Good, then everything is in order. Is there anything else I can do for you?"
    return "That is what I was hoping for: it works again. Is there anything else I can do for you?"


def farewell() -> str:
    """Take leave and end the call."""
    return "Thank you for calling, and have a good day. ###STOP###"


def handing_over(again: bool) -> str:
    """Tell the customer about the transfer."""
    if again:
        return "A colleague will be with you in a moment. Thank you for your patience. ###STOP###"
    return (
        "I cannot put this right from here, so I have transferred your call: a human colleague is "
        "taking over. Please stay on the line."
    )
