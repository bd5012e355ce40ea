"""What a clause asks to be done."""

from __future__ import annotations

import re

from msgspec import Struct

from ringback.users.rules.looks import looks_in, request_part
from ringback.users.rules.request import Request
from ringback.users.rules.words import (
    NEGATED,
    SWITCHES,
    Mention,
    direction,
    mentions,
    mode_in,
    permissions_in,
)

__all__ = ["acts_in"]


_CYCLE = re.compile(
    r"\bon\b[^.]{0,60}?\b(?:then|and|to|wait)\b[^.]{0,60}?\boff\b|\boff and on\b"
    r"|\boff[^.]{0,40}?\b(?:then|and)\b[^.]{0,40}?\bon\b|\bon ?[,/>-]+ ?off\b|\boff ?[,/>-]+ ?on\b"
)
_SWITCHING = re.compile(
    r"\b(?:turn|switch|toggl|flip|flick|put|set|enabl|disabl|activat|deactivat|disconnect|connect"
    r"|keep|leav|exit|shut|tap|slid|mov|swip|us|chang|press|select|choos|stop|get|tak|hit"
    r"|cycl|go(?:ing)?|try|re-enabl|re-?connect)\w*\b"
)
_ENSURE = re.compile(
    r"\b(?:make (?:absolutely )?(?:sure|certain)|ensure|be sure|double[- ]check"
    r"|supposed to be|see that|verify that|(?:should|needs? to|must|has to|have to|ought to|is to"
    r"|are to|will need to|(?:would|'d) (?:want|like) (?:it|them|that) to)(?: \w+ly| likewise| also"
    r"| now| then| first| both| all| still| just)* be)\b"
)
_PASSIVE = re.compile(r"\bbe (?:\w+ly )?(?:re-?seated|re-?inserted|taken out|removed|put back)\b")
_LOOKING = re.compile(
    r"(?:re-?)?(?:check(?:ing)?|view|see(?! that)|verify(?:ing)?|confirm(?:ing)?|inspect|review"
    r"|read|list|name|find out|note|observe|double[- ]?check|describe|examine|monitor"
    r"|look(?:ing)? (?:at|up|in|under|closely|and|to)|look|tell|let me know|report|know|share"
    r"|give me|send me|show)\b"
)
_NAVIGATING = re.compile(
    r"(?:go(?:ing)? (?:back )?(?:to|into)|open(?:ing)?|tap(?:ping)?|select|find(?:ing)?|scroll"
    r"|navigate|press|swip\w+|choose|look(?:ing)? for|locate|click|access|head|pull|hold|enter"
    r"|hit|(?:pop|jump|hop|nip|dip|dive|swing) (?:into|over|back)|visit|return)\b"
)
_NOT = re.compile(
    r"\b(?:don't|do not|never|no need|needn't|not (?:need|have) to|need not|not necessary|avoid"
    r"|without|shouldn't|should not|must not|mustn't|rather than|instead of|hold off|refrain"
    r"|won't need|stop|skip|doesn't need"
    r"|lea?v(?:e|ing)\b[^.]{0,30}\b(?:as (?:it|they)|alone)|not yet)\b"
)
_NOT_REALLY = re.compile(r"\b(?:don't|do not) (?:forget|hesitate|worry)\b|\bwhy don't you\b")
_RESEAT = re.compile(
    r"\breseat|\bre-?insert|\bre-?seat|\b(?:remov|tak|eject|pull|pop|slid)\w*\b[^.]{0,30}\bsim\b"
    r"|\bsim\b[^.]{0,40}\b(?:out|back in|remov\w+|eject\w*)\b|\b(?:put|insert|push"
    r"|plac)\w*\b[^.]{0,20}\bsim\b[^.]{0,20}\b(?:back|in|again)\b"
    r"|\b(?:take|tak|pull|pop|slid)\w*\b[^.]{0,25}\bcard\b[^.]{0,20}\bout\b"
    r"|\bout with (?:the|your) sim\b"
    r"|\b(?:take|slide|pop|pull) (?:it|the card) (?:back )?out\b|\b(?:slot|put|slide) it back\b"
)
_REBOOT = re.compile(
    r"\brebooting\b|\breboot\b|\brestart(?:ing)?\b(?! the app)|\bpower[- ]?cycl\w+|\b(?:turn"
    r"|switch|power|shut)\w* (?:(?:it|(?:your |the )?(?:\w+ )?(?:phone|device"
    r"|handset)) )?(?:completely |fully )?(?:off|down)\b[^.]{0,50}\b(?:back on|on again|and on"
    r"|then on)\b|\boff and (?:then )?(?:back )?on(?: again)?\b"
)
_RESET = re.compile(r"\b(?:re-?set|resetting|restor\w+|revert\w*)\b")
_DEFAULT = re.compile(r"\bdefaults?\b|\bnetwork settings\b|\bcarrier settings\b")
_SETMODE = re.compile(
    r"\b(?:chang|set(?!tings)|switch|updat|adjust|select|choos|mov|put|prefer|modif|pick|us|tap"
    r"|allow)\w*\b(?<!preference)(?<!preferences)(?<!preferred)"
)
_GRANT = re.compile(
    r"\b(?:grant|giv|allow|enabl|turn|switch|add|updat|toggl|activat|fix|restor|accept)\w*\b"
)
_GIVE = re.compile(
    r"\b(?:grant|give|allow|enable|turn on|switch on|add|activate)\b[^.]{0,20}\b(?:it|them|both"
    r"|those|these|that|whichever|the missing|what)\b"
)
_LET = re.compile(r"\b(?:let|letting) (?:it|them|the app|that app) (?:use|access|have|read|see)\b")
_BEGIN_WITH = re.compile(r"\b(?:start|begin|go|continue|first)\w*\b(?: with| by)?\b|\bthen\b")
_CHANGING = re.compile(
    r"\b(?:chang(?:e|ing)|correct|fix|updat(?:e|ing)|adjust(?:ing)?|modify(?:ing)?|put)\b"
)
_PAY = re.compile(
    r"\b(?:pay(?!ment)|paying|settle|clear)\b|\b(?:complet|mak|accept|approv|authori[sz]|submit"
    r"|process|finish|confirm|proceed)\w*\b[^.]{0,40}\bpayments?\b"
)
_TRY = re.compile(
    r"\b(?:try|trying|test|testing|retest|re-test|attempt|retry|send|sending|run|re-?run|perform"
    r"|do|take|start|conduct|complete|measure|initiate|repeat|use|using|load|open|browse|browsing"
    r"|visit|stream|make|making|place|placing|check|confirm|see|verify|using|redo)\b"
)
_AGAIN = re.compile(
    r"\b(?:try|test|check|retry|re-?test|see|attempt|send|sending|run|measure|go"
    r"|sending)\b(?: \w+){0,3} (?:again|once more|now|works?|working"
    r"|helps?|helped|resolved?|improves?)\b"
    r"|\b(?:send|try)\b[^.]{0,12}\bone more\b"
    r"|^(?:re-?try|re-?test|try again|test again|test it)\b"
    r"|^(?:now |then |please )*(?:test|try|send|measure)(?: it| that| now| please)*[.! ]*$"
    r"|\b(?:another|a|one more) (?:try|go"
    r"|shot)\b"
)
_PRONOUN = re.compile(
    r"\b(?:it|that|this|them|both|these|those|either|one)\b"
    r"|\b(?:the|that|this) (?:\w+ )?(?:switch|toggle|icon|setting|option|connection|feature"
    r"|tile|button|mode|item|slider|thing|one)\b"
)


