"""Cutting what a customer says into plain statements.

Questions, wishes, plans and conditions state nothing about the phone. They are marked here, so that
what reads the statements need not think of them.
"""

from __future__ import annotations

import re

from msgspec import Struct

__all__ = ["NEW_LINE", "Clause", "clauses", "lines", "normal"]


class Clause(Struct, frozen=True):
    """A piece of a sentence. `states` is False where it only mentions: a question, a wish."""

    text: str
    states: bool


NEW_LINE = Clause("\n", states=False)
"""What stands between lines: "it" and a bare "off" do not reach across it."""

_URL = re.compile(r"(?:https?://|www\.)\S+")
_PLAIN = str.maketrans(
    {
        "\u2018": "'",
        "\u2019": "'",
        "\u201c": '"',
        "\u201d": '"',
        "\u2013": " - ",
        "\u2014": " - ",
        "\u00a0": " ",
        "\u2011": "-",
        "\u2192": " - ",
    }
)
_MARKUP = re.compile(r"\*+|`+|\"|(?<!\w)_+|_+(?!\w)|^#+ ", re.M)
_END = re.compile(r"[.!]+(?=\s|$)|[;?]+(?=\s|$)|\n")
_BULLET = re.compile(r"\s*(?:\(?(\d{1,2})[.):](?!\d)|[-\u2022+])\s+")
_TURN = re.compile(
    r"(?:^|\s)- | but |,? however,? |,? although | though | while | whereas | except (?:that )?|"
    r", and (?=(?:it|i|my|the|there)\b)|, (?=(?:which|what|how|why|is|are|does|do|should|shall) )"
)
_OPEN_QUESTION = re.compile(
    r"(?:and |so |but |then |ok(?:ay)?,? |oh,? |hmm,? |well,? )*"
    r"(?:what|which|why|how|where|when|who|is|are|am|does|do|did|can|could|should|shall|would|"
    r"will|may|any)\b"
)
_ORDER = re.compile(
    r"(?:then |and )?(?:turn|switch|enable|disable|disconnect|change|set|reset|toggle|restart|"
    r"reboot|"
    r"check|make|grant|open|go to|take|put)\b(?! (?:is|was))"
)
_YES = re.compile(r"(?:oh,? )?(?:yes|yeah|sure|ok|okay|alright)")
_HEADING = re.compile(r"[\w/-]+(?: [\w/-]+){0,2}")
_AWAY = re.compile(
    r"\b(?:"
    r"if|whether|unless|until|in case|let me know|should i|shall i|do i|can i|could i|may i|"
    r"(?:would|could|can|will|do|did|are) you|is it okay|is that|is this|does that|does this|"
    r"tell me (?:what|how|when|which|where)|please(?! note)|before (?:i|we|you|that)|"
    r"want(?:s|ed)? (?:me |it |you )?to|want it|needs? (?:it )?to|"
    r"i(?: \w+){0,2} (?:need|want|require|wish)|i'd(?: \w+)? (?:like|prefer|rather|appreciate)|"
    r"would(?: \w+)? (?:like|prefer|appreciate)|hop(?:e|ing)|nothing less|let alone|to get|"
    r"so (?:that )?(?:i|we) can|let's|let us|(?:i|we) (?:should|could)|we (?:need|have) to|"
    r"(?:i|we)(?: will|'ll)(?: now| just| go)*|(?:i'm|i am|we're)(?: just| now)* (?:going|"
    r"about) to|"
    r"gonna|ready to|(?<!when i )(?:try|trying) to|about to|to make sure|make sure|so that|"
    r"you(?:'ve| have)? (?:just )?(?:said|told|asked|want|wanted|need|mentioned|suggested)|"
    r"supposed? to|not (?:quite |really )?sure|unsure|(?:don't|do not) know|no idea|"
    r"i (?:can't|cannot|can not|couldn't|could not) (?:tell|find)|wonder(?:ing)?|maybe|perhaps|"
    r"might|"
    r"instead of|rather than|used to be|looking for|content with|happy with"
    r")\b"
)


def normal(text: str) -> str:
    """The text in lower case, with plain quotes and dashes, links as ``<url>``, without markup."""
    return _MARKUP.sub("", _URL.sub(" <url> ", text.translate(_PLAIN))).lower()


def lines(text: str) -> list[tuple[int | None, str]]:
    """The lines of a normal text without their bullets; the number that an item begins with."""
    found: list[tuple[int | None, str]] = []
    for line in text.split("\n"):
        bullet = _BULLET.match(line)
        if bullet is None:
            found.append((None, line.strip()))
        else:
            number = int(bullet[1]) if bullet[1] else None
            found.append((number, line[bullet.end() :].strip()))
    return found


def clauses(line: str) -> list[Clause]:
    """The clauses of a line of normal text, in order.

    From a sentence that turns into a question, a wish, a plan or a condition, what stands before
    the turn is stated and the rest is mentioned.
    """
    found: list[Clause] = []
    start = 0
    heading = ""
    for end in _END.finditer(line):
        sentence, question = line[start : end.start()].strip(), "?" in end[0]
        start = end.end()
        if question and _HEADING.fullmatch(sentence) and not _OPEN_QUESTION.match(sentence):
            heading = f"{sentence}: "
            continue
        _sentence(found, heading + sentence, question=question)
        heading = ""
    _sentence(found, heading + line[start:].strip(), question=False)
    return found


def _sentence(found: list[Clause], sentence: str, *, question: bool) -> None:
    parts = [part.strip() for part in _TURN.split(sentence)]
    last = len(parts) - 1
    for index, part in enumerate(parts):
        if not part:
            continue
        asked = question and index == last
        if (asked and _OPEN_QUESTION.match(part)) or _ORDER.match(part):
            found.append(Clause(part, states=False))
            continue
        away = _AWAY.search(part)
        if away is not None:
            head = part[: away.start()].strip(" ,:")
            if head:
                found.append(Clause(head, states=not _YES.fullmatch(head)))
            found.append(Clause(part[away.start() :], states=False))
        elif asked:
            head, comma, tail = part.rpartition(",")
            if comma:
                found.append(Clause(head, states=True))
            found.append(Clause(tail, states=False))
        else:
            found.append(Clause(part, states=True))
