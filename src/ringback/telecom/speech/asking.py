"""What an agent's words ask for on a phone: read by rule, strictly.

A deed was asked for where a sentence that requests something names it: its tool, or the thing with
a verb that fits. What is forbidden, what the agent says of itself, conditions and questions about
the past request nothing. It is not to find a request that was not made, and may miss one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from ringback.telecom.speech.closing import asks
from ringback.telecom.speech.text import plain, spoken

__all__ = ["DEEDS", "SWITCHES", "agrees_to", "asks_for", "mentions", "said_sentences"]

_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_CLAUSE = re.compile(
    r"[,;:]\s*|\s-\s|\b(?=(?:but|although|however|before|after|when|while|until|unless|whether|if"
    r"|because|since|once|in case|so that)\b)"
)
_NO_REQUEST = re.compile(
    r"^(?:if|whether|when|while|until|unless|because|since|before|after|once|in case|so that)\b"
    r"|\b(?:do not|don't|mustn't|shouldn't|needn't|never|no need|need not|not|no longer|avoid"
    r"|refrain|without|instead of|rather than|leave|keep|stop)\b"
    r"|\b(?:i|we)(?:'ll|'ve|'m|'re| will| have| had| am| are| can| could| was| did| just| see| now"
    r"| already| only)\b"
    r"|\byou(?:'ve| have) (?!to\b)|\byou (?:did|already|just|had)\b"
    r"|^(?:so |and |well |ok |okay )*(?:did|have|has|had|was|were|is|are|does|do|why|who)\b"
)
_CONDITION = re.compile(
    r"\b(?:if|unless|in case|when|whenever|should (?:it|this|that|the))\b"
    r"(?! (?:you(?:'re| are) (?:ready|done|okay|ok|fine)|you (?:can|could|please|like|do not mind"
    r"|don't mind|are willing|have a (?:moment|minute))|possible|that(?:'s| is) (?:ok|okay|fine)"
    r"|it(?:'s| is) not too much))"
)
_TELLS = re.compile(
    r"\byou (?:should|need to|must|have to)\b|\bi(?:'d| would) like you to\b"
    r"|\bi (?:need|want) you to\b|\blet's\b"
)
_PIECE = re.compile(r"\b(?:and then|and|then)\b")
_TURNS = (
    r"(?:turn(?:ing)?|switch(?:ing)?|toggl(?:e|ing)|enabl(?:e|ing)|disabl(?:e|ing)"
    r"|activat(?:e|ing)|deactivat(?:e|ing)|put(?:ting)?|set|flip(?:ping)?|tak(?:e|ing))"
)
_TURN = re.compile(rf"\b{_TURNS}\b")
_LOOK = re.compile(
    r"\b(?:check|run|see|look|test|try|send|perform|do|verify|read|view)\b"
    r"|\b(?:tell|what|what's|show|report|confirm|how)\b.*"
    r"\b(?:status|state|settings?|says?|shows?|results?|mode|permissions?|speed test)\b"
)
_VERB = re.compile(
    rf"{_TURN.pattern}|{_LOOK.pattern}|\b(?:tell|what|what's|show|report|confirm|how|open|go"
    r"|restart|reboot|reset|reseat|remove|insert|take|disconnect|connect|grant|allow|give|pay|make"
    r"|change|choose|select|pick|wait|hold|call)\b"
)


def _compiled(patterns: Mapping[str, str]) -> dict[str, re.Pattern[str]]:
    return {tool: re.compile(pattern) for tool, pattern in patterns.items()}


_ON = re.compile(
    r"\bon\b(?! (?:your|the|my|this|that|it)\b)|\b(?:enabl|activat)(?:e|ing)\b"
    r"|\b(?:in|into) (?:air|aero|flight)"
)
_OFF = re.compile(r"\b(?:off|disabl(?:e|ing)|deactivat(?:e|ing))\b|\bout of (?:air|aero|flight)")

SWITCHES: Mapping[str, re.Pattern[str]] = _compiled(
    {
        "toggle_airplane_mode": r"(?:air|aero)plane|flight mode",
        "toggle_data": r"(?:mobile|cellular) data(?! roaming| saver| usage)",
        "toggle_roaming": r"roaming",
        "toggle_data_saver_mode": r"data[ -]sav(?:er|ing)",
        "toggle_wifi": r"wi-?fi(?![ -]calling)",
        "toggle_wifi_calling": r"wi-?fi[ -]calling",
        "disconnect_vpn": r"vpn",
        "connect_vpn": r"vpn",
    }
)
"""What is turned on and off, and how it is called, by the tool that does so."""

_DOES = _compiled(
    {
        "disconnect_vpn": r"\b(?:disconnect|turn|switch|disable|deactivate|close|quit)\b.*\bvpn",
        "connect_vpn": r"\b(?:connect|enable|activate|start)\b.*\bvpn",
        "reboot_device": (
            r"\b(?:restart|reboot|power[ -]cycle)(?:ing)?\b"
            r"|\b(?:turn|switch|power)\b.*\b(?:phone|device)\b.*\b(?:off|down)\b"
            r"|\b(?:turn|switch|power) (?:off|down) (?:your |the )?(?:phone|device)\b"
        ),
        "reseat_sim_card": (
            r"\bre-?seat\b|\b(?:remove|take|pull|re-?insert|insert|put)\b.*\bsim\b"
            r"|\bsim\b.*\b(?:out|back|again)\b"
        ),
        "set_network_mode_preference": (
            r"\b(?:set|change|switch|choose|select|pick|put)\b.*(?:\bnetwork (?:mode|type)"
            r"|preference|preferred|\b[2345]g)"
        ),
        "set_apn_settings": r"\b(?:set|change|write|enter|edit|update|correct)\b.*\bapn\b",
        "reset_apn_settings": r"\breset\b.*\bapn\b",
        "grant_app_permission": r"\b(?:grant|allow|give|enable|turn on|switch on)\b.*\bpermission",
        "make_payment": r"\bpay\b|\bmake (?:the|a|that|this) payment\b",
    }
)
_LOOKS = _compiled(
    {
        "run_speed_test": (
            r"speed[ -]?test|\btest (?:the|your|its) speed|\bcheck (?:the|your) speed"
        ),
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
)
DEEDS = (*SWITCHES, *(tool for tool in _DOES if tool not in SWITCHES))
"""The tools that do more than look."""

_PRONOUN = re.compile(
    r"\b(turn|switch|toggle|disable|enable|disconnect|deactivate|activate|turning|switching"
    r"|toggling|disabling|enabling|disconnecting) (?:(?:off|on) )?(?:it|that|this)\b"
)
_NEAR = 600  # characters in which a pronoun has what it stands for
_GENERATION = re.compile(r"[2345]g")
_PERMISSION = re.compile(r"\b(?:sms|storage|phone|network)\b")
_MAY_I = re.compile(
    r"\b(?:should|shall|can|may|could|must) i\b|\bdo i (?:need|have) to\b"
    r"|\b(?:do|would) you (?:want|like) me to\b"
)
_YES = re.compile(
    r"^\W*(?:yes|yeah|yep|sure|exactly|correct|right|certainly|absolutely|definitely|of course"
    r"|okay|ok|please do|go ahead|do (?:that|it|so)|that(?:'s| is) (?:right|fine|okay|ok)|fine)\b"
)
_NO = re.compile(r"\b(?:no|not|don't|never|leave|keep|rather)\b|n't\b")


def said_sentences(text: str) -> list[str]:
    """The sentences of what was said, as they were written."""
    return [each.strip() for each in _SENTENCE.split(spoken(text)) if each.strip()]


def asks_for(
    text: str,
    tool: str,
    *,
    on: bool | None = None,
    value: str | None = None,
    again: bool = False,
    conditions: bool = True,
) -> bool:
    """Whether a message of the agent's asks for what a tool of the phone does.

    `on` is how the switch that the tool turns is to stand then, `value` what a mode or a permission
    was set to; None where either may be anything. With `again` the position must have been named:
    "toggle it" asks for that once. Without `conditions` nothing counts that was asked for in case
    of something only.
    """
    wish = _Wish(tool, on, value, again)
    return any(
        (conditions or not request.conditional) and _names(request, wish)
        for request in _requests(text)
    )


class _Request(NamedTuple):
    """A sentence that requests something: the clauses that do, and each single request of them.

    `before` is what was said just before it in the message, where a pronoun asks for it.
    """

    whole: str
    pieces: tuple[str, ...]
    before: str
    conditional: bool


@lru_cache(maxsize=16)
def _requests(text: str) -> tuple[_Request, ...]:
    found: list[_Request] = []
    before = ""
    for sentence in map(plain, said_sentences(text)):
        if asks(sentence) or _TELLS.search(sentence) is not None:
            kept = [each for each in _CLAUSE.split(sentence) if each and not _idle(each)]
            whole, condition = ", ".join(kept), _CONDITION.search(sentence) is not None
            earlier = before if _PRONOUN.search(whole) is not None else ""
            found.append(_Request(whole, tuple(_pieces(kept)), earlier, condition))
        before = f"{before} {sentence}"[-_NEAR:]
    return tuple(found)


def agrees_to(text: str, question: str, tool: str, *, on: bool | None = None) -> bool:
    """Whether a message says yes to the customer's question if it should do what a tool does."""
    answer = plain(next(iter(said_sentences(text)), ""))
    if _YES.search(answer) is None or _NO.search(answer) is not None:
        return False
    wishes = (plain(each) for each in said_sentences(question) if "?" in each)
    return any(
        _MAY_I.search(each) is not None
        and asks_for(_MAY_I.sub("please", each).replace("?", "."), tool, on=on)
        for each in wishes
    )


