"""What a clause asks to be done or looked at."""

from __future__ import annotations

import re

from msgspec import Struct

from ringback.users.rules.words import SWITCHES, Mention, mentions, mode_in, permissions_in

__all__ = ["Condition", "Request", "acts_in", "condition_in", "looks_in"]


class Condition(Struct, frozen=True):
    """When a request holds: `topic` shows `value` (or does not, if `holds` is False).

    Topic ``problem``, value ``stays``: what was tried did not help. Topic ``place``, value
    ``abroad``. Topic ``unclear``: a condition that was not understood.
    """

    topic: str
    value: str
    holds: bool = True


class Request(Struct, frozen=True):
    """One thing the agent wants from the phone.

    `act` is switch, mode, look, test, reset_apn, reseat, reboot, grant, pay; `value` the wanted
    state (on, off, flip; a mode's name; a permission). `sure` is False where the agent said "make
    sure" or asked: then the customer looks before touching anything. `weak` marks directions
    ("go to ...") and offers; `presumed` what the message takes for done ("after you restart, ...").
    """

    act: str
    topic: str
    value: str = ""
    when: Condition | None = None
    sure: bool = True
    weak: bool = False
    presumed: bool = False
    item: bool = False


_ON = re.compile(
    r"\b(?:on(?! (?:your|the|my|this|that|its?|an?|our|their|which|top|screen|side|both|any|all|each|how|whether)\b)|enabl(?:e|ed|ing)|activat(?:e|ed|ing)|active|allow(?:ed)?)\b"
)
_OFF = re.compile(
    r"\b(?:off|disabl(?:e|ed|ing)|deactivat(?:e|ed|ing)|inactive|disconnect(?:ed|ing)?|out of"
    r"|leave|exit|unhighlighted|not (?:on|enabled|active|connected|turned on))\b"
)
_CYCLE = re.compile(
    r"\bon\b[^.]{0,60}?\b(?:then|and|to|wait)\b[^.]{0,60}?\boff\b|\boff and on\b|\boff[^.]{0,40}?"
    r"\b(?:then|and)\b[^.]{0,40}?\bon\b|\bon ?[,/>-]+ ?off\b|\boff ?[,/>-]+ ?on\b"
)
_SWITCHING = re.compile(
    r"\b(?:turn|switch|toggl|flip|flick|put|set|enabl|disabl|activat|deactivat|disconnect|connect"
    r"|keep|leav|exit|shut|tap|slid|mov|swip|us|chang|press|select|choos|stop|get|tak|hit|go(?:ing)?"
    r"|try|re-enabl)\w*\b"
)
_ENSURE = re.compile(
    r"\b(?:make (?:absolutely )?(?:sure|certain)|ensure|be sure|double[- ]check|should be|needs? to"
    r" be|must be|has to be|supposed to be|see that|verify that)\b"
)
_LOOKING = re.compile(
    r"(?:re-?)?(?:check(?:ing)?|view|see(?! that)|verify(?:ing)?|confirm(?:ing)?|inspect|review|read"
    r"|find out|note|observe|double[- ]?check|describe|examine|monitor|look(?:ing)? (?:at|up|in|under"
    r"|closely|and|to)|look|tell|let me know|report|know|share|give me|send me|show)\b"
)
_NAVIGATING = re.compile(
    r"(?:go(?:ing)? (?:back )?(?:to|into)|open(?:ing)?|tap(?:ping)?|select|find(?:ing)?|scroll"
    r"|navigate|press|swip\w+|choose|look(?:ing)? for|locate|click|access|head|pull|hold|enter|hit)\b"
)
_NOT = re.compile(
    r"\b(?:don't|do not|never|no need|needn't|not (?:need|have) to|need not|not necessary|avoid"
    r"|without|shouldn't|should not|must not|mustn't|rather than|instead of|hold off|refrain"
    r"|won't need|stop|skip|doesn't need)\b"
)
_NOT_REALLY = re.compile(r"\b(?:don't|do not) (?:forget|hesitate|worry)\b|\bwhy don't you\b")
_ONLY_NOT = re.compile(r"\b(?:is|are|be|it's|was) ?(?:not|n't)\b|\bisn't\b|\baren't\b")

