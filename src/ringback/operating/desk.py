"""The desk: begin an operated episode, take the operator's turns, hear the customer, give it up."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Mapping, Sequence

from msgspec.structs import replace

from ringback.agents.operator import OPERATOR, operator_of
from ringback.canonical import Json
from ringback.domain import Transferring
from ringback.domains import load
from ringback.episode.episode import Episode
from ringback.episode.events import UNPLAYED, AnyEvent, Call, Draw, Limits, Start
from ringback.episode.identity import (
    arm,
    arm_hash,
    cell_hash,
    condition,
    condition_hash,
    opening,
)
from ringback.episode.markers import STOP
from ringback.episode.participants import Reply, UserBrief
from ringback.episode.protocol import ProtocolError
from ringback.episode.run import play_on
from ringback.errors import InputError
from ringback.grading.grade import Grade, grade
from ringback.models.protocol import Opener
from ringback.operating.cases import named_case
from ringback.operating.customer import Customer
from ringback.operating.seen import Item, Look, Opened, Over, Seen, conversation, state_of
from ringback.sessions import Conflict, SessionRow, Store, Unreadable
from ringback.sessions.selection import Selection
from ringback.study.plan import planned_user

__all__ = ["Desk"]

_RENEW_SECONDS = 20.0


class Desk:
    """Operated episodes of one store.

    Every method goes by the record alone, so any process can take the next turn. One that changes
    an episode holds its lease meanwhile: a second is refused, here and elsewhere. What the operator
    said or called is recorded before the customer is asked; if that is cut short, `wait` asks on.
    `door` is noted with each turn as how it came (``shell``, ``mcp``, ``browser``). `opener` opens
    models, for a customer that is one. All methods raise `InputError` for what cannot be done as
    asked, `CustomerAway` where the customer's model does not answer, and `StoreError`.
    """

    def __init__(self, store: Store, opener: Opener | None = None, *, door: str = "python") -> None:
        self._store, self._opener, self._door = store, opener, door
        self._busy: set[str] = set()

    async def start(
        self,
        case: str,
        *,
        seed: int = 0,
        trial: int = 0,
        user: str = "rules",
        user_settings: Mapping[str, Json] | None = None,
        called: str = OPERATOR,
        policy: str | None = None,
        limits: Limits | None = None,
        domain: str = "telecom",
    ) -> Seen:
        """Begin an episode, and hear the customer's first words.

        `case` is a number in a split or a task's id (`named_case`). The same draw is played once by
        an operator: where an attempt is open or has an outcome it is refused; one that was given up
        is attempted again, and both stay in the record.
        """
        world = load(domain)
        task = named_case(world, case)
        agent = operator_of({"as": called})
        caller = planned_user(user, user_settings or {}, self._opener)
        shared = condition(world, caller.setup, Limits() if limits is None else limits)
        content = arm(world, agent.setup, world.policies[0] if policy is None else policy)
        draw = Draw(task.id, trial, seed)
        cell = cell_hash(shared, content, OPERATOR, draw)
        before = self._store.latest([cell]).get(cell)
        if before is not None:
            _refuse_again(before)
        start = opening(
            world,
            shared,
            content,
            OPERATOR,
            draw,
            attempt=0 if before is None else before.attempt + 1,
            at=time.time(),
        )
        begun = self._store.begin(
            start,
            family=task.family,
            cell=cell,
            condition=condition_hash(shared),
            arm=arm_hash(content),
        )
        if not begun:
            raise InputError(f"Another process has just begun this episode, {start.session}.")
        self._store.join("", OPERATOR, [cell])
        async with self._held(start.session, begun=True):
            return await self._hear(Episode.from_events([start], world))

    async def say(self, session: str, text: str, *, expect_step: int | None = None) -> Seen:
        """Say something to the customer, and hear the answer."""
        if not text.strip():
            raise InputError("There is nothing to say in an empty text.")
        return await self._turn(session, Reply(text, rule=self._door), expect_step)

    async def call(
        self,
        session: str,
        calls: Sequence[tuple[str, Json]],
        *,
        expect_step: int | None = None,
    ) -> Seen:
        """Call tools, each with its arguments, in this order.

        A tool that is not there, or arguments that do not fit, are recorded and answered with an
        error like any agent's.
        """
        if not calls:
            raise InputError("No tool is named, so there is nothing to call.")
        made = tuple(Call(tool, arguments) for tool, arguments in calls)
        return await self._turn(session, Reply(calls=made, rule=self._door), expect_step)

    async def end(
        self, session: str, text: str | None = None, *, expect_step: int | None = None
    ) -> Seen:
        """End the call from your side, with a last word to the customer or without."""
        words = f"{text.strip()} {STOP}" if text and text.strip() else STOP
        return await self._turn(session, Reply(words, rule=self._door), expect_step)

    async def transfer(self, session: str, summary: str, *, expect_step: int | None = None) -> Seen:
        """Hand the customer over as the domain does it: its call, then, if it worked, its words."""
        domain = self._episode(session).domain
        if not isinstance(domain, Transferring):
            raise InputError(f"The world {domain.name} has no way to transfer a customer.")
        how = domain.transfer(summary)
        called = await self.call(
            session, [(how.tool, dict(how.arguments))], expect_step=expect_step
        )
        if called.over is not None or any(item.error for item in called.news):
            return called
        said = await self.say(session, how.words, expect_step=called.steps)
        return replace(said, news=(*called.news, *said.news))

    async def abandon(self, session: str, why: str | None = None) -> Seen:
        """Give an episode up: it stays in the record, without a grade, and can be begun anew."""
        async with self._held(session):
            episode = self._episode(session)
            _refuse_ended(episode)
            at = time.time()
            end = episode.finish("abandoned", OPERATOR, why, at=at)
            self._store.append(session, end)
            self._grade(episode)
            return self._seen(episode, ())

    async def wait(self, session: str) -> Seen:
        """Ask the customer on where a command was cut short; hear what is new since your turn."""
        async with self._held(session):
            episode = self._episode(session)
            before = _last_own(episode)
            if episode.end is None:
                await self._hear(episode)
            return self._seen(episode, _after(episode, before))

    def seen(self, session: str) -> Seen:
        """Where an episode stands, and what is new since the operator's last turn."""
        episode = self._episode(session)
        return self._seen(episode, _after(episode, _last_own(episode)))

    def look(self, session: str) -> Look:
        """All that the operator may see of an episode."""
        episode = self._episode(session)
        variant = episode.start.arm.policy
        return Look(
            self._seen(episode, _after(episode, _last_own(episode))),
            conversation(episode),
            tuple(episode.domain.tools("agent")),
            variant,
            episode.domain.policy(variant),
        )

    def at(self, session: str) -> str | None:
        """In words, the process that is at an episode now; None if none is."""
        if session in self._busy:
            return "this process"
        return self._store.holder(session)

    def open_episodes(self, called: str | None = None) -> list[Opened]:
        """Episodes that have not ended, the oldest first; those of one operator if named."""
        return [
            each for each in self._opened({"ending": "none"}) if called in (None, each.operator)
        ]

    def episodes(self, called: str | None = None) -> list[Opened]:
        """All operated episodes, the oldest first; those of one operator if named."""
        return [each for each in self._opened({}) if called in (None, each.operator)]

    def only(self, session: str | None, called: str | None = None) -> str:
        """The episode that is meant: by its id or the beginning of one, or the only one open.

        Raises `InputError` where none or several are open, or the id is not an operated one's.
        """
        if session is not None:
            rows = list(self._store.rows(Selection(ids=(session,), text=session)))
            if rows[0].agent != OPERATOR or rows[0].origin is not None:
                raise InputError(f"Session {rows[0].id} was not operated at this desk.")
            return rows[0].id
        there = self.open_episodes(called)
        if not there:
            raise InputError("No episode is open; `ringback operate start` begins one.")
        if len(there) > 1:
            names = ", ".join(each.session for each in there[-5:])
            raise InputError(
                f"{len(there)} episodes are open, the latest {names}; say which with --session."
            )
        return there[0].session

    # --- within

    async def _turn(self, session: str, reply: Reply, expect_step: int | None) -> Seen:
        async with self._held(session):
            episode = self._episode(session)
            _refuse_ended(episode)
            steps = episode.position.steps
            if expect_step is not None and expect_step != steps:
                raise InputError(
                    f"Episode {session} is at step {steps}, not {expect_step}; look at it before "
                    "you go on."
                )
            if episode.position.next != "agent":
                raise InputError(
                    f"The customer has not answered yet in episode {session}, since a command was "
                    "cut short; `ringback operate look` asks on."
                )
            before = len(episode.events)
            # Nobody's clock runs while an operator thinks: the seconds are not counted.
            events = episode.take(reply, seconds=None, at=time.time())
            self._store.append(session, events)
            return await self._hear(episode, before)

    async def _hear(self, episode: Episode, before: int = 0) -> Seen:
        """Let the customer act until it is the operator's turn or the call is over."""
        start = episode.start
        session = start.session

        def commit(events: Sequence[AnyEvent], contents: Mapping[str, str]) -> None:
            self._store.append(session, events, contents)

        if episode.end is None and episode.position.next != "agent":
            await play_on(episode, {"user": self._customer(episode)}, commit)
        if episode.end is not None:
            self._grade(episode)
        return self._seen(episode, _after(episode, before))

    def _customer(self, episode: Episode) -> Customer:
        recorded, domain = episode.start.condition.user, episode.domain
        user = planned_user(recorded.name, recorded.settings, self._opener)
        if user.setup != recorded:
            raise InputError(
                f"The customer of episode {episode.start.session}, {recorded.name}, is not what it "
                "was when the call began; go on with the versions and models of then."
            )
        brief = UserBrief(domain.name, domain.scenario(episode.task), domain.tools("user"))
        return Customer(user.take(brief))

    def _episode(self, session: str) -> Episode:
        events = self._store.events(session)
        start = events[0]
        if not isinstance(start, Start) or start.arm.agent.name != OPERATOR or start.origin:
            raise InputError(f"Session {session} was not operated at this desk.")
        try:
            return Episode.from_events(events, load(start.condition.domain))
        except ProtocolError as problem:
            raise Unreadable(f"Session {session} cannot be read: {problem}.") from problem

    @contextlib.asynccontextmanager
    async def _held(self, session: str, *, begun: bool = False) -> AsyncGenerator[None]:
        """While a command is at an episode, no other is."""
        if session in self._busy or not (begun or self._claim(session)):
            who = self.at(session) or "another process"
            raise InputError(
                f"Another command is at episode {session} ({who}); wait for it, then look."
            )
        self._busy.add(session)
        renewing = asyncio.create_task(self._renew())
        try:
            yield
        except ProtocolError as problem:
            raise InputError(f"Episode {session} cannot be gone on with: {problem}.") from None
        except Conflict:
            raise InputError(
                f"Another command went on with episode {session} meanwhile; look at it first."
            ) from None
        finally:
            renewing.cancel()
            self._busy.discard(session)
            self._store.release(session)

    def _claim(self, session: str) -> bool:
        """Take the lease; True too where the episode is over, which what follows says better."""
        return self._store.claim(session) or self._store.row(session).ending is not None

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(_RENEW_SECONDS)
            self._store.renew()

    def _seen(self, episode: Episode, news: Sequence[Item]) -> Seen:
        position, limits = episode.position, episode.start.condition.limits
        return Seen(
            session=episode.start.session,
            operator=_called(episode.start),
            state=state_of(episode),
            steps=position.steps,
            steps_left=_left(limits.steps, position.steps),
            errors=position.errors,
            errors_left=_left(limits.errors, position.errors),
            news=tuple(news),
            over=self._over(episode),
        )

    def _over(self, episode: Episode) -> Over | None:
        end = episode.end
        if end is None:
            return None
        saved = self._store.grade(episode.start.session, Grade, episode.domain.grader_version)
        value = self._grade(episode) if saved is None else saved
        if end.ending in UNPLAYED:
            return Over(end.ending, end.rule, end.why, None, None)
        return Over(end.ending, end.rule, end.why, episode.task.id, value)

    def _grade(self, episode: Episode) -> Grade:
        value = grade(episode)
        self._store.save_grade(
            episode.start.session,
            value,
            version=episode.domain.grader_version,
            reward=value.reward,
            solved=value.solved,
            graded=value.graded,
        )
        return value

    def _opened(self, more: Mapping[str, str]) -> list[Opened]:
        words = {"agent": OPERATOR, **more}
        typed = " ".join(f"{key}={value}" for key, value in words.items())
        try:
            rows = list(self._store.rows(Selection(filters=words, text=typed)))
        except InputError:  # nothing fits
            return []
        return [self._of_row(row) for row in rows if row.origin is None]

    def _of_row(self, row: SessionRow) -> Opened:
        episode = self._episode(row.id)
        return Opened(
            session=row.id,
            operator=_called(episode.start),
            state=state_of(episode),
            begun_at=row.created_at,
            last_at=episode.events[-1].at,
            steps=episode.position.steps,
            ending=row.ending,
            solved=row.solved if row.graded else None,
        )