def mentions(text: str, tool: str) -> bool:
    """Whether a message names what a tool turns, or speaks of what it does."""
    named = SWITCHES.get(tool) or _DOES.get(tool) or _LOOKS.get(tool)
    return named is not None and named.search(plain(spoken(text))) is not None


class _Wish:
    """What may have been asked for."""

    def __init__(self, tool: str, on: bool | None, value: str | None, again: bool) -> None:
        self.tool, self.on, self.value, self.again = tool, on, value, again

    def wanted(self, piece: str, whole: str) -> bool:
        """Whether the switch came to stand as it was to, where that was said."""
        if self.on is None:
            return True
        text = piece if _ON.search(piece) or _OFF.search(piece) else whole
        on, off = _ON.search(text) is not None, _OFF.search(text) is not None
        if self.again:
            return on if self.on else off
        return on == off or self.on is on

    def fits(self, text: str) -> bool:
        """Whether what it was set to is what was named, where anything was."""
        if self.tool in _SET and self.value is not None:
            named = {*_SET[self.tool].findall(text.replace(self.tool, ""))}
            if self.tool == "grant_app_permission":
                return not named - {"phone"} or self.value in named - {"phone"}
            return not named or named == {*_GENERATION.findall(self.value)}
        return self.wanted(text, text)


