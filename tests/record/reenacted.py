"""Three calls as an operator made them, as commands: easy, medium and hard.

Each is a list of ``("say", words)`` and ``("call", tool, arguments)``, in the order in which they
are given. Whoever opens the case, by whatever door, gives them one after the other: the customer
speaks first, and each command is answered before the next. `CALLS` has them by tier, with the task
and the seed; with the customer `rules` each is solved.

A model can play the customer of the hard case and again and again speak as if it were the agent.
`inverting` is such a model as a function, one that mends its ways when its guard tells it to;
`INVERTING` the same as a list of replies, which never does. `HARD_INVERTED` is the operator who
corrects it each time: together with the list they use up 100 steps.
"""

from __future__ import annotations

from itertools import chain
from typing import Any, TypeAlias

from msgspec import Struct

from ringback.episode.wire import Request, Text
from ringback.models.script import ScriptCall, ScriptReply

__all__ = [
    "CALLS",
    "EASY",
    "HARD",
    "HARD_INVERTED",
    "INVERSIONS",
    "INVERTING",
    "MEDIUM",
    "Command",
    "Operated",
    "inverting",
]

Command: TypeAlias = tuple[str, str] | tuple[str, str, dict[str, Any]]

_LINE = {"customer_id": "C1001", "line_id": "L1002"}


class Operated(Struct, frozen=True):
    """One call: its task, the study's seed, and what the operator does."""

    task: str
    seed: int
    commands: tuple[Command, ...]


EASY: tuple[Command, ...] = (
    ("say", "I am sorry for the trouble. Which phone number is it about?"),
    ("call", "get_customer_by_phone", {"phone_number": "555-123-2002"}),
    ("call", "get_details_by_id", {"id": "L1001"}),
    ("call", "get_details_by_id", {"id": "L1002"}),
    ("say", "Please run check_network_status and tell me what it shows."),
    ("say", "Mobile data is off. Please switch mobile data on and then run a speed test."),
    ("call", "get_data_usage", dict(_LINE)),
    ("call", "get_details_by_id", {"id": "P1002"}),
    (
        "say",
        "The line has used up its data: 15.1 GB of 15 GB. More costs $2 per GB, and I can add up "
        "to 2 GB. Would you like 2 GB of extra data for $4 in all?",
    ),
    ("call", "refuel_data", {**_LINE, "gb_amount": 2.0}),
    ("say", "I have added 2 GB to your line for $4. Please run a speed test once more."),
    (
        "say",
        "Mobile data is back, and $4 for 2 GB will be on your next bill. Is there anything else? "
        "If not, goodbye and have a good day.",
    ),
)

MEDIUM: tuple[Command, ...] = (
    ("say", "Thank you for calling. Which phone number is it about?"),
    ("call", "get_customer_by_phone", {"phone_number": "555-123-2002"}),
    ("call", "get_line_by_id", {"id": "L1001"}),
    ("call", "get_details_by_id", {"id": "L1001"}),
    ("call", "get_details_by_id", {"id": "L1002"}),
    ("say", "Please run run_speed_test and then check_network_status. What do they show?"),
    ("say", "Are you abroad at the moment? If so, in which country?"),
    ("call", "enable_roaming", dict(_LINE)),
    ("say", "I have switched roaming on for your line. Please run a speed test again."),
    ("say", "Please run check_data_restriction_status and tell me what it shows."),
    ("say", "Data saver slows the connection. Please turn data saver off and run a speed test."),
    ("say", "Please run check_vpn_status and tell me what it shows."),
    ("say", "That VPN is slow. Please disconnect the VPN and run a speed test again."),
    (
        "say",
        "That is an excellent speed. We switched roaming on for your line, data saver off, and "
        "disconnected a slow VPN. Is there anything else? If not, goodbye.",
    ),
)

