"""A recorded run as a session: its model calls with what stood around them, and its ending.

Only the agent's calls are recorded, not who else spoke nor what the world did, so the session has
no turns and no grade. What the form says and our events have no place for stands beside each call
in a note `extra`, so that the row can be made again (`ringback.formats.exgentic.back`).
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any, cast

import msgspec

import ringback
from ringback.canonical import Json
from ringback.episode.events import (
    AnyEvent,
    Arm,
    Condition,
    Draw,
    End,
    Ending,
    Limits,
    ModelCall,
    Note,
    Origin,
    Setup,
    Start,
)
from ringback.episode.identity import imported_ids
from ringback.episode.wire import Answer, Failure, Price, Request, Text, Usage, recorded
from ringback.formats.exgentic.cells import digest_of, first, instructions, plain, rest_of, short
from ringback.formats.exgentic.columns import TOOLS
from ringback.formats.exgentic.messages import Mapped, Mapper, Tools
from ringback.formats.exgentic.names import who
from ringback.formats.exgentic.shards import Row
from ringback.formats.exgentic.spans import attribute, error_of, failed, is_call, seconds, started
from ringback.formats.patch import same
from ringback.formats.recording import RECORDED_OUTCOME, Recording
from ringback.formats.secrecy import without_secrets
from ringback.formats.values import count

__all__ = ["FORM", "INPUT", "OUTPUT", "SYSTEM", "recording"]

FORM = "exgentic"
INPUT, OUTPUT = "gen_ai.input.messages", "gen_ai.output.messages"
SYSTEM = "gen_ai.system_instructions"
_UNPRICED = Price(None, "Exgentic records a cost of the whole run alone")
_DOMAINS = {"tau2_telecom": "telecom"}
_ENDINGS: dict[str, Ending] = {
    "success": "agent_stop",
    "unsuccessful": "agent_stop",
    "limit_reached": "max_steps",
}
"""Any other status but "unknown" is an `infrastructure_error`: it says nothing about the agent."""

_FAILURES: tuple[tuple[str, Failure], ...] = (
    ("contextwindow", "context_overflow"),
    ("context_length", "context_overflow"),
    ("contentpolicy", "refusal"),
    ("content_filter", "refusal"),
    ("badrequest", "rejected"),
    ("unprocessable", "rejected"),
)
_SAID = (INPUT, OUTPUT, SYSTEM, TOOLS)
"""The attributes that are the conversation itself, which is kept as it is."""

_OF_PARTS = ("content", "text", "arguments", "response", "result")
"""Members of messages' parts, which stand alone where the rest of a message is kept."""

_INSTRUCTING = ("developer", "system")
_encode = msgspec.json.Encoder().encode
_NEAR = 8  # earlier calls among which the one that a request goes on from is looked for


def recording(row: Row) -> Recording:
    """The session of a row.

    Each span that is a model call is a `ModelCall`; one that failed, or that has no reply which can
    be read, is one with a failure. Raises `ValueError` for a row that cannot be kept, because what
    it holds is nested too deeply.
    """
    try:
        return _Reader(row).recording()
    except RecursionError:
        raise ValueError("what it holds is nested too deeply") from None


