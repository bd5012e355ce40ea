"""What a message says or asks beyond the phone: who and where the caller is, consent, news."""

from __future__ import annotations

import re

from msgspec import Struct

from ringback.users.rules.text import Sentence

__all__ = ["Talk", "talk_in"]


class Talk(Struct, frozen=True):
    """`questions` for the caller, in order; `news` from the agent; `gigabytes` on offer.

    Questions: name, number, account, birth, secret, email, address, place, since, problem, device,
    data_amount, data_offer, roaming_offer, pay_offer, plan_offer, transfer_offer, go_on, more.
    News: transfer, acted, bill_sent, fixed, bye, wait, patient.
    """

    questions: tuple[str, ...]
    news: tuple[str, ...]
    gigabytes: float | None


_WANTS = re.compile(
    r"\b(?:please|could you|can you|would you|may i|can i|could i|provide|share|tell me"
    r"|let me know|give me|verify|confirm|need your|need the|have your|get your|ask for)\b"
    r"|\bneed to (?:verify|confirm|know)\b"
)
_PERSONAL = (
    (
        "name",
        r"\b(?:your|full|first and last) (?:full )?name\b|\bwho (?:am i|i'm) (?:speaking|talking)"
        r"|\bname on the account",
    ),
    (
        "number",
        r"\b(?:phone|mobile|line|cell|telephone|contact)(?: phone)? number\b|\bwhich line\b"
        r"|\b(?:are you|is this)\b[^.?]{0,20}\bcalling (?:from|on)\b"
        r"|\bname and (?:\w+ )?number\b|\byour number\b|^(?:the |your )?number\b|\bnumber (?:you"
        r"|that|associated|on (?:the|your)|of the (?:line|phone)|for)",
    ),
    ("account", r"\b(?:customer|account|user) (?:id|number|identifier)\b|\bcustomer_id\b"),
    ("birth", r"\bdate of birth\b|\bbirth ?dates?\b|\bdob\b|\bbirthday\b|\bborn\b"),
    (
        "secret",
        r"\byour (?:\w+ ){0,2}(?:pin|puk|passcode|password|security (?:code|answer|question))\b"
        r"|\benter (?:the|your|a) (?:\w+ )?(?:pin|puk|code)\b|\bverification code\b|\bssn\b"
        r"|\bsocial security\b|\blast (?:four|4) digits\b|\bcard (?:number|details)\b|\bimei\b",
    ),
    ("email", r"\byour e-?mail\b|\be-?mail address\b"),
    (
        "address",
        r"\b(?:home|billing|street|mailing|postal|your|service)(?: \w+)? address\b|\bzip\b",
    ),
    (
        "place",
        r"\bwhere (?:are you|you are|you're)\b|\b(?:which|what|another|different"
        r"|foreign) country\b|\b(?:current|your|exact) location\b|\b(?:are you|were you|whether"
        r"|you're|you are|if)\b[^.?]{0,50}\b(?:abroad|travel+ing|overseas"
        r"|international(?:ly)?|outside (?:of )?(?:your|the|us)|home (?:network|country))\b",
    ),
    (
        "since",
        r"\bhow long\b|\bwhen (?:did|has|it)\b.*\b(?:start|begin|began|happen|stop|notice)"
        r"|\bsince when\b",
    ),
    (
        "device",
        r"\b(?:phone|device|handset)(?:'s)? (?:make|model|brand|type)\b|\bmake (?:and|or"
        r"|/) ?model\b|\bbrand (?:and|or|/) ?model\b|\bandroid or (?:an? )?iphone\b"
        r"|\biphone or (?:an? )?android\b|\b(?:type|kind|model|brand|make) of (?:\w+ )?(?:phone"
        r"|device)\b",
    ),
    (
        "problem",
        r"\bdescribe (?:\w+ ){0,3}(?:issue|problem|trouble|happen\w*)|\bdetails? (?:about|of|on) "
        r"|\bwhat (?:is|seems|exactly|kind of)(?: \w+){0,4} (?:issue|problem|wrong|happening"
        r"|trouble)\b|\bhow (?:can|may) i (?:help|assist)\b|\bwhat (?:can|may) i\b|\bwhat brings\b"
        r"|\berror messages?\b",
    ),
)
_PERSONAL_RE = tuple((name, re.compile(pattern)) for name, pattern in _PERSONAL)

