"""Whether what a customer did on the phone is what the agent asked for: read by rule, strictly.

A deed was asked for where a sentence of the agent's that requests something names it: its tool, or
the thing with a verb that fits. What is forbidden, what the agent says of itself, conditions and
questions about the past request nothing. Where this misses a request, a record says less; it is not
to find one that was not made.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import cast

from ringback.domain import Did
from ringback.telecom.recount.moves import Exchange
from ringback.telecom.speech.closing import awaits
from ringback.telecom.speech.text import plain, spoken
from ringback.telecom.world import state_of

__all__ = ["asked_for", "sentences"]

_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_CLAUSE = re.compile(
    r"[,;:]\s*|\s-\s|\b(?=(?:but|although|however|before|after|when|while|until|unless|whether|if"
    r"|because|since|once|in case|so that)\b)"
)
_NO_REQUEST = re.compile(
    r"^(?:if|whether|when|while|until|unless|because|since|before|after|once|in case|so that)\b"
    r"|\b(?:do not|don't|never|no need|need not|needn't|not|avoid|without|instead of|rather than"
    r"|leave|keep|stop)\b"
    r"|\b(?:i|we)(?:'ll|'ve|'m|'re| will| have| had| am| are| can| could| was| did| just| see| now"
    r"| already| only)\b"
    r"|\byou(?:'ve| have) (?!to\b)|\byou (?:did|already|just|had)\b"
    r"|^(?:so |and |well |ok |okay )*(?:did|have|has|had|was|were|is|are|does|do|why|who)\b"
)
_TELLS = re.compile(
    r"\byou (?:should|need to|must|have to)\b|\bi(?:'d| would) like you to\b"
    r"|\bi (?:need|want) you to\b|\blet's\b"
)
_PIECE = re.compile(r"\b(?:and then|and|then)\b")
_TURN = re.compile(r"\b(?:turn|switch|toggle|enable|disable|activate|deactivate|put|set|flip)\b")
_LOOK = re.compile(
    r"\b(?:check|run|see|look|test|try|send|perform|do|verify|read|view)\b"
    r"|\b(?:tell|what|what's|show|report|confirm|how)\b.*"
    r"\b(?:status|state|settings?|says?|shows?|results?|mode|permissions?|speed test)\b"
)
_VERB = re.compile(
    rf"{_TURN.pattern}|{_LOOK.pattern}|\b(?:tell|what|what's|show|report|confirm|how|open|go|restart|reboot|reset|reseat|remove|insert|take"
    r"|disconnect|connect|grant|allow|give|pay|make|change|choose|select|pick|wait|hold|call)\b"
)
_ON = re.compile(r"\bon\b(?! (?:your|the|my|this|that|it)\b)|\b(?:enable|activate)\b")
_OFF = re.compile(r"\b(?:off|disable|deactivate)\b")

_THINGS: Mapping[str, str] = {
    "toggle_airplane_mode": r"(?:air|aero)plane|flight mode",
    "toggle_data": r"(?:mobile|cellular) data(?! roaming| saver| usage)",
    "toggle_roaming": r"roaming",
    "toggle_data_saver_mode": r"data[ -]sav(?:er|ing)",
    "toggle_wifi": r"wi-?fi(?![ -]calling)",
    "toggle_wifi_calling": r"wi-?fi[ -]calling",
    "disconnect_vpn": r"vpn",
    "connect_vpn": r"vpn",
}
_OF_PHONE = {
    "toggle_airplane_mode": "airplane_mode",
    "toggle_data": "data_enabled",
    "toggle_roaming": "roaming_enabled",
    "toggle_data_saver_mode": "data_saver_mode",
    "toggle_wifi": "wifi_enabled",
    "toggle_wifi_calling": "wifi_calling_enabled",
}
_DOES: Mapping[str, str] = {
    "disconnect_vpn": r"\b(?:disconnect|turn|switch|disable|deactivate|close|quit)\b.*\bvpn",
    "connect_vpn": r"\b(?:connect|enable|activate|start)\b.*\bvpn",
    "reboot_device": r"\b(?:restart|reboot|power[ -]cycle)\b",
    "reseat_sim_card": (
        r"\bre-?seat\b|\b(?:remove|take|pull|re-?insert|insert|put)\b.*\bsim\b"
        r"|\bsim\b.*\b(?:out|back|again)\b"
    ),
    "set_network_mode_preference": (
        r"\b(?:set|change|switch|choose|select|pick|put)\b.*(?:\bnetwork (?:mode|type)|preference"
        r"|preferred|\b[2345]g)"
    ),
    "set_apn_settings": r"\b(?:set|change|write|enter|edit|update|correct)\b.*\bapn\b",
    "reset_apn_settings": r"\breset\b.*\bapn\b",
    "grant_app_permission": r"\b(?:grant|allow|give|enable|turn on|switch on)\b.*\bpermission",
    "make_payment": r"\bpay\b|\bmake (?:the|a|that|this) payment\b",
}
_LOOKS: Mapping[str, str] = {
    "run_speed_test": r"speed[ -]?test|\btest (?:the|your|its) speed|\bcheck (?:the|your) speed",
    "can_send_mms": r"\bmms\b|(?:picture|photo|multimedia) message|\bsend (?:a|the) picture",
    "check_status_bar": r"status bar",
    "check_network_status": r"network status|network connection|status of (?:the|your) network",
    "check_network_mode_preference": r"network (?:mode|type|preference)|preferred network",
    "check_sim_status": r"\bsim\b",
    "check_data_restriction_status": r"data[ -](?:saver|saving|restriction)",
    "check_apn_settings": r"\bapn\b",
    "check_wifi_status": r"wi-?fi(?![ -]calling)",
    "check_wifi_calling_status": r"wi-?fi[ -]calling",
    "check_vpn_status": r"\bvpn\b",
    "check_app_permissions": r"\bpermissions?\b",
    "check_app_status": r"\bapp status|status of (?:the|your) \w+ app",
    "check_installed_apps": r"\b(?:installed )?apps\b",
    "check_payment_request": r"payment request",
}
_PRONOUN = re.compile(
    r"\b(turn|switch|toggle|disable|enable|disconnect|deactivate|activate) (?:(?:off|on) )?"
    r"(?:it|that|this)\b"
)
_GENERATION = re.compile(r"[2345]g")
_PERMISSION = re.compile(r"\b(?:sms|storage|phone|network)\b")


def sentences(text: str) -> list[str]:
    """The sentences of what was said, as they were written."""
    return [each.strip() for each in _SENTENCE.split(spoken(text)) if each.strip()]


def asked_for(move: Exchange, did: Did) -> bool:
    """Whether the agent asked for this with what it said in this exchange."""
    if move.said is None:
        return False
    before = ""
    for sentence in map(plain, sentences(move.said.text)):
        if awaits(sentence) or _TELLS.search(sentence) is not None:
            kept = [each for each in _CLAUSE.split(sentence) if each and not _idle(each)]
            if _names(kept, before, did):
                return True
        before = f"{before} {sentence}"
    return False


def _idle(clause: str) -> bool:
    return _NO_REQUEST.search(clause) is not None


def _pieces(clauses: list[str]) -> Iterator[str]:
    """The single requests; one without a verb of its own has that of the one before."""
    verbs = ""
    for clause in clauses:
        for piece in _PIECE.split(clause):
            found = _VERB.search(piece)
            yield piece if found is not None else f"{verbs} {piece}"
            verbs = verbs if found is None else found[0]


def _names(clauses: list[str], before: str, did: Did) -> bool:
    whole = ", ".join(clauses)
    if re.search(rf"\b{re.escape(did.tool)}\b", whole) is not None:
        return _fits(did, whole)
    for piece in _pieces(clauses):
        if (look := _LOOKS.get(did.tool)) is not None:
            verb = _LOOK.search(piece)
            if verb is not None and re.search(look, piece) is not None:
                return True
        elif (does := _DOES.get(did.tool)) is not None:
            pronoun = _resolved(piece, whole, before, did)
            if (re.search(does, piece) is not None or pronoun) and _fits(did, whole):
                return True
        elif (thing := _THINGS.get(did.tool)) is not None:
            named = re.search(thing, piece) is not None and _TURN.search(piece) is not None
            if named or _resolved(piece, whole, before, did):
                return _wanted(did, piece, whole)
    return False


def _resolved(piece: str, whole: str, before: str, did: Did) -> bool:
    """Whether ``turn it off`` means this: the last thing of the message that was named."""
    found = _PRONOUN.search(piece)
    if found is None or did.tool not in _THINGS:
        return False
    if found[1] == "disconnect" and did.tool != "disconnect_vpn":
        return False
    earlier = f"{before} {whole.partition(found[0])[0]}"
    last = {
        tool: max((match.start() for match in re.finditer(thing, earlier)), default=-1)
        for tool, thing in _THINGS.items()
    }
    newest = max(last.values())
    return newest >= 0 and last[did.tool] == newest and did.tool != "connect_vpn"


def _wanted(did: Did, piece: str, whole: str) -> bool:
    """Whether the thing came to stand as it was to, where that was said."""
    field = _OF_PHONE.get(did.tool)
    if field is None:
        return True
    text = piece if _ON.search(piece) or _OFF.search(piece) else whole
    on, off = _ON.search(text) is not None, _OFF.search(text) is not None
    is_on = bool(getattr(state_of(did.after).phone, field))
    return on == off or is_on is on


def _fits(did: Did, text: str) -> bool:
    """Whether the arguments of a call are those that were named, where any were."""
    given = cast("dict[str, object]", did.arguments) if isinstance(did.arguments, dict) else {}
    if did.tool == "set_network_mode_preference":
        mode = str(given.get("mode", ""))
        named = {*_GENERATION.findall(text)}
        return not named or named == {*_GENERATION.findall(mode)}
    if did.tool == "grant_app_permission":
        named = {*_PERMISSION.findall(text.replace("grant_app_permission", ""))} - {"phone"}
        return not named or str(given.get("permission", "")) in named
    return _wanted(did, text, text) if did.tool in _OF_PHONE else True
