"""What a customer claims in answer to what it was asked for: "done", "it's on now", "I paid".

Its words alone do not say what was done; that stands in what the agent asked for. Written so that
it rather misses a claim than makes one up: a question, a plan or a denial claims nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from ringback.telecom.speech.asking import DEEDS, SWITCHES, asks_for
from ringback.telecom.speech.text import sentences

__all__ = ["TESTS", "Reply", "Wanted", "replies_in", "says_paid", "wanted_in"]


class Reply(Struct, frozen=True):
    """A claim: its words, and what is claimed.

    ``done``: what was asked for was done. ``on`` and ``off``: something stands so; `tool` turns it,
    None where that is what was asked for.
    """

    words: str
    claim: Literal["done", "on", "off"]
    tool: str | None = None


class Wanted(Struct, frozen=True):
    """A deed that was asked for; `on` is how a switch is to stand, None where that was not said."""

    tool: str
    on: bool | None


_PART = re.compile(
    r"[,;:]\s+|\s[-\u2013\u2014]+\s|\b(?:and|but|because|although|however)\b"
    r"|\bso (?=(?:i|it|the|my|now|that|this|what|can)\b)"
    r"|(?<=\w) (?=(?:what (?:now|next)|can you|could you)\b)"
)
_QUESTION = re.compile(
    r"^\W*(?:is|are|was|were|do|does|did|has|have|had|can|could|should|shall|will|would|may|what"
    r"|how|why|when|where|which|who)\b"
)
_UNSAID = re.compile(
    r"\b(?:not|never|no|nobody|nothing|neither|cannot|without|if|when|whenever|once|after|before"
    r"|until|unless|while|whether|why|how|where|who|what (?:happens|if)|should|shall|would|could"
    r"|may|might|will|want\w*|need\w*|like to|going to|about to|plan\w*|trying|tried|tries|attempt"
    r"\w*|fail\w*|let me|almost|nearly|ought|has to|have to|think"
    r"|thought|believ\w*|assum\w*|guess|maybe|hope\w*|suppose\w*"
    r"|you said (?:it|that|the)|told|please|yesterday|earlier|previously|used to)\b"
    r"|n't\b|'ll\b"
)
_AD = (
    r"(?:(?:just|already|now|also|then|successfully|finally|gone ahead and|went ahead and|all"
    r"|quickly|actually) )*"
)
_I = rf"(?:\b(?:i|we)(?:'ve| have| had|'d)? {_AD}|^\W*{_AD})"
_YES = r"^\W*(?:(?:yes|yeah|yep|ok|okay|alright|all right|sure|right|great|thanks?|so|well)\W+)*"
_TURNED = r"(?:turned|switched|toggled|flipped|set|put|enabled|disabled|activated|deactivated)"
_PRONOUN = r"(?:it|that|this|them|the (?:switch|setting|toggle|option))"
_ON_OFF = r"(?P<word>on|off|enabled|disabled|active|activated|deactivated|inactive)"
_BE = (
    r"(?:'s| is| are| got| has been| have been|'s been"
    r"| was(?= (?:(?:just|already|successfully) )*(?:turned|switched|set|toggled|\w+abled)))"
    r"(?: (?:now|just|already|all|back|finally|turned|switched|set to|toggled))*"
)
_THING = (
    r"(?P<thing>(?:mobile |cellular |cell )?data(?: (?:saver|saving|roaming)(?: mode)?)?|roaming"
    r"|(?:air|aero)plane mode|flight mode|wi-?fi calling|wi-?fi|vpn)"
)
_DONE = re.compile(
    rf"{_YES}(?:(?:it|that|this|everything|all)(?:'s| is| was| has been|'s been) (?:all |now )?)?"
    r"(?:all |now )?done(?: (?:that|it|so|this|now|as you (?:asked|said)))?\W*(?:now)?\W*$"
    rf"|{_I}(?:did|done) (?:it|that|this|so|both|all|as|what|the (?:test|steps?|check))\b"
    rf"|{_I}(?:run|ran|performed|made|completed|finished)"
    r" (?:it|that|this|them|the (?:test|steps?))\b"
    rf"|{_I}{_TURNED} {_PRONOUN}\W*$"
)
_STANDS = re.compile(rf"{_YES}(?:it|that|this){_BE} {_ON_OFF}\b")
_THING_STANDS = re.compile(rf"(?:^\W*|\b(?:my|the|your|now|yes|okay|ok) ){_THING}{_BE} {_ON_OFF}\b")
_I_TURNED = re.compile(
    rf"{_I}(?P<verb>{_TURNED})(?: (?P<first>on|off))?(?: back)?"
    rf" (?:{_PRONOUN}|(?:my |the |your )?{_THING})(?: back)?(?: (?P<last>on|off))?\b"
)
_I_GOT = re.compile(
    rf"{_I}got (?:{_PRONOUN}|(?:my |the |your )?{_THING}) "
    r"(?:turned |switched |set )?(?P<word>on|off)\b"
)
_TURNED_SO = re.compile(r"^\W*(?:(?:just|all|now) )*(?:turned|switched) (?P<word>on|off)\W*$")
_OUT_OF = re.compile(
    rf"{_I}(?:took|got|taken) (?:it|the phone|my phone) out of (?:air|aero|flight)"
)
TESTS = ("run_speed_test", "can_send_mms")
"""What shows whether the repair has helped; each time it is asked for anew."""

_BY_VERB = {"enabled": "on", "activated": "on", "disabled": "off", "deactivated": "off"}
_BY_WORD = {"active": "on", "inactive": "off", **_BY_VERB}

_PAID = re.compile(
    rf"{_I}(?:accepted|approved|authori[sz]ed)(?: \w+){{0,2}} (?:payment|request)\b"
    rf"|{_I}(?:paid(?! attention)|settled|cleared|went through with (?:the|that|my) payment)\b"
    rf"|{_I}(?:finished paying|(?:made|completed|finished|done|submitted|sent|processed|confirmed"
    r"|did|taken care of|took care of) (?:the|that|this|my|your|a) (?:\w+ ){0,2}(?:payment|bill))\b"
    r"|\bpayment(?:'s| is| was| has| has been|'s been| got| went| has gone| came)?"
    r" (?:(?:now|just|all|already|been) )*(?:successful(?:ly)?|through|made|completed?|done|sent"
    r"|processed|confirmed|accepted|settled|finished)\b"
    r"|\b(?:it|that|this|everything"
    r"|(?:the |my |your )?(?:\w+ ){0,2}(?:bill|balance|invoice|amount))"
    r"(?:'s| is| was| has been|'s been| got) (?:(?:now|just|all|already|fully|been) )*"
    r"(?:paid|settled|cleared)\b"
)


def says_paid(text: str) -> str | None:
    """The words with which a customer says that it has paid, None where it does not."""
    return next((part[:80] for part in _told(text) if _PAID.search(part) is not None), None)


def replies_in(text: str) -> Iterator[Reply]:
    """What a customer says to have done, or to stand so, of what it was asked for."""
    for part in _told(text):
        if _OUT_OF.search(part) is not None:
            yield Reply(part[:80], "off", "toggle_airplane_mode")
        elif (found := _I_TURNED.search(part)) is not None:
            word = found["first"] or found["last"] or _BY_VERB.get(found["verb"])
            yield _reply(part, word, found["thing"])
        elif (found := _THING_STANDS.search(part) or _I_GOT.search(part)) is not None:
            yield _reply(part, found["word"], found["thing"])
        elif (found := _STANDS.search(part) or _TURNED_SO.search(part)) is not None:
            yield _reply(part, found["word"], None)
        elif _DONE.search(part) is not None:
            yield Reply(part[:80], "done")


def _reply(part: str, word: str | None, thing: str | None) -> Reply:
    tool = None if thing is None else _tool(thing)
    stands = None if word is None else _BY_WORD.get(word, word)
    if stands == "on":
        return Reply(part[:80], "on", tool)
    return Reply(part[:80], "off" if stands == "off" else "done", tool)


def _tool(thing: str) -> str:
    if thing in ("data", "cell data"):
        return "toggle_data"
    return next(name for name, words in SWITCHES.items() if words.search(thing) is not None)


def _told(text: str) -> Iterator[str]:
    """The parts of a text that tell something, each alone."""
    for sentence in sentences(text):
        parts = [part.strip() for part in _PART.split(sentence) if part.strip()]
        for place, part in enumerate(parts):
            asked = sentence.endswith("?") and place == len(parts) - 1
            if not asked and _QUESTION.search(part) is None and _UNSAID.search(part) is None:
                yield part


def wanted_in(text: str) -> list[Wanted]:
    """The deeds and tests that a message of the agent's asks for, looks left out."""
    found: list[Wanted] = []
    for tool in (*DEEDS, *TESTS):
        if not asks_for(text, tool):
            continue
        on = off = False
        if tool in SWITCHES:
            on, off = (asks_for(text, tool, on=way, again=True) for way in (True, False))
        found.append(Wanted(tool, on if on is not off else None))
    return found
