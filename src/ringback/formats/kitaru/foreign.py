"""A Kitaru session that another program recorded, as a session without a task.

What the nodes say happened becomes events where it can be one of ours: a model call whose inputs
are messages, the tool calls between two of them, what came in first and what was said last. All
else is kept as it stands, in notes and in the session's origin.
"""

from __future__ import annotations

from itertools import repeat
from typing import Any, cast

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
from ringback.episode.wire import Answer, Message, Request, recorded
from ringback.formats.kitaru.rest import Rests, rest_of_tool_call
from ringback.formats.kitaru.stated import (
    answer_of,
    price,
    request_of,
    seconds,
    selected,
    shown,
    text_of,
    usage,
)
from ringback.formats.recording import Recording
from ringback.formats.secrecy import without_secrets
from ringback.formats.values import instant

__all__ = ["adopted"]

_Object = dict[str, Any]


def adopted(record: _Object, source: str, place: int) -> Recording:
    """The record as a session of ours without a task; a record's nodes have been checked.

    Secrets that stand beside what was said are left out of all that is kept.
    """
    nodes: list[_Object] = [_without_secrets(node) for node in record["nodes"]]
    beside = without_secrets({name: value for name, value in record.items() if name != "nodes"})
    said = (selected(record, "input"), selected(record, "output"))
    return _Adoption({**beside, "nodes": nodes}, source, place, digest(record), said).recording()


def _without_secrets(node: _Object) -> _Object:
    """A node without secrets; what a tool was asked and answered, and words alone, stay."""
    kind = node["node_type"]
    said: dict[str, Any] = {}
    if kind == "tool_call":
        said = {name: node[name] for name in ("inputs", "outputs", "error") if name in node}
    elif kind == "llm_call":
        said = {name: node[name] for name in ("inputs", "outputs") if isinstance(node[name], str)}
    rest = without_secrets({name: value for name, value in node.items() if name not in said})
    return {name: said[name] if name in said else rest[name] for name in node}


class _Adoption:
    """One record on its way to events."""

    def __init__(
        self,
        record: _Object,
        source: str,
        place: int,
        whole: str,
        said: tuple[str | None, str | None],
    ) -> None:
        self.record = record
        self.nodes = _ordered(record["nodes"])
        self.events: list[AnyEvent] = [_start(record, self.nodes, source, place, whole)]
        self.heard, self.answered = said  # what came in first, and what was said last
        self.contents: dict[str, str] = {}
        self.rests = Rests()
        self.before: tuple[int, tuple[Message, ...]] | None = None
        self.speaking = False  # whether the user has spoken, so that the agent may act
        self.turn = 0  # the last main event

    def recording(self) -> Recording:
        """The events of the record, in the order of its nodes."""
        if words := self.heard:
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
        return instant(self.record.get("started_at"))

    def _add(self, event: AnyEvent) -> None:
        self.events.append(event)

    def _note(self, what: str, detail: Json) -> None:
        self._add(Note(seq=self._next, cause=self.turn, what=what, detail=detail))

    def _node(self, node: _Object) -> None:
        if node["node_type"] != "llm_call":
            self._note("node", node)
            return
        request = request_of(node)
        if request is None:
            self._reported(node)
        else:
            self._asked(node, request)

    def _reported(self, node: _Object) -> None:
        """A call whose inputs are no messages: what it cost, and the node as it stands."""
        self._add(
            Reported(
                seq=self._next,
                at=instant(node.get("ended_at")),
                cause=self.turn,
                by="agent",
                model=text_of(node, "requested_model") or text_of(node, "model"),
                usage=usage(node),
                price=price(node),
                seconds=seconds(node),
            )
        )
        self._note("node", node)

    def _asked(self, node: _Object, request: Request) -> None:
        kept, contents = recorded(request, self.before)
        self.contents |= contents
        message, finish = answer_of(node)
        failed = node["status"] == "failed" or message is None
        seq, at = self._next, instant(node.get("ended_at"))
        answer = Answer(
            message=None if failed else message,
            model=text_of(node, "model"),
            seconds=seconds(node),
            usage=usage(node),
            price=price(node),
            finish=finish,
            failure="malformed" if failed else None,
            why=(text_of(node, "error") or "No answer is recorded.") if failed else None,
        )
        self._add(
            ModelCall(
                seq=seq,
                at=at,
                cause=self.turn,
                by="agent",
                model=text_of(node, "requested_model") or text_of(node, "model") or "(unknown)",
                request=kept,
                answer=answer,
            )
        )
        answered = () if failed or message is None else (message,)
        self.before = (seq, request.messages + answered)
        self._note("extra", self.rests.of_model_call(node, seq, at, request, answer))

    def _called(self, nodes: list[_Object]) -> None:
        """Tool calls without a model call between them: one turn of the agent, and its results."""
        if not nodes:
            return
        seq = self._next
        calls = tuple(
            Call(
                text_of(node, "tool_name") or node["name"],
                node["inputs"],
                text_of(node, "external_id"),
            )
            for node in nodes
        )
        at = instant(nodes[0].get("started_at"))
        self._add(Turn(seq=seq, at=at, by="agent", calls=calls))
        self.turn = seq
        results = tuple(Result(shown(node), "", error=node["status"] == "failed") for node in nodes)
        at = instant(nodes[-1].get("ended_at"))
        self._add(Results(seq=seq + 1, at=at, turn=seq, by="agent", results=results))
        rests = map(rest_of_tool_call, nodes, calls, repeat(at))
        self._note("extra", cast("Json", list(rests)))

    def _close(self) -> None:
        words = self.answered
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
                at=instant(self.record.get("ended_at")),
                # A failure may be anybody's, and the form does not say whose.
                ending="agent_stop" if status == "completed" else "infrastructure_error",
                rule=f"kitaru_{status}",
                why=error if isinstance(error, str) else None,
            )
        )


def _ordered(nodes: list[_Object]) -> list[_Object]:
    """The nodes as their indices count them."""
    return sorted(nodes, key=lambda node: node["index"])


def _start(record: _Object, nodes: list[_Object], source: str, place: int, whole: str) -> Start:
    kept = {name: value for name, value in record.items() if name != "nodes"}
    origin = Origin(
        form="kitaru",
        source=source,
        place=place,
        digest=whole,
        id=record["external_id"],
        more=kept,
    )
    models = [text_of(node, "requested_model") or text_of(node, "model") for node in nodes]
    model = next((name for name in models if name), None)
    unknown = "kitaru, version unknown"
    return Start(
        seq=0,
        at=instant(record.get("started_at")),
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
