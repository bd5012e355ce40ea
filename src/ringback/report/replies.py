"""A session of which only model calls are recorded, as what each reply said and called.

The answers to its calls stand in what a later call was sent.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from ringback.canonical import Json
from ringback.episode.events import ModelCall
from ringback.episode.wire import Asked, Given, Text

__all__ = ["Made", "Reply", "replies"]


class Made(Struct):
    """A call that a reply made; `result` is None where none was sent to a later call."""

    tool: str
    arguments: Json
    result: str | None = None
    error: bool = False


class Reply(Struct):
    """What one model call gave: its words, None where there are none, and its calls."""

    call: ModelCall
    text: str | None
    made: list[Made]


def replies(calls: Iterable[ModelCall]) -> list[Reply]:
    """The replies of these calls in their order, each call with the first answer to its id."""
    found: list[Reply] = []
    open_calls: dict[str, Made] = {}
    for call in calls:
        for message in call.request.added:
            for part in message.parts:
                if isinstance(part, Given) and (made := open_calls.pop(part.id, None)) is not None:
                    made.result, made.error = part.text, part.error
        message = call.answer.message
        parts = () if message is None else message.parts
        words = [part.text for part in parts if isinstance(part, Text) and part.text]
        reply = Reply(call, "\n".join(words) or None, [])
        for part in parts:
            if isinstance(part, Asked):
                made = Made(part.tool, part.arguments)
                reply.made.append(made)
                open_calls[part.id] = made
        found.append(reply)
    return found
