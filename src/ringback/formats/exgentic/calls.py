"""The recorded calls of a session that can be asked again as they were, and why others cannot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias, cast

from msgspec import Struct

from ringback.episode.events import AnyEvent, ModelCall, Note
from ringback.episode.wire import Answer, Asked, Given, Message, Opaque, Request, Text
from ringback.formats.exgentic.spans import attribute
from ringback.formats.messages import Schemas, schemas_of
from ringback.sessions.calls import requests

__all__ = ["Excluded", "Replayable", "Why", "step_calls"]

Why: TypeAlias = Literal[
    "failed",
    "several_replies",
    "unreadable_reply",
    "no_reply",
    "unreadable_messages",
    "no_messages",
    "unreadable_tools",
    "developer_inside",
    "part_unknown",
    "part_out_of_place",
    "not_a_model_call",
]
"""Why a span is no call to ask again. Of several reasons the first in this order is given, but for
the last: what is no model call is that."""


class Replayable(Struct, frozen=True):
    """A call as recorded: at event `seq`, the number `place` among the session's calls from 0.

    `schemas` says how many of its tools are defined with a schema of their arguments.
    """

    seq: int
    place: int
    model: str
    request: Request
    answer: Answer
    schemas: Schemas


class Excluded(Struct, frozen=True):
    """A span that is not one, at event `seq`, and why; `said` is what the record says of it."""

    seq: int
    why: Why
    said: str | None = None


def step_calls(
    events: Sequence[AnyEvent], contents: Mapping[str, str]
) -> Iterator[Replayable | Excluded]:
    """Each span of a session as a call to ask again, or as excluded with the reason.

    Compare replies by tool and parsed arguments, never by a call's id. Raises `ValueError` and
    `KeyError` as `ringback.sessions.calls.requests` does.
    """
    notes = {
        event.cause: cast("dict[str, Any]", event.detail)
        for event in events
        if isinstance(event, Note) and event.what == "extra"
    }
    asked = {call.seq: request for call, request in requests(events, contents)}
    place = 0
    for event in events:
        if isinstance(event, Note) and event.what == "span":
            yield Excluded(event.seq, "not_a_model_call")
        if not isinstance(event, ModelCall):
            continue
        request = asked[event.seq]
        how: dict[str, Any] = notes.get(event.seq, {}).get("how", {})
        why = _why(event, request, how, notes.get(event.seq, {}))
        if why is None:
            schemas = schemas_of(request.tools)
            yield Replayable(event.seq, place, event.model, request, event.answer, schemas)
        else:
            said = event.answer.why or how.get("unreadable") or how.get("unreadable_tools")
            yield Excluded(event.seq, why, said)
        place += 1


def _why(
    call: ModelCall, request: Request, how: Mapping[str, Any], detail: Mapping[str, Any]
) -> Why | None:
    answer = call.answer
    if answer.failure is not None and answer.failure != "malformed":
        return "failed"
    if answer.message is None:
        if how.get("replies", 0) > 1:
            return "several_replies"
        recorded = attribute(detail.get("span", {}), "gen_ai.output.messages")
        return "unreadable_reply" if recorded else "no_reply"
    if not any(isinstance(part, Text | Asked) for part in answer.message.parts):
        return "no_reply"
    if "unreadable" in how:
        return "unreadable_messages"
    if not request.messages:
        return "no_messages"
    if "unreadable_tools" in how:
        return "unreadable_tools"
    if how.get("developer"):
        return "developer_inside"
    for message in request.messages:
        if (why := _misfit(message)) is not None:
            return why
    return None


def _misfit(message: Message) -> Why | None:
    for part in message.parts:
        if isinstance(part, Opaque):
            return "part_unknown"
        sides = ("user",) if isinstance(part, Given) else ("assistant",)
        if not isinstance(part, Text) and message.role not in sides:
            return "part_out_of_place"
    return None
