"""Playing a call for the tests of the agents."""

from __future__ import annotations

import asyncio

from ringback.domain import Task
from ringback.episode import identity
from ringback.episode.episode import Episode
from ringback.episode.events import AnyEvent, Draw, Limits, Turn
from ringback.episode.participants import Agent, AgentBrief, User, UserBrief
from ringback.episode.run import play
from ringback.telecom import domain

__all__ = ["agent_brief", "begin", "calls_of", "go_on", "play_call"]


def agent_brief(policy: str = "workflow") -> AgentBrief:
    return AgentBrief("telecom", policy, domain.policy(policy), domain.tools("agent"))


def begin(
    task: Task,
    agent: Agent,
    user: User,
    *,
    seed: int = 1,
    policy: str = "workflow",
    arm: str = "arm",
) -> Episode:
    condition = identity.condition(domain, user.setup, Limits())
    what = identity.arm(domain, agent.setup, policy)
    return Episode(identity.opening(domain, condition, what, arm, Draw(task.id, 0, seed)), domain)


def go_on(episode: Episode, agent: Agent, user: User, *, policy: str = "workflow") -> Episode:
    """Play an episode to its end, from wherever it stands."""
    brief = UserBrief("telecom", domain.scenario(episode.task), domain.tools("user"))
    taken = agent.take(agent_brief(policy)), user.take(brief)
    asyncio.run(play(episode, *taken, commit=lambda _, __: None))
    return episode


def play_call(
    task: Task,
    agent: Agent,
    user: User,
    *,
    seed: int = 1,
    policy: str = "workflow",
    arm: str = "arm",
) -> Episode:
    episode = begin(task, agent, user, seed=seed, policy=policy, arm=arm)
    return go_on(episode, agent, user, policy=policy)


def calls_of(events: list[AnyEvent], side: str) -> list[str]:
    """The names of the tools that a side called, in order."""
    return [
        call.tool
        for event in events
        if isinstance(event, Turn) and event.by == side
        for call in event.calls
    ]
