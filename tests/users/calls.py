"""A call between a script for the agent's side and the rules customer, in the real world."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TypeAlias

from ringback.episode.episode import Episode
from ringback.episode.events import Call, Draw, Limits, Results, Setup, Turn
from ringback.episode.identity import arm, condition, opening
from ringback.episode.participants import Participant, Reply, UserBrief
from ringback.episode.seeds import Stream
from ringback.telecom import domain
from ringback.users import open_user

Step: TypeAlias = str | tuple[str, dict[str, object]]
"""What the agent says, or a call of its own."""

AGENT = Setup("script", "1")


def task_id(family: str, *faults: str, persona: str = "None") -> str:
    """A task's id; the composition must exist with this persona."""
    return f"[{family}]{'|'.join(sorted(faults))}[PERSONA:{persona}]"


def any_task(family: str, *faults: str) -> str:
    """The task with exactly these faults, whatever its persona."""
    wanted = tuple(sorted(faults))
    return next(
        task.id for task in domain.tasks("full") if task.family == family and task.faults == wanted
    )


class Talk:
    """One call, step by step. `said` is the customer's last words, `deeds` its calls since then."""

    def __init__(self, task: str, seed: int = 0) -> None:
        user = open_user("rules")
        start = opening(
            domain,
            condition(domain, user.setup, Limits()),
            arm(domain, AGENT, domain.policies[0]),
            "script",
            Draw(task, 0, seed),
        )
        self.episode = Episode(start, domain)
        self.user: Participant = user.take(
            UserBrief(domain.name, domain.scenario(domain.task(task)), domain.tools("user"))
        )
        self.deeds: list[str] = []
        self.said = ""
        self.rule: str | None = None
        self._listen()

    def _listen(self) -> None:
        self.deeds = []
        for _ in range(12):
            if self.episode.end:
                return
            stream = Stream(self.episode.start.user_seed, self.episode.position.seq)
            reply = asyncio.run(self.user.act(self.episode.view("user"), stream))
            assert isinstance(reply, Reply)
            self.rule = reply.rule
            self.episode.take(reply)
            if not reply.calls:
                self.said = reply.text or ""
                return
            self.deeds += [call.tool for call in reply.calls]
        raise AssertionError("the customer does not come back to the conversation")

    def say(self, text: str) -> str:
        """The agent says this; returns the customer's answer."""
        self.episode.take(Reply(text))
        if not self.episode.end:
            self._listen()
        return self.said

    def call(self, tool: str, **arguments: str | float) -> None:
        """The agent uses a tool of its own."""
        self.episode.take(Reply(calls=(Call(tool, dict(arguments)),)))

    @property
    def ended(self) -> bool:
        return self.episode.end is not None

    @property
    def events(self) -> Sequence[Turn | Results]:
        events = self.episode.view("user").events
        return [event for event in events if isinstance(event, Turn | Results)]