_RESEAT = re.compile(
    r"\breseat|\bre-?insert|\bre-?seat"
    r"|\b(?:remov|tak|eject|pull|pop|slid)\w*\b[^.]{0,30}\bsim\b"
    r"|\bsim\b[^.]{0,40}\b(?:out|back in|remov\w+|eject\w*)\b"
    r"|\b(?:put|insert|push|plac)\w*\b[^.]{0,20}\bsim\b[^.]{0,20}\b(?:back|in|again)\b"
)
_REBOOT = re.compile(
    r"\brebooting\b|\breboot\b|\brestart(?:ing)?\b(?! the app)|\bpower[- ]?cycl\w+"
    r"|\b(?:turn|switch|power|shut)\w* (?:(?:it|(?:your |the )?(?:\w+ )?(?:phone|device|handset)) "
    r")?(?:completely |fully )?(?:off|down)\b[^.]{0,50}\b(?:back on|on again|and on|then on)\b"
    r"|\boff and (?:then )?(?:back )?on(?: again)?\b"
)
_RESET = re.compile(r"\b(?:re-?set|resetting|restor\w+|revert\w*)\b")
_DEFAULT = re.compile(r"\bdefaults?\b|\bnetwork settings\b|\breset settings\b|\bcarrier settings\b")
_SETMODE = re.compile(
    r"\b(?:chang|set|switch|updat|adjust|select|choos|mov|put|prefer|modif|pick|us|tap|allow)\w*\b(?<!preference)(?<!preferences)(?<!preferred)"
)
_GRANT = re.compile(
    r"\b(?:grant|giv|allow|enabl|turn|switch|add|updat|toggl|activat|fix|restor|accept)\w*\b"
)
_GIVE = re.compile(
    r"\b(?:grant|give|allow|enable|turn on|switch on|add|activate)\b[^.]{0,20}"
    r"\b(?:it|them|both|those|these|that|whichever|the missing|what)\b"
)
_PAY = re.compile(
    r"\b(?:pay(?!ment)|paying|settle|clear)\b|\b(?:complet|mak|accept|approv|authori[sz]|submit"
    r"|process|finish|confirm|proceed)\w*\b[^.]{0,40}\bpayments?\b"
)
_TRY = re.compile(
    r"\b(?:try|trying|test|testing|retest|re-test|attempt|retry|send|sending|run|re-?run|perform|do"
    r"|take|start|conduct|complete|measure|initiate|repeat|use|using|load|open|browse|browsing|visit"
    r"|stream|make|making|place|placing|check|confirm|see|verify|using|redo)\b"
)
_AGAIN = re.compile(
    r"\b(?:try|test|check|retry|re-?test|see)\b(?: \w+){0,3} (?:again|once more|now|works?|working"
    r"|helps?|helped|resolved?|improves?)\b|^(?:re-?try|re-?test|try again|test again|test it)\b"
)
_PRONOUN = re.compile(r"\b(?:it|that|this|them|both|these|those|either|one|the (?:switch|toggle|icon"
                      r"|setting|option|connection|feature))\b")  # fmt: skip


def _negated(clause: str) -> bool:
    return bool(_NOT.search(clause)) and not _NOT_REALLY.search(clause)


_EXPLAINS = re.compile(
    r"\b(?:(?:that|which|it|they|is|are|be|might|may|can|could|sometimes|often|be) )+(?:be )?"
    r"(?:interfer|affect|block|prevent|caus|impact|limit|slow|stop|restrict|hinder)\w*"
    r"|\bfor (?:sending|receiving|using|browsing)\b"
)


_RATHER = re.compile(r"\b(?:instead of|rather than)\b")


def _request_part(clause: str) -> str:
    """The clause without its explanation: "settings that can affect MMS" asks nothing of MMS."""
    explained = _EXPLAINS.search(clause) or _RATHER.search(clause, 1)
    return clause[: explained.start()] if explained else clause


def acts_in(clause: str, before: tuple[str, ...], item: bool) -> list[Request]:
    """What an order or a wish ("turn it off", "run a speed test") asks for, in its own order.

    `before` are the parts of the phone that the message named last, for its "it" and "both".
    """
    clause = _request_part(clause)
    if _negated(clause) and not _ENSURE.search(clause):
        return []
    found = mentions(clause)
    named = [mention for mention in found if mention.topic == "tool"]
    if named:
        return _by_name(clause, named, found, item)
    sure = _ENSURE.search(clause) is None
    looking = _LOOKING.match(clause) is not None
    for rule in (_whole_phone, _settings, _money):
        if requests := rule(clause, found, before, sure, looking, item):
            return requests
    if not looking and (requests := _switches(clause, found, before, sure, item)):
        return requests
    if requests := _tests(clause, found, looking, item):
        return requests
    if _NAVIGATING.match(clause):
        return [_weak(request) for request in looks_in(clause, item)]
    if looking or not sure:
        return [
            request if request.act == "test" else Request("look", request.topic, item=item)
            for request in looks_in(clause, item)
        ]
    return []


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


