"""Sessions with recorded model calls, made without playing, and models to send them to."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from ringback.canonical import Json, digest
from ringback.domain import Side
from ringback.episode.events import ModelCall, Origin
from ringback.episode.wire import (
    Answer,
    Asked,
    Failure,
    Given,
    Message,
    Part,
    Price,
    Request,
    Text,
    Thread,
    ToolSpec,
    Usage,
    recorded,
)
from ringback.models.script import ScriptModel
from ringback.sessions import Store
from tests.sessions.made import start as opened

__all__ = [
    "TOOLS",
    "Bench",
    "answered",
    "call",
    "conversation",
    "reply",
    "session",
    "user",
]

TOOLS = (
    ToolSpec("look_up", "Looks up.", {"type": "object", "properties": {"id": {"type": "string"}}}),
    ToolSpec("pay", "Pays.", {"type": "object", "properties": {}}),
)

Exchange = tuple[Request, Answer]


def user(*parts: Part | str) -> Message:
    return Message("user", tuple(Text(part) if isinstance(part, str) else part for part in parts))


def reply(*parts: Part | str, provider: str | None = "script") -> Message:
    spelled = tuple(Text(part) if isinstance(part, str) else part for part in parts)
    return Message("assistant", spelled, provider)


def call(tool: str, arguments: Json = None, name: str = "c") -> Asked:
    return Asked(tool, {} if arguments is None else arguments, name)


def answered(
    message: Message | None,
    *,
    failure: Failure | None = None,
    usd: float | None = 0.0,
    sent: dict[str, Json] | None = None,
) -> Answer:
    price = Price(usd, "a test")
    return Answer(message, "m", 0.1, Usage(), price, failure=failure, sent=sent or {})


def conversation(
    *replies: Message | Answer,
    tools: tuple[ToolSpec, ...] = TOOLS,
    settings: dict[str, Json] | None = None,
    opening: str = "My phone is dead.",
) -> list[Exchange]:
    """Exchanges that go on from one another: results after calls, the user's words after text."""
    messages: tuple[Message, ...] = (user(opening),)
    found: list[Exchange] = []
    for place, one in enumerate(replies):
        answer = answered(one) if isinstance(one, Message) else one
        found.append((Request("Be brief.", messages, tools, settings or {}), answer))
        if answer.message is None:
            continue
        asked = [part for part in answer.message.parts if isinstance(part, Asked)]
        results = [Given(part.id, part.tool, f"result {place}") for part in asked]
        messages = (*messages, answer.message, user(*(results or [f"So what, {place}?"])))
    return found


def session(
    store: Store,
    trial: int,
    exchanges: Sequence[Exchange],
    *,
    model: str = "script:base",
    by: Side = "agent",
    without: Sequence[str] = (),
    foreign: bool = False,
    identity: dict[str, Json] | None = None,
) -> str:
    """A session that has not ended, with these calls in it; `without` some texts in the store.

    `foreign`: as another program's recording; `identity`: the model's as it was then.
    """
    start, hashes = opened(trial)
    if foreign:
        start = replace(start, origin=Origin("kitaru", "a file", trial, digest(trial)))
    if identity is not None:
        agent = replace(start.arm.agent, settings={"identity": identity})
        start = replace(start, arm=replace(start.arm, agent=agent))
    assert store.begin(start, **hashes)
    name = start.session
    thread = Thread()
    for seq, (request, answer) in enumerate(exchanges, 1):
        record, contents = recorded(request, thread.last)
        event = ModelCall(seq=seq, cause=seq - 1, by=by, model=model, request=record, answer=answer)
        kept = {key: text for key, text in contents.items() if text not in without}
        store.append(name, [event], kept)
        thread.add(seq, record, answer.message)
    return name


Say = Callable[[Request], Any]


class _Slow(ScriptModel):
    """A script that takes its time and says how it was asked."""

    def __init__(self, bench: Bench, script: Say, name: str, more: Mapping[str, Any]) -> None:
        super().__init__(script, name)
        self._bench, self._more = bench, more

    @property
    def identity(self) -> dict[str, Json]:
        return {"model": self.name, **self._bench.identities.get(self.name, {})}

    async def ask(self, request: Request, *, seconds: float) -> Answer:
        bench = self._bench
        bench.asked.append((self.name, request))
        bench.flying += 1
        bench.most = max(bench.most, bench.flying)
        await asyncio.sleep(0.001)
        bench.flying -= 1
        if bench.problem is not None and len(bench.asked) > bench.after:
            raise bench.problem
        answer = await super().ask(request, seconds=seconds)
        return replace(answer, **self._more)


class Bench:
    """What opens models for a test, and remembers what they were asked."""

    def __init__(self, **scripts: Say) -> None:
        self.scripts: dict[str, Say] = {f"script:{name}": say for name, say in scripts.items()}
        self.more: dict[str, dict[str, Any]] = {}
        self.identities: dict[str, dict[str, Json]] = {}
        self.asked: list[tuple[str, Request]] = []
        self.flying = self.most = self.closed = 0
        self.problem: Exception | None = None
        self.after = 0

    def open(self, name: str) -> _Slow:
        from ringback.errors import InputError

        if name not in self.scripts:
            raise InputError(f"There is no model {name!r}; write provider:model.")
        return _Slow(self, self.scripts[name], name, self.more.get(name, {}))

    def stop(self) -> int:
        return self.flying

    async def close(self) -> None:
        self.closed += 1