_OFFER = re.compile(
    r"\b(?:would you like|do you want|should i|shall i|shall we|may i|can i|could i|are you (?:ok"
    r"|okay|happy|willing|fine|interested|open|ready|comfortable)|do you (?:agree|consent|accept"
    r"|approve|authorize)|is (?:that|this|it) (?:ok|okay|alright|all right|fine|acceptable"
    r"|something)|would (?:that|this|it|you) (?:be|work|prefer)|does (?:that|this) (?:work|sound)"
    r"|please confirm|can you confirm|could you confirm|let me know if you(?:'d| would)? (?:like"
    r"|want|agree|approve)|if you(?:'d| would) like|would you prefer|want me to|like me to"
    r"|do i have your|your (?:consent|approval|permission|confirmation|okay|ok|go-ahead)"
    r"|how would you like|sound good)\b"
)
_DATA = re.compile(
    r"\brefuel\w*|\btop[- ]?(?:ping )?up\b|\b(?:extra|additional|more"
    r"|\d(?:\.\d+)? ?gb(?: of)?) data\b|\b\d(?:\.\d+)? ?(?:gb|gigabytes?)\b|\bdata (?:add|pack"
    r"|refill|boost)\w*"
)
_AMOUNT = re.compile(
    r"\bhow (?:much|many)\b[^?]{0,60}\b(?:data|gb|gigabytes?)\b|\b(?:amount|number) of (?:data|gb"
    r"|gigabytes)\b|\bwhat amount\b|\bhow many gb\b"
)
_HOW_MUCH = re.compile(r"\bhow (?:much|many)\b[^?]{0,40}\b(?:add|want|need|like|buy|purchase)\b")
_ROAMING = re.compile(r"\broaming\b")
_PLAN = re.compile(
    r"\b(?:chang|switch|upgrad|mov|different|bigger|larger|higher|unlimited"
    r"|new)\w*\b[^?.]{0,40}\bplans?\b|\bplan (?:change|upgrade)\b"
)
_BILL = re.compile(r"\bbills?\b|\bpayment|\bpay\b|\boverdue\b")
_HUMAN = re.compile(
    r"\b(?:transfer|escalat|connect(?:ing|ed)? (?:you )?(?:to|with)|hand(?:ing|ed)? (?:you "
    r"|this )?over|pass(?:ing|ed)? (?:you|this)|rout)\w*\b"
)
_PEOPLE = re.compile(
    r"\b(?:human|agent|specialist|colleague|supervisor|representative|technician|live|person"
    r"|expert|advanced support|senior|support team|someone|team|tier)s?\b"
)
_TRANSFERRING = re.compile(
    r"\b(?:you are|you're|you will be|you'll be|i am|i'm|i have|i've|i will|i'll|we are|we're"
    r"|we will|we'll|let me|i am going to|i'm going to|i need to|i must|i have to|being|has been"
    r"|will now)\b(?! able)[^.?]{0,60}?\b(?:transfer|escalat|connect|hand(?:ing|ed)? (?:you|this)"
    r"|pass(?:ing|ed)? (?:you|this))"
)
_TAKING_OVER = re.compile(
    r"\b(?:human|colleague|specialist|agent|supervisor|technician|representative|someone|team)s?\b"
    r"[^.?]{0,30}\b(?:(?:is|are|will be) (?:now )?(?:taking over|with you|joining)|takes over"
    r"|will (?:now )?(?:take (?:over|it from here|this|care)|be with you|join|pick up))\b"
)
_MAYBE = re.compile(
    r"\b(?:if|would you like|should i|shall i|can i|could|can|may|might|before (?:i|we)|unless"
    r"|once|do you want|either|otherwise|in case|want me to|like me to|won't|will not|not (?:need"
    r"|have) to|don't|without|after|when|until|rather than|instead of|option|tell me)\b"
)
_HOLD = re.compile(r"\b(?:please )?(?:hold on|stay on the line|hold the line|please hold)\b")
_ACTED = re.compile(
    r"\b(?:i've|i have|i just|we've|we have|has been|have been|is now|are now|was|were"
    r"|i)\b[^.?]{0,60}\b(?:enabled|added|resumed|reactivated|activated|restored|refuel+ed|applied"
    r"|turned on|lifted|topped up|switched on|unsuspended|processed|updated|credited)\b"
)
_SENT = re.compile(
    r"\b(?:sent|send|issued|raised|created|sending|waiting"
    r"|submitted)\b[^.?]{0,50}\bpayment request|\bpayment request\b[^.?]{0,60}\b(?:sent|issued"
    r"|active|ready|waiting|on your phone|created)\b|\bawaiting payment\b"
)
_WOULD = re.compile(r"\b(?:can|could|would|will|shall|should|want me|if you)\b")
_FIXED = re.compile(
    r"\b(?:glad|happy|great|wonderful|pleased|good)\b[^.?]{0,60}\b(?:resolved|working|fixed"
    r"|restored|sorted|back|hear|connected|up and running)\b|\b(?:all set|good to go|(?:is|been"
    r"|now) (?:fully )?(?:resolved|fixed|solved|sorted)"
    r"|should (?:now )?(?:be )?work(?:ing)?|you're set|up and running"
    r"|(?:is|are|you're|was|be) back (?:in|to) (?:service|normal)|problem solved"
    r"|that (?:solves|settles|fixes))\b|\byou're welcome\b|\byou are welcome\b|\bmy pleasure\b"
)
_BYE = re.compile(
    r"\banything else\b|\bany(?:thing)? (?:other|further) (?:questions?|issues?|concerns?)\b"
    r"|\bgood ?bye\b|\bbye\b|\bgood (?:day|evening|night)\b|\bhave a (?:\w+ )?(?:day|one|evening"
    r"|trip|afternoon|weekend|time)\b|\btake care\b|\bthank you for (?:calling|contacting|choosing"
    r"|your (?:call|time))\b|\benjoy (?:your|the)\b|\bfeel free to (?:reach out|contact|call)\b"
    r"|\bfurther assistance\b|\bcall (?:us )?again\b|\bclosing (?:this|the)\b"
)
_MORE = re.compile(
    r"\banything else\b|\bany other (?:questions?|issues?|concerns?)\b|\belse i can\b"
)
_WAIT = re.compile(
    r"\b(?:one moment|just a (?:moment|second|minute)|bear with me|let me (?:check|look|verify"
    r"|pull|take a look|see|review)|give me a (?:moment|second|minute)|i(?:'ll| will) (?:check"
    r"|look|be right|verify)|hang on|while i)\b"
)
_PATIENT = re.compile(
    r"\b(?:take (?:your|all the) time|no (?:rush|hurry)|(?:when(?:ever)?|once"
    r"|as soon as) you(?:'re| are)"
    r" (?:ready|done|finished)|i(?:'ll| will) (?:wait|stay on the line|be (?:right )?here))\b"
)
_GO_ON = re.compile(
    r"\b(?:shall we|ready|proceed|continue|go ahead|sound good|ok with you|is that ok|is that okay"
    r"|would that work|does that work|can we)\b"
)
_TELL_ME = re.compile(r"\b(?:let me know|tell me)\b")
_AGREED = re.compile(
    r"\b(?:agree|accept|approve|consent|ok(?:ay)?|all ?right|fine|add (?:it|this|that)"
    r"|(?:like|want) (?:it|this|that|me to))\b"
)
_SETTLE = re.compile(r"\bsettl\w+\b|\b(?:send|issue)\w* (?:\w+ ){0,2}request\b")
_GIVE_IT = re.compile(
    r"\b(?:give|check|confirm|repeat|verify|spell|provide|tell|say|send|share)\w*\b[^.]{0,20}"
    r"\b(?:it|that|them|those|both)\b"
)
_NO_ACCOUNT = re.compile(
    r"\b(?:can't|cannot|couldn't|could not|unable to|don't|no|not)\b[^.]{0,30}\baccount\b"
)
_GB = re.compile(r"\b(\d{1,3}(?:\.\d{1,2})?) ?(?:gb|gigabytes?)\b")
_OURS = re.compile(
    r"\b(?:add|purchase|buy|charge|refuel|top)\w*\b|\$ ?\d|\bcosts?\b|\bprice\b|\bfor \$"
)


