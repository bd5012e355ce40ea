"""The way back: the row that a session was read from, made of its events and contents alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import msgspec

from ringback.canonical import Json
from ringback.episode.events import AnyEvent, ModelCall, Note, Start
from ringback.episode.wire import Message, Request, Text
from ringback.formats.exgentic.columns import TOOLS
from ringback.formats.exgentic.messages import message_back, tools_back
from ringback.formats.exgentic.session import INPUT, OUTPUT
from ringback.sessions.calls import requests

__all__ = ["row_back"]


def row_back(events: Sequence[AnyEvent], contents: Mapping[str, str]) -> dict[str, Any]:
    """The columns of the row, spans among them, with messages and tools as JSON text again.

    JSON text comes back as the same value, without the spaces it may have had; what JSON lacks
    comes back as the text that stands for it. Raises `ValueError` for a session of another form.
    """
    start = events[0]
    if not isinstance(start, Start) or start.origin is None or start.origin.form != "exgentic":
        raise ValueError("the session was not read from this form")
    row: dict[str, Any] = dict(start.origin.more)
    asked = {call.seq: request for call, request in requests(events, contents)}
    calls = {event.seq: event for event in events if isinstance(event, ModelCall)}
    back = _Back(asked, calls)
    spans: list[Json] = []
    for event in events:
        if not isinstance(event, Note):
            continue
        if event.what == "span":
            spans.append(event.detail)
        elif event.what == "extra":
            spans.append(back.span(event))
    if "spans" not in row:
        row["spans"] = spans
    return row


class _Back:
    def __init__(self, asked: dict[int, Request], calls: dict[int, ModelCall]) -> None:
        self._asked, self._calls = asked, calls
        self._rests: dict[int, list[Json]] = {}
        self._tools: dict[int, Json] = {}

    def span(self, note: Note) -> Json:
        detail = cast("dict[str, Any]", note.detail)
        how: dict[str, Any] = detail.get("how", {})
        call, request = self._calls[note.cause], self._asked[note.cause]
        span: dict[str, Any] = dict(detail["span"])
        given = span.get("attributes")
        if not isinstance(given, dict):
            return span
        attributes = cast("dict[str, Any]", given)
        rests = self._inherited(call, request, how)
        replied = [] if call.answer.message is None else [how.get("reply")]
        self._rests[call.seq] = [*rests, *replied]
        whole = detail["whole"]
        if INPUT in whole:
            said = [message_back(*pair) for pair in zip(request.messages, rests, strict=True)]
            if "system" in how:
                leading = Message("user", (Text(request.system),))
                said.insert(0, message_back(leading, how["system"]))
            attributes[INPUT] = _text(cast("Json", said))
        if OUTPUT in whole and call.answer.message is not None:
            attributes[OUTPUT] = _text([message_back(call.answer.message, how.get("reply"))])
        if TOOLS in whole:
            rest = how.get("tools")
            self._tools[call.seq] = self._tools.get(rest) if isinstance(rest, int) else rest
            attributes[TOOLS] = _text(tools_back(request.tools, self._tools[call.seq]))
        return span

    def _inherited(self, call: ModelCall, request: Request, how: dict[str, Any]) -> list[Json]:
        """For each message of a request what the way back needs beside it."""
        extends, kept = call.request.extends, call.request.kept
        rests: list[Json] = [] if extends is None else self._rests[extends][:kept]
        rests += [None] * (len(request.messages) - len(rests))
        for index, rest in how.get("messages", {}).items():
            rests[int(index)] = rest
        return rests


def _text(value: Json) -> str:
    return msgspec.json.encode(value).decode()
