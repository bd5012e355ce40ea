"""Whether a customer agreed to a refuel, read from the sentences by rule."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ringback.domain import Said
from ringback.telecom.speech.text import spoken, straight

__all__ = ["agreed_to_refuel"]

_WITHIN = r"(?:[^.?!]|\.\d)*"
_MORE_DATA = (
    r"re-?fuel\w*|top(?:ping|ped)?[ -]?up|"
    rf"\b(?:add|adding|buy\w*|purchas\w*|extra|more|additional){_WITHIN}\b(?:data|gb|gigabytes?)\b"
)
_OFFER = re.compile(
    rf"{_MORE_DATA}|\b(?:would you like|do you want|want me to|shall i|should i|may i|i can|"
    rf"i could)\b{_WITHIN}\b(?:data|gb|gigabytes?)\b",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"\b(?:i want|i'd like|i would like|i'll take|i will take|i need|please|can you|could you|"
    rf"give me|go ahead){_WITHIN}(?:{_MORE_DATA})",
    re.IGNORECASE,
)
_ABOUT_PRICE = re.compile(r"\b(?:how much|costs?|prices?|tell me|what)\b", re.IGNORECASE)
_YES = re.compile(
    r"\b(?:yes|yeah|yep|yup|sure|ok|okay|please|go ahead|do it|do that|agree\w*|accept\w*|"
    r"fine|approv\w*|confirm\w*|of course|absolutely|certainly|definitely|sounds? good|"
    r"works for me|proceed|alright|all right|happy (?:to|with)|that'?s good|no problem|why not|"
    r"don'?t mind)\b",
    re.IGNORECASE,
)
_NO = re.compile(
    r"\b(?:no(?! problem)|nope|nah|not|don'?t(?! mind)|do not(?! mind)|won'?t|wouldn'?t|can'?t|"
    r"cannot|rather not|never|declin\w*|refus\w*)\b",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"^\W*(?:(?:oh|um+|well|sorry|thanks?|thank you|actually|then|and|so|yes|please|hmm)\W+)*"
    r"(?:no(?=\W*$| (?:thank|thanks|way|please|not|i|sir|need|more|extra|additional|refuel|top))|"
    r"nope|nah|never|don'?t|do not|rather not|not(?=\W*$| (?:now|yet|today|really|interested|"
    r"for now|at the moment|right now|necessary|needed|at all|this|that)))\b|"
    r"\b(?:(?:don'?t|do not|won'?t|will not|wouldn'?t|would not|can'?t|cannot|(?:am|'m) not)"
    r"(?: \w+){0,2}? (?:want|need|agree|accept|wish|like|pay|buy|purchase|add|approve|consent|"
    r"authori[sz]e|interested|willing|comfortable|afford|care for|think so|charge|refuel|"
    r"top (?:it )?up|do (?:it|that|this)|go ahead|proceed))\b|"
    r"\b(?:rather not|declin\w*|refus\w*|(?:that'?s|it'?s|is) not (?:ok|okay|necessary|needed|"
    r"what i want))\b",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(r"\b(?:plans?|more than|worr\w+)\b", re.IGNORECASE)
_CLAUSE = re.compile(r"[,;!?\n]|\.(?!\d)|\bbut\b", re.IGNORECASE)


def agreed_to_refuel(sentences: Sequence[Said]) -> bool:
    """Whether the customer asked for more data, or said yes when the agent offered it.

    The last clear answer counts. An offer stands while the customer asks back, and lapses when the
    agent goes on to something else. A reading by rule: it can miss agreement worded in a way that
    it does not know.
    """
    offered = asked_back = agreed = False
    for said in sentences:
        text = straight(spoken(said.text))
        if said.side == "agent":
            offered = _OFFER.search(text) is not None or (offered and asked_back)
            continue
        answer = _answer(text)
        if not offered and answer is False:
            answer = None
        elif answer is not False and _asks_for_data(text):
            answer = True
        elif not offered:
            answer = None
        asked_back = answer is None and "?" in text
        agreed = agreed if answer is None else answer
    return agreed


def _asks_for_data(text: str) -> bool:
    # The second takes its time over a long text.
    return _ABOUT_PRICE.search(text) is None and _REQUEST.search(text) is not None


def _answer(text: str) -> bool | None:
    """Yes, no, or neither. A refusal in any clause outweighs a yes, unless it is of a plan.

    A clause that denies something else ("messages don't go out") is neither.
    """
    yes = False
    for clause in _CLAUSE.split(text):
        if _NO.search(clause) is not None:
            if _REFUSAL.search(clause) is not None and _ELSEWHERE.search(clause) is None:
                return False
        elif _YES.search(clause) is not None:
            yes = True
    return True if yes else None