def _by_name(clause: str, named: list[Mention], found: list[Mention], item: bool) -> list[Request]:
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
                requests.append(Request(act, topic, value, item=item))
        else:
            requests.append(Request("look", name, item=item))
    del found
    return requests


def _targets(topic: str, part: str, item: bool) -> list[Request]:
    """One switch, or two where it is to go one way and back."""
    if _CYCLE.search(part):
        first, second = ("on", "off") if _first(part) == "on" else ("off", "on")
        return [
            Request("switch", topic, first, item=item),
            Request("switch", topic, second, item=item),
        ]
    return [Request("switch", topic, _first(part) or "flip", item=item)]


def _first(part: str) -> str | None:
    on, off = _ON.search(part), _OFF.search(part)
    if on and off:
        return "on" if on.start() < off.start() else "off"
    return "on" if on else "off" if off else None


def _whole_phone(
    clause: str,
    found: list[Mention],
    before: tuple[str, ...],
    sure: bool,
    looking: bool,
    item: bool,
) -> list[Request]:
    topics = {mention.topic for mention in found}
    requests: list[tuple[int, Request]] = []
    if looking:
        return []
    sim = _RESEAT.search(clause)
    if sim and sure and ("sim" in topics or "sim" in before):
        requests.append((sim.start(), Request("reseat", "sim", item=item)))
    reboot = _REBOOT.search(clause)
    if reboot and not (topics & SWITCHES and not re.search(r"reboot|restart|cycl", clause)):
        requests.append((reboot.start(), Request("reboot", "phone", item=item)))
    requests.sort(key=lambda pair: pair[0])
    return [request for _, request in requests]


def _settings(
    clause: str,
    found: list[Mention],
    before: tuple[str, ...],
    sure: bool,
    looking: bool,
    item: bool,
) -> list[Request]:
    topics = {mention.topic for mention in found}
    if looking:
        return []
    if _RESET.search(clause) and (
        "apn" in topics or (_DEFAULT.search(clause) and "sim" not in topics)
    ):
        return [Request("reset_apn", "apn", item=item)]
    wanted = permissions_in(clause)
    about_app = "permissions" in topics or (
        "permissions" in before and wanted and not topics & SWITCHES
    )
    if not topics and "permissions" in before and _GIVE.search(clause):
        return [Request("grant", "permissions", item=item)]
    if about_app and (_GRANT.search(clause) or not sure):
        return [
            Request("grant", "permissions", each, sure=sure, item=item) for each in wanted or ("",)
        ]
    mode = mode_in(clause)
    if ("mode" in topics and _SETMODE.search(clause)) or (
        mode
        and not topics & (SWITCHES - {"data", "wifi"})
        and (_SETMODE.search(clause) or not sure)
        and ("mode" in before or "network" in topics or re.search(r"\b[345]g\b", clause))
    ):
        if mode or _SETMODE.search(clause):
            return [Request("mode", "mode", mode or "4g_5g_preferred", sure=sure, item=item)]
    return []


def _money(
    clause: str,
    found: list[Mention],
    before: tuple[str, ...],
    sure: bool,
    looking: bool,
    item: bool,
) -> list[Request]:
    del sure
    about = any(mention.topic == "payment" for mention in found) or (
        "payment" in before
        and (
            _PAY.search(clause) is not None
            or (looking and re.search(r"\bit\b", clause) is not None)
        )
    )
    if not about:
        return []
    if looking and not found and "payment" in before:
        return [Request("look", "check_payment_request", item=item)]
    if not looking and _PAY.search(clause):
        return [Request("pay", "payment", item=item)]
    if any(mention.topic == "payment" and "request" in mention.word for mention in found):
        return [Request("look", "check_payment_request", item=item)]
    return []


