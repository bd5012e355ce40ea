"""What was said where nothing was done about it, in words: read by rule, quoted where in doubt.

What is asked is told only where a sentence that asks names it; other words are quoted. What bears
on a charge or on consent `weighs`: that is never left out, and the customer's words on it are
quoted.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ringback.domain import Said
from ringback.telecom.consent import agreed_to_refuel
from ringback.telecom.recount.asking import sentences
from ringback.telecom.recount.moves import Exchange
from ringback.telecom.recount.words import quoted
from ringback.telecom.speech.closing import awaits, closes
from ringback.telecom.speech.text import plain, spoken

__all__ = ["answer", "closing", "farewell", "money", "refuses", "said", "weighs", "words"]

_ANSWER = 90
_MONEY = re.compile(
    r"\$ ?\d|\b(?:charg\w*|pay\w*|paid|costs?|costing|fees?|prices?|priced|free|refund\w*|afford"
    r"|expensive|money|dollars?|usd|consent\w*|authori[sz]\w*|approv\w*|re-?fuel\w*|bills?|billed"
    r"|billing|top(?:ping|ped)?[ -]?up|extra data|more data|additional data)\b"
)
_DECIDES = re.compile(
    r"\b(?:yes|yeah|yep|sure|ok|okay|fine|go ahead|agree\w*|accept\w*|approv\w*|confirm\w*|please"
    r"|no|nope|not|don't|do not|never|won't|refus\w*|declin\w*|stop|cancel\w*|without|rather)\b"
)
_REFUSES = re.compile(
    r"^\W*(?:(?:oh|well|sorry|wait|actually|um+|thanks?|thank you)\W+)*"
    r"(?:no|nope|nah|never|don't|do not|stop|cancel|rather not|i (?:don't|do not|won't|refuse))\b"
)
_NEGATES = re.compile(
    r"\b(?:no|nope|not|don't|never|won't|can't|refus\w*|declin\w*|stop|cancel\w*|without|rather)\b"
)
_ASKS_CONSENT = re.compile(r"\?|\b(?:agree|consent|confirm|approve|authori[sz]e|ok|okay|yes)\b")
_OFFER = re.compile(
    r"\b(?:re-?fuel|top(?:ping|ped)?[ -]?up|extra data|more data|additional data)\b"
    r"|\b\d+(?:\.\d+)? ?(?:gb|gigabytes?) (?:of|for)\b|\b(?:add|buy)\b[^?!]*\b(?:gb|gigabytes?)\b"
)
_LIKES = re.compile(
    r"\b(?:would you (?:like|want|agree|be)|do you (?:want|agree)|shall i|should i|may i|can i"
    r"|could i|want me to|like me to|are you (?:okay|ok|happy|fine|willing|interested))\b"
)
_USED = re.compile(r"\b(?:check|see|know|look|how much|used?|usage|owe\w*|overdue|bills?|plan)\b")
_PRICE = re.compile(r"\$ ?\d|\b\d+(?:\.\d+)? ?(?:usd|dollars?)\b")
_GOODS = re.compile(rf"{_OFFER.pattern}|\bper (?:gb|gigabyte)\b|\bmore costs\b")

_NUMBER = re.compile(
    r"\b(?:which|what|what's|what is) (?:your |the |this )?(?:\w+ )?"
    r"(?:phone|mobile|telephone|line|cell|contact)(?: phone)? number"
    r"(?=\W*$| (?:is|are|do|does|has|have|can|should|may|for|of|with|that|on)\b)"
    r"|\b(?:give|tell|provide|share|have|get|confirm|send|know|need)\b[^?]*\b(?:your|the|a|this)"
    r" (?:\w+ ){0,2}(?:phone|mobile|telephone|cell|contact)(?: phone)? number\b"
    r"|\bwhich number (?:is it|is this|is affected|are you calling)\b"
)
_NAME = re.compile(
    r"\bwhat(?:'s| is) your (?:full |own )?name\b|\bwho am i (?:speaking|talking)\b"
    r"|\b(?:give|tell|provide|share|have|confirm|know)\b[^?]{0,20}\byour (?:full |own )?name\b"
)
_NO_QUESTION = re.compile(
    r"^\W*(?:did|do|does|have|has|had|was|were|is|are)\b|\b(?:dial\w*|screen|show\w*|display\w*"
    r"|block\w*|receiv\w*|call(?:ed)? (?:you|them|back)|do not|don't|never|did)\b"
)
_ABROAD = re.compile(
    r"\bare you (?:\w+ ){0,3}?(?:abroad|overseas|in another country"
    r"|outside (?:\w+ )?(?:country|home)|travell?ing (?:\w+ )?(?:abroad|overseas|outside))\b"
    r"|\b(?:which|what) country are you\b"
)
_CONDITION = re.compile(
    r"\b(?:if|unless|only|but|depends|depending|as long as|provided|free|without|first)\b"
)


def money(text: str) -> bool:
    """Whether words are about a charge, a price or what is to be paid."""
    return _MONEY.search(plain(spoken(text))) is not None


def weighs(move: Exchange) -> bool:
    """Whether somebody offered, agreed to or refused a charge in this, or may have."""
    reply = move.reply
    if _asks_consent(move.said) or (reply is not None and _decides(reply.text)):
        return True
    return move.said is not None and money(move.said.text) and refuses(reply)


def refuses(said: Said | None) -> bool:
    """Whether an answer begins with a no."""
    return said is not None and any(
        _REFUSES.search(plain(each)) is not None for each in sentences(said.text)
    )


def _asks_consent(said: Said | None) -> bool:
    """Whether the agent asked about a charge or an offer in one sentence."""
    return said is not None and any(
        _ASKS_CONSENT.search(each) is not None and _MONEY.search(each) is not None
        for each in map(plain, sentences(said.text))
    )


def _decides(text: str) -> bool:
    return any(
        _MONEY.search(each) is not None and _DECIDES.search(each) is not None
        for each in map(plain, sentences(text))
    )


def said(move: Exchange) -> str:
    """The exchange as a clause in the past, with the answer where that is what it is for."""
    return _said(move) + (" (the customer spoke as the agent)" if move.inverted else "")


def _said(move: Exchange) -> str:
    if move.said is None:
        return f"heard {words(move.reply)}" if move.reply else "waited"
    for sentence in sentences(move.said.text):
        text = plain(sentence)
        if "?" not in text and not awaits(text):
            continue
        for asks, clause in _KINDS:
            if asks(text):
                return clause(move, text)
    return f"said {words(move.said)}" + _heard(move)


def answer(move: Exchange) -> str:
    """The customer's words where they bear on a charge, else its first words, quoted short."""
    return _telling(move.reply, _ANSWER)