HARD: tuple[Command, ...] = (
    ("say", "Which phone number can the picture messages not be sent from?"),
    ("call", "get_customer_by_phone", {"phone_number": "555-123-2002"}),
    ("call", "get_details_by_id", {"id": "L1002"}),
    ("say", "Please run can_send_mms and then check_status_bar. What do they show?"),
    ("say", "Airplane mode is on. Please turn airplane mode off."),
    ("say", "Please run check_sim_status and tell me what it shows."),
    ("say", "The SIM card is not in place. Please run reseat_sim_card, then check_sim_status."),
    ("say", "Please run check_network_status and tell me what it shows."),
    ("call", "enable_roaming", dict(_LINE)),
    ("say", "I have allowed roaming. Please switch mobile data on and run a speed test."),
    ("call", "get_data_usage", dict(_LINE)),
    ("call", "get_details_by_id", {"id": "P1002"}),
    (
        "say",
        "The line has used 15.1 GB of its 15 GB. I can add up to 2 GB at $2 per GB. Would you like "
        "2 GB of extra data for $4 in all?",
    ),
    ("call", "refuel_data", {**_LINE, "gb_amount": 2.0}),
    ("say", "I have added 2 GB for $4. Please run run_speed_test and then can_send_mms."),
    ("say", "Please run check_network_mode_preference and tell me what it shows."),
    (
        "say",
        "The phone is held to 2G. Please run set_network_mode_preference with 4g_5g_preferred, "
        "then can_send_mms.",
    ),
    ("say", "Please run check_wifi_calling_status and tell me what it shows."),
    ("say", "Please turn Wi-Fi calling off, and then run can_send_mms."),
    ("say", "Please run check_app_permissions for the messaging app. What does it show?"),
    (
        "say",
        "The messaging app lacks the SMS permission. Please grant the messaging app the sms "
        "permission, run can_send_mms, and then check_apn_settings.",
    ),
    (
        "say",
        "The MMSC URL is not set. Please run reset_apn_settings, then reboot_device, then "
        "can_send_mms and then run_speed_test.",
    ),
    (
        "say",
        "Picture messages work again, and the speed is excellent. Is there anything else? If not, "
        "goodbye.",
    ),
)

CALLS: dict[str, Operated] = {
    "easy": Operated(
        "[mobile_data_issue]data_mode_off|data_usage_exceeded[PERSONA:None]", 62021, EASY
    ),
    "medium": Operated(
        "[mobile_data_issue]bad_vpn|data_saver_mode_on|user_abroad_roaming_disabled_on"
        "[PERSONA:None]",
        62022,
        MEDIUM,
    ),
    "hard": Operated(
        "[mms_issue]airplane_mode_on|bad_network_preference|bad_wifi_calling|break_apn_mms_setting"
        "|break_app_sms_permission|data_mode_off|data_usage_exceeded|unseat_sim_card"
        "|user_abroad_roaming_disabled_on[PERSONA:None]",
        62023,
        HARD,
    ),
}
"""The calls by tier."""


class _Turn(Struct, frozen=True):
    """What the model does about one sentence of the operator: it inverts roles, acts, and tells."""

    tells: str
    does: tuple[ScriptCall, ...] = ()
    inverts: tuple[str, ...] = ()


def _calls(*tools: str) -> tuple[ScriptCall, ...]:
    return tuple(ScriptCall(tool) for tool in tools)


