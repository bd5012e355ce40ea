"""Whether a reply is the recorded one: by its calls or its words, without a judge.

A reply that calls any tool is a call, and its words are not compared: nobody hears them. Two calls
are the same if they call the same tools in the same order with equal arguments. Arguments are
compared as JSON values: ids, the order of keys, spaces and the spelling of numbers (25, 25.0,
2.5e1) play no part; a text is not a number, and true is not 1. Two texts are the same if they are
equal in Unicode's normal form C with every run of white space as one space, the ends trimmed. Form
C unites spellings of the same characters and nothing else: curly quotes are not straight ones, and
a ligature is not its letters.
"""

from __future__ import annotations

import unicodedata
from typing import cast

import msgspec
from msgspec import Struct

from ringback.canonical import Json, encode
from ringback.episode.wire import Answer, Asked, Message
from ringback.models.dialogue import spoken
from ringback.report.step_model import StepKind, StepOutcome

__all__ = ["Compared", "compare", "kind_of"]

_ESCAPED = 4
"""How often arguments may have been written as a text within a text."""


class Compared(Struct, frozen=True):
    """How a reply stands to the recorded one; `exact` says of the same texts that every byte is."""

    outcome: StepOutcome
    exact: bool = False


def kind_of(message: Message) -> StepKind | None:
    """What a reply is; None where it holds neither calls nor words."""
    if any(isinstance(part, Asked) for part in message.parts):
        return "call"
    return "text" if spoken(message).strip() else None


def compare(recorded: Message, answer: Answer) -> Compared:
    """The answer beside the recorded reply, which must be a call or a text."""
    reply = answer.message
    if reply is None:
        return Compared("failed")
    was, now = kind_of(recorded), kind_of(reply)
    if was is None:
        raise ValueError("the recorded reply holds neither calls nor words")
    if now is None:
        return Compared("nothing")
    if was != now:
        return Compared("text_for_call" if was == "call" else "call_for_text")
    return _calls(recorded, reply) if was == "call" else _texts(recorded, reply)


def _texts(recorded: Message, reply: Message) -> Compared:
    was, now = spoken(recorded), spoken(reply)
    if was == now:
        return Compared("same", exact=True)
    return Compared("same" if _plain(was) == _plain(now) else "other_text")


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


def _calls(recorded: Message, reply: Message) -> Compared:
    was, now = _asked(recorded), _asked(reply)
    if [call.tool for call in was] != [call.tool for call in now]:
        return Compared("other_tool")
    pairs = zip(was, now, strict=True)
    same = all(_spelled(one.arguments) == _spelled(other.arguments) for one, other in pairs)
    return Compared("same" if same else "other_arguments")


def _asked(message: Message) -> list[Asked]:
    return [part for part in message.parts if isinstance(part, Asked)]


def _spelled(arguments: Json) -> bytes:
    """One spelling for equal arguments; what is no JSON object is compared as the text it is."""
    value = _parsed(arguments)
    try:
        return encode(value)
    except (TypeError, ValueError, RecursionError):  # what no JSON can hold
        return repr(value).encode("utf-8", "backslashreplace")


def _parsed(arguments: Json) -> Json:
    """The object that arguments are, however often it was written as text; else as they came."""
    nothing = arguments is None or (isinstance(arguments, str) and not arguments.strip())
    value: Json = {} if nothing else arguments
    for _ in range(_ESCAPED):
        if not isinstance(value, str):
            break
        try:
            value = cast("Json", msgspec.json.decode(value))
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            return arguments
    return value if isinstance(value, dict) else arguments
