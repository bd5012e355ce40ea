"""Brains for a server: who thinks up the replies that go out as a model's."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from ringback.canonical import Json
from ringback.domain import Domain, Side
from ringback.domains import load
from ringback.episode.events import Call, Result, Results, Turn
from ringback.episode.participants import (
    AgentBrief,
    Aside,
    Participant,
    UserBrief,
    View,
    Visible,
)
from ringback.episode.seeds import Stream
from ringback.errors import InputError
from ringback.testing.chat import ChatCall, ChatReply

__all__ = ["Brain", "played_by", "scripted"]

Brain: TypeAlias = Callable[[dict[str, Any]], "ChatReply | Awaitable[ChatReply]"]
"""From a request, the JSON object that came in, to a reply."""


_NAMES = re.compile(r"(?<=[a-z,] )[A-Z]\w+")
"""Words with a capital in the midst of a sentence."""


def scripted(replies: Iterable[ChatReply | str]) -> Brain:
    """Gives these replies in order, whatever is asked; then it says that it has no more."""
    left = iter(replies)

    def brain(_request: dict[str, Any]) -> ChatReply:
        reply = next(left, "I have nothing more to say.")
        return ChatReply(reply) if isinstance(reply, str) else reply

    return brain


def played_by(
    name: str,
    settings: Mapping[str, Json] | None = None,
    *,
    seed: str = "0",
    domain: str = "telecom",
) -> Brain:
    """A scripted agent or the simulated customer `name`, spoken over the wire as a model.

    It reads the conversation from the request's messages: a first message of the assistant's is
    the greeting, and a user's message that answers nothing new is the harness's own and passed
    over. A customer is the one whose scenario stands word for word in the system message. Offered
    tools of which none is of the domain, as ``ringback models check`` does, it calls the first of
    them, once for each name that it was told, and then says what it found. Raises `InputError` for
    an unknown name.
    """
    from ringback.agents import AGENTS, open_agent
    from ringback.users import open_user

    world = load(domain)
    if name in AGENTS:
        agent = open_agent(name, settings)
        policy = world.policies[0]
        brief = AgentBrief(world.name, policy, world.policy(policy), world.tools("agent"))
        taken = agent.take(brief)
        return _Played(world, "agent", seed, lambda _system: taken)
    caller = open_user(name, settings)

    def take(system: str) -> Participant:
        scenario = _scenarios(world).get(_key(system, world))
        if scenario is None:
            raise InputError("No scenario of the domain stands in the system message.")
        return caller.take(UserBrief(world.name, scenario, world.tools("user")))

    return _Played(world, "user", seed, take)


class _Played:
    def __init__(
        self, domain: Domain, side: Side, seed: str, take: Callable[[str], Participant]
    ) -> None:
        self._greeting, self._seed, self._take = domain.greeting, seed, take
        self._tools = {tool.name for tool in domain.tools(side)}
        self._side: Side = side

    async def __call__(self, request: dict[str, Any]) -> ChatReply:
        offered = _offered(request)
        if offered and not self._tools.intersection(offered):
            return _with_anothers_tools(request, offered)
        messages = list(request.get("messages") or [])
        system = "\n".join(
            _text(one) for one in messages if one.get("role") in ("system", "developer")
        )
        rest = [one for one in messages if one.get("role") not in ("system", "developer")]
        greeting = self._greeting
        if rest and rest[0].get("role") == ("assistant" if self._side == "agent" else "user"):
            greeting = _text(rest.pop(0))
        events = list(_events(self._side, rest))
        seq = 1 + len(events)
        view = View(self._side, greeting, events, 1e9, seq)
        reply = await self._take(system).act(view, Stream(self._seed, seq))
        assert not isinstance(reply, Aside), "a scripted participant makes turns alone"
        calls = tuple(ChatCall(call.tool, call.arguments) for call in reply.calls)
        return ChatReply(reply.text, calls)


def _offered(request: Mapping[str, Any]) -> dict[str, Any]:
    """The schemas of the tools that a request offers, by name."""
    tools: list[Mapping[str, Any]] = request.get("tools") or []
    functions: list[Mapping[str, Any]] = [tool.get("function") or {} for tool in tools]
    return {str(one.get("name")): one.get("parameters") or {} for one in functions}


def _with_anothers_tools(request: Mapping[str, Any], offered: Mapping[str, Any]) -> ChatReply:
    last: Mapping[str, Any] = request["messages"][-1]
    if last.get("role") == "tool":
        return ChatReply(f"This is what I found: {_text(last)}")
    tool, schema = next(iter(offered.items()))
    wanted: Mapping[str, Any] = schema.get("properties") or {}
    needed = [name for name in schema.get("required") or () if name in wanted]
    named = _NAMES.findall(_text(last)) or ["this"]
    several = any(wanted[name].get("type") == "string" for name in needed)
    return ChatReply(
        None,
        tuple(
            ChatCall(tool, {name: _filled(wanted[name], word) for name in needed})
            for word in (dict.fromkeys(named) if several else named[:1])
        ),
    )


def _filled(schema: Mapping[str, Any], word: str) -> Json:
    """A value that this schema takes; `word` where it is a text."""
    if choices := schema.get("enum"):
        return choices[0]
    plain: dict[str, Json] = {"integer": 1, "number": 1, "boolean": True, "array": [], "object": {}}
    return plain.get(schema.get("type", ""), word)


def _events(side: Side, messages: list[dict[str, Any]]) -> Iterator[Visible]:
    """The view that these messages tell of, as far as they tell it."""
    other: Side = "user" if side == "agent" else "agent"
    seq, due, results = 1, True, list[Result]()
    turn: Turn | None = None
    for message in messages:
        role, text = message.get("role"), _text(message)
        if role == "tool" and turn is not None:
            results.append(Result(text, "", text.lower().startswith("error")))
            if len(results) == len(turn.calls):
                yield Results(seq=seq, turn=turn.seq, by=side, results=tuple(results))
                seq, turn, results = seq + 1, None, []
        elif role == "user" and due and text:
            yield Turn(seq=seq, by=other, text=text)
            seq, due = seq + 1, False
        elif role == "assistant":
            calls = tuple(
                Call(call["function"]["name"], _arguments(call["function"]["arguments"]))
                for call in message.get("tool_calls") or ()
            )
            if not calls and not text:
                continue
            said = Turn(seq=seq, by=side, text=text or None, calls=calls)
            yield said
            seq, due = seq + 1, not calls
            turn = said if calls else None


def _arguments(text: str) -> Json:
    try:
        return json.loads(text or "{}")
    except ValueError:
        return text


def _text(message: Mapping[str, Any]) -> str:
    content: str | list[dict[str, Any]] | None = message.get("content")
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content)
    return content or ""


_known: dict[str, dict[str, Any]] = {}


def _scenarios(domain: Domain) -> dict[str, Any]:
    if domain.name not in _known:
        tasks = [task for split in domain.splits for task in domain.tasks(split)]
        _known[domain.name] = {scenario.text: scenario for scenario in map(domain.scenario, tasks)}
    return _known[domain.name]


def _key(system: str, domain: Domain) -> str:
    return max((text for text in _scenarios(domain) if text in system), key=len, default="")