_FLIP = re.compile(r"(?:flip|toggle|flick)\b")
_CYCLING = re.compile(r"\bcycl(?:e|ing)\b")
_SETTING = re.compile(
    r"\b(?:(?:the|that|this|its) (?:\w+ )?(?:setting|switch|toggle|option)|(?:its"
    r"|the phone's) own)\b"
)
_REBOOT_VERB = re.compile(r"reboot|restart|cycl")
_GENERATION = re.compile(r"\b[345]g\b")
_IT = re.compile(r"\bit\b")
_SENDING = re.compile(r"\b(?:send|issue|create|raise)\w*\b")
_BOTH = re.compile(r"\bboth\b|\bthem\b|\bthese\b|\bthose\b")
_FLIPPING = re.compile(r"\btoggl|\bflip|\bswitch\b")


def _negated(clause: str) -> bool:
    return bool(_NOT.search(clause)) and not _NOT_REALLY.search(clause)


class _Clause(Struct, frozen=True):
    """A clause with what it names; `sure` and `looking` as its verb says."""

    text: str
    found: list[Mention]
    topics: frozenset[str]
    before: tuple[str, ...]
    sure: bool
    looking: bool
    item: bool

    def has(self, pattern: re.Pattern[str]) -> bool:
        return pattern.search(self.text) is not None

    def request(self, act: str, topic: str, value: str = "", *, sure: bool = True) -> Request:
        return Request(act, topic, value, sure=sure, item=self.item)


