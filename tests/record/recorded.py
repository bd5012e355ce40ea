"""Operated calls played into a store, without any of the desk's doors."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from ringback.agents.operator import operator_of
from ringback.domain import Domain
from ringback.domains import load
from ringback.episode import identity
from ringback.episode.episode import Episode
from ringback.episode.events import AnyEvent, Call, Draw, Ending, Limits, Setup
from ringback.episode.participants import Aside, Reply, User, UserBrief
from ringback.episode.seeds import Stream
from ringback.episode.wire import Message, Request
from ringback.grading.grade import Grade, grade
from ringback.models.script import ScriptModel, ScriptReply
from ringback.sessions import Store
from ringback.users import open_user
from ringback.users.llm import LlmUser
from tests.record.reenacted import Command, Operated

__all__ = ["NAME", "by_model", "operated", "play"]

NAME = "A. Person"
Said = str | ScriptReply | Message
_AT = 1_800_000_000.0


def by_model(script: Callable[[Request], Said] | Sequence[Said], guard: str) -> User:
    """A customer that is a model on a script."""
    return LlmUser(ScriptModel(script), {"guard": guard})


def play(
    episode: Episode,
    user: User,
    commands: Iterable[Command],
    commit: Callable[[Sequence[AnyEvent], Mapping[str, str]], None] = lambda _, __: None,
    *,
    door: str | None = "shell",
) -> Episode:
    """Give an operator's commands one after the other, each answered before the next."""
    domain = episode.domain
    brief = UserBrief(domain.name, domain.scenario(episode.task), domain.tools("user"))
    customer = user.take(brief)

    def hear() -> None:
        while episode.position.next == "user":
            stream = Stream(episode.start.user_seed, episode.position.steps)
            reply = asyncio.run(customer.act(episode.view("user"), stream))
            if isinstance(reply, Aside):
                commit(episode.note(reply, at=_AT), reply.contents)
            else:
                commit(episode.take(reply, seconds=0.0, at=_AT), {})

    hear()
    for command in commands:
        if command[0] == "say":
            reply = Reply(command[1], rule=door)
        else:
            assert len(command) == 3
            reply = Reply(calls=(Call(command[1], command[2]),), rule=door)
        commit(episode.take(reply, at=_AT), {})
        hear()
    return episode


def operated(
    path: Path,
    call: Operated,
    user: User | None = None,
    *,
    agent: Setup | None = None,
    attempt: int = 0,
    trial: int = 0,
    ending: Ending | None = None,
    limits: Limits | None = None,
    domain: Domain | None = None,
) -> str:
    """Play a call into the store at `path`; its id. With `ending` it is cut off, else left open.

    It is graded as a run would grade it. Without `user` the customer is `rules`.
    """
    domain = domain or load("telecom")
    user = user or open_user("rules")
    agent = agent or operator_of({"as": NAME}).setup
    condition = identity.condition(domain, user.setup, limits or Limits())
    arm = identity.arm(domain, agent, domain.policies[0])
    draw = Draw(call.task, trial, call.seed)
    cell = identity.cell_hash(condition, arm, agent.name, draw)
    start = identity.opening(domain, condition, arm, agent.name, draw, attempt=attempt, at=_AT)
    with Store.open(path) as store:
        store.begin(
            start,
            family=domain.task(call.task).family,
            cell=cell,
            condition=identity.condition_hash(condition),
            arm=identity.arm_hash(arm),
        )
        episode = Episode.from_events([start], domain)

        def commit(events: Sequence[AnyEvent], contents: Mapping[str, str]) -> None:
            store.append(start.session, events, contents)

        play(episode, user, call.commands, commit)
        if episode.end is None and ending is not None:
            commit(episode.finish(ending, "operator", at=_AT), {})
        if episode.end is not None:
            save(store, start.session, grade(episode))
    return start.session


def save(store: Store, session: str, found: Grade) -> None:
    """Keep a grade as a run does."""
    store.save_grade(
        session,
        found,
        version=found.versions["grader"],
        reward=found.reward,
        solved=found.solved,
        graded=found.graded,
    )