def talk_in(found: list[Sentence]) -> Talk:
    """The caller's side of a message."""
    questions: list[str] = []
    news: list[str] = []
    gigabytes: float | None = None
    about_data = about_bill = False
    listing = False
    spoken_of: list[str] = []
    for sentence in found:
        text = sentence.text
        wants = sentence.asks or _WANTS.search(text) is not None or (listing and sentence.item)
        offers = _OFFER.search(text) is not None
        if _DATA.search(text) and _OURS.search(text):
            about_data = True
        if about_data and (amount := _GB.search(text)) and gigabytes is None:
            gigabytes = float(amount.group(1))
        about_bill = about_bill or _BILL.search(text) is not None
        conditional = text.startswith(("if ", "once ", "when ", "after "))
        named = [name for name, pattern in _PERSONAL_RE if pattern.search(text)]
        if wants and not named and _GIVE_IT.search(text):
            questions += spoken_of
        spoken_of = named or ["number"] if _NO_ACCOUNT.search(text) else named
        if wants and not (conditional and not sentence.asks and _TELL_ME.search(text)):
            questions += named
        if offers and not (_ACTED.search(text) and not sentence.asks) and not _unneeded(text):
            questions += _offers(text, about_data=about_data, about_bill=about_bill)
        if sentence.asks and (_AMOUNT.search(text) or (about_data and _HOW_MUCH.search(text))):
            questions.append("data_amount")
        if _MORE.search(text):
            questions.append("more")
        news += _news(text, asks=sentence.asks)
        listing = (sentence.opens and wants) or (listing and (sentence.item or sentence.opens))
    return Talk(tuple(dict.fromkeys(questions)), tuple(dict.fromkeys(news)), gigabytes)


