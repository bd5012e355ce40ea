"""Sessions as traces: the call, its turns, their model calls and tool calls.

The names are those of the GenAI semantic conventions 0.1.0. Messages, instructions, tools and
arguments stand as JSON text, which the conventions allow on spans and which tools show. What the
conventions have no name for is under ``ringback.``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

import ringback
from ringback.domain import Side
from ringback.episode.events import ModelCall, Nudge, Rejected, Reported, Turn
from ringback.episode.identity import condition_hash
from ringback.formats.messages import spelled as message_spelled
from ringback.formats.otel.naming import (
    conversation,
    evaluations,
    event_of,
    provider,
    settings,
    since,
    usage,
)
from ringback.formats.otel.values import attributes, nanos, span_id, spelled, trace_id
from ringback.formats.session import Session, Step, steps

__all__ = ["document"]

_INTERNAL, _CLIENT = 1, 3
_ERROR = 2

_Object = dict[str, Any]


def document(sessions: Iterable[Session]) -> Iterator[bytes]:
    """All sessions as one OTLP object in pieces, each with a resource of its own, on one line.

    Raises `InputError` where a model call's request does not come out of a record.
    """
    yield b'{"resourceSpans":['
    for place, session in enumerate(sessions):
        yield (b"," if place else b"") + msgspec.json.encode(_resource(session))
    yield b"]}\n"


def _resource(session: Session) -> _Object:
    start = session.start
    about = {
        "service.name": "ringback",
        "service.version": ringback.__version__,
        "ringback.arm": start.arm_name,
        "ringback.condition": condition_hash(start.condition),
        "ringback.domain": start.condition.domain or None,
    }
    return {
        "resource": {"attributes": attributes(about)},
        "scopeSpans": [
            {
                "scope": {"name": "ringback", "version": ringback.__version__},
                "spans": list(_Trace(session).spans()),
            }
        ],
    }


class _Trace:
    """The spans of one session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._start = session.start
        self._id = session.start.session
        self._root = span_id(self._id, "session")
        self._asked = session.asked()
        self._providers: dict[Side, str] = {}
        for event in session.events:
            if isinstance(event, ModelCall):
                self._providers.setdefault(event.by, provider(event.model))
        self._names: dict[Side, str] = {
            "agent": self._start.arm.agent.name,
            "user": self._start.condition.user.name,
        }

    def spans(self) -> Iterator[_Object]:
        """The call itself, then all that is within it, in order."""
        yield self._call()
        for step in steps(self._session.events):
            parent = self._root
            if step.turn is not None:
                turn = self._turn(step, step.turn)
                yield turn
                parent = turn["spanId"]
            for event in step.beside:
                if isinstance(event, ModelCall):
                    yield self._model_call(event, parent)
                elif isinstance(event, Reported):
                    yield self._reported(event, parent)
            if step.turn is not None:
                for place in range(len(step.turn.calls)):
                    yield self._tool_call(step, step.turn, place, parent)

    def _span(
        self,
        what: str,
        name: str,
        parent: str | None,
        times: tuple[float | None, float | None],
        values: Mapping[str, Any],
        *,
        kind: int = _INTERNAL,
        error: str | None = None,
        events: list[_Object] | None = None,
    ) -> _Object:
        """A span; one whose beginning is unknown begins at its end, and the other way round."""
        began, ended = nanos(times[0]), nanos(times[1])
        span: _Object = {
            "traceId": trace_id(self._id),
            "spanId": span_id(self._id, what),
            "name": name,
            "kind": kind,
            "attributes": attributes({"gen_ai.conversation.id": self._id, **values}),
        }
        if parent is not None:
            span["parentSpanId"] = parent
        if began or ended:
            span["startTimeUnixNano"] = began or ended
            span["endTimeUnixNano"] = ended or began
        if events:
            span["events"] = events
        if error is not None:
            span["status"] = {"code": _ERROR, "message": error}
        return span

    def _call(self) -> _Object:
        start, end, grade = self._start, self._session.end, self._session.grade
        draw, spent = start.draw, self._session.spent()
        failed = end is not None and (end.ending.endswith("_error") or end.ending == "timeout")
        values: _Object = {
            "gen_ai.operation.name": "invoke_workflow",
            "gen_ai.agent.name": start.condition.domain or None,
            "error.type": end.ending if failed and end else None,
            "ringback.session": start.session,
            "ringback.task": draw.task,
            "ringback.trial": draw.trial,
            "ringback.seed": draw.seed,
            "ringback.attempt": start.attempt,
            "ringback.ending": end.ending if end else None,
            "ringback.ending.rule": end.rule if end else None,
            "ringback.reward": grade.reward if grade else None,
            "ringback.solved": grade.solved if grade else None,
            "ringback.origin": start.origin.form if start.origin else None,
            **{f"ringback.{side}.cost_usd": amount.cost for side, amount in spent.items()},
        }
        subject = f" {start.condition.domain}" if start.condition.domain else ""
        return self._span(
            "session",
            f"invoke_workflow{subject}",
            None,
            (start.at, self._session.last_at),
            values,
            error=(end.why or end.rule) if failed and end else None,
            events=evaluations(grade, self._session.last_at) + self._strays(),
        )

    def _strays(self) -> list[_Object]:
        """What was refused or said to a model that then made no turn."""
        found = [step for step in steps(self._session.events) if step.turn is None]
        return [
            event_of(e) for step in found for e in step.beside if isinstance(e, Rejected | Nudge)
        ]

    def _turn(self, step: Step, turn: Turn) -> _Object:
        """A participant's turn, from when it was asked to when its calls were answered."""
        setup = self._start.arm.agent if turn.by == "agent" else self._start.condition.user
        asked = [event for event in step.beside if isinstance(event, ModelCall)]
        seconds = [turn.seconds, *(event.answer.seconds for event in asked)]
        known = [one for one in seconds if one is not None]
        began = None
        if turn.at is not None and len(known) == len(seconds):
            began = turn.at - sum(known)
        ended = step.results.at if step.results and step.results.at is not None else turn.at
        said = None
        if turn.text is not None:
            part = {"type": "text", "content": turn.text}
            said = [{"role": "assistant", "parts": [part], "finish_reason": "stop"}]
        values: _Object = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.provider.name": self._providers.get(turn.by, "ringback"),
            "gen_ai.agent.name": setup.name,
            "gen_ai.agent.version": setup.version or None,
            "gen_ai.output.messages": None if said is None else spelled(said),
            "ringback.side": turn.by,
            "ringback.event": turn.seq,
            "ringback.rule": turn.rule,
            "ringback.calls": len(turn.calls) or None,
        }
        return self._span(
            f"event {turn.seq}",
            f"invoke_agent {setup.name}",
            self._root,
            (began, ended),
            values,
            events=[
                event_of(event) for event in step.beside if isinstance(event, Rejected | Nudge)
            ],
        )

    def _model_call(self, event: ModelCall, parent: str) -> _Object:
        answer, request = event.answer, self._asked[event.seq]
        finish = answer.finish or ("error" if answer.failure else None)
        output = None
        if answer.message is not None:
            said: _Object = {**message_spelled(answer.message), "finish_reason": finish or "stop"}
            output = spelled([said])
        values: _Object = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": provider(event.model),
            "gen_ai.request.model": event.model,
            "gen_ai.response.model": answer.model,
            "gen_ai.response.finish_reasons": None if finish is None else [finish],
            "gen_ai.output.type": "json" if request.form else None,
            "error.type": answer.failure,
            **settings(request.settings),
            **usage(answer.usage),
            **conversation(request),
            "gen_ai.output.messages": output,
            "ringback.side": event.by,
            "ringback.event": event.seq,
            "ringback.cost_usd": answer.price.usd,
            "ringback.cost_source": answer.price.source,
            "ringback.tries_failed": len(answer.attempts) or None,
        }
        return self._span(
            f"event {event.seq}",
            f"chat {event.model}",
            parent,
            since(event.at, answer.seconds),
            values,
            kind=_INTERNAL if event.model.startswith(("local:", "script:")) else _CLIENT,
            error=None if answer.failure is None else answer.why or answer.failure,
        )

    def _reported(self, event: Reported, parent: str) -> _Object:
        """A model call of which another program says what it cost and not what was asked."""
        values: _Object = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": provider(event.model or ""),
            "gen_ai.request.model": event.model,
            **usage(event.usage),
            "ringback.side": event.by,
            "ringback.event": event.seq,
            "ringback.cost_usd": event.price.usd,
            "ringback.cost_source": event.price.source,
        }
        name = f"chat {event.model}" if event.model else "chat"
        times = since(event.at, event.seconds)
        return self._span(f"event {event.seq}", name, parent, times, values, kind=_CLIENT)

    def _tool_call(self, step: Step, turn: Turn, place: int, parent: str) -> _Object:
        call, result = turn.calls[place], step.answers[place]
        values: _Object = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": call.tool,
            "gen_ai.tool.type": "function",
            "gen_ai.tool.call.id": call.id,
            "gen_ai.tool.call.arguments": call.arguments
            if isinstance(call.arguments, str)
            else spelled(call.arguments),
            "gen_ai.tool.call.result": None if result is None else result.text,
            "error.type": "tool_error" if result and result.error else None,
            "ringback.side": turn.by,
            "ringback.event": turn.seq,
            "ringback.place": place,
            "ringback.world": result.world or None if result else None,
        }
        return self._span(
            f"event {turn.seq} call {place}",
            f"execute_tool {call.tool}",
            parent,
            (turn.at, step.results.at if step.results else None),
            values,
            error=result.text if result and result.error else None,
        )