_OPENING = "Hello, I cannot send picture messages since a few hours ago."
_OBJECTION = "A reply of yours was held back"
_CORRECTION = "I am the support agent and cannot reach your phone. "
_TURNS: tuple[_Turn, ...] = (
    _Turn("My number is 555-123-2002."),
    _Turn(
        "It says that MMS cannot be sent. The status bar shows airplane mode on and no signal.",
        _calls("can_send_mms", "check_status_bar"),
    ),
    _Turn(
        "Airplane mode is off now, and there is still no signal.",
        _calls("toggle_airplane_mode"),
        (
            "Please switch airplane mode off on your phone, then tell me what your screen shows.",
            "Could you check your phone for me and see whether airplane mode is off?",
        ),
    ),
    _Turn("The SIM card is missing, it says.", _calls("check_sim_status")),
    _Turn(
        "I took it out and put it back. The SIM card is active.",
        _calls("reseat_sim_card", "check_sim_status"),
        ("You need to reseat the SIM card. Let me know once you have completed this.",),
    ),
    _Turn(
        "It is connected to 2G, mobile data is off and data roaming is on.",
        _calls("check_network_status"),
    ),
    _Turn(
        "Mobile data is on now. The speed test says No Connection.",
        _calls("toggle_data", "run_speed_test"),
        ("Thank you for providing that. Please run a speed test and tell me your result.",),
    ),
    _Turn("Yes, please add 2 GB for $4."),
    _Turn(
        "The speed test says 0.05 Mbps, Very Poor. MMS still cannot be sent.",
        _calls("run_speed_test", "can_send_mms"),
    ),
    _Turn("It is set to 2g_only.", _calls("check_network_mode_preference")),
    _Turn(
        "It is 4g_5g_preferred now. MMS still cannot be sent.",
        (
            ScriptCall("set_network_mode_preference", {"mode": "4g_5g_preferred"}),
            *_calls("can_send_mms"),
        ),
        (
            "Your phone is held to 2G. Please run set_network_mode_preference.",
            "I am here to help you. Please open your settings and choose 4g_5g_preferred.",
            "How can I help you with your network today?",
            "You will need to run the action set_network_mode_preference on your device.",
            "I apologize for the inconvenience. Let me know once you have completed this step.",
            "As your support agent I can help you with the network mode of your phone.",
        ),
    ),
    _Turn("Wi-Fi calling is on, and MMS over Wi-Fi is on.", _calls("check_wifi_calling_status")),
    _Turn(
        "Wi-Fi calling is off now. MMS still cannot be sent.",
        _calls("toggle_wifi_calling", "can_send_mms"),
    ),
    _Turn(
        "It may use storage and phone, and it does not have the sms permission.",
        (ScriptCall("check_app_permissions", {"app_name": "messaging"}),),
    ),
    _Turn(
        "The app has the sms permission now. MMS still cannot be sent. The MMSC URL is not set.",
        (
            ScriptCall("grant_app_permission", {"app_name": "messaging", "permission": "sms"}),
            *_calls("can_send_mms", "check_apn_settings"),
        ),
        (
            "Please open your messaging app and grant it the permission for SMS.",
            "Thank you for your patience. You can grant the permission in your settings.",
        ),
    ),
    _Turn(
        "All done. MMS can be sent, and the speed is 275.00 Mbps, Excellent.",
        _calls("reset_apn_settings", "reboot_device", "can_send_mms", "run_speed_test"),
        ("Please reset the APN settings and restart your phone, then tell me about your screen.",),
    ),
    _Turn("That was all. Thank you, goodbye. ###STOP###"),
)


_ASKED = [command[1] for command in HARD if command[0] == "say"]
_OF: dict[str, _Turn] = dict(zip(_ASKED, _TURNS, strict=True))

INVERSIONS = sum(len(turn.inverts) for turn in _TURNS)
"""How often the model speaks as the agent."""

HARD_INVERTED: tuple[Command, ...] = tuple(
    chain.from_iterable(
        (command, *[("say", _CORRECTION + command[1])] * len(_OF[command[1]].inverts))
        if command[0] == "say"
        else (command,)
        for command in HARD
    )
)

INVERTING: tuple[str | ScriptReply, ...] = (
    _OPENING,
    *chain.from_iterable(
        (*turn.inverts, *([ScriptReply(calls=turn.does)] if turn.does else []), turn.tells)
        for turn in _TURNS
    ),
)


def inverting(request: Request) -> str | ScriptReply:
    """The next reply of the model that inverts roles, and does not once its guard objected."""
    words = [
        (message.role, "".join(part.text for part in message.parts if isinstance(part, Text)))
        for message in request.messages
    ]
    asked = [place for place, (role, text) in enumerate(words) if role == "user" and text in _OF]
    if not asked:
        return _OPENING
    turn, since = _OF[words[asked[-1]][1]], words[asked[-1] + 1 :]
    own = sum(role == "assistant" for role, _ in since)
    corrected = sum(text.startswith(_CORRECTION) for _, text in since)
    objected = bool(since) and since[-1][1].startswith(_OBJECTION)
    if own < len(turn.inverts) and own == corrected and not objected:
        return turn.inverts[own]
    return turn.tells if own > corrected or not turn.does else ScriptReply(calls=turn.does)