def acts_in(clause: str, before: tuple[str, ...], item: bool) -> list[Request]:
    """What an order or a wish ("turn it off", "run a speed test") asks for, in its own order.

    `before` are the parts of the phone that the message named last, for its "it" and "both".
    """
    clause = request_part(clause)
    ensuring = _ENSURE.search(clause) is not None
    if _negated(clause) and not ensuring:
        return []
    found = mentions(clause)
    if named := [mention for mention in found if mention.topic == "tool"]:
        return _by_name(clause, named, item)
    read = _Clause(
        text=clause,
        found=found,
        topics=frozenset(mention.topic for mention in found),
        before=before,
        sure=not ensuring,
        looking=_LOOKING.match(clause) is not None,
        item=item,
    )
    rules = (
        (_money, _tests) if read.looking else (_whole_phone, _settings, _money, _switches, _tests)
    )
    for rule in rules:
        if requests := rule(read):
            return requests
    if _NAVIGATING.match(clause):
        return [_weak(request) for request in looks_in(clause, item)]
    if read.looking or ensuring:
        looks = [
            request if request.act == "test" else read.request("look", request.topic)
            for request in looks_in(clause, item)
        ]
        return [_weak(each) for each in looks] if _MENU.search(clause) else looks
    return []


_MENU = re.compile(r"\bnetwork settings\b")


def _weak(request: Request) -> Request:
    return Request(request.act, request.topic, request.value, weak=True, item=request.item)


_NAMED: dict[str, tuple[str, str, str]] = {
    "toggle_airplane_mode": ("switch", "airplane", "flip"),
    "toggle_data": ("switch", "data", "flip"),
    "toggle_roaming": ("switch", "roaming", "flip"),
    "toggle_data_saver_mode": ("switch", "saver", "flip"),
    "toggle_wifi": ("switch", "wifi", "flip"),
    "toggle_wifi_calling": ("switch", "wifi_calling", "flip"),
    "connect_vpn": ("switch", "vpn", "on"),
    "disconnect_vpn": ("switch", "vpn", "off"),
    "set_network_mode_preference": ("mode", "mode", "4g_5g_preferred"),
    "reset_apn_settings": ("reset_apn", "apn", ""),
    "reseat_sim_card": ("reseat", "sim", ""),
    "reboot_device": ("reboot", "phone", ""),
    "make_payment": ("pay", "payment", ""),
    "run_speed_test": ("test", "speed", ""),
    "can_send_mms": ("test", "mms", ""),
}


def _by_name(clause: str, named: list[Mention], item: bool) -> list[Request]:
    requests: list[Request] = []
    for number, mention in enumerate(named):
        after = named[number + 1].start if number + 1 < len(named) else len(clause)
        part = clause[mention.end : after]
        whole = clause if len(named) == 1 else part
        name = mention.word
        if name == "set_apn_settings":
            requests.append(Request("reset_apn", "apn", item=item))
        elif name == "grant_app_permission":
            wanted = permissions_in(part) or permissions_in(clause)
            requests += [Request("grant", "permissions", each, item=item) for each in wanted]
            if not wanted:
                requests.append(Request("grant", "permissions", item=item))
        elif name in _NAMED:
            act, topic, value = _NAMED[name]
            if act == "mode":
                value = mode_in(whole) or value
            if value == "flip":
                requests += _targets(topic, whole, item)
            else:
                requests.append(Request(act, topic, value, named=True, item=item))
        else:
            requests.append(Request("look", name, named=True, item=item))
    return requests


def _targets(topic: str, part: str, item: bool) -> list[Request]:
    """One switch, or two where it is to go one way and back."""
    ways = _there_and_back(part) or (direction(part) or "flip",)
    return [Request("switch", topic, way, named=True, item=item) for way in ways]


