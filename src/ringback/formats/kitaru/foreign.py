"""A Kitaru session that another program recorded, as a session without a task.

What the nodes say happened becomes events where it can be one of ours: a model call whose inputs
are messages, the tool calls between two of them, what came in first and what was said last. All
else is kept as it stands, in notes and in the session's origin.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, cast

import msgspec
from msgspec import UNSET

from ringback.canonical import Json, digest
from ringback.episode.events import (
    AnyEvent,
    Arm,
    Call,
    Condition,
    Draw,
    End,
    Limits,
    ModelCall,
    Note,
    Origin,
    Reported,
    Result,
    Results,
    Setup,
    Start,
    Turn,
)
from ringback.episode.identity import imported_ids
from ringback.episode.wire import Answer, Message, Price, Request, Usage, recorded
from ringback.formats.messages import conversation_of, tools_of
from ringback.formats.recording import Recording

__all__ = ["adopted"]

_Object = dict[str, Any]

SOURCE = "stated by Kitaru"
"""Where a price comes from that a node states."""


def adopted(record: _Object, source: str, place: int) -> Recording:
    """The record as a session of ours without a task; a record's nodes have been checked."""
    return _Adoption(record, source, place).recording()


class _Adoption:
    """One record on its way to events."""

    def __init__(self, record: _Object, source: str, place: int) -> None:
        self.record = record
        self.nodes = _ordered(record["nodes"])
        self.events: list[AnyEvent] = [_start(record, self.nodes, source, place)]
        self.contents: dict[str, str] = {}
        self.before: tuple[int, tuple[Message, ...]] | None = None
        self.speaking = False  # whether the user has spoken, so that the agent may act
        self.turn = 0  # the last main event

    def recording(self) -> Recording:
        """The events of the record, in the order of its nodes."""
        if words := _selected(self.record, "input"):
            self._add(Turn(seq=self._next, by="user", text=words, at=self._began))
            self.speaking, self.turn = True, self._next - 1
        waiting: list[_Object] = []
        for node in self.nodes:
            if node["node_type"] == "tool_call" and self.speaking:
                waiting.append(node)
                continue
            self._called(waiting)
            waiting = []
            self._node(node)
        self._called(waiting)
        self._close()
        return Recording(tuple(self.events), self.contents)

    @property
    def _next(self) -> int:
        return len(self.events)

    @property
    def _began(self) -> float | None:
        return _unix(self.record.get("started_at"))

    def _add(self, event: AnyEvent) -> None:
        self.events.append(event)

    def _note(self, what: str, detail: Json) -> None:
        self._add(Note(seq=self._next, cause=self.turn, what=what, detail=detail))

    def _node(self, node: _Object) -> None:
        if node["node_type"] != "llm_call":
            self._note("node", node)
            return
        request = _request(node)
        if request is None:
            self._reported(node)
        else:
            self._asked(node, request)

    def _reported(self, node: _Object) -> None:
        """A call whose inputs are no messages: what it cost, and the node as it stands."""
        self._add(
            Reported(
                seq=self._next,
                at=_unix(node.get("ended_at")),
                cause=self.turn,
                by="agent",
                model=_text(node, "requested_model") or _text(node, "model"),
                usage=_usage(node),
                price=_price(node),
                seconds=_seconds(node),
            )
        )
        self._note("node", node)

    def _asked(self, node: _Object, request: Request) -> None:
        kept, contents = recorded(request, self.before)
        self.contents |= contents
        message, finish = _answer(node)
        failed = node["status"] == "failed" or message is None
        seq = self._next
        self._add(
            ModelCall(
                seq=seq,
                at=_unix(node.get("ended_at")),
                cause=self.turn,
                by="agent",
                model=_text(node, "requested_model") or _text(node, "model") or "(unknown)",
                request=kept,
                answer=Answer(
                    message=None if failed else message,
                    model=_text(node, "model"),
                    seconds=_seconds(node),
                    usage=_usage(node),
                    price=_price(node),
                    finish=finish,
                    failure="malformed" if failed else None,
                    why=(_text(node, "error") or "No answer is recorded.") if failed else None,
                ),
            )
        )
        answered = () if failed or message is None else (message,)
        self.before = (seq, request.messages + answered)
        rest = {name: value for name, value in node.items() if name not in _READ and value}
        if failed or not _is_alone(node["outputs"]):
            rest["outputs"] = node["outputs"]
        if isinstance(node["inputs"], dict):
            inputs = cast("_Object", node["inputs"])
            more = {name: value for name, value in inputs.items() if name not in _SENT}
            rest |= {"inputs": more} if more else {}
        self._note("extra", rest)

    def _called(self, nodes: list[_Object]) -> None:
        """Tool calls without a model call between them: one turn of the agent, and its results."""
        if not nodes:
            return
        seq = self._next
        calls = tuple(
            Call(
                _text(node, "tool_name") or node["name"], node["inputs"], _text(node, "external_id")
            )
            for node in nodes
        )
        at = _unix(nodes[0].get("started_at"))
        self._add(Turn(seq=seq, at=at, by="agent", calls=calls))
        self.turn = seq
        results = tuple(
            Result(_shown(node), "", error=node["status"] == "failed") for node in nodes
        )
        at = _unix(nodes[-1].get("ended_at"))
        self._add(Results(seq=seq + 1, at=at, turn=seq, by="agent", results=results))
        self._note("extra", [_beside_call(node) for node in nodes])

    def _close(self) -> None:
        words = _selected(self.record, "output")
        if words and self.speaking:
            self._add(Turn(seq=self._next, by="agent", text=words))
            self.turn = self._next - 1
        status = self.record["status"]
        if status == "in_progress":
            return
        error = self.record.get("error")
        self._add(
            End(
                seq=self._next,
                at=_unix(self.record.get("ended_at")),
                ending="agent_stop" if status == "completed" else "agent_error",
                rule=f"kitaru_{status}",
                why=error if isinstance(error, str) else None,
            )
        )


