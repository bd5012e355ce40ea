"""What an agent said where the customer did nothing about it, in words: read by rule."""

from __future__ import annotations

import re
from collections.abc import Callable

from ringback.domain import Said
from ringback.telecom.consent import agreed_to_refuel
from ringback.telecom.recount.moves import Exchange
from ringback.telecom.recount.words import quoted
from ringback.telecom.speech.closing import awaits, closes, hands_over
from ringback.telecom.speech.text import plain, spoken

__all__ = ["asks", "closing", "farewell", "said"]

_OFFER = re.compile(
    r"\b(?:re-?fuel\w*|top(?:ping|ped)?[ -]?up|extra data|more data|additional data)\b"
    r"|\b\d+(?:\.\d+)? ?(?:gb|gigabytes?) (?:of|for)\b|\b(?:add|buy)\b[^?!]*\b(?:gb|gigabytes?)\b"
)
_PRICE = re.compile(r"\$ ?\d|\b\d+(?:\.\d+)? ?(?:usd|dollars?)\b")
_NUMBER = re.compile(
    r"\b(?:phone|mobile|line|cell|contact)(?: phone)? number\b|\bwhich (?:line|number)\b"
)
_WHO = re.compile(
    r"\b(?:your|full) (?:full )?name\b|\bdate of birth\b|\bwho am i (?:speaking|talking)\b"
)
_ABROAD = re.compile(
    r"\b(?:abroad|travel\w*|overseas|another country|which country|home network)\b"
)
_BILL = re.compile(r"\b(?:bill|payment|pay|overdue)\b")
_PERMISSION = re.compile(
    r"\b(?:shall|should|may|can) i\b|\bdo i have your\b|\bis it (?:ok|okay|all right)\b"
)


def said(move: Exchange) -> str:
    """The exchange as a clause in the past, with the answer where that is what it is for."""
    if move.said is None:
        return f"heard {_words(move.reply)}" if move.reply else "waited"
    text = plain(spoken(move.said.text))
    for pattern, clause in _KINDS:
        if pattern.search(text) is not None and "?" in text:
            return clause(move)
    if hands_over(text):
        return "told the customer that a colleague takes over"
    if _NUMBER.search(text) is not None:
        return "asked for the phone number"
    answer = f" and heard {_words(move.reply)}" if move.reply is not None else ""
    return f"said {_words(move.said)}{answer}"


def asks(move: Exchange) -> bool:
    """Whether the agent asked for something with this, so that what was done was asked for."""
    return move.said is not None and awaits(plain(spoken(move.said.text)))


def farewell(move: Exchange) -> bool:
    """Whether the agent brought the call to its end with this, and asked for nothing more."""
    if move.said is None:
        return False
    text = plain(spoken(move.said.text))
    return closes(text) and not awaits(text)


def closing(move: Exchange) -> str:
    """The last words of the agent, as a clause in the past."""
    return f"closed with {_words(move.said, 150)}"


def _offered(move: Exchange) -> str:
    pair = [said for said in (move.said, move.reply) if said is not None]
    priced = move.said is not None and _PRICE.search(plain(spoken(move.said.text))) is not None
    offered = "offered extra data, named the price" if priced else "offered extra data"
    if move.reply is None:
        return offered.replace(", named", " and named")
    if agreed_to_refuel(pair):
        return f"{offered} and had the customer's agreement"
    return f"{offered} and heard {_words(move.reply)}"


def _asked(what: str) -> Callable[[Exchange], str]:
    def clause(move: Exchange) -> str:
        return f"asked {what}" if move.reply is None else f"asked {what} ({_words(move.reply, 70)})"

    return clause


def _plainly(words: str) -> Callable[[Exchange], str]:
    return lambda _: words


_KINDS: tuple[tuple[re.Pattern[str], Callable[[Exchange], str]], ...] = (
    (_OFFER, _offered),
    (_NUMBER, _plainly("asked for the phone number")),
    (_WHO, _plainly("asked who is calling")),
    (_ABROAD, _asked("whether the customer is abroad")),
    (_BILL, _asked("about the bill")),
    (_PERMISSION, _asked("for permission")),
)


def _words(said: Said | None, limit: int = 110) -> str:
    return quoted(spoken(said.text), limit) if said is not None else "nothing"
