"""What to make of a message from which no request was made out."""

from __future__ import annotations

import re

from msgspec.structs import replace

from ringback.users.rules.clauses import clauses
from ringback.users.rules.elliptic import is_of_old
from ringback.users.rules.looks import looks_in
from ringback.users.rules.merging import merged
from ringback.users.rules.moods import mood_of
from ringback.users.rules.request import Request
from ringback.users.rules.text import Sentence
from ringback.users.rules.words import mentions

__all__ = ["asks_again", "is_topical", "vague_in"]

_WANTING = re.compile(
    r"\b(?:please|kindly|let me know|tell me|(?:could|can|would) you|i need|i'd like|let's)\b"
    r"|^(?:check|confirm|verify|look|see|share|report|test|try|provide|start with)\b"
)
_NOT_ASKED = re.compile(
    r"\b(?:don't|do not|no need|i'll|i will|we'll|we will|(?:i'm|i am|we're) (?:going|about) to"
    r"|number|name|date of birth|customer id"
    r"|(?:did|do) you (?:understand|know|remember|recall|follow|hear)|make sense|permission to"
    r"|plan|bills?|settle|(?:send|issue)\w* (?:you )?(?:the|a|that|another)"
    r" (?:payment )?request|gb|gigabytes?|transfer\w*|help you|assist you)\b"
)
_GENERATION = re.compile(r"\b[2345]g\b")
_OF_OURS = re.compile(r"\b(?:line|data|gb|network|service|plan|account)\b")
_ONCE_MORE = re.compile(
    r"\b(?:check|look|see|verify|confirm|do|read|view|open|take|run|try|test|measure|repeat|send"
    r"|attempt|go|get|make|show|report|tell)\b[^.]{0,30}\b(?:again|once more|one more time)\b"
    r"|^(?:(?:and|please|now|then|ok|okay|so|good|right|great|thanks),? )*again\b[^.]{0,12}[.! ]*$"
    r"|\brepeat (?:it|that|this)(?! (?:back|for me))\b"
)
_CONNECTION = re.compile(r"\bconnection\b")
_OF_IT = re.compile(
    r"\b(?:it|that|this|them|both|those|these|there|one|setting|switch|toggle|option|value|tile"
    r"|icon|feature)\b"
)
_SHOWN = re.compile(r"\b(?:shows?|showing|see|display\w*|up there|beside|next to)\b")
_CHECKING = re.compile(r"\b(?:check|look|open|view|read|see|go)\b")
_SOCIAL = re.compile(
    r"\b(?:say|repeat|spell|decide|agree|accept|understand|think|like|want|prefer|hear|wait|hold"
    r"|bear|stay|forgive|excuse|allow me|give me|trust|know that|price|charge|cost|sorry|thank"
    r"|apolog\w+|explain|add|buy|pay|call|word|question|help|clear|happen\w*|mean|sense)\b"
)


def vague_in(found: list[Sentence], context: tuple[str, ...] = ()) -> tuple[Request, ...]:
    """The parts of the phone that a message names where it wants something, whatever its words.

    Where it names none and yet wants something of "it" or "that", the last of `context`, the parts
    that were spoken of before.
    """
    requests: list[Request] = []
    listing = False
    last = ""
    for sentence in found:
        text = " ".join(
            part
            for part in clauses(sentence.text)
            if mood_of(part, sentence)[0] not in ("sub", "later", "if")
        )
        wants = sentence.asks or _WANTING.search(text) is not None
        named = [mention.topic for mention in mentions(text) if mention.topic != "phone"]
        if (wants or listing) and not _NOT_ASKED.search(text):
            new = looks_in(text, sentence.item)
            if not new and _GENERATION.search(text):
                shown = _SHOWN.search(text) is not None
                new = [Request("look", "network" if shown else "mode", "ask", sure=False)]
            if not new and _CONNECTION.search(text):
                new = [Request("test", "internet", "ask", sure=False)]
            if not new and not named and last:
                new = looks_in(last, sentence.item)[-1:]
            wished = context and _WANTING.search(text) is not None
            if not new and not named and not last and wished and _is_of_it(text):
                new = [Request("look", context[-1], "", sure=False)]
            if _CHECKING.search(text):
                new = [replace(r, value="") if r.act == "look" else r for r in new]
            if is_of_old(sentence.text):
                new = [request for request in new if request.topic != "outcome"]
            requests += new
        if named:
            last = text
        listing = sentence.opens if not sentence.item else (listing or sentence.opens)
    return merged(requests)


def _is_of_it(text: str) -> bool:
    return _OF_IT.search(text) is not None and _SOCIAL.search(text) is None


def is_topical(found: list[Sentence]) -> bool:
    """Whether a message is about phones, lines or what they are used for."""
    return any(_OF_OURS.search(sentence.text) or mentions(sentence.text) for sentence in found)


def asks_again(found: list[Sentence]) -> bool:
    """Whether a message asks for the same once more."""
    return any(
        _ONCE_MORE.search(sentence.text) and not _TO_THE_AGENT.search(sentence.text)
        for sentence in found
    ) and not any(_WHO.search(sentence.text) for sentence in found)


_TO_THE_AGENT = re.compile(
    r"\b(?:no need|don't|do not|needn't|say|said|repeat (?:it|that|this|what)|spell|tell me your"
    r"|hear|call(?:ing)?|thank\w*"
    r"|sorry"
    r"|apolog\w+|happens?|comes? back|reach out|contact)\b"
)
_WHO = re.compile(r"\b(?:number|name|account|date of birth|customer id)\b")
