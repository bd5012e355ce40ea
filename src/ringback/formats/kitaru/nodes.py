"""A session's turns, model calls and tool calls as Kitaru's nodes.

A turn is a span; the model calls that it is made of and the tool calls that it makes are its
children. What a node's own fields have no word for stands in its attributes under `OURS`, so that
the events come back as they were (`ringback.formats.kitaru.ours`).
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import msgspec

from ringback.canonical import Json
from ringback.domain import Side
from ringback.episode.events import Call, ModelCall, Reported, Result, SideEvent, Turn
from ringback.episode.wire import Message, Request, Text, Thought, Usage
from ringback.formats.messages import spelled, tool_spelled
from ringback.formats.session import Session, Step, iso, steps

__all__ = ["OURS", "nodes"]

OURS = "ringback"
"""The key under which a node's attributes, and a session's metadata, hold what is ours alone."""

_Node = dict[str, Any]


def nodes(session: Session) -> list[_Node]:
    """The nodes of a session in the order of its events; each names its parent by index.

    Raises `InputError` where a model call's request does not come out of the record.
    """
    found: list[_Node] = []
    asked = session.asked()
    for step in steps(session.events):
        parent: int | None = None
        if step.turn is not None:
            parent = len(found)
            _add(found, None, _turn(step.turn))
        for event in step.beside:
            _add(found, parent, _side(event, asked))
        if step.turn is not None:
            for index in range(len(step.turn.calls)):
                _add(found, parent, _call(step, step.turn, index))
    return found


def _add(found: list[_Node], parent: int | None, node: _Node) -> None:
    place: _Node = {"index": len(found)}
    if parent is not None:
        place["parent_index"] = parent
    found.append(place | {name: value for name, value in node.items() if value is not None})
    for name in ("inputs", "outputs", "attributes"):
        found[-1].setdefault(name, None)


def _times(at: float | None, seconds: float | None) -> _Node:
    """When it was over, and when it began if that is known."""
    began = None if at is None or seconds is None else at - seconds
    return {"started_at": iso(began), "ended_at": iso(at)}


def _turn(turn: Turn) -> _Node:
    ours = {"kind": "turn", "seq": turn.seq, "at": turn.at, "by": turn.by}
    return {
        "node_type": "span",
        "name": f"{turn.by} turn",
        "status": "completed",
        "outputs": {"text": turn.text},
        "output_text_selector": None if turn.text is None else "/text",
        "attributes": {OURS: ours | {"seconds": turn.seconds, "rule": turn.rule}},
        "metadata": {"side": turn.by},
        **_times(turn.at, turn.seconds),
    }


def _call(step: Step, turn: Turn, index: int) -> _Node:
    call: Call = turn.calls[index]
    result: Result | None = step.answers[index]
    ours: _Node = {"kind": "call", "turn": turn.seq, "place": index, "id": call.id}
    node: _Node = {
        "node_type": "tool_call",
        "name": call.tool or "(a tool without a name)",
        "tool_name": call.tool,
        "status": "in_progress",
        "inputs": call.arguments,
        "metadata": {"side": turn.by},
        "started_at": iso(turn.at),
    }
    if result is not None and step.results is not None:
        ours |= {"answer": step.results.seq, "at": step.results.at, "world": result.world}
        node |= {
            "status": "failed" if result.error else "completed",
            "error": result.text if result.error else None,
            "outputs": {"text": result.text, "error": result.error},
            "output_text_selector": "/text",
            "ended_at": iso(step.results.at),
        }
    return node | {"attributes": {OURS: ours}}


def _side(event: SideEvent, asked: dict[int, Request]) -> _Node:
    match event:
        case ModelCall():
            return _model_call(event, asked[event.seq])
        case Reported():
            return _reported(event)
        case _:
            ours = msgspec.to_builtins(event)
            return {
                "node_type": "span",
                "name": str(ours["kind"]),
                "status": "completed",
                "attributes": {OURS: ours},
                "ended_at": iso(event.at),
            }


def _model_call(event: ModelCall, request: Request) -> _Node:
    answer = event.answer
    answered = msgspec.to_builtins(answer)
    for name in ("message", "usage", "price"):
        answered.pop(name, None)
    kept = msgspec.to_builtins(event.request)
    for name in ("added", "settings"):
        kept.pop(name, None)
    inputs: _Node = {
        "system": request.system,
        "messages": [spelled(message) for message in request.messages],
    }
    if request.tools:
        inputs["tools"] = [tool_spelled(tool) for tool in request.tools]
    if request.form:
        inputs["form"] = request.form
    return {
        "node_type": "llm_call",
        "name": f"{event.by} model call",
        "status": "completed" if answer.failure is None else "failed",
        "error": None if answer.failure is None else _failure(answer.failure, answer.why),
        "inputs": inputs,
        "input_text_selector": _last_text(request.messages),
        "system_prompt_selector": "/system",
        "outputs": None if answer.message is None else {"message": spelled(answer.message)},
        "output_text_selector": _pointer(answer.message, Text),
        "reasoning_selectors": _pointers(answer.message, Thought) or None,
        "requested_model": event.model,
        "model": answer.model,
        "model_provider": _provider(event.model),
        "model_params": dict(request.settings),
        "attributes": {
            OURS: {
                "kind": "model_call",
                "seq": event.seq,
                "at": event.at,
                "cause": event.cause,
                "request": kept,
                "answer": answered,
                **_money(event.by, answer.usage, answer.price.usd, answer.price.source),
            }
        },
        **_spending(event.by, answer.usage, answer.price.usd),
        **_times(event.at, answer.seconds),
    }


def _reported(event: Reported) -> _Node:
    """A call of which another program states the cost and not what was said."""
    return {
        "node_type": "llm_call",
        "name": f"{event.by} model call",
        "status": "completed",
        "model": event.model,
        "attributes": {
            OURS: {
                "kind": "reported",
                "seq": event.seq,
                "at": event.at,
                "cause": event.cause,
                "model": event.model,
                "seconds": event.seconds,
                **_money(event.by, event.usage, event.price.usd, event.price.source),
            }
        },
        **_spending(event.by, event.usage, event.price.usd),
        **_times(event.at, event.seconds),
    }


def _failure(failure: str, why: str | None) -> str:
    return failure if why is None else f"{failure}: {why}"


def _money(by: Side, usage: Usage, usd: float | None, source: str) -> dict[str, Json]:
    """The side, and what tokens and cost of a node have no word for, or say less exactly."""
    return {"by": by, "written": usage.written, "usd": usd, "price_source": source}


def _spending(by: Side, usage: Usage, usd: float | None) -> _Node:
    counts = {
        "input_tokens": usage.input,
        "output_tokens": usage.output,
        "cached_input_tokens": usage.cached,
        "reasoning_tokens": usage.reasoning,
    }
    known = {name: count for name, count in counts.items() if count is not None}
    return {
        "tokens": known or None,
        "cost": None if usd is None else format(Decimal(repr(usd)), "f"),
        "metadata": {"side": by},
    }


def _provider(model: str) -> str | None:
    provider, colon, rest = model.partition(":")
    return provider if colon and rest else None


def _last_text(messages: tuple[Message, ...]) -> str | None:
    if not messages:
        return None
    inner = _pointer(messages[-1], Text)
    return None if inner is None else f"/messages/{len(messages) - 1}" + inner[len("/message") :]


def _pointer(message: Message | None, kind: type[Text]) -> str | None:
    return next(iter(_pointers(message, kind)), None)


def _pointers(message: Message | None, kind: type[Text] | type[Thought]) -> list[str]:
    parts = () if message is None else message.parts
    return [
        f"/message/parts/{place}/content"
        for place, part in enumerate(parts)
        if isinstance(part, kind)
    ]
