"""Playing cells in this process: begin or take up each one, record it, grade it."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias, cast

from msgspec import Struct

from ringback.agents import open_agent
from ringback.domains import load
from ringback.episode.episode import Episode
from ringback.episode.events import AnyEvent, End, Ending, Start
from ringback.episode.identity import condition_hash
from ringback.episode.participants import Agent, AgentBrief, Participant, User, UserBrief
from ringback.episode.protocol import ProtocolError
from ringback.episode.run import play
from ringback.errors import RingbackError, StoreError
from ringback.grading.grade import Grade, grade
from ringback.models.protocol import BudgetSpent, CallsStopped
from ringback.sessions import Conflict, SessionRow, Store, Unreadable
from ringback.study.plan import ArmPlan, Cell, Plan
from ringback.users import open_user

if TYPE_CHECKING:
    from ringback.models import Models

__all__ = ["Engine", "Heard", "Played", "Take", "needs_play", "played"]

_REDONE: Ending = "infrastructure_error"
_POLL_SECONDS = 0.25
_RENEW_SECONDS = 20.0


class Played(Struct, frozen=True):
    """What became of a cell: its session, and whether it was there before.

    `solved` is None where there is no grade that says so.
    """

    cell: str
    arm: str
    session: str
    ending: Ending
    solved: bool | None
    graded: bool
    reused: bool


Take: TypeAlias = Callable[[], Awaitable[Cell | None]]
"""Where cells come from, one at a time; None when there are no more."""


Heard: TypeAlias = Callable[[Sequence[AnyEvent]], None]
"""Who hears of events that were recorded."""


def needs_play(row: SessionRow | None) -> bool:
    """Whether a cell's latest session is missing, unfinished, or to be redone."""
    return row is None or row.ending is None or row.ending == _REDONE


class _Stopped(Exception):  # noqa: N818 - no error
    """What was under way is committed, and the episode is left there."""