class _Reader:
    def __init__(self, row: Row) -> None:
        self._row = row
        self._spans = without_secrets(list(row.spans or ()), but=_SAID)
        self._cells = without_secrets(row.cells)
        self._events: list[AnyEvent] = []
        self._contents: dict[str, str] = {}
        self._mapper = Mapper()
        self._known: dict[int, tuple[Mapped, ...]] = {}
        self._tools: dict[str, int] = {}

    def recording(self) -> Recording:
        start = self._start()
        self._events.append(start)
        cells = self._cells
        figures = ("success", "status", "score", "steps", "agent_cost", "benchmark_cost")
        detail = cast("Json", {name: plain(cells.get(name)) for name in figures})
        self._events.append(Note(seq=1, cause=0, what=RECORDED_OUTCOME, detail=detail))
        for span in self._spans:
            self._add(span)
        if (end := self._end()) is not None:
            self._events.append(end)
        return Recording(tuple(self._events), self._contents)

    def _start(self) -> Start:
        cells, spans = self._cells, self._row.spans
        model = who(self._spans, first(cells.get("models"))).model
        benchmark, harness = cells.get("benchmark"), cells.get("harness")
        version = cells.get("schema_version")
        more = {name: plain(value) for name, value in cells.items()}
        if spans is None:
            more["spans"] = None
        origin = Origin(
            form=FORM,
            source=self._row.source,
            place=self._row.place,
            digest=digest_of(self._row),
            id=cells.get("session_id"),
            versions={} if version is None else {"schema": version},
            more=more,
        )
        known = f"{benchmark or 'unknown benchmark'}, version unknown"
        begun = [at for span in self._spans if span is not None and (at := started(span))]
        return Start(
            seq=0,
            at=min(begun, default=None),
            session=imported_ids(origin)[0],
            condition=Condition(
                domain=_DOMAINS.get(benchmark or "", benchmark or "unknown"),
                world=known,
                grader=known,
                user=Setup("not recorded", ""),
                greeting="",
                texts="",
                limits=Limits(None, None, None),
            ),
            arm=Arm(
                agent=Setup(harness or "unknown", "", {"model": model}),
                policy="as recorded",
                texts="",
            ),
            arm_name=f"{harness or 'unknown'}, {model or 'model unknown'}",
            draw=Draw(None, None, None),
            user_seed="",
            agent_seed="",
            world="",
            versions={"ringback": ringback.__version__},
            origin=origin,
        )

    def _end(self) -> End | None:
        """The ending; None where the data do not say how it ended, as most of them do not."""
        status, success = self._cells.get("status"), self._cells.get("success")
        if not status or status == "unknown":
            return None
        outcome = {True: "solved", False: "not solved", None: "unknown"}[success]
        return End(
            seq=len(self._events),
            ending=_ENDINGS.get(status, "infrastructure_error"),
            rule=f"recorded status: {status}",
            why=f"Recorded as {outcome}; who ended the conversation is not in the data.",
        )

    def _add(self, span: Mapping[str, Any] | None) -> None:
        seq = len(self._events)
        if span is None or not is_call(span):
            detail = None if span is None else rest_of(span, ())
            self._events.append(Note(seq=seq, cause=0, what="span", detail=detail))
            return
        how: dict[str, Json] = {}
        request, said, gone = self._request(span, seq, how)
        answer, reply, told = self._answer(span, how)
        before, kept = self._before(said)
        record, contents = recorded(
            request, None if before is None else (before, tuple(each.message for each in kept))
        )
        self._contents |= contents
        how |= _rests(said, kept)
        self._known[seq] = said if reply is None else (*said, reply)
        asked = attribute(span, "gen_ai.request.model")
        model = asked or attribute(span, "gen_ai.response.model") or "unknown"
        call = ModelCall(
            seq=seq,
            at=started(span),
            cause=seq - 1,
            by="agent",
            model=model,
            request=record,
            answer=answer,
        )
        self._events.append(call)
        whole = [*gone, *told]
        rests = without_secrets(how, but=_OF_PARTS)
        detail = cast("Json", {"span": rest_of(span, whole), "whole": whole, "how": rests})
        self._events.append(Note(seq=seq + 1, cause=seq, what="extra", detail=detail))

    def _request(
        self, span: Mapping[str, Any], seq: int, how: dict[str, Json]
    ) -> tuple[Request, tuple[Mapped, ...], list[str]]:
        """The request, its messages, and the attributes that are whole in it."""
        gone: list[str] = []
        said: tuple[Mapped, ...] = ()
        system, raw = "", attribute(span, SYSTEM)
        if raw is not None:
            system = instructions(raw)
        try:
            if (text := attribute(span, INPUT)) is not None:
                said = self._mapper.messages(short(text))
                gone.append(INPUT)
        except ValueError as problem:
            how["unreadable"] = str(problem)
        if raw is None and said and (words := _leading(said[0])) is not None:
            how["system"] = said[0].rest
            system, said = words, said[1:]
        if any(_role_of(mapped) in _INSTRUCTING for mapped in said):
            how["developer"] = True
        tools: Tools | None = None
        try:
            if (text := attribute(span, TOOLS)) is not None:
                tools = self._mapper.tools(short(text))
                gone.append(TOOLS)
                if tools.rest is not None:
                    stands = self._tools.setdefault(text, seq)
                    how["tools"] = tools.rest if stands == seq else stands
        except ValueError as problem:
            how["unreadable_tools"] = str(problem)
        names = ("temperature", "max_tokens", "stop_sequences")
        settings: dict[str, Json] = {
            name: plain(value)
            for name in names
            if (value := attribute(span, f"gen_ai.request.{name}")) is not None
        }
        messages = tuple(mapped.message for mapped in said)
        return Request(system, messages, tools.specs if tools else (), settings), said, gone

    def _answer(
        self, span: Mapping[str, Any], how: dict[str, Json]
    ) -> tuple[Answer, Mapped | None, list[str]]:
        """The answer, its message, and the attributes that are whole in it."""
        reply: Mapped | None = None
        told: list[str] = []
        why: str | None = None
        failure: Failure | None = None
        if failed(span):
            why = error_of(span)
            failure = _failure(why)
        else:
            try:
                if (text := attribute(span, OUTPUT)) is None:
                    raise ValueError("no reply is recorded")
                found = self._mapper.messages(short(text))
                if len(found) != 1:
                    how["replies"] = len(found)
                    raise ValueError(f"{len(found)} replies are recorded, and one is a reply")
                if found[0].message.role != "assistant":
                    raise ValueError("the recorded reply is not an assistant's")
                reply = found[0]
                told.append(OUTPUT)
                if reply.rest is not None:
                    how["reply"] = reply.rest
            except ValueError as problem:
                why, failure = str(problem), "malformed"
        reasons = attribute(span, "gen_ai.response.finish_reasons")
        answer = Answer(
            message=None if reply is None else reply.message,
            model=attribute(span, "gen_ai.response.model"),
            seconds=seconds(span),
            usage=Usage(
                count(attribute(span, "gen_ai.usage.input_tokens")),
                count(attribute(span, "gen_ai.usage.output_tokens")),
            ),
            price=_UNPRICED,
            finish=first(reasons),
            failure=failure,
            why=why,
        )
        return answer, reply, told

    def _before(self, said: tuple[Mapped, ...]) -> tuple[int | None, tuple[Mapped, ...]]:
        """The earlier call that has the most of these messages, and those of them that it has.

        Of equals it is the latest. Messages are the same here to the letter of their JSON.
        """
        best: int | None = None
        kept: tuple[Mapped, ...] = ()
        for seq in islice(reversed(self._known), _NEAR):
            known = self._known[seq]
            count = 0
            while count < min(len(said), len(known)) and _same(said[count], known[count]):
                count += 1
            if count > len(kept):
                best, kept = seq, known[:count]
            if count == len(said):
                break
        return best, kept


