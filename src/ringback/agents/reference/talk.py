"""Reading the rest of what a customer says: who is calling, why, yes and no, what was done."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from msgspec import Struct

from ringback.agents.reference.clauses import Clause
from ringback.telecom.policy.model import Topic

__all__ = ["Identity", "amount_gb", "answer", "complaint", "deeds", "identity", "mood"]


class Identity(Struct, frozen=True):
    """What the customer says of who is calling; the phone number as 555-123-4567."""

    number: str | None = None
    customer_id: str | None = None
    name: str | None = None
    birth_date: str | None = None


class Mood(Struct, frozen=True):
    """What hangs over the message: not knowing how, being done, taking leave and the like."""

    unsure: bool = False
    failed: bool = False
    done: bool = False
    all_done: bool = False
    leaving: bool = False
    worried: bool = False


_NUMBER = re.compile(r"(?<![\d-])\(?(\d{3})\)?[-. ]?(\d{3})[-. ]?(\d{4})(?![\d-])")
_CUSTOMER = re.compile(r"\b[Cc](\d{4,})\b")
_NAME = re.compile(
    r"(?:[Mm]y (?:full )?name is|[Nn]ame(?:'s| is|:)|[Tt]his is|I am|I'm|[Ii]t's)\s+"
    r"((?:[A-Z][\w'.-]+\s+){1,3}[A-Z][\w'-]+)"
)
_ISO = re.compile(r"\b((?:19|20)\d{2})[-/.](\d{1,2})[-/.](\d{1,2})\b")
_US = re.compile(r"\b(\d{1,2})[/.](\d{1,2})[/.]((?:19|20)\d{2})\b")
_MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july", "august"),
    *("september", "october", "november", "december"),
)
_MONTH = "|".join(f"{name}|{name[:3]}" for name in _MONTHS)
_MDY = re.compile(rf"\b({_MONTH})\.? (\d{{1,2}})(?:st|nd|rd|th)?,? ((?:19|20)\d{{2}})\b", re.I)
_DMY = re.compile(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({_MONTH})\.?,? ((?:19|20)\d{{2}})\b", re.I
)

_MMS = re.compile(
    r"\bmms\b|\b(?:picture|photo|multimedia|media|pic)s? ?(?:messag\w+|texts?|msgs?)\b|"
    r"\b(?:send|sending|sent)\b[^.?!]{0,40}\b(?:pictures?|photos?|pics?|images?)\b"
)
_SERVICE = re.compile(
    r"\bno[ _](?:cell |phone |network )?(?:service|signal|bars|reception|coverage)\b|"
    r"\b(?:lost|without|out of) (?:service|signal|coverage)\b|\bservice (?:is )?(?:down|out|"
    r"gone)\b|"
    r"\b(?:n't|not|cannot|unable to)(?: \w+){0,3} (?:calls?|calling|phone anyone|call anybody)\b|"
    r"\bcalls? (?:do not|don't|won't|fail)\b"
)
_DATA = re.compile(
    r"\b(?:mobile|cellular|cell) data\b|\binternet\b|\bdata (?:connection|speed|is|keeps|has|"
    r"stops?)\b|"
    r"\b(?:browse|browsing|web ?pages?|websites?|surf\w*|online|stream\w*|download\w*)\b|"
    r"\bslow\b|\bdata\b"
)

_YES = re.compile(
    r"^\W*(?:oh,? |well,? |ok(?:ay)?,? |um,? |thank(?:s| you)[,.!]* )*"
    r"(?:yes|yeah|yep|yup|sure|certainly|of course|absolutely|definitely|correct|right|fine|"
    r"agreed|please do|please go|go ahead|ok|okay|alright|all right|sounds)\b"
)
_GO = re.compile(
    r"\bgo ahead\b|\bplease (?:do|add|proceed|send|go|refuel|continue)\b|\bthat's (?:fine|ok|okay|"
    r"good|great|acceptable)\b|\bthat (?:is|would be|works|sounds) ?(?:fine|good|great|for me|ok|"
    r"okay)?\b|"
    r"\bi (?:agree|accept|consent|approve|confirm)\b|\bi(?:'m| am) (?:ok|okay|fine|happy|"
    r"willing)\b|"
    r"\blet's (?:do|go|add|proceed)\b|\bi'll (?:take|pay|accept)\b|\bi would like (?:that|"
    r"to (?:add|pay|"
    r"proceed))\b|\bi'd like (?:that|to (?:add|pay|proceed)|the|you to)\b|\bproceed\b|\bdo (?:it|"
    r"that)\b|"
    r"\bsounds (?:good|fine|great)\b|\byes\b|\bcan (?:we|you) (?:go ahead|add|proceed|send)\b"
)
_NO = re.compile(
    r"^\W*(?:oh,? |well,? |um,? )*(?:no|nope|nah)\b(?!,? (?:problem|worries|objection))|"
    r"\brather not\b|\b(?:don't|do not) (?:want|agree|accept|wish|add|charge|"
    r"send)\b(?! (?:to )?chang\w+)"
    r"|\bi (?:decline|refuse)\b|\bno,? thank|\bnot (?:interested|willing|ok|okay|now)\b|"
    r"\bwon't pay\b|\bplease (?:don't|do not)\b"
)
_PLAN = re.compile(r"\b(?:don't|do not) (?:want|wish)[^.,;]{0,12}chang\w+[^.,;]*")
_GB = re.compile(r"\b(\d{1,4}(?:\.\d{1,3})?|one|two|a|half a)\s*(?:gb|gigs?|gigabytes?)\b")
_GB_WORDS = {"one": 1.0, "a": 1.0, "two": 2.0, "half a": 0.5}

_UNSURE = re.compile(
    r"\bnot (?:quite |really |exactly )?sure (?:how|where|what|if|which)\b|\bunsure\b|"
    r"\b(?:don't|do not) (?:know|understand|see where|quite follow)\b|\bconfus\w+\b|"
    r"\bhow (?:do|can|would|should) i\b|\bhow to\b|\bwhere (?:do|can|would|should|is) \b|"
    r"\bwhich (?:one|app|setting|of)\b|\bwhat (?:do you mean|is an?|does that mean|exactly)\b|"
    r"\b(?:step[- ]by[- ]step|more detail\w*|instructions? for)\b|\b(?:can|could) you (?:explain|"
    r"repeat|"
    r"clarify|rephrase|guide|walk)\b|\bi(?:'m| am) lost\b|\bi can't (?:find|tell|see where)\b|"
    r"\bwhat you mean\b"
)
_FAILED = re.compile(
    r"\b(?:won't|will not|doesn't|does not|didn't|did not|wouldn't) let me\b|\bnothing changed\b|"
    r"\bstays (?:off|on)\b|\b(?:couldn't|could not|wasn't able to|was not able to) (?:do|turn|"
    r"switch|"
    r"restart|reset|change|set|disconnect|grant|pay|make|complete|toggle)\b|"
    r"\b(?:haven't|have not|didn't|did not) (?:done|do|turn|restart|reset|pay|change|grant|"
    r"disconnect|"
    r"reseat|switch)\w*\b"
)
_DONE = re.compile(
    r"\bdone\b|\ball set\b|\bfinished\b|\bcompleted?\b|\bi(?:'ve| have)? (?:did|followed|took care|"
    r"managed|made (?:the|those|that)|went ahead|tried (?:that|those|it|the)|went through)\b|"
    r"\bas (?:you )?(?:asked|instructed|suggested|said|requested)\b|\blike you (?:said|asked|"
    r"suggested)\b|"
    r"\b(?:took|put) care\b|\bthat's it\b|\bafter (?:doing|that|those|these|the)\b"
)
_ALL_DONE = re.compile(
    r"\b(?:did|done|finished|completed|followed|went through|carried out|gone through|"
    r"through with)\b"
    r"[^.;?]{0,30}\b(?:everything|all|both|each|steps|instructions|list|those|of them)\b|"
    r"\b(?:all|everything|both|every step)\b[^.;?]{0,20}\b(?:done|finished|completed?|"
    r"carried out)\b"
)
_LEAVING = re.compile(
    r"\b(?:good)?bye\b|\bthat(?:'s| is| was| will be|'ll be)? (?:all|everything|it for)\b|"
    r"\bhave a (?:great|good|nice|wonderful|lovely)\b|\bnothing else\b|\ball good\b|"
    r"\bno,? (?:thank|that)|\beverything (?:is |'s )?(?:works|working|fine|good)\b|"
    r"\bthank(?:s| you)\b"
)
_WORRIED = re.compile(
    r"\b(?:lose|losing|erase|delete|mess(?:ing)? (?:it|something|anything|things)? ?up|"
    r"break(?:ing)?)\b|"
    r"\bis (?:it|that|this) safe\b"
)

_DEEDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "reboot_device",
        re.compile(
            r"\b(?:restarted|rebooted|re-?booted|rebooting|finished restarting|restarting (?:it|my|"
            r"the)|power[- ]cycled|restart(?:ed)? (?:it|my|the)|"
            r"(?:turned|switched|powered) (?:it|my phone|the phone|"
            r"everything) off and (?:then )?(?:back )?on|"
            r"did (?:a|the) (?:restart|reboot)|has (?:now )?restarted|came back on|is back on|"
            r"after (?:the|a|my) (?:restart|reboot)|(?:restart|reboot) (?:is )?(?:done|finished|"
            r"complete\w*))\b"
        ),
    ),
    (
        "reset_apn_settings",
        re.compile(
            r"\b(?:reset|restored|put|set|resetting)\b[^.;]{0,20}\b(?:apn|access point)\b|"
            r"\bapn\b[^.;]{0,40}\b(?:reset|restored|back to (?:the |their |its )?default\w*|"
            r"go back|"
            r"to default\w*)\b"
        ),
    ),
    (
        "reseat_sim_card",
        re.compile(
            r"\b(?:re-?seated|re-?inserted|re-?seating|re-?inserting)\b|"
            r"\bsim\b[^.;]{0,50}\b(?:back in|"
            r"put back|in again|back into|out and)\b|\b(?:took|taken|pulled|popped|removed|put)\b"
            r"[^.;]{0,20}\bsim\b|\b(?:took|taken) it out\b|\bput it back\b"
        ),
    ),
    (
        "set_network_mode_preference",
        re.compile(
            r"\b(?:set|changed|switched|chose|chosen|selected|picked|updated|put)\b[^.;]{0,50}"
            r"\b(?:network|mode|preference|4g|5g|4g_5g_preferred)\b"
        ),
    ),
    (
        "make_payment",
        re.compile(
            r"\b(?:i(?:'ve| have)?(?: just| now| already)? paid|paid (?:it|the|that|my)|"
            r"payment (?:has |is |"
            r"was )?(?:been |now )?(?:gone|went|go\w*|made|complete\w*|done|successful|through|"
            r"accepted|"
            r"processed)|made the payment|completed? the payment|accepted and paid|"
            r"is (?:now )?paid|"
            r"bill \w+ is paid|has been paid|(?:have|has) gone through|paying it|paid\b(?!:))"
        ),
    ),
    (
        "check_payment_request",
        re.compile(
            r"\b(?:payment )?request\b[^.;]{0,60}|\bbill b\d+|\$\s?\d|\b\d{1,6}(?:\.\d\d)? ?usd"
        ),
    ),
    (
        "grant_app_permission sms",
        re.compile(
            r"\b(?:granted|granting|gave|given|added|turned on|enabled|allowed|allow|"
            r"has been)\b[^.;]{0,60}\bsms\b|"
            r"\bsms\b[^.;]{0,40}\b(?:granted|given|added|turned on|enabled|allowed)\b|"
            r"\bnow has\b[^.;]{0,40}\bsms\b|\bboth permissions\b"
        ),
    ),
    (
        "grant_app_permission storage",
        re.compile(
            r"\b(?:granted|granting|gave|given|added|turned on|enabled|allowed|allow|"
            r"has been)\b[^.;]{0,60}\bstorage\b|"
            r"\bstorage\b[^.;]{0,40}\b(?:granted|given|added|turned on|enabled|allowed)\b|"
            r"\bnow has\b[^.;]{0,40}\bstorage\b|\bboth permissions\b"
        ),
    ),
    (
        "disconnect_vpn",
        re.compile(
            r"\bdisconnected\b[^.;]{0,20}\bvpn\b|\bvpn\b[^.;]{0,30}\b(?:disconnected|off)\b|"
            r"\b(?:turned|switched) off\b[^.;]{0,30}\bvpn\b"
        ),
    ),
)
_NOT_DONE = re.compile(r"(?:n't|\bnot|\bnever|\bunable to|\bcannot) (?:\w+ )?$")


def identity(text: str) -> Identity:
    """Who is calling, from the text as it was written."""
    number = _NUMBER.search(text)
    customer = _CUSTOMER.search(text)
    name = _NAME.search(text)
    return Identity(
        number=f"{number[1]}-{number[2]}-{number[3]}" if number else None,
        customer_id=f"C{customer[1]}" if customer else None,
        name=name[1].rstrip(".") if name else None,
        birth_date=_birth_date(text),
    )


def _birth_date(text: str) -> str | None:
    if found := _ISO.search(text):
        year, month, day = found[1], int(found[2]), int(found[3])
    elif found := _US.search(text):
        year, month, day = found[3], int(found[1]), int(found[2])
    elif found := _MDY.search(text):
        year, month, day = found[3], _month(found[1]), int(found[2])
    elif found := _DMY.search(text):
        year, month, day = found[3], _month(found[2]), int(found[1])
    else:
        return None
    return f"{year}-{month:02}-{day:02}"


def _month(name: str) -> int:
    return next(i for i, month in enumerate(_MONTHS, 1) if month.startswith(name.lower()[:3]))


def complaint(text: str) -> Topic | None:
    """What the customer calls about, from the normal text of an early message."""
    if _MMS.search(text):
        return "mms"
    if _SERVICE.search(text):
        return "service"
    return "data" if _DATA.search(text) else None


def answer(text: str) -> Literal["yes", "no"] | None:
    """Whether the normal text agrees to what was proposed; None where it does not say."""
    text = _PLAN.sub(" ", text)
    if _YES.search(text) and not _NO.search(text):
        return "yes"
    if _NO.search(text):
        return "no"
    return "yes" if _GO.search(text) else None


def amount_gb(text: str) -> float | None:
    """The first amount of data in the normal text, in GB."""
    found = _GB.search(text)
    if found is None:
        return None
    return _GB_WORDS.get(found[1]) or float(found[1])


def deeds(clauses: Iterable[Clause]) -> frozenset[str]:
    """The phone actions that the customer says were carried out, by tool.

    A permission that was given is named with it: ``grant_app_permission sms``.
    """
    found: set[str] = set()
    for clause in clauses:
        if not clause.states:
            continue
        for tool, pattern in _DEEDS:
            word = pattern.search(clause.text)
            if word is not None and not _NOT_DONE.search(clause.text[: word.start()]):
                found.add(tool)
    return frozenset(found)


def mood(text: str) -> Mood:
    """What hangs over the normal text."""
    return Mood(
        unsure=_UNSURE.search(text) is not None,
        failed=_FAILED.search(text) is not None,
        done=_DONE.search(text) is not None,
        all_done=_ALL_DONE.search(text) is not None,
        leaving=_LEAVING.search(text) is not None,
        worried=_WORRIED.search(text) is not None,
    )
