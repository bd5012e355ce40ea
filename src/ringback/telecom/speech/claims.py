"""What a customer claims in words: deeds on the phone, and states that it shows.

Written so that they rather miss a claim than make one up: a question or a plan claims nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from ringback.telecom.speech.text import sentences

__all__ = ["ANY", "ClaimedDeed", "ClaimedState", "contradicts", "deeds_in", "states_in"]

ANY = "any"
"""Stands for any action at all: "I checked"."""


class ClaimedDeed(Struct, frozen=True):
    """A deed told, "I restarted the phone": its words and the tools that do it (none: none can)."""

    words: str
    tools: tuple[str, ...]


class ClaimedState(Struct, frozen=True):
    """A state told, "airplane mode is off": its words, the field, what that is said to be."""

    words: str
    field: str
    word: str
    negated: bool


_DID = re.compile(
    r"\b(?:i|we)(?:'ve| have|'d)? (?:(?:just|already|now|also|then|first|successfully"
    r"|went ahead and|tried to|managed to|did|actually) )*"
    r"(?P<verb>turned|switched|toggled|enabled|disabled|activated|deactivated|restarted|rebooted"
    r"|power(?:ed)?[- ]cycled|reset|reseated|re-seated|reinserted|re-inserted|removed|ran|run"
    r"|performed|did|connected|disconnected|granted|gave|paid|made|set|changed|entered|unlocked"
    r"|checked|looked at|tested)\b"
    r"(?P<rest>[^.!?;\n]*)"
)
_UNSAID = re.compile(
    r"\b(?:if|when|once|after|before|until|unless|should|could|would|will|going to|want|whether"
    r"|have(?:n't| not| never)|did(?:n't| not)|never|not yet|what happens|let me|i'll|i can|can i"
    r"|can't)\b"
)
# What was done to what, and the actions that do it. The first that fits is meant;
# without an action the phone cannot do it, and `ANY` is any action at all.
_DEEDS: tuple[tuple[re.Pattern[str], re.Pattern[str], tuple[str, ...]], ...] = tuple(
    (re.compile(verbs), re.compile(things), tools)
    for verbs, things, tools in (
        (
            r"turned|switched|toggled|enabled|disabled|activated|deactivated",
            r"\bwi-?fi calling\b",
            ("toggle_wifi_calling",),
        ),
        (
            r"turned|switched|toggled|enabled|disabled|activated|deactivated",
            r"\b(?:air|aero)plane mode\b|\bflight mode\b",
            ("toggle_airplane_mode",),
        ),
        (
            r"turned|switched|toggled|enabled|disabled|activated|deactivated",
            r"\bdata[- ]sav(?:er|ing)\b",
            ("toggle_data_saver_mode",),
        ),
        (
            r"turned|switched|toggled|enabled|disabled|activated|deactivated",
            r"\broaming\b",
            ("toggle_roaming",),
        ),
        (
            r"turned|switched|toggled|enabled|disabled|activated|deactivated",
            r"\b(?:mobile|cellular) data\b",
            ("toggle_data",),
        ),
        (
            r"turned|switched|toggled|enabled|disabled|activated|deactivated|connected|disconnected",
            r"\bvpn\b",
            ("disconnect_vpn", "connect_vpn"),
        ),
        (
            r"turned|switched|toggled|enabled|disabled|activated|deactivated",
            r"\bwi-?fi\b",
            ("toggle_wifi",),
        ),
        (
            r"re-?seated|re-?inserted|removed",
            r"\bsim\b",
            ("reseat_sim_card",),
        ),
        (
            r"reset|changed|set",
            r"\bapn\b|\baccess point\b",
            ("reset_apn_settings", "set_apn_settings"),
        ),
        (
            r"set|changed|switched",
            r"\bnetwork (?:mode|type|preference|setting)|\bpreferred network\b|\b4g_5g",
            ("set_network_mode_preference",),
        ),
        (
            r"restarted|rebooted|power(?:ed)?[- ]cycled",
            r"",
            ("reboot_device",),
        ),
        (r"ran|run|performed|did", r"\bspeed ?test\b", ("run_speed_test",)),
        (r"granted|gave|enabled", r"\bpermissions?\b", ("grant_app_permission",)),
        (r"paid|made", r"\bpayment\b|\bbill\b", ("make_payment",)),
        (r"entered|unlocked", r"\bpin\b|\bsim\b", ()),
        (r"checked|looked at|tested", r"", (ANY,)),
    )
)

_CLAUSE = re.compile(r",| and (?:then )?(?:now|i|it|the)\b| so | because | since ")

_STATE = re.compile(
    r"(?<!\bover )(?<!\bno )(?P<thing>airplane mode|mobile data|data roaming|roaming"
    r"|data saver(?: mode)?|wi-?fi calling|wi-?fi|vpn|sim(?: card)?|signal|network mode preference"
    r"|speed test|mms)"
    r"(?: status| mode| result| connection| strength)?"
    r" (?:is|shows|says|reads|shows as|seems to be|still says|comes out as)(?: that)?"
    r"(?: it is| it's)?"
    r" (?:(?:now|still|currently|already|again|turned|switched|set to|to be|showing as|showing) )*"
    r"[\"'*]{0,2}(?P<not>not |n't )?(?P<word>on|off|enabled|disabled|active|inactive|connected"
    r"|disconnected|missing|locked|excellent|good|fair|poor|very poor|none|no signal)\b"
)
_FIELDS = {
    "airplane mode": "airplane",
    "mobile data": "data",
    "data roaming": "roaming",
    "roaming": "roaming",
    "data saver": "saver",
    "wi-fi": "wifi",
    "wi-fi calling": "wifi_calling",
    "vpn": "vpn",
    "sim": "sim",
    "sim card": "sim",
    "signal": "signal",
    "speed test": "rating",
}
_ON_OFF = {"enabled": "on", "active": "on", "disabled": "off", "inactive": "off"}
_SWITCHED = frozenset({"airplane", "data", "roaming", "saver", "wifi", "wifi_calling"})


def deeds_in(text: str | None) -> Iterator[ClaimedDeed]:
    """The deeds that a customer says it did, as far as an action of the phone is meant."""
    for sentence in sentences(text):
        for claim in _DID.finditer(sentence):
            if _UNSAID.search(sentence[: claim.start()]) or sentence.endswith("?"):
                continue
            tools = _tools_for(claim["verb"], claim["rest"])
            if tools is not None:
                yield ClaimedDeed(claim[0].strip()[:80], tools)


def _tools_for(verb: str, rest: str) -> tuple[str, ...] | None:
    clause = _CLAUSE.split(rest)[0]
    for verbs, things, tools in _DEEDS:
        if verbs.fullmatch(verb) and things.search(clause):
            return tools
    return None


def states_in(text: str | None) -> Iterator[ClaimedState]:
    """The states of the phone that a customer reports."""
    for sentence in sentences(text):
        if sentence.endswith("?") or _UNSAID.search(sentence):
            continue
        for claim in _STATE.finditer(sentence):
            thing = claim["thing"].replace("wifi", "wi-fi")
            field = _FIELDS.get(thing) or _FIELDS.get(thing.removesuffix(" mode"))
            if field is not None:
                yield ClaimedState(claim[0][:80], field, claim["word"], bool(claim["not"]))


def contradicts(claim: ClaimedState, shown: str) -> bool:
    """Whether what was shown of the field denies the claim; False where the words do not compare.

    `shown` is in the phone's words: on, off, connected, not connected, active, a signal's grade.
    """
    field, word, negated = claim.field, claim.word, claim.negated
    if field in _SWITCHED:
        said = _ON_OFF.get(word, word)
        if said not in ("on", "off") or shown not in ("on", "off"):
            return False
        return (said == shown) is negated
    if field == "vpn":
        said = {"on": "connected", "active": "connected", "enabled": "connected"}.get(word, word)
        if said not in ("connected", "off", "disconnected", "disabled", "inactive"):
            return False
        return ((said == "connected") is (shown == "connected")) is negated
    if negated:
        return word == shown
    if field == "sim":
        return word in ("active", "missing", "locked") and word not in shown
    grades = ("excellent", "good", "fair", "poor", "very poor", "none")
    said = "none" if word == "no signal" else word
    return said in grades and shown in grades and said != shown