def _unneeded(text: str) -> bool:
    return (
        re.search(r"\b(?:need|like) (?:any |more |further )?(?:help|instructions?|step)", text)
        is not None
    )


def _offers(text: str, *, about_data: bool, about_bill: bool) -> list[str]:
    found: list[str] = []
    if _HUMAN.search(text) and _PEOPLE.search(text):
        found.append("transfer_offer")
    if _DATA.search(text):
        found.append("data_offer")
    if _PLAN.search(text):
        found.append("plan_offer")
    if _ROAMING.search(text) and re.search(r"\b(?:i|me|we)\b", text):
        found.append("roaming_offer")
    if _BILL.search(text) and not found:
        found.append("pay_offer")
    if found:
        return found
    if about_data and (_GO_ON.search(text) or _AGREED.search(text)):
        return ["data_offer"]
    if about_bill and (_GO_ON.search(text) or _SETTLE.search(text)):
        return ["pay_offer"]
    return ["go_on"] if _GO_ON.search(text) else []


def _hands_over(text: str) -> bool:
    """Whether somebody else takes the call now: not if, once or perhaps."""
    if moved := _TRANSFERRING.search(text):
        whole = text[: moved.end() + 120]
        known = _PEOPLE.search(whole) is not None or "transferred" in whole
    elif moved := _TAKING_OVER.search(text):
        known = True
    else:
        return False
    return known and not _MAYBE.search(text[: moved.end()])


def _news(text: str, *, asks: bool) -> list[str]:
    found: list[str] = []
    if not asks and _hands_over(text):
        found.append("transfer")
    if _ACTED.search(text) and not asks and not text.startswith("if "):
        found.append("acted")
    if _SENT.search(text) and not asks and not _WOULD.search(text):
        found.append("bill_sent")
    if _FIXED.search(text) and not asks and not re.match(r"if |once |when ", text):
        found.append("fixed")
    if _BYE.search(text):
        found.append("bye")
    if _WAIT.search(text) or _HOLD.search(text):
        found.append("wait")
    if _PATIENT.search(text):
        found.append("patient")
    return found
