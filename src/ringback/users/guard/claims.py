"""Claims that the customer's own log denies: deeds that no action did, states not shown."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ringback.users.guard.known import Candidate, Deed, Finding, Known, plain
from ringback.users.rules.phone_state import seen_in

__all__ = ["denied_deed", "denied_state", "last_seen"]

_SENTENCE = re.compile(r"(?<=[.!?;\n])\s+|\n+| - | but | although | however ", re.IGNORECASE)

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
# Fields that can change without the customer's doing, so that an old look proves little.
_LIVE = frozenset({"signal", "network", "connection", "speed", "rating", "mms", "request"})
_ANY = "any"
# What was done to what, and the actions that do it. The first that fits is meant;
# without an action the phone cannot do it, and `_ANY` is any action at all.
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
        (r"checked|looked at|tested", r"", (_ANY,)),
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


def denied_deed(candidate: Candidate, known: Known) -> Finding | None:
    """The customer says that it did something, and no action of its in the whole call did that."""
    done = {deed.tool for deed in known.deeds if not deed.error}
    done |= {_ANY} if done else set()
    for sentence in _sentences(candidate.text):
        for claim in _DID.finditer(sentence):
            if _UNSAID.search(sentence[: claim.start()]) or sentence.endswith("?"):
                continue
            tools = _tools_for(claim["verb"], claim["rest"])
            if tools is not None and not done & {*tools}:
                return Finding("denied_deed", _advice(claim[0].strip()[:80], tools))
    return None


def _advice(claim: str, tools: tuple[str, ...]) -> str:
    start = f'You say "{claim}", but you have not done that'
    if not tools:
        return f"{start}: no action of yours can do it. Do not claim it."
    if tools == (_ANY,):
        return f"{start}: take an action first, or do not claim it."
    return f"{start}: take the action {tools[0]} first, or do not claim it."


def _tools_for(verb: str, rest: str) -> tuple[str, ...] | None:
    clause = _CLAUSE.split(rest)[0]
    for verbs, things, tools in _DEEDS:
        if verbs.fullmatch(verb) and things.search(clause):
            return tools
    return None


def denied_state(candidate: Candidate, known: Known) -> Finding | None:
    """The customer reports a state of its phone that no look of its bears out.

    What counts is all that its actions since the agent last spoke have shown, in whatever order it
    tells that; where they did not show the field, the last look before.
    """
    sight, fresh = last_seen(known), _shown(known.fresh)
    for sentence in _sentences(candidate.text):
        if sentence.endswith("?") or _UNSAID.search(sentence):
            continue
        for claim in _STATE.finditer(sentence):
            thing = claim["thing"].replace("wifi", "wi-fi")
            field = _FIELDS.get(thing) or _FIELDS.get(thing.removesuffix(" mode"))
            if field is None or field not in sight:
                continue
            shown = fresh.get(field) or [sight[field]]
            said = claim["word"], bool(claim["not"])
            if all(_contradicts(field, *said, word) for word in shown):
                return Finding(
                    "denied_state",
                    f'You say "{claim[0][:80]}", but your last look showed "{shown[-1]}". Say what '
                    "was shown, or look again.",
                )
    return None


def _shown(deeds: list[Deed]) -> dict[str, list[str]]:
    shown: dict[str, list[str]] = {}
    for deed in deeds:
        for field, word in () if deed.error else seen_in(deed.tool, deed.text):
            shown.setdefault(field, []).append(word)
    return shown


def last_seen(known: Known) -> dict[str, str]:
    """What the phone last showed; what changes by itself only where nothing came after it."""
    sight: dict[str, str] = {}
    for deed in known.deeds:
        if deed.error:
            continue
        if not deed.tool.startswith(("check_", "run_", "can_")):
            for field in _LIVE:
                sight.pop(field, None)
        sight.update(seen_in(deed.tool, deed.text))
    return sight


def _contradicts(field: str, word: str, negated: bool, shown: str) -> bool:
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


def _sentences(text: str | None) -> Iterator[str]:
    for sentence in _SENTENCE.split(plain_lines(text or "")):
        if sentence.strip():
            yield sentence.strip()


def plain_lines(text: str) -> str:
    """Compared plainly, line by line."""
    return "\n".join(plain(line) for line in text.splitlines())