_READ = frozenset(
    {
        "inputs",
        "outputs",
        "requested_model",
        "model",
        "tokens",
        "cost",
        "model_params",
        "error",
        "ended_at",
    }
)
_SENT = frozenset({"system", "messages", "tools", "form"})


def _ordered(nodes: list[_Object]) -> list[_Object]:
    """The nodes as their indices count them."""
    return sorted(nodes, key=lambda node: node["index"])


def _start(record: _Object, nodes: list[_Object], source: str, place: int) -> Start:
    kept = {name: value for name, value in record.items() if name != "nodes"}
    origin = Origin(
        form="kitaru",
        source=source,
        place=place,
        digest=digest(record),
        id=record["external_id"],
        more=kept,
    )
    models = [_text(node, "requested_model") or _text(node, "model") for node in nodes]
    model = next((name for name in models if name), None)
    unknown = "kitaru, version unknown"
    return Start(
        seq=0,
        at=_unix(record.get("started_at")),
        session=imported_ids(origin)[0],
        condition=Condition(
            domain="",
            world=unknown,
            grader=unknown,
            user=Setup("unknown", ""),
            greeting="",
            texts="",
            limits=Limits(steps=None, errors=None, seconds=None),
        ),
        arm=Arm(agent=Setup(model or "unknown", ""), policy="", texts=""),
        arm_name=record.get("name") or model or "kitaru",
        draw=Draw(task=None, trial=None, seed=None),
        user_seed="",
        agent_seed="",
        world="",
        versions={},
        origin=origin,
    )


def _text(node: _Object, name: str) -> str | None:
    value = node.get(name)
    return value if isinstance(value, str) and value else None


def _unix(value: object) -> float | None:
    """Unix seconds of a date with a time zone; None for all else."""
    if not isinstance(value, str):
        return None
    try:
        found = datetime.fromisoformat(value)
        return None if found.tzinfo is None else found.timestamp()
    except (ValueError, OverflowError):
        return None


def _seconds(node: _Object) -> float | None:
    began, ended = _unix(node.get("started_at")), _unix(node.get("ended_at"))
    return None if began is None or ended is None else max(ended - began, 0.0)