def _switches(
    clause: str, found: list[Mention], before: tuple[str, ...], sure: bool, item: bool
) -> list[Request]:
    switched = [mention for mention in found if mention.topic in SWITCHES]
    if sure and not _SWITCHING.search(clause):
        return []
    flips = _ONLY_NOT.search(clause) is not None and not sure
    if not switched:
        direction = _first(clause)
        known = tuple(topic for topic in before if topic in SWITCHES)
        if not known or direction is None or any(m.topic in ("phone", "sim") for m in found):
            return []
        if _PRONOUN.search(clause) or len(clause.split()) <= 5:
            chosen = known[-2:] if re.search(r"\bboth\b|\bthem\b|\bthese\b", clause) else known[-1:]
            if _CYCLE.search(clause):
                return _targets(chosen[-1], clause, item)
            return [
                Request("switch", topic, _turned(direction, flips), sure=sure, item=item)
                for topic in chosen
            ]
        return []
    requests: list[Request] = []
    target: str | None = None
    seen: set[str] = set()
    for number, mention in enumerate(switched):
        if mention.topic in seen:
            continue
        start = switched[number - 1].end if number else 0
        stop = switched[number + 1].start if number + 1 < len(switched) else len(clause)
        pre, post = clause[start : mention.start], clause[mention.end : stop]
        near = pre + " . " + post
        if _CYCLE.search(post) or (len(switched) == 1 and _CYCLE.search(clause)):
            requests += _targets(mention.topic, post if _CYCLE.search(post) else clause, item)
            seen.add(mention.topic)
            continue
        direct = _first(pre) if number == 0 or _SWITCHING.search(pre) else None
        here = direct or (_first(post) if not _SWITCHING.search(post) or number == 0 else None)
        if here is None and mention.topic == "vpn" and re.search(r"\bconnect", near):
            here = "on"
        if here is None and target is None and re.search(r"\btoggl|\bflip|\bswitch\b", near):
            here = "flip"
        if here is None and target is None:
            later = _first(clause[mention.end :])
            here = later
        target = here or target
        if target is None:
            continue
        seen.add(mention.topic)
        requests.append(
            Request("switch", mention.topic, _turned(target, flips), sure=sure, item=item)
        )
    return requests


def _turned(target: str, flips: bool) -> str:
    return {"on": "off", "off": "off"}.get(target, target) if flips else target


_WORKING = re.compile(
    r"\b(?:can|able|try|send|sending|works?|working|use|browse|load|test|speed)\b"
)


def _tests(clause: str, found: list[Mention], looking: bool, item: bool) -> list[Request]:
    if not _TRY.search(clause) or (looking and not _WORKING.search(clause)):
        return []
    if (
        looking
        and found
        and found[0].topic not in ("speed", "mms", "internet", "calls", "data", "phone")
    ):
        return []
    requests: list[Request] = []
    for mention in found:
        topic = mention.topic
        if topic == "data" and re.search(
            r"\b(?:try|trying|test|testing|use|using|check your)\b", clause
        ) and not re.search(r"\b(?:enabled|disabled|on|off)\b", clause):  # fmt: skip
            topic = "internet"
        if topic in ("speed", "mms", "internet", "calls") and all(
            request.topic != topic for request in requests
        ):
            told = "ask" if looking and topic in ("internet", "calls") else ""
            requests.append(Request("test", topic, told, item=item))
    if not requests and _AGAIN.search(clause) and not any(
        mention.topic in SWITCHES | {"sim", "apn", "mode", "permissions"} for mention in found
    ):  # fmt: skip
        signal = any(mention.topic in ("signal", "bar", "network") for mention in found)
        requests.append(Request("test", "signal" if signal else "outcome", item=item))
    return requests


_HELP = re.compile(
    r"\b(?:need|help|questions?|trouble|stuck|unsure|not sure|would like|you'd like|prefer"
    r"|instructions?|further|anything else|step-by-step|comfortable|ready)\b"
)
_OUTCOME = re.compile(
    r"\b(?:works?|working|worked|improv\w+|resolv\w+|fix\w*|helps?|helped|success\w*|goes? through"
    r"|better|happens?|results?|restored|connects?|faster)\b"
)


_PATHS = ("data", "internet", "connection")


def looks_in(clause: str, item: bool) -> list[Request]:
    """What a question or "let me know ..." wants to hear about."""
    found = mentions(_request_part(clause))
    about_speed = any(mention.topic == "speed" for mention in found)
    about_permissions = any(mention.topic == "permissions" for mention in found)
    requests: list[Request] = []
    for mention in found:
        topic = mention.word if mention.topic == "tool" else mention.topic
        if (topic == "app" and about_permissions) or (topic in _PATHS and about_speed):
            continue
        if topic == "phone" or any(request.topic == topic for request in requests):
            continue
        act = "test" if topic in ("speed", "mms", "internet", "calls") else "look"
        requests.append(Request(act, topic, "ask", sure=False, item=item))
    if _HELP.search(clause) and not re.search(r"\b(?:see|shows?|says?)\b", clause):
        return []
    if not requests and _OUTCOME.search(clause):
        requests.append(Request("test", "outcome", "ask", sure=False, item=item))
    return requests