def _whole_phone(clause: _Clause) -> list[Request]:
    """Restart, and the SIM taken out and put back."""
    requests: list[tuple[int, Request]] = []
    sim = _RESEAT.search(clause.text)
    if (
        sim
        and (clause.sure or clause.has(_PASSIVE))
        and ("sim" in clause.topics or "sim" in clause.before)
    ):
        requests.append((sim.start(), clause.request("reseat", "sim")))
    reboot = _REBOOT.search(clause.text)
    if reboot and (clause.has(_REBOOT_VERB) or not clause.topics & SWITCHES):
        requests.append((reboot.start(), clause.request("reboot", "phone")))
        reset = _RESET.search(clause.text)
        if reset and "apn" in clause.topics:
            requests.append((reset.start(), clause.request("reset_apn", "apn")))
    requests.sort(key=lambda pair: pair[0])
    return [request for _, request in requests]


def _settings(clause: _Clause) -> list[Request]:
    """The APN record, the messaging app's permissions, the network mode."""
    topics, before = clause.topics, clause.before
    if clause.has(_RESET) and (
        "apn" in topics
        or (clause.has(_DEFAULT) and "sim" not in topics)
        or ("apn" in before and not topics)
    ):
        return [clause.request("reset_apn", "apn")]
    wanted = permissions_in(clause.text)
    if (
        not topics
        and wanted
        and "permissions" in before
        and (clause.has(_BEGIN_WITH) or clause.has(_LET))
    ):
        return [clause.request("grant", "permissions", each) for each in wanted]
    if not topics and "permissions" in before and clause.has(_GIVE):
        return [clause.request("grant", "permissions")]
    about_app = "permissions" in topics or (
        "permissions" in before and wanted and not topics & SWITCHES
    )
    if about_app and (clause.has(_GRANT) or not clause.sure):
        return [
            clause.request("grant", "permissions", each, sure=clause.sure)
            for each in wanted or ("",)
        ]
    mode = mode_in(clause.text)
    setting = clause.has(_SETMODE)
    if ("mode" in topics and setting) or (
        mode
        and not topics & (SWITCHES - {"data", "wifi"})
        and (setting or not clause.sure)
        and ("mode" in before or "network" in topics or clause.has(_GENERATION))
    ):
        return [clause.request("mode", "mode", mode or "4g_5g_preferred", sure=clause.sure)]
    meant = not topics and before[-1:] == ("mode",) and clause.has(_PRONOUN)
    if meant and clause.has(_CHANGING) and direction(clause.text) is None:
        return [clause.request("mode", "mode", "4g_5g_preferred")]
    return []


def _money(clause: _Clause) -> list[Request]:
    """The payment request: to look at, or to pay."""
    named = [mention for mention in clause.found if mention.topic == "payment"]
    meant = "payment" in clause.before and not clause.found
    if clause.looking:
        if any("request" in mention.word for mention in named) or (meant and clause.has(_IT)):
            return [clause.request("look", "check_payment_request")]
        return []
    if (named or "payment" in clause.before) and clause.has(_PAY):
        return [clause.request("pay", "payment")]
    if any("request" in mention.word for mention in named) and not clause.has(_SENDING):
        return [clause.request("look", "check_payment_request")]
    return []


def _switches(clause: _Clause) -> list[Request]:
    if clause.sure and not clause.has(_SWITCHING):
        return []
    denied = not clause.sure and clause.has(NEGATED)
    named = [mention for mention in clause.found if mention.topic in SWITCHES]
    if named:
        turns = _named_turns(clause.text, named)
    elif "sim" in clause.topics or ("phone" in clause.topics and not clause.has(_SETTING)):
        return []
    else:
        known = tuple(topic for topic in clause.before if topic in SWITCHES)
        turns = _pronoun_turns(clause.text, known)
    return [
        clause.request("switch", topic, "off" if denied and way == "on" else way, sure=clause.sure)
        for topic, way in turns
    ]


def _pronoun_turns(clause: str, known: tuple[str, ...]) -> list[tuple[str, str]]:
    """Which of the switches named before "it", "both" or a bare "turn off" means, and which way."""
    way = direction(clause) or ("flip" if _FLIP.match(clause) else None)
    if not known or way is None:
        return []
    if not (_PRONOUN.search(clause) or len(clause.split()) <= 5):
        return []
    if there_and_back := _there_and_back(clause):
        return [(known[-1], each) for each in there_and_back]
    chosen = known[-2:] if _BOTH.search(clause) else known[-1:]
    return [(topic, way) for topic in chosen]


