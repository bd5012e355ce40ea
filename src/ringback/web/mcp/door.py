"""The door itself: what a client asks for, done at the desk; nothing of a protocol is known here.

What the customer is asked runs on its own: a client that gives up a call, or goes away, cuts
nothing off, and `wait` brings the answer later. When the server ends it is cut off, and asked for
again by whoever goes on.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeAlias, cast

from msgspec import UNSET, Struct

from ringback.canonical import Json
from ringback.errors import InputError, RingbackError
from ringback.models.credentials import CredentialError
from ringback.operating import Desk, Hints, Look, NoneLeft, NotOne, Seen, Taken
from ringback.report.plain import one_line
from ringback.web.commands import Commands
from ringback.web.mcp.host import Host
from ringback.web.mcp.tools import (
    OURS,
    Abandon,
    Aim,
    Begin,
    End,
    Part,
    Say,
    Show,
    Wait,
    aimed,
    understood,
)

__all__ = ["BrokenOff", "Door", "Shown", "Tick"]

Tick: TypeAlias = Callable[[float], Awaitable[None]]
"""Told, every few seconds while the customer is awaited, how long that has been."""

_EVERY = 2.0
_ID = re.compile(r"[0-9a-f]{16}")
_MOST_NAMED = 5
_HINTS = Hints("start", "the argument session", yours=True)


class Shown(Struct, frozen=True):
    """What `look` found, and which part of it is to be shown."""

    look: Look
    part: Part


class BrokenOff(Exception):  # noqa: N818 - what it is
    """A call broke off when something of it was in the record: `cause` says by what.

    `steps` is where episode `session` stands now; None where that cannot be read.
    """

    def __init__(self, session: str, steps: int | None, cause: Exception) -> None:
        super().__init__(str(cause))
        self.session, self.steps, self.cause = session, steps, cause


class Door:
    """Episodes of one operator, on the host's terms.

    `every`: seconds between the ticks while a customer is awaited. `key_refused` hears that the
    customer's model could not be asked for want of a key.
    """

    def __init__(
        self,
        desk: Desk,
        host: Host,
        *,
        every: float = _EVERY,
        key_refused: Callable[[CredentialError], None] | None = None,
    ) -> None:
        self._desk, self._host, self._every = desk, host, every
        self._key_refused = key_refused
        self._commands = Commands[Seen]()
        self._last: str | None = None  # the episode that was worked on last
        self._closed = False

    async def call(self, name: str, arguments: Json, tick: Tick) -> Seen | Shown:
        """Do what a tool is for. Any name that is not ours is a call of the carrier's tools.

        Such a call is recorded and answered whatever its name and arguments are. All else that
        cannot be done as asked raises `InputError`, and nothing is recorded; what the desk raises
        comes through. Where it raises after something was recorded, that is a `BrokenOff`.
        """
        if self._closed:
            raise InputError("This server is ending; what was recorded stands.")
        try:
            return await self._done_as_asked(name, arguments, tick)
        except (CredentialError, BrokenOff) as problem:
            cause = problem.cause if isinstance(problem, BrokenOff) else problem
            if isinstance(cause, CredentialError) and self._key_refused is not None:
                self._key_refused(cause)
            raise

    async def _done_as_asked(self, name: str, arguments: Json, tick: Tick) -> Seen | Shown:
        if name not in OURS:
            return await self._carriers(name, arguments, tick)
        if not isinstance(arguments, dict):
            raise InputError(f"{name} takes its arguments as an object.")
        if name == "start":
            wanted = understood(name, arguments, self._host)
            return await self._begin(cast("Begin", wanted), tick)
        aim, rest = aimed(arguments)
        command = understood(name, rest, self._host)
        session = self._meant(aim, over=isinstance(command, Show | Wait))
        match command:
            case Say(text):
                return await self._ask(
                    session, self._desk.say(session, text, expect_step=_step(aim)), tick
                )
            case End(text):
                last = None if text is UNSET else text
                return await self._ask(
                    session, self._desk.end(session, last, expect_step=_step(aim)), tick
                )
            case Show(part):
                self._desk.expect(session, _step(aim))
                return Shown(self._desk.look(session), "all" if part is UNSET else part)
            case Wait():
                self._desk.expect(session, _step(aim))
                return await self._wait(session, tick)
            case Abandon(why):
                self._desk.expect(session, _step(aim))
                return await self._abandon(session, None if why is UNSET else why, _step(aim))
            case Begin():
                raise AssertionError("begun before")

    def look(self, session: str) -> Look:
        """All of an episode of this operator; `InputError` if there is none of this id."""
        return self._desk.look(self._own(session))

    def open_episodes(self) -> list[str]:
        """The ids of this operator's open episodes, the oldest first."""
        return [each.session for each in self._desk.open_episodes(self._host.called)]

    async def close(self) -> None:
        """Cut off what is under way. Episodes stand as they are recorded, and nobody is at them."""
        self._closed = True
        await self._commands.close()

    # --- which episode

    def _meant(self, aim: Aim, *, over: bool = False) -> str:
        """The episode that is named, or the only one open; with `over` also the last that was."""
        if isinstance(aim.session, str):
            return self._own(aim.session)
        try:
            return self._desk.only(None, self._host.called, _HINTS)
        except NotOne as problem:
            if over and not problem.open and self._last is not None:
                return self._last
            raise

    def _own(self, session: str) -> str:
        """The id, if this operator began the episode: of others' nothing is told."""
        try:
            found = self._desk.seen(session) if _ID.fullmatch(session) else None
        except InputError:
            found = None
        if found is None or found.operator != self._host.called:
            raise InputError(f"There is no episode {one_line(session, 40)!r} of yours.")
        return session

    # --- what is done

    async def _begin(self, wanted: Begin, tick: Tick) -> Seen:
        session = await self._begun(wanted)
        return await self._ask(session, self._desk.wait(session), tick, recorded=True)

    async def _begun(self, wanted: Begin) -> str:
        host = self._host
        try:
            if host.cases:
                return await self._next_of(host.cases)
            if wanted.case is UNSET:
                return await self._recorded(None)
            return await self._recorded(f"{host.drawn_from}:{wanted.case}")
        except Taken as taken:
            raise InputError(_taken(taken)) from None
        except NoneLeft:
            raise InputError(_none_left(self.open_episodes())) from None

    async def _next_of(self, cases: tuple[str, ...]) -> str:
        taken: Taken | None = None
        for case in cases:
            try:
                return await self._recorded(case)
            except Taken as problem:
                taken = problem
        assert taken is not None
        if len(cases) == 1:
            raise taken
        raise InputError(_none_left(self.open_episodes()))

    async def _recorded(self, case: str | None) -> str:
        return await self._desk.begin_when_free(case, self._host)

    async def _carriers(self, name: str, arguments: Json, tick: Tick) -> Seen:
        aim = Aim()
        if isinstance(arguments, dict):
            aim, arguments = aimed(arguments)
        session = self._meant(aim)
        calls = [(name, arguments)]
        return await self._ask(
            session, self._desk.call(session, calls, expect_step=_step(aim)), tick
        )

    async def _wait(self, session: str, tick: Tick) -> Seen:
        if (running := self._commands.running(session)) is not None:
            return await self._patiently(session, running, tick, before=None)
        return await self._ask(session, self._desk.wait(session), tick)

    async def _abandon(self, session: str, why: str | None, expect_step: int | None) -> Seen:
        await self._commands.stop(session)
        return await self._desk.abandon(session, why, expect_step=expect_step)

    async def _ask(
        self,
        session: str,
        command: Coroutine[Any, Any, Seen],
        tick: Tick,
        *,
        recorded: bool = False,
    ) -> Seen:
        """Let a command run on its own, and wait for it for as long as the client does.

        `recorded`: something of what the client asked for stands in the record before.
        """
        if self._commands.running(session) is not None:
            command.close()
            raise InputError(
                f"Another call is at episode {session}, and its answer has not come; wait brings "
                "it. Make one call at a time."
            )
        task, self._last = self._commands.begin(session, command), session
        before = None if recorded else self._desk.recorded(session)
        return await self._patiently(session, task, tick, before)

    async def _patiently(
        self, session: str, task: asyncio.Task[Seen], tick: Tick, before: int | None
    ) -> Seen:
        """What a command comes to, with ticks meanwhile; `before` is how much was recorded then."""
        waited = 0.0
        while not (await asyncio.wait({task}, timeout=self._every))[0]:
            waited += self._every
            await tick(waited)
        if task.cancelled():
            problem: BaseException | None = InputError(
                "This was cut short, and what was recorded until then stands; look says where the "
                "episode is, and wait asks the customer on."
            )
        elif (problem := task.exception()) is None:
            return task.result()
        if isinstance(problem, Exception) and before != self._desk.recorded(session):
            raise BrokenOff(session, self._steps(session), problem)
        raise problem

    def _steps(self, session: str) -> int | None:
        try:
            return self._desk.seen(session).steps
        except RingbackError:
            return None


def _step(aim: Aim) -> int | None:
    return None if aim.expect_step is UNSET else aim.expect_step


def _taken(taken: Taken) -> str:
    if taken.ending is None:
        return (
            f"This case is open as episode {taken.session}; look at it and go on, or abandon it "
            "and begin the case again."
        )
    return f"This case was played, as episode {taken.session}, and one outcome counts."


def _none_left(there: list[str]) -> str:
    still = f"; open still: {', '.join(there[-_MOST_NAMED:])}" if there else ""
    return f"Every case of this server has been begun{still}."