_SOFT = re.compile(
    r"\b(?:possible|comfortable|okay|ok|ready|you like|you want|prefer|need(?:ed)?|necessary"
    r"|available|convenient|don't mind|you can|you could|able to|supports?|haven't already"
    r"|you have one|have a moment|applicable|not (?:already )?done)\b"
)
_UNSURE = re.compile(
    r"\b(?:need (?:help|any|more|further|assist|instructions|guidance)|unsure|not sure|have (?:any )?"
    r"(?:trouble|questions?|difficult)|get stuck|don't know|can't find|cannot find|would like|like me)"
)
_STAYS = re.compile(
    r"\b(?:still|persists?|continues?|doesn't|does not|didn't|did not|don't|not help|no luck|fails?"
    r"|failed|no change|unsuccessful|remains?|not work|isn't working|not resolved|slow|not improve)\b"
)
_GONE = re.compile(
    r"\b(?:works?|working|resolved|fixed|success\w*|goes through|everything|improves?|restored)\b"
)
_YES = re.compile(
    r"^if (?:so|yes|that's the case|there is|there are|it does)\b"
    r"|^if (?:it is|it's|they are|that is|you are)[ ,.]*$"
)
_NO = re.compile(r"^if (?:not|no|it isn't|it's not|it is not|they aren't|neither|either is)\b")
_MISSING = re.compile(r"\bmissing\b|\bnot detect|\bno sim\b|\bnot (?:inserted|recogni[sz]ed)\b")
_LACKING = re.compile(r"\bmissing\b|\b(?:not|n't)\b.*\b(?:there|granted|enabled|allowed)\b|\black")
_ABROAD = re.compile(
    r"\b(?:abroad|travel\w*|roaming|outside (?:of )?(?:your|the)|overseas|foreign)\b"
)


def condition_in(clause: str, before: tuple[str, ...], asked: Condition | None) -> Condition | None:
    """The condition that an "if ..." clause sets; None for one that is mere courtesy.

    `asked` is what the last question was about, for "if so" and "if not".
    """
    if _UNSURE.search(clause):
        return Condition("never", "")
    if _YES.match(clause) or _NO.match(clause):
        positive = _NO.match(clause) is None
        words = clause[:60]
        state = _first(words)
        topics = [topic for topic in before if topic in SWITCHES]
        if state and topics:
            return Condition(topics[-1], state)
        if asked is None:
            return Condition("unclear", "")
        return Condition(asked.topic, asked.value, asked.holds is positive)
    found = [mention.topic for mention in mentions(clause)]
    topics = [topic for topic in found if topic not in ("phone", "tool", "bar")]
    if "permissions" in topics or (
        "permissions" in before and permissions_in(clause) and not set(topics) & SWITCHES
    ):
        lacks = re.search(
            r"\b(?:n't|not|missing|off|den|without|disabled|isn't|lack\w*|no)\b", clause
        )
        return Condition("permissions", "granted", lacks is None)
    if "mode" in topics or ("mode" in before and re.search(r"\b[2345]g\b", clause)):
        if re.search(r"\b(?:2g|3g)\b|\bnot\b|n't\b|\bother than\b|\banything else\b", clause):
            return Condition("mode", "4g_5g_preferred", False)
        return Condition("mode", "4g_5g_preferred")
    if re.search(r"\b[23]g\b", clause) and not set(topics) & SWITCHES:
        return Condition("network", "slow")
    if re.search(r"\b(?:at|in your) home\b|\bhome country\b", clause):
        return Condition("place", "abroad", False)
    if "permissions" in before and not topics and _LACKING.search(clause):
        return Condition("permissions", "granted", False)
    if "roaming" not in topics and _ABROAD.search(clause):
        return Condition("place", "abroad")
    switch = next((topic for topic in topics if topic in SWITCHES), None)
    if switch is None and not topics and re.search(r"\b(?:it|that|this)\b", clause):
        switch = next((topic for topic in reversed(before) if topic in SWITCHES), None)
        if switch is not None and _first(clause) is None:
            switch = None
    if switch is not None and not re.search(r"\b(?:still|persist)", clause):
        state = _first(clause)
        if _ONLY_NOT.search(clause) or re.search(r"n't\b|\bnot\b", clause):
            state = "off" if state == "on" else "on" if state == "off" else "off"
        return Condition(switch, state or "on")
    if "sim" in topics or (not topics and "sim" in before and _MISSING.search(clause)):
        if _MISSING.search(clause):
            return Condition("sim", "missing")
        if "lock" in clause:
            return Condition("sim", "locked")
        if re.search(r"\b(?:active|fine|ok|good|detected)\b", clause):
            return Condition("sim", "active")
    if "apn" in topics:
        return Condition("apn", "wrong")
    if _STAYS.search(clause) or "no connection" in clause or "no signal" in clause:
        return Condition("problem", "stays")
    if _GONE.search(clause):
        return Condition("problem", "stays", False)
    if _SOFT.search(clause):
        return None
    return Condition("unclear", "")