def _named_turns(clause: str, named: list[Mention]) -> list[tuple[str, str]]:
    """Each switch that the clause names and its way: the word beside it, else its neighbour's."""
    turns: list[tuple[str, str]] = []
    way: str | None = None
    for number, mention in enumerate(named):
        if any(topic == mention.topic for topic, _ in turns):
            continue
        start = named[number - 1].end if number else 0
        stop = named[number + 1].start if number + 1 < len(named) else len(clause)
        pre, post = clause[start : mention.start], clause[mention.end : stop]
        around = _there_and_back(post, mention.topic) or (
            _there_and_back(clause, mention.topic) if len(named) == 1 else ()
        )
        if around:
            turns += [(mention.topic, each) for each in around]
            continue
        pre = clause[start : mention.end]  # the name decides what an "on" before it means
        way = _way(mention, number, pre, post) or way or direction(clause[mention.end :])
        if way is not None:
            turns.append((mention.topic, way))
    return turns


def _way(mention: Mention, number: int, pre: str, post: str) -> str | None:
    way = direction(pre) if number == 0 or _SWITCHING.search(pre) else None
    if way is None and (number == 0 or not _SWITCHING.search(post)):
        way = direction(post)
    if way is None and mention.topic == "vpn" and re.search(r"(?<!dis)connect(?!ed)", pre + post):
        way = "on"
    if way is None and _FLIPPING.search(f"{pre} . {post}"):
        way = "flip"
    return way


def _there_and_back(part: str, topic: str = "") -> tuple[str, ...]:
    if _CYCLING.search(part):
        return ("on", "off") if topic == "airplane" else ("off", "on")
    if not _CYCLE.search(part):
        return ()
    return ("on", "off") if direction(part) == "on" else ("off", "on")


_WORKING = re.compile(
    r"\b(?:can|able|try|send|sending|works?|working|use|browse|load|test|speed)\b"
)
_USING = re.compile(r"\b(?:try|trying|test|testing|use|using|check your)\b")
_STATE = re.compile(r"\b(?:enabled|disabled|on|off)\b")
_TRIED = frozenset(("speed", "mms", "internet", "calls"))
_SET_PARTS = SWITCHES | {"sim", "apn", "mode", "permissions"}


def _tests(clause: _Clause) -> list[Request]:
    """Something to try: a speed test, a picture message, a web page, a call."""
    found = clause.found
    if not clause.has(_TRY) or (clause.looking and not clause.has(_WORKING)):
        return []
    if clause.looking and found and found[0].topic not in _TRIED | {"data", "phone"}:
        return []
    using = clause.has(_USING) and not clause.has(_STATE)
    topics = ["internet" if m.topic == "data" and using else m.topic for m in found]
    requests = [
        clause.request("test", topic, "ask" if clause.looking and topic in _ASKABLE else "")
        for topic in dict.fromkeys(topics)
        if topic in _TRIED
    ]
    if not requests and not found and clause.has(_RUN_IT):
        tried = [topic for topic in clause.before if topic in _TRIED]
        requests += [clause.request("test", topic) for topic in tried[-1:]]
    if not requests and not clause.topics & _SET_PARTS and clause.has(_THE_TEST):
        tried = [topic for topic in clause.before if topic in ("speed", "mms")]
        requests += [clause.request("test", topic) for topic in tried[-1:] or ["outcome"]]
    if not requests and clause.has(_AGAIN) and not clause.topics & _SET_PARTS:
        signal = clause.topics & {"signal", "bar", "network"}
        requests.append(clause.request("test", "signal" if signal else "outcome"))
    return requests


_RUN_IT = re.compile(r"\b(?:run|do|take|perform|repeat|try) (?:it|one|that)\b")
_THE_TEST = re.compile(
    r"\b(?:run|re-?run|do|re-?do|take|perform|repeat|retake|conduct|get|try)\w*\b[^.]{0,15}"
    r"\b(?:the|that|this|another|your|same|one more|one|a) (?:\w+ )?(?:test|measurement|reading)\b"
)
_ASKABLE = ("internet", "calls")