_SET = {"set_network_mode_preference": _GENERATION, "grant_app_permission": _PERMISSION}


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


def _names(request: _Request, wish: _Wish) -> bool:
    whole, tool = request.whole, wish.tool
    if tool in whole and re.search(rf"\b{re.escape(tool)}\b", whole) is not None:
        return wish.fits(whole)
    look, does, thing = _LOOKS.get(tool), _DOES.get(tool), SWITCHES.get(tool)
    if look is not None:
        return look.search(whole) is not None and any(
            look.search(piece) is not None and _LOOK.search(piece) is not None
            for piece in request.pieces
        )
    spoken_of = thing or does
    if spoken_of is None or not (spoken_of.search(whole) or spoken_of.search(request.before)):
        return False
    for piece in request.pieces:
        if does is not None:
            named = does.search(piece) is not None or _resolved(request, piece, tool)
            if named and wish.fits(whole):
                return True
        elif thing is not None:
            named = thing.search(piece) is not None and _TURN.search(piece) is not None
            if named or _resolved(request, piece, tool):
                return wish.wanted(piece, whole)
    return False


def _resolved(request: _Request, piece: str, tool: str) -> bool:
    """Whether ``turn it off`` means this: the last thing of the message that was named."""
    found = _PRONOUN.search(piece) if tool in SWITCHES else None
    if found is None:
        return False
    if found[1].startswith("disconnect") and tool != "disconnect_vpn":
        return False
    earlier = f"{request.before} {request.whole.partition(found[0])[0]}"
    last = {
        name: max((match.start() for match in thing.finditer(earlier)), default=-1)
        for name, thing in SWITCHES.items()
    }
    newest = max(last.values())
    return newest >= 0 and last[tool] == newest and tool != "connect_vpn"
