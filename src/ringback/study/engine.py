"""Playing cells in this process: begin or take up each one, record it, grade it."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from ringback.agents import open_agent
from ringback.domains import load
from ringback.episode.episode import Episode
from ringback.episode.events import AnyEvent
from ringback.episode.identity import opening
from ringback.episode.participants import Agent, AgentBrief, User, UserBrief
from ringback.episode.run import play
from ringback.errors import RingbackError, StoreError
from ringback.grading.grade import grade
from ringback.models.protocol import BudgetSpent
from ringback.sessions import Conflict, SessionRow, Store
from ringback.study.plan import ArmPlan, Cell, Plan
from ringback.users import open_user

if TYPE_CHECKING:
    from ringback.models import Models

__all__ = ["Engine", "Played", "needs_play", "played"]

_REDONE = "infrastructure_error"
_POLL_SECONDS = 0.25
_RENEW_SECONDS = 20.0


class Played(Struct, frozen=True):
    """What became of a cell: its session, and whether it was there before."""

    cell: str
    arm: str
    session: str
    ending: str
    solved: bool
    graded: bool
    reused: bool


def needs_play(row: SessionRow | None) -> bool:
    """Whether a cell's latest session is missing, unfinished, or to be redone."""
    return row is None or row.ending is None or row.ending == _REDONE


class _Stopped(Exception):  # noqa: N818 - no error
    """What was under way is committed, and the episode is left there."""


class Engine:
    """Plays cells of one plan against one store.

    `models` opens the models that the plan names, once for all episodes; `run` closes them.
    """

    def __init__(self, plan: Plan, store: Store, models: Models | None = None) -> None:
        self._plan, self._store, self._models = plan, store, models
        self._domain = load(plan.domain)
        self._opener = None if models is None else models.open
        user = plan.condition.user
        self._user: User = open_user(user.name, user.settings, self._opener)
        self._agents: dict[str, tuple[Agent, AgentBrief]] = {}
        self._playing = 0
        self._stopping = False
        self._problem: RingbackError | None = None

    @property
    def stopping(self) -> bool:
        """Whether `stop` was called."""
        return self._stopping

    def stop(self) -> int:
        """Begin nothing more, and leave each episode once what it waits for is recorded.

        So no call of a model that is in flight is paid for in vain. Returns how many episodes are
        waited for.
        """
        self._stopping = True
        return self._playing

    async def run(self, cells: Sequence[Cell], jobs: int, done: Callable[[Played], None]) -> None:
        """Play every cell that needs it, `jobs` at a time, and report each one once.

        A cell that another process is playing is waited for, and taken up if that process dies.
        Cancelled, it leaves each episode at its last whole turn, to be taken up later. What stops
        an episode that someone can put right (`RingbackError`) is raised when all others have come
        to where they can be left as after `stop`; where it is a spent budget, those go on that
        still can.
        """
        rows = self._store.latest([cell.hash for cell in cells])
        elsewhere: list[Cell] = []
        queue = iter(cells)

        async def lane(source: Iterable[Cell]) -> None:
            for cell in source:
                if self._stopping:
                    return
                try:
                    result = await self._cell(cell, rows.get(cell.hash))
                except _Stopped:
                    return
                except RingbackError as problem:
                    self._problem = self._problem or problem
                    self._stopping |= not isinstance(problem, BudgetSpent)
                    return
                if result is None:
                    elsewhere.append(cell)
                else:
                    done(result)
                # Scripted participants never wait; give the loop the chance to stop us.
                await asyncio.sleep(0)

        async with self._open():
            try:
                async with asyncio.TaskGroup() as group:
                    for _ in range(min(jobs, len(cells))):
                        group.create_task(lane(queue))
            except BaseExceptionGroup as stopped:
                raise _first(stopped) from None
            while elsewhere and not self._stopping and self._problem is None:
                await asyncio.sleep(_POLL_SECONDS)
                waiting, elsewhere[:] = elsewhere[:], []
                rows = self._store.latest([cell.hash for cell in waiting])
                await lane(waiting)
        if self._problem is not None:
            raise self._problem

    @contextlib.asynccontextmanager
    async def _open(self) -> AsyncGenerator[None]:
        """While models are asked: leases are kept up, and in the end connections are closed."""
        if self._models is None or not self._plan.models:
            yield
            return
        renewing = asyncio.create_task(self._renew())
        try:
            yield
        finally:
            renewing.cancel()
            await self._models.close()

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(_RENEW_SECONDS)
            with contextlib.suppress(StoreError):  # the next append says what is wrong
                self._store.renew()

    async def _cell(self, cell: Cell, row: SessionRow | None) -> Played | None:
        if row is not None and not needs_play(row):
            if row.graded is None:
                self._grade(Episode.from_events(self._store.events(row.id), self._domain), row.id)
                row = self._store.latest([cell.hash])[cell.hash]
            return played(cell, row, reused=True)
        episode = self._enter(cell, row)
        if episode is None:
            return None
        session = episode.start.session
        agent, brief = self._agent(cell.arm)
        scenario = self._domain.scenario(cell.task)
        caller = UserBrief(self._domain.name, scenario, self._domain.tools("user"))

        def commit(events: Sequence[AnyEvent], contents: Mapping[str, str]) -> None:
            self._store.append(session, events, contents)
            if self._stopping and episode.end is None:
                raise _Stopped

        self._playing += 1
        try:
            await play(episode, agent.take(brief), self._user.take(caller), commit)
        except Conflict:
            return None
        finally:
            self._playing -= 1
            self._store.release(session)
        self._grade(episode, session)
        return played(cell, self._store.latest([cell.hash])[cell.hash], reused=False)

    def _enter(self, cell: Cell, row: SessionRow | None) -> Episode | None:
        if row is not None and row.ending is None:
            if not self._store.claim(row.id):
                return None
            return Episode.from_events(self._store.events(row.id), self._domain)
        start = opening(
            self._domain,
            self._plan.condition,
            cell.arm.arm,
            cell.arm.name,
            cell.draw,
            attempt=0 if row is None else row.attempt + 1,
            at=time.time(),
        )
        begun = self._store.begin(
            start,
            cell=cell.hash,
            family=cell.task.family,
            condition=self._plan.condition_hash,
            arm=cell.arm.hash,
        )
        return Episode(start, self._domain) if begun else None

    def _agent(self, entry: ArmPlan) -> tuple[Agent, AgentBrief]:
        if entry.name not in self._agents:
            setup, policy = entry.arm.agent, entry.arm.policy
            brief = AgentBrief(
                self._domain.name,
                policy,
                self._domain.policy(policy),
                self._domain.tools("agent"),
            )
            self._agents[entry.name] = (open_agent(setup.name, setup.settings, self._opener), brief)
        return self._agents[entry.name]

    def _grade(self, episode: Episode, session: str) -> None:
        value = grade(episode)
        self._store.save_grade(
            session,
            value,
            version=self._domain.grader_version,
            reward=value.reward,
            solved=value.solved,
            graded=value.graded,
        )


def _first(stopped: BaseExceptionGroup[BaseException]) -> BaseException:
    """What stopped the lanes: they share one store, so the first reason stands for all."""
    first = stopped.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first  # pyright: ignore[reportUnknownArgumentType]


def played(cell: Cell, row: SessionRow, *, reused: bool) -> Played:
    """What a cell's finished session came to."""
    return Played(
        cell=cell.hash,
        arm=cell.arm.name,
        session=row.id,
        ending=row.ending or "",
        solved=bool(row.solved),
        graded=bool(row.graded),
        reused=reused,
    )