class Engine:
    """Plays cells of one plan against one store.

    `models` opens the models that the plan names, once for all episodes; `run` closes them.
    `heard` hears of all that is recorded, a commit at a time.
    """

    def __init__(
        self,
        plan: Plan,
        store: Store,
        models: Models | None = None,
        heard: Heard | None = None,
    ) -> None:
        self._plan, self._store, self._models = plan, store, models
        self._heard = heard
        self._domain = load(plan.domain)
        self._opener = None if models is None else models.open
        user = plan.condition.user
        self._user: User = open_user(user.name, user.settings, self._opener)
        self._agents: dict[str, tuple[Agent, AgentBrief]] = {}
        self._playing = 0
        self._stopping = False
        self._problem: RingbackError | None = None

    def stop(self) -> int:
        """Begin nothing more, and leave each episode once what it waits for is recorded.

        So no call of a model that is in flight is paid for in vain, and none is sent any more.
        Returns how many are in flight. May be called from a signal handler.
        """
        self._stopping = True
        return self._playing if self._models is None else self._models.stop()

    async def run(self, take: Take, jobs: int, done: Callable[[Played], None]) -> None:
        """Play the cells that `take` gives, `jobs` at a time, and report each one once.

        What has an outcome is reported as it is. A cell that another process is playing is put
        back, and taken up if that process dies. A session that cannot be gone on with is set
        aside, and its cell's next attempt played. Cancelled, it leaves each episode at its last
        whole turn, to be taken up later. What stops an episode and can be put right
        (`RingbackError`) is raised when all others have come to where they can be left as after
        `stop`. Where it is a spent budget, no cell is begun any more, and those that were go on
        as long as they can; whatever else comes up then is raised in its place.
        """
        elsewhere: deque[Cell] = deque()

        async def attempt(cell: Cell) -> bool:
            try:
                result = await self._cell(cell)
            except (_Stopped, CallsStopped):
                return False
            except RingbackError as problem:
                self._meet(problem)
                return False
            if result is None:
                elsewhere.append(cell)
            else:
                done(result)
            # Scripted participants never wait; give the loop the chance to stop us.
            await asyncio.sleep(0)
            return True

        async def lane() -> None:
            while self._begins and (cell := await take()) is not None:
                if not await attempt(cell):
                    return
            while elsewhere and self._begins:
                await asyncio.sleep(_POLL_SECONDS)
                if elsewhere and not await attempt(elsewhere.popleft()):
                    return

        async with self._open():
            try:
                async with asyncio.TaskGroup() as group:
                    for _ in range(jobs):
                        group.create_task(lane())
            except BaseExceptionGroup as stopped:
                raise _cause(stopped) from None
        if self._problem is not None:
            raise self._problem

    @property
    def _begins(self) -> bool:
        """Whether other cells are still begun."""
        return not self._stopping and self._problem is None

    def _meet(self, problem: RingbackError) -> None:
        """Keep what is to be raised in the end: the first, a spent budget after all else."""
        spent = isinstance(problem, BudgetSpent)
        if self._problem is None or (isinstance(self._problem, BudgetSpent) and not spent):
            self._problem = problem
        if not spent:
            self.stop()

    @contextlib.asynccontextmanager
    async def _open(self) -> AsyncGenerator[None]:
        """While episodes are played: leases are kept up, and in the end models are closed."""
        renewing = asyncio.create_task(self._renew())
        try:
            yield
        finally:
            renewing.cancel()
            if self._models is not None and self._plan.models:
                await self._models.close()

    async def _renew(self) -> None:
        """Keep our leases, however long a turn takes."""
        while True:
            await asyncio.sleep(_RENEW_SECONDS)
            with contextlib.suppress(StoreError):  # the next turn says it
                self._store.renew()

    async def _cell(self, cell: Cell) -> Played | None:
        row = self._row(cell)
        if row is not None and not needs_play(row):
            if row.graded is not None:
                return played(cell, row, reused=True)
            if self._grade_recorded(row.id):
                return played(cell, self._row(cell) or row, reused=True)
        sides = self._sides(cell)  # before anything is recorded: they may refuse
        if row is not None and row.ending is None:
            if not self._store.claim(row.id):
                return None
            if (taken := self._take_up(row.id)) is not None:
                episode, due = taken
                return await self._play(cell, episode, sides, due)
        episode = self._begin(cell, 0 if row is None else row.attempt + 1)
        return None if episode is None else await self._play(cell, episode, sides)

    def _take_up(self, session: str) -> tuple[Episode, Sequence[AnyEvent]] | None:
        """A session that was left, and what is due in it; None if it cannot be gone on with."""
        try:
            episode = Episode.from_events(self._store.events(session), self._domain)
            due = episode.settle(at=time.time()) if episode.end is None else []
        except (ProtocolError, Unreadable) as problem:
            self._set_aside(session, problem)
            return None
        return episode, due

    async def _play(
        self,
        cell: Cell,
        episode: Episode,
        sides: tuple[Participant, Participant],
        due: Sequence[AnyEvent] = (),
    ) -> Played | None:
        session = episode.start.session

        def commit(events: Sequence[AnyEvent], contents: Mapping[str, str]) -> None:
            self._store.append(session, events, contents)
            if self._heard is not None:
                self._heard(events)
            if self._stopping and episode.end is None:
                raise _Stopped

        self._playing += 1
        try:
            if due:
                commit(due, {})
            end = await play(episode, *sides, commit)
        except Conflict:
            return None
        finally:
            self._playing -= 1
            with contextlib.suppress(StoreError):  # a lease that is kept dies with this process
                self._store.release(session)
        value = self._grade(episode, session)
        return Played(
            cell=cell.hash,
            arm=cell.arm.name,
            session=session,
            ending=end.ending,
            solved=value.solved if value.graded else None,
            graded=value.graded,
            reused=False,
        )

    def _row(self, cell: Cell) -> SessionRow | None:
        return self._store.latest([cell.hash]).get(cell.hash)

    def _set_aside(self, session: str, problem: Exception) -> None:
        """End an attempt that cannot be gone on with, so that the next one counts.

        A record to which no end can be added stays as it is.
        """
        with contextlib.suppress(ProtocolError, Unreadable, Conflict):
            seq = len(self._store.events(session))
            why = str(problem)
            end = End(seq=seq, at=time.time(), ending=_REDONE, rule="diverged", why=why)
            self._store.append(session, [end])
        self._store.release(session)

    def _begin(self, cell: Cell, attempt: int) -> Episode | None:
        events = self._plan.beginning(cell, self._store, attempt=attempt, at=time.time())
        start = events[0]
        assert isinstance(start, Start)
        family, arm = cell.task.family, cell.arm.hash
        condition = condition_hash(start.condition)
        if len(events) == 1:
            begun = self._store.begin(
                start, family=family, cell=cell.hash, condition=condition, arm=arm
            )
        else:  # a fork's beginning is there whole, or not at all
            begun = self._store.add(
                events, family=family, cell=cell.hash, condition=condition, arm=arm
            ) and self._store.claim(start.session)
        return Episode.from_events(events, self._domain) if begun else None

    def _sides(self, cell: Cell) -> tuple[Participant, Participant]:
        agent, brief = self._agent(cell.arm)
        scenario = self._domain.scenario(cell.task)
        caller = UserBrief(self._domain.name, scenario, self._domain.tools("user"))
        return agent.take(brief), self._user.take(caller)

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

    def _grade_recorded(self, session: str) -> bool:
        """Grade an ended session; False if its record is not one that can be."""
        try:
            episode = Episode.from_events(self._store.events(session), self._domain)
        except (ProtocolError, Unreadable):
            return False
        self._grade(episode, session)
        return True

    def _grade(self, episode: Episode, session: str) -> Grade:
        value = grade(episode)
        self._store.save_grade(
            session,
            value,
            version=self._domain.grader_version,
            reward=value.reward,
            solved=value.solved,
            graded=value.graded,
        )
        return value


def _cause(stopped: BaseExceptionGroup[BaseException]) -> BaseException:
    """What stopped the lanes.

    They share one store: where all met what a user can put right, the first stands for all. A
    bug among it is never passed over.
    """
    leaves = list(_leaves(stopped))
    bugs = [leaf for leaf in leaves if not isinstance(leaf, RingbackError)]
    return stopped if len(bugs) > 1 else (bugs or leaves)[0]


def _leaves(group: BaseExceptionGroup[BaseException]) -> Iterator[BaseException]:
    for inner in group.exceptions:
        if isinstance(inner, BaseExceptionGroup):
            yield from _leaves(cast("BaseExceptionGroup[BaseException]", inner))
        else:
            yield inner


def played(cell: Cell, row: SessionRow, *, reused: bool) -> Played:
    """What a cell's finished session came to; `ValueError` if it has not ended."""
    if row.ending is None:
        raise ValueError(f"session {row.id} has not ended")
    return Played(
        cell=cell.hash,
        arm=cell.arm.name,
        session=row.id,
        ending=row.ending,
        solved=row.solved if row.graded else None,
        graded=bool(row.graded),
        reused=reused,
    )