def farewell(move: Exchange) -> bool:
    """Whether the agent brought the call to its end with this, and asked for nothing more."""
    if move.said is None:
        return False
    text = plain(spoken(move.said.text))
    return closes(text) and not awaits(text)


def closing(move: Exchange) -> str:
    """The last words of the agent, as a clause in the past."""
    return f"closed with {words(move.said, 150)}"


def words(said: Said | None, limit: int = 110) -> str:
    """What was said, quoted and cut."""
    return quoted(spoken(said.text), limit) if said is not None else "nothing"


def _telling(said: Said | None, limit: int) -> str:
    """What was said, quoted and cut: from a refusal on, or where the rest would be cut, a yes."""
    if said is None:
        return "nothing"
    whole = sentences(said.text)
    first = next((place for place, each in enumerate(whole) if _says_no(each)), None)
    if first is None and len(" ".join(whole)) > limit:
        first = next((place for place, each in enumerate(whole) if _decides(each)), None)
    text = " ".join(whole[first or 0 :])
    return quoted(f"... {text}" if first else text, limit)


def _says_no(sentence: str) -> bool:
    text = plain(sentence)
    if _REFUSES.search(text) is not None:
        return True
    return _MONEY.search(text) is not None and _NEGATES.search(text) is not None


def _heard(move: Exchange) -> str:
    if move.reply is None:
        return ""
    told = _telling(move.reply, 110) if weighs(move) or refuses(move.reply) else words(move.reply)
    return f" and heard {told}"


def _asks(what: re.Pattern[str], text: str) -> bool:
    return what.search(text) is not None and _NO_QUESTION.search(text) is None


def _offers(text: str) -> bool:
    likes = _LIKES.search(text) is not None and "?" in text
    return likes and _OFFER.search(text) is not None and _USED.search(text) is None


def _offered(move: Exchange, text: str) -> str:
    assert move.said is not None
    priced = _PRICE.search(text) is not None or any(
        _PRICE.search(each) and _GOODS.search(each) and not _USED.search(each)
        for each in map(plain, sentences(move.said.text))
    )
    offered = "offered extra data, named the price" if priced else "offered extra data"
    if move.reply is None:
        return offered.replace(", named", " and named")
    agreed = agreed_to_refuel([move.said, move.reply])
    if agreed and _CONDITION.search(plain(spoken(move.reply.text))) is None:
        return f"{offered} and had the customer's agreement ({answer(move)})"
    return f"{offered} and heard {answer(move)}"


def _for(what: str) -> Callable[[Exchange, str], str]:
    def clause(move: Exchange, _: str) -> str:
        told = refuses(move.reply) or (move.reply is not None and _decides(move.reply.text))
        return f"asked for {what}" + (f" and heard {answer(move)}" if told else "")

    return clause


def _whether_abroad(move: Exchange, _: str) -> str:
    heard = "" if move.reply is None else f" ({words(move.reply, _ANSWER)})"
    return f"asked whether the customer is abroad{heard}"


_Kind = tuple[Callable[[str], bool], Callable[[Exchange, str], str]]
_KINDS: tuple[_Kind, ...] = (
    (_offers, _offered),
    (
        lambda text: _asks(_NUMBER, text),
        _for("the phone number"),
    ),
    (lambda text: _asks(_NAME, text), _for("the customer's name")),
    (lambda text: "?" in text and _ABROAD.search(text) is not None, _whether_abroad),
)
