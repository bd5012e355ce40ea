"""The desk: begin an operated episode, take the operator's turns, hear the customer, give it up."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Container, Mapping, Sequence

from msgspec.structs import replace

from ringback.canonical import Json
from ringback.domain import Transfer, Transferring
from ringback.episode.episode import Episode
from ringback.episode.events import AnyEvent, Call, Results, Turn
from ringback.episode.markers import STOP, marker_in
from ringback.episode.participants import OPERATOR, Reply, UserBrief
from ringback.episode.run import play_on
from ringback.errors import InputError
from ringback.models.protocol import Opener
from ringback.operating.begin import begun
from ringback.operating.changed import refuse_changed, same_customer
from ringback.operating.customer import Customer
from ringback.operating.holding import Holding
from ringback.operating.patience import patiently
from ringback.operating.reading import IN_THE_SHELL, Hints, meant, opened, operated, read_episode
from ringback.operating.seen import Look, Opened, Seen, conversation
from ringback.operating.standing import graded, heard_since, last_own, stands
from ringback.operating.terms import Terms
from ringback.operating.texts import HANDED_OVER, refuse_long, refuse_long_calls
from ringback.sessions import SessionRow, Store, Unreadable

__all__ = ["Desk"]

_TERMS = Terms()
_PATIENCE = 30.0  # seconds to wait for a lock before an answer is lost, however short elsewhere


class Desk:
    """Operated episodes of one store.

    Every method goes by the record alone, so any process can take the next turn. One that changes
    an episode holds its lease meanwhile: a second is refused, here and elsewhere. What the operator
    said or called is recorded before the customer is asked; if that is cut short, `wait` asks on.
    Open the store as `paid`, so that what an operator did waits for the disk.

    `door` is noted with each turn as how it came (``shell``, ``mcp``, ``browser``). `opener` opens
    models, for a customer that is one, and `ready` makes sure that what it opened can be asked
    (`ringback.models.Models` has both). All methods raise `InputError` for what cannot be done as
    asked, `CustomerAway` where the customer's model does not answer, and `StoreError`.
    """

    def __init__(
        self,
        store: Store,
        opener: Opener | None = None,
        *,
        door: str = "python",
        ready: Callable[[], None] | None = None,
    ) -> None:
        self._store, self._opener, self._door, self._ready = store, opener, door, ready
        self._holding = Holding(store)
        self._recorded: Counter[str] = Counter()

    def begin(self, case: str | None = None, terms: Terms = _TERMS) -> str:
        """Begin an episode, which `wait` then hears the customer's first words of; gives its id.

        `case` is a number in a split or a task's id (`named_case`); None is the next one of the
        terms' split that this operator has not played, in an order drawn by the seed. An operator
        plays a draw once: where an attempt is open or has an outcome it is refused (`Taken`); one
        that was given up is attempted again, and both stay in the record.
        """
        return begun(self._store, case, terms, self._opener, self._ready)

    async def begin_when_free(self, case: str | None = None, terms: Terms = _TERMS) -> str:
        """Begin an episode as `begin` does, while what else this process does goes on."""
        return await patiently(self._store, lambda: self.begin(case, terms))

    async def start(self, case: str | None = None, terms: Terms = _TERMS) -> Seen:
        """Begin an episode, as `begin` does, and hear the customer's first words."""
        return await self.wait(await self.begin_when_free(case, terms))

    async def say(self, session: str, text: str, *, expect_step: int | None = None) -> Seen:
        """Say something to the customer, and hear the answer.

        Like any agent's, a text with ``###STOP###`` in it ends the call.
        """
        if not text.strip():
            raise InputError("There is nothing to say in an empty text.")
        refuse_long(text)
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
        refuse_long_calls(calls)
        made = tuple(Call(tool, arguments) for tool, arguments in calls)
        return await self._turn(session, Reply(calls=made, rule=self._door), expect_step)

    async def end(
        self, session: str, text: str | None = None, *, expect_step: int | None = None
    ) -> Seen:
        """End the call from your side, with a last word to the customer or without."""
        refuse_long(text)
        words = f"{text.strip()} {STOP}" if text and text.strip() else STOP
        return await self._turn(session, Reply(words, rule=self._door), expect_step)

    async def transfer(
        self, session: str, summary: str | None = None, *, expect_step: int | None = None
    ) -> Seen:
        """Hand the customer over as the domain does it: its call, then, if it worked, its words.

        Where the call stands already and only the words are missing, these are said. A summary that
        is blank or left out is one of ours.
        """
        refuse_long(summary)
        async with self._holding.held(session):
            episode = self._going(session, expect_step)
            domain = episode.domain
            if not isinstance(domain, Transferring):
                raise InputError(f"The world {domain.name} has no way to transfer a customer.")
            how, before = domain.transfer(_or_ours(summary)), len(episode.events)
            customer = self._customer(episode)
            if not _handed_over(episode, how):
                call = Call(how.tool, dict(how.arguments))
                await self._take(episode, Reply(calls=(call,), rule=self._door))
            if episode.end is None and _handed_over(episode, how):
                await self._take(episode, Reply(how.words, rule=self._door))
            seen = await self._hear(episode, before, customer)
            # Its words are shown too, which the operator has not written.
            said = [item for item in conversation(episode) if item.seq >= before]
            return replace(seen, news=tuple(each for each in said if each.kind != "called"))

    async def abandon(
        self, session: str, why: str | None = None, *, expect_step: int | None = None
    ) -> Seen:
        """Give an episode up: it stays in the record, without a grade, and can be begun anew."""
        refuse_long(why)
        async with self._holding.held(session):
            episode = self._episode(session)
            _refuse_ended(episode)
            _refuse_moved(episode, expect_step)
            await self._keep(session, episode.finish("abandoned", OPERATOR, why, at=time.time()))
            return stands(self._store, episode, ())

    async def close_unread(self, session: str) -> None:
        """Give up an episode whose record cannot be read, so that it stands in no other's way.

        What is there of its record stays. Raises `InputError` for one that can be read, or is over.
        """
        if (ending := self._store.row(session).ending) is not None:
            raise InputError(f"Episode {session} is over ({ending}).")
        async with self._holding.held(session):
            try:
                self._episode(session)
            except Unreadable:
                await patiently(self._store, lambda: self._store.close_unread(session, "abandoned"))
            else:
                raise InputError(f"Episode {session} can be read; give it up as any other.")

    async def wait(self, session: str, *, expect_step: int | None = None) -> Seen:
        """Ask the customer on where a command was cut short; hear what is new since your turn."""
        async with self._holding.held(session):
            episode = self._episode(session)
            _refuse_moved(episode, expect_step)
            before = last_own(episode)
            if episode.end is None and episode.position.next != "agent":
                refuse_changed(episode)
                return await self._hear(episode, before, self._customer(episode))
            return stands(self._store, episode, heard_since(episode, before))

    def seen(self, session: str) -> Seen:
        """Where an episode stands, and what is new since the operator's last turn."""
        episode = self._episode(session)
        return stands(self._store, episode, heard_since(episode, last_own(episode)))

    def look(self, session: str) -> Look:
        """All that the operator may see of an episode."""
        episode = self._episode(session)
        variant = episode.start.arm.policy
        return Look(
            stands(self._store, episode, heard_since(episode, last_own(episode))),
            conversation(episode),
            tuple(episode.domain.tools("agent")),
            variant,
            episode.domain.policy(variant),
        )

    def at(self, session: str) -> str | None:
        """In words, the process that is at an episode now; None if none is."""
        return self._holding.at(session)

    def recorded(self, session: str) -> int:
        """How often this object has recorded something in an episode that was begun.

        A command that failed has done nothing if this is what it was before: what was to be said
        can be said again. Whether the episode went on does not tell, since others may be at it.
        """
        return self._recorded[session]

    def open_episodes(self, called: str | None = None) -> list[Opened]:
        """Episodes that have not ended, the oldest first; those of one operator if named."""
        return self._opened({"ending": "none"}, called)

    def episodes(self, called: str | None = None) -> list[Opened]:
        """All operated episodes, the oldest first; those of one operator if named."""
        return self._opened({}, called)

    def only(
        self, session: str | None, called: str | None = None, hints: Hints = IN_THE_SHELL
    ) -> str:
        """The episode that is meant: by its id or the beginning of one, or the only one open.

        Raises `InputError` where the id is not an operated one's, and `NotOne` where none or
        several are open, which says in the door's words what to do.
        """
        return meant(self._store, session, called, hints)

    def expect(self, session: str, step: int | None) -> None:
        """Raise `InputError` unless the episode is at this step; None is any."""
        if step is not None:
            _refuse_moved(self._episode(session), step)

    # --- within

    async def _turn(self, session: str, reply: Reply, expect_step: int | None) -> Seen:
        async with self._holding.held(session):
            episode = self._going(session, expect_step)
            # Whom nobody can ask is said before a turn is taken that only they could answer.
            ends = bool(reply.calls) or marker_in(reply.text or "", "agent") is not None
            customer = None if ends else self._customer(episode)
            before = len(episode.events)
            await self._take(episode, reply)
            return await self._hear(episode, before, customer)

    def _going(self, session: str, expect_step: int | None) -> Episode:
        """The episode, if it is the operator's turn in it and it can be gone on with."""
        episode = self._episode(session)
        _refuse_ended(episode)
        _refuse_moved(episode, expect_step)
        refuse_changed(episode)
        if episode.position.next != "agent":
            raise InputError(
                f"The customer has not answered yet in episode {session}, since a command was "
                "cut short; look at it first, which asks on."
            )
        return episode

    async def _take(self, episode: Episode, reply: Reply) -> None:
        """Record the operator's turn and what the world makes of it."""
        # Nobody's clock runs while an operator thinks: the seconds are not counted.
        events = episode.take(reply, seconds=None, at=time.time())
        await self._keep(episode.start.session, events)

    async def _keep(self, session: str, events: Sequence[AnyEvent]) -> None:
        """Record what the operator did, which nobody can make again."""
        await patiently(self._store, lambda: self._store.append(session, events, wait=True))
        self._recorded[session] += 1

    async def _hear(self, episode: Episode, before: int, customer: Customer | None) -> Seen:
        """Let the customer act until it is the operator's turn or the call is over."""
        session = episode.start.session

        async def commit(events: Sequence[AnyEvent], contents: Mapping[str, str]) -> None:
            # What a model answered was paid for.
            await patiently(
                self._store, lambda: self._store.append(session, events, contents), _PATIENCE
            )
            self._recorded[session] += 1

        if episode.end is None and episode.position.next != "agent":
            await play_on(episode, {"user": customer or self._customer(episode)}, commit)
        return stands(self._store, episode, heard_since(episode, before))

    def _customer(self, episode: Episode) -> Customer:
        recorded, domain = episode.start.condition.user, episode.domain
        user = same_customer(episode, self._opener)
        brief = UserBrief(domain.name, domain.scenario(episode.task), domain.tools("user"))
        taken = Customer(user.take(brief), recorded.name, episode.start.session)
        if self._ready is not None:
            self._ready()
        return taken

    def _episode(self, session: str) -> Episode:
        return read_episode(self._store, session)

    def _opened(self, more: Mapping[str, str], called: str | None) -> list[Opened]:
        running = {
            (row.domain, row.task) for row in operated(self._store, {**more, "ending": "none"})
        }
        found = (self._of_row(row, running) for row in operated(self._store, more))
        return [each for each in found if called in (None, each.operator)]

    def _of_row(self, row: SessionRow, running: Container[tuple[str, str | None]]) -> Opened:
        found = opened(self._store, row)
        if row.ending is not None and (row.domain, row.task) in running:
            return replace(found, solved=None)
        if row.ending is None or row.graded is not None or found.problem is not None:
            return found
        # It was cut short between its end and this.
        value = graded(self._store, self._episode(row.id))
        return replace(found, solved=value.solved if value.graded else None)


def _refuse_ended(episode: Episode) -> None:
    if (end := episode.end) is not None:
        raise InputError(f"Episode {episode.start.session} is over ({end.ending}).")


def _refuse_moved(episode: Episode, expect_step: int | None) -> None:
    steps = episode.position.steps
    if expect_step is not None and expect_step != steps:
        raise InputError(
            f"Episode {episode.start.session} is at step {steps}, not {expect_step}; look at it "
            "before you go on."
        )


def _or_ours(summary: str | None) -> str:
    return summary if summary and summary.strip() else HANDED_OVER


def _handed_over(episode: Episode, how: Transfer) -> bool:
    """Whether the last that happened is that the operator's call of this transfer worked."""
    main = [event for event in episode.events if isinstance(event, Turn | Results)][-2:]
    match main:
        case [Turn(by="agent", calls=calls), Results(results=results)] if calls:
            return calls[-1].tool == how.tool and not results[-1].error
        case _:
            return False