def _same(one: Mapped, other: Mapped) -> bool:
    if one.message is other.message:
        return True
    return one.message == other.message and _encode(one.message) == _encode(other.message)


def _rests(said: tuple[Mapped, ...], kept: tuple[Mapped, ...]) -> dict[str, Json]:
    """What the way back needs of a request's messages, beyond what it has of those it keeps."""
    found: dict[str, Json] = {}
    for index, mapped in enumerate(said):
        inherited = kept[index].rest if index < len(kept) else None
        if mapped.rest is not inherited and not same(mapped.rest, inherited):
            found[str(index)] = mapped.rest
    return {"messages": found} if found else {}


def _leading(first: Mapped) -> str | None:
    """The instructions in a conversation's first message: a developer's or a system's one text."""
    if _role_of(first) not in _INSTRUCTING or len(first.message.parts) != 1:
        return None
    part = first.message.parts[0]
    return part.text if isinstance(part, Text) else None


def _role_of(mapped: Mapped) -> Json:
    """The role that a message was recorded with, where it is not the usual one."""
    match mapped.rest:
        case {"message": {"set": {"role": role}}}:
            return role
        case _:
            return None


def _failure(why: str) -> Failure:
    words = why.lower().replace(" ", "")
    for word, failure in _FAILURES:
        if word in words:
            return failure
    return "infrastructure"
