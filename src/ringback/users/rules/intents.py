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
    News: transfer, acted, bill_sent, fixed, bye, wait.
    """

    questions: tuple[str, ...]
    news: tuple[str, ...]
    gigabytes: float | None


_WANTS = re.compile(
    r"\b(?:please|could you|can you|would you|may i|can i|could i|provide|share|tell me"
    r"|let me know"
    r"|give me|verify|confirm|what|which|where|how|need your|need the|need to (?:verify|confirm"
    r"|know)"
    r"|have your|get your|ask for)\b"
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
        r"|\bname and (?:\w+ )?number\b|\byour number\b|^(?:the |your )?number\b"
        r"|\bnumber (?:you|that|associated|on (?:the|your)|of the (?:line|phone)|for)",
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
        r"\bwhere (?:are you|you are|you're)\b|\b(?:which|what|another|different|foreign) country\b"
        r"|\b(?:current|your|exact) location\b|\b(?:are you|were you|whether|you're|you are|if)\b"
        r"[^.?]{0,50}\b(?:abroad|travel+ing|overseas|international(?:ly)?|outside (?:of )?(?:your"
        r"|the|us)|home (?:network|country))\b",
    ),
    (
        "since",
        r"\bhow long\b|\bwhen (?:did|has|it)\b.*\b(?:start|begin|began|happen|stop|notice)"
        r"|\bsince when\b",
    ),
    (
        "device",
        r"\b(?:phone|device|handset)(?:'s)? (?:make|model|brand|type)\b|\bmake (?:and|or|/) ?"
        r"model\b|\bbrand (?:and|or|/) ?model\b|\bandroid or (?:an? )?iphone\b|\biphone or "
        r"(?:an? )?android\b|\b(?:type|kind|model|brand|make) of (?:\w+ )?(?:phone|device)\b",
    ),
    (
        "problem",
        r"\bdescribe (?:\w+ ){0,3}(?:issue|problem|trouble|happen\w*)|\bdetails? (?:about|of|on) "
        r"|\bwhat (?:is|seems|exactly|kind of)(?: \w+){0,4} (?:issue|problem|wrong|happening"
        r"|trouble)\b|\bhow (?:can|may) i (?:help|assist)\b|\bwhat (?:can|may) i\b"
        r"|\bwhat brings\b|\berror messages?\b",
    ),
)
_PERSONAL_RE = tuple((name, re.compile(pattern)) for name, pattern in _PERSONAL)

_OFFER = re.compile(
    r"\b(?:would you like|do you want|should i|shall i|shall we|may i|can i|could i|are you (?:ok"
    r"|okay"
    r"|happy|willing|fine|interested|open|ready|comfortable)|do you (?:agree|consent|accept"
    r"|approve"
    r"|authorize)|is (?:that|this|it) (?:ok|okay|alright|all right|fine|acceptable|something)"
    r"|would "
    r"(?:that|this|it|you) (?:be|work|prefer)|does (?:that|this) (?:work|sound)|please confirm"
    r"|can you confirm|could you confirm|let me know if you(?:'d| would)? (?:like|want|agree"
    r"|approve)"
    r"|if you(?:'d| would) like|would you prefer|want me to|like me to|do i have your"
    r"|your (?:consent"
    r"|approval|permission|confirmation|okay|ok|go-ahead)|how would you like|sound good)\b"
)
_DATA = re.compile(
    r"\brefuel\w*|\btop[- ]?(?:ping )?up\b|\b(?:extra|additional|more"
    r"|\d(?:\.\d+)? ?gb(?: of)?) data\b"
    r"|\b\d(?:\.\d+)? ?(?:gb|gigabytes?)\b|\bdata (?:add|pack|refill|boost)\w*"
)
_AMOUNT = re.compile(
    r"\bhow (?:much|many)\b[^?]{0,60}\b(?:data|gb|gigabytes?)\b|\b(?:amount|number) of (?:data|gb"
    r"|gigabytes)\b|\bwhat amount\b|\bhow many gb\b"
)
_ROAMING = re.compile(r"\broaming\b")
_PLAN = re.compile(
    r"\b(?:chang|switch|upgrad|mov|different|bigger|larger|higher|unlimited|new)\w*\b[^?.]{0,40}"
    r"\bplans?\b|\bplan (?:change|upgrade)\b"
)
_BILL = re.compile(r"\bbills?\b|\bpayment|\bpay\b|\boverdue\b")
_HUMAN = re.compile(
    r"\b(?:transfer|escalat|connect(?:ing|ed)? (?:you )?(?:to|with)|hand(?:ing|ed)? (?:you "
    r"|this )?over"
    r"|pass(?:ing|ed)? (?:you|this)|rout)\w*\b"
)
_PEOPLE = re.compile(
    r"\b(?:human|agent|specialist|colleague|supervisor|representative|technician|live|person"
    r"|expert"
    r"|advanced support|senior|support team|someone|team|tier)\b"
)
_TRANSFERRING = re.compile(
    r"\b(?:you are|you're|you will be|you'll be|i am|i'm|i have|i've|i will|i'll|we are|we're"
    r"|we will"
    r"|we'll|let me|i am going to|i'm going to|i need to|i must|i have to|being|has been"
    r"|will now)\b"
    r"(?! able)[^.?]{0,60}?\b(?:transfer|escalat|connect|hand(?:ing|ed)? (?:you|this)|pass(?:ing"
    r"|ed)? "
    r"(?:you|this))"
)
_MAYBE = re.compile(
    r"\b(?:if|would you like|should i|shall i|can i|could|can|may|might|before (?:i|we)|unless"
    r"|once"
    r"|do you want|either|otherwise|in case|want me to|like me to|won't|will not|not (?:need"
    r"|have) to"
    r"|don't|without|after|when|until|rather than|instead of|option|tell me)\b"
)
_HOLD = re.compile(r"\b(?:please )?(?:hold on|stay on the line|hold the line|please hold)\b")
_ACTED = re.compile(
    r"\b(?:i've|i have|i just|we've|we have|has been|have been|is now|are now|was|were"
    r"|i)\b[^.?]{0,60}"
    r"\b(?:enabled|added|resumed|reactivated|activated|restored|refuel+ed|applied|turned on|lifted"
    r"|topped up|switched on|unsuspended|processed|updated|credited)\b"
)
_SENT = re.compile(
    r"\b(?:sent|send|issued|raised|created|sending|waiting"
    r"|submitted)\b[^.?]{0,50}\bpayment request"
    r"|\bpayment request\b[^.?]{0,60}\b(?:sent|issued|active|ready|waiting|on your phone"
    r"|created)\b"
    r"|\bawaiting payment\b"
)
_FIXED = re.compile(
    r"\b(?:glad|happy|great|wonderful|pleased|good)\b[^.?]{0,60}\b(?:resolved|working|fixed"
    r"|restored"
    r"|sorted|back|hear|connected|up and running)\b|\b(?:all set|good to go|(?:is|been"
    r"|now) (?:fully )?"
    r"(?:resolved|fixed|solved|sorted)|should (?:now )?(?:be )?work(?:ing)?|you're set"
    r"|up and running"
    r"|back (?:in|to) (?:service|normal)|problem solved|that (?:solves|settles|fixes))\b"
    r"|\byou're welcome\b|\byou are welcome\b|\bmy pleasure\b"
)
_BYE = re.compile(
    r"\banything else\b|\bany(?:thing)? (?:other|further) (?:questions?|issues?|concerns?)\b"
    r"|\bgood ?bye"
    r"\b|\bbye\b|\bgood (?:day|evening|night)\b|\bhave a (?:\w+ )?(?:day|one|evening|trip"
    r"|afternoon|weekend|time)\b|\btake care\b"
    r"|\bthank you for (?:calling|contacting|choosing|your (?:call|time))\b|\benjoy (?:your|the)\b"
    r"|\bfeel free to (?:reach out|contact|call)\b|\bfurther assistance\b|\bsafe travels\b"
    r"|\bcall (?:us )?again\b|\bclosing (?:this|the)\b"
)
_MORE = re.compile(
    r"\banything else\b|\bany other (?:questions?|issues?|concerns?)\b|\belse i can\b"
)
_WAIT = re.compile(
    r"\b(?:one moment|just a (?:moment|second|minute)|bear with me|let me (?:check|look|verify"
    r"|pull"
    r"|take a look|see|review)|give me a (?:moment|second|minute)|i(?:'ll| will) (?:check|look"
    r"|be right"
    r"|verify)|hang on|while i)\b"
)
_GO_ON = re.compile(
    r"\b(?:shall we|ready|proceed|continue|go ahead|sound good|ok with you|is that ok|is that okay"
    r"|would that work|does that work|can we)\b"
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
        if wants and not (conditional and not sentence.asks and "let me know" in text):
            questions += [name for name, pattern in _PERSONAL_RE if pattern.search(text)]
        if offers and not _unneeded(text):
            questions += _offers(text, about_data=about_data, about_bill=about_bill)
        if sentence.asks and _AMOUNT.search(text):
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
    if about_data and _GO_ON.search(text):
        return ["data_offer"]
    if about_bill and _GO_ON.search(text):
        return ["pay_offer"]
    return ["go_on"] if _GO_ON.search(text) else []


def _news(text: str, *, asks: bool) -> list[str]:
    found: list[str] = []
    if not asks and (moved := _TRANSFERRING.search(text)):
        whole = text[: moved.end() + 120]
        if not _MAYBE.search(text[: moved.end()]) and (
            _PEOPLE.search(whole) or "transferred" in whole
        ):
            found.append("transfer")
    if _ACTED.search(text) and not asks and not text.startswith("if "):
        found.append("acted")
    if _SENT.search(text) and not asks:
        found.append("bill_sent")
    if _FIXED.search(text) and not asks and not re.match(r"if |once |when ", text):
        found.append("fixed")
    if _BYE.search(text):
        found.append("bye")
    if _WAIT.search(text) or _HOLD.search(text):
        found.append("wait")
    return found