def _usage(node: _Object) -> Usage:
    tokens: Any = node.get("tokens")
    counts = cast("_Object", tokens) if isinstance(tokens, dict) else {}

    def count(name: str) -> int | None:
        value = counts.get(name)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    return Usage(
        input=count("input_tokens"),
        output=count("output_tokens"),
        cached=count("cached_input_tokens"),
        reasoning=count("reasoning_tokens"),
    )


def _price(node: _Object) -> Price:
    cost = node.get("cost")
    try:
        usd = None if cost is None or isinstance(cost, bool) else float(cost)
    except (TypeError, ValueError, OverflowError):
        usd = None
    if usd is None or not 0 <= usd < float("inf"):
        return Price(None, "not stated")
    return Price(usd, SOURCE)


def _request(node: _Object) -> Request | None:
    """The request of a model call, if its inputs are messages in a form that we know."""
    inputs: Any = node["inputs"]
    given = cast("_Object", inputs) if isinstance(inputs, dict) else {"messages": inputs}
    found = conversation_of(given.get("messages"))
    tools = tools_of(given.get("tools") or [])
    system = given.get("system", "" if found is None else found.system) or ""
    if found is None or tools is None or not isinstance(system, str):
        return None
    if "system" in given and found.system is not None:
        return None  # instructions in two places
    params = node.get("model_params")
    settings = cast("dict[str, Json]", params) if isinstance(params, dict) else {}
    return Request(system, found.messages, tools, settings, given.get("form"))


def _answer(node: _Object) -> tuple[Message | None, str | None]:
    """The reply of a model call, and why it ended; None where the outputs are no message."""
    for value in _candidates(node["outputs"]):
        found = conversation_of([value])
        if found is not None and found.messages and found.messages[0].role == "assistant":
            finish = cast("_Object", value).get("finish_reason")
            return found.messages[0], finish if isinstance(finish, str) else None
    if isinstance(node["outputs"], str):
        found = conversation_of([{"role": "assistant", "content": node["outputs"]}])
        return (found.messages[0] if found else None), None
    return None, None


def _candidates(outputs: object) -> Iterator[object]:
    if isinstance(outputs, list):
        yield from cast("list[Any]", outputs)[-1:]
    elif isinstance(outputs, dict):
        given = cast("_Object", outputs)
        yield given
        yield given.get("message")
        for name in ("choices", "messages", "output"):
            inner = given.get(name)
            if isinstance(inner, list) and inner:
                last: Any = cast("list[Any]", inner)[-1]
                yield last
                if isinstance(last, dict):
                    choice = cast("_Object", last)
                    message: Any = choice.get("message")
                    if isinstance(message, dict):
                        yield {"finish_reason": choice.get("finish_reason"), **message}


def _is_alone(outputs: object) -> bool:
    """Whether the outputs are the reply and nothing beside it."""
    if isinstance(outputs, dict):
        return "role" in outputs or cast("_Object", outputs).keys() == {"message"}
    return isinstance(outputs, str)


def _selected(record: _Object, which: str) -> str | None:
    """The text of a session's inputs or outputs that its selector names, or that they are."""
    value: Any = record[f"{which}s"]
    pointer = record.get(f"{which}_text_selector")
    if isinstance(pointer, str) and pointer.startswith("/"):
        for token in pointer[1:].split("/"):
            value = _inside(value, token.replace("~1", "/").replace("~0", "~"))
    return value if isinstance(value, str) and value.strip() else None


def _inside(value: object, token: str) -> object:
    if isinstance(value, dict):
        return cast("_Object", value).get(token, UNSET)
    if isinstance(value, list) and token.isdecimal() and len(token) < 10:
        items = cast("list[Any]", value)
        return items[int(token)] if int(token) < len(items) else UNSET
    return UNSET


def _shown(node: _Object) -> str:
    """A tool's answer as text."""
    outputs = node["outputs"]
    if isinstance(outputs, str):
        return outputs
    if outputs is None:
        return _text(node, "error") or ""

    return msgspec.json.encode(outputs).decode()


def _beside_call(node: _Object) -> Json:
    read = {"inputs", "tool_name", "external_id", "ended_at"}
    return {name: value for name, value in node.items() if name not in read and value is not None}
