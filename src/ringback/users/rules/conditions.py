"""What an "if ..." clause makes a request depend on."""

from __future__ import annotations

import re

from msgspec import Struct

from ringback.users.rules.words import NEGATED, SWITCHES, direction, mentions, permissions_in

__all__ = ["Condition", "condition_in"]


class Condition(Struct, frozen=True):
    """When a request holds: `topic` shows `value` (or does not, if `holds` is False).

    Topic ``problem``, value ``stays``: what was tried did not help. Topic ``place``, value
    ``abroad``. Topic ``vpn_performance``, value ``poor``: a VPN slows things down. Topic
    ``unclear``: a condition that was not understood.
    """

    topic: str
    value: str
    holds: bool = True


_SOFT = re.compile(
    r"\b(?:possible|comfortable|okay|ok|ready|you like|you want|prefer|need(?:ed)?|necessary"
    r"|available|convenient|don't mind|you can|you could|able to|supports?"
    r"|you have one|have a moment|not (?:already )?done|right|correct|agree|accept"
    r"|fine with|looks? (?:good|fine|ok))\b"
)
_UNSURE = re.compile(
    r"\b(?:need (?:help|any|more|further|assist\w*|instructions|guidance)|unsure|not sure"
    r"|have (?:any )?(?:trouble|questions?|difficult\w*)|get stuck|don't know|can't find"
    r"|cannot find|would like|like me|happens? again|ever|in (?:the )?future|next time"
    r"|comes? back)\b"
)
_STAYS = re.compile(
    r"\b(?:still|persists?|continues?|doesn't|does not|didn't|did not|don't|not help|no luck"
    r"|fails?|failed|no change|unsuccessful|remains?|not work|isn't working|not resolved|slow"
    r"|not improve)\b"
)
_GONE = re.compile(
    r"\b(?:works?|working|resolved|fixed|success\w*|goes through|everything|improves?|restored)\b"
)
_YES = re.compile(
    r"^if (?:so|yes|that's the case|there is|there are|it does)\b|^if (?:it is|it's|they are"
    r"|that is|you are)[ ,.]*$"
)
_NO = re.compile(r"^if (?:not|no|it isn't|it's not|it is not|they aren't|neither)\b")
_MISSING = re.compile(r"\bmissing\b|\bnot detect|\bno sim\b|\bnot (?:inserted|recogni[sz]ed)\b")
_LACKING = re.compile(r"\bmissing\b|\b(?:not|n't)\b.*\b(?:there|granted|enabled|allowed)\b|\black")
_PERFORMS = re.compile(
    r"\bperform\w*\b[^.]{0,20}\b(?:poor|bad|slow|weak|low|fair|not)\b|\b(?:poor|bad"
    r"|weak)\b[^.]{0,15}\bperform"
)
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
        state = direction(words)
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
    if _PERFORMS.search(clause) and "vpn" in (*topics, *before[-2:]):
        return Condition("vpn_performance", "poor")
    switch = next((topic for topic in topics if topic in SWITCHES), None)
    if switch is None and not topics and re.search(r"\b(?:it|that|this)\b", clause):
        switch = next((topic for topic in reversed(before) if topic in SWITCHES), None)
        if switch is not None and direction(clause) is None:
            switch = None
    if switch is not None and direction(clause) is None and _STAYS.search(clause):
        return Condition("problem", "stays")
    if switch is not None and not re.search(r"\b(?:still|persist)", clause):
        state = direction(clause)
        if NEGATED.search(clause) or re.search(r"n't\b|\bnot\b", clause):
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
