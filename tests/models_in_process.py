"""Models in process for the tests of both sides, and calls played with them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec.structs import replace

from ringback.canonical import Json
from ringback.episode import identity
from ringback.episode.episode import Episode
from ringback.episode.events import (
    AnyEvent,
    Draw,
    End,
    Limits,
    ModelCall,
    Turn,
    decode,
    encode,
)
from ringback.episode.participants import Agent, AgentBrief, User, UserBrief
from ringback.episode.run import play
from ringback.episode.wire import Answer, Given, Message, Request, Text
from ringback.models.script import ScriptCall, ScriptModel, ScriptReply
from ringback.telecom import domain

Said = str | ScriptReply | Message

__all__ = [
    "Counting",
    "Said",
    "as_replies",
    "begin",
    "calls",
    "model_calls",
    "over_again",
    "play_on",
    "timeless",
    "told",
]


class Counting:
    """A model around a script that remembers what it was asked. `form` makes it hold forms."""

    def __init__(
        self,
        script: Callable[[Request], Said] | Sequence[Said],
        *,
        form: bool = False,
        name: str = "script:test",
        settings: dict[str, Json] | None = None,
    ) -> None:
        self._inner = ScriptModel(script, name)
        self.holds_form = form
        self.settings = settings or {}
        self.asked: list[Request] = []

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def identity(self) -> dict[str, Json]:
        return {"model": self.name, "settings": dict(self.settings)}

    async def ask(self, request: Request, *, seconds: float) -> Answer:
        self.asked.append(request)
        answer = await self._inner.ask(request, seconds=seconds)
        return replace(answer, seconds=0.0, form_held=self.holds_form)


def told(request: Request) -> str:
    """The last words from the other side or the harness."""
    parts = request.messages[-1].parts
    return "".join(part.text for part in parts if isinstance(part, Text | Given))


def calls(*named: str | tuple[str, Json], text: str | None = None) -> ScriptReply:
    """A reply of calls."""
    made = (ScriptCall(item) if isinstance(item, str) else ScriptCall(*item) for item in named)
    return ScriptReply(text, tuple(made))


def begin(task: str, agent: Agent, user: User, *, limits: Limits | None = None) -> Episode:
    condition = identity.condition(domain, user.setup, limits or Limits())
    arm = identity.arm(domain, agent.setup, "workflow")
    return Episode(identity.opening(domain, condition, arm, "arm", Draw(task, 0, 1)), domain)


def play_on(
    episode: Episode, agent: Agent, user: User, contents: dict[str, str] | None = None
) -> list[AnyEvent]:
    """Play to the end from wherever it stands. `contents` takes what a store would be given."""
    kept: dict[str, str] = {} if contents is None else contents

    def commit(events: Sequence[AnyEvent], new: Mapping[str, str]) -> None:
        for event in events:
            assert decode(encode(event)) == event
        kept.update(new)

    agent_brief = AgentBrief(
        "telecom", "workflow", domain.policy("workflow"), domain.tools("agent")
    )
    user_brief = UserBrief("telecom", domain.scenario(episode.task), domain.tools("user"))
    taken = agent.take(agent_brief), user.take(user_brief)
    asyncio.run(play(episode, *taken, commit))
    return episode.events


def over_again(events: Sequence[AnyEvent], upto: int) -> Episode:
    """The episode after its first events, read back from their stored form."""
    return Episode.from_events([decode(encode(event)) for event in events[:upto]], domain)


def timeless(events: Iterable[AnyEvent]) -> list[AnyEvent]:
    """The events without their times."""
    bare = [replace(event, at=None) for event in events]
    return [replace(e, seconds=None) if isinstance(e, Turn | End) else e for e in bare]


def model_calls(events: Sequence[AnyEvent]) -> list[ModelCall]:
    return [event for event in events if isinstance(event, ModelCall)]


def as_replies(events: Sequence[AnyEvent], side: str) -> list[Said]:
    """What a side did in a recorded episode, as the replies of a script."""
    return [
        calls(*((call.tool, call.arguments) for call in event.calls), text=event.text)
        if event.calls
        else event.text or ""
        for event in events
        if isinstance(event, Turn) and event.by == side
    ]