def _refuse_again(before: SessionRow) -> None:
    if before.ending is None:
        raise InputError(
            f"This case is open as episode {before.id}; go on with it, or give it up with "
            f"`ringback operate abandon --session {before.id}`."
        )
    if before.ending not in UNPLAYED:
        raise InputError(
            f"This case was played already, as episode {before.id}, and one outcome counts; "
            "another --trial or --seed plays it once more, and both count."
        )


def _refuse_ended(episode: Episode) -> None:
    if (end := episode.end) is not None:
        raise InputError(f"Episode {episode.start.session} is over ({end.ending}).")


def _called(start: Start) -> str:
    called = start.arm.agent.settings.get("as", OPERATOR)
    return called if isinstance(called, str) else OPERATOR


def _left(limit: int | None, used: int) -> int | None:
    return None if limit is None else max(limit - used, 0)


def _last_own(episode: Episode) -> int:
    """The number of the event of the operator's last turn; 0 before the first."""
    own = (item.seq for item in conversation(episode) if item.kind in ("said", "called"))
    return max(own, default=0)


def _after(episode: Episode, seq: int) -> list[Item]:
    """What was heard from this event on: results and the customer's words."""
    return [
        item
        for item in conversation(episode)
        if item.seq >= seq and item.kind in ("greeting", "result", "customer")
    ]
