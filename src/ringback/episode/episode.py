"""An episode: the fold over a session's events, with the world they make.

Live runs, resumed runs, forks and re-grades all go through `Episode.feed`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import deepcopy
from typing import Self

from msgspec import Struct
from msgspec.structs import replace

from ringback.canonical import Json
from ringback.domain import Did, Domain, Happening, Outcome, Said, Side, Task, World
from ringback.episode.events import (
    AnyEvent,
    End,
    Ending,
    ModelCall,
    Note,
    Nudge,
    Rejected,
    Result,
    Results,
    Start,
    Turn,
)
from ringback.episode.intake import take_in
from ringback.episode.markers import without_markers
from ringback.episode.participants import Aside, Reply, View, Visible
from ringback.episode.protocol import BEGINNING, Position, ProtocolError, advance, due, other

__all__ = ["Divergence", "Episode"]


class Divergence(Struct, frozen=True):
    """A recorded state, error flag or, under an equal version, text that does not come out."""

    seq: int
    index: int
    recorded: str
    recomputed: str


class _Answer(Struct, frozen=True):
    outcome: Outcome
    before: World
    after: World


class Episode:
    """One call: its events so far, where it stands, and the world they made.

    `happenings` is what was said and done, each deed with the world on both sides of it, which is
    what checks read. `divergences` lists where recorded results differ from this world's; an
    episode with any can be looked at and graded, not gone on with.
    """

    def __init__(self, start: Start, domain: Domain) -> None:
        if start.draw.task is None:
            raise ProtocolError("the session's task is unknown, so there is no world for it")
        self.domain = domain
        self.task: Task = domain.task(start.draw.task)
        self.world: World = domain.world(self.task)
        self.start = start
        self.position: Position = BEGINNING
        self.events: list[AnyEvent] = []
        self.happenings: list[Happening] = []
        self.divergences: list[Divergence] = []
        self._seen: dict[Side, list[Visible]] = {"agent": [], "user": []}
        self._answers: tuple[_Answer, ...] = ()
        self._same_world = start.condition.world == domain.version
        if start.world != self.world.digest():
            self.divergences.append(Divergence(0, 0, start.world, self.world.digest()))
        self.feed(start)

    @classmethod
    def from_events(cls, events: Sequence[AnyEvent], domain: Domain) -> Self:
        """The episode as it stood after these events: a whole session, or any beginning of one.

        Raises `ProtocolError` if the events are not a session's.
        """
        if not events or not isinstance(events[0], Start):
            raise ProtocolError("the first event is not a start")
        episode = cls(events[0], domain)
        for event in events[1:]:
            episode.feed(event)
        return episode

    @property
    def end(self) -> End | None:
        """The end, once it is there."""
        last = self.events[-1]
        return last if isinstance(last, End) else None

    def feed(self, event: AnyEvent) -> None:
        """Append one event; `ProtocolError` if it is out of turn."""
        turn = self.position.turn
        self.position = advance(self.position, event)
        self.events.append(event)
        match event:
            case Turn():
                self._deliver(event)
            case Results():
                assert turn is not None
                self._settle(turn, event)
            case ModelCall() | Rejected() | Nudge():
                self._seen[event.by].append(event)
            case _:
                pass

    def view(self, side: Side) -> View:
        """What a side may see now."""
        limit = self.start.condition.limits.seconds
        left = math.inf if limit is None else limit - self.position.seconds
        greeting, seen = self.start.condition.greeting, tuple(self._seen[side])
        return View(side, greeting, seen, max(left, 0.0), self.position.seq)

    def note(self, aside: Aside, *, at: float | None = None) -> list[AnyEvent]:
        """Append side events of the side whose turn it is; returns them."""
        before = len(self.events)
        for event in aside.events:
            if event.by != self.position.next:
                raise ProtocolError(f"event {event.seq} is not of the side that is to act")
            self.feed(replace(event, at=at))
        if ending := due(self.position, self.start.condition.limits):
            self.finish(ending.ending, ending.rule, ending.why, at=at)
        return self.events[before:]

    def take(
        self, reply: Reply, *, seconds: float | None = None, at: float | None = None
    ) -> list[AnyEvent]:
        """Append the reply of the side whose turn it is, and all that follows without anybody.

        Returns the new events: the turn, the world's answers, the end if one is due.
        """
        side = self.position.next
        if side not in ("agent", "user"):
            raise ProtocolError("no participant is to act")
        before = len(self.events)
        reply, changed = take_in(reply)
        self.feed(
            Turn(
                seq=self.position.seq,
                at=at,
                by=side,
                text=reply.text,
                calls=reply.calls,
                seconds=seconds,
                rule=reply.rule,
            )
        )
        for what in changed:
            self.feed(Note(seq=self.position.seq, at=at, cause=before, what="intake", detail=what))
        self.settle(at=at)
        return self.events[before:]

    def settle(self, *, at: float | None = None) -> list[AnyEvent]:
        """Append what is due without a participant: the world's answers, an ending.

        Raises `ProtocolError` if the recorded part does not hold in this world, or was made by
        another version of it.
        """
        recorded, today = self.start.condition.world, self.domain.version
        if recorded != today:
            raise ProtocolError(
                f"the session was begun in version {recorded} of the world and this is {today}; "
                "it can be graded or forked, not gone on with"
            )
        if self.divergences:
            first = self.divergences[0]
            raise ProtocolError(
                f"event {first.seq} does not come out as recorded in this version of the world; "
                "the session can be graded or forked, not gone on with"
            )
        before = len(self.events)
        turn = self.position.turn
        if self.position.next == "world" and turn is not None:
            self._answers = self._run(turn)
            results = tuple(
                Result(answer.outcome.text, answer.after.digest(), answer.outcome.error)
                for answer in self._answers
            )
            seq = self.position.seq
            self.feed(Results(seq=seq, at=at, turn=turn.seq, by=turn.by, results=results))
        if ending := due(self.position, self.start.condition.limits):
            self.finish(ending.ending, ending.rule, ending.why, at=at)
        return self.events[before:]

    def finish(
        self,
        ending: Ending,
        rule: str,
        why: str | None = None,
        *,
        seconds: float | None = None,
        at: float | None = None,
    ) -> list[AnyEvent]:
        """Append the end; `seconds` of active time went into the turn that did not come."""
        if why is not None:
            why = why.encode("utf-8", "replace").decode()
        end = End(seq=self.position.seq, at=at, ending=ending, rule=rule, why=why, seconds=seconds)
        self.feed(end)
        return [end]

    def _run(self, turn: Turn) -> tuple[_Answer, ...]:
        answers: list[_Answer] = []
        world = self.world
        for call in turn.calls:
            after = world.copy()
            outcome = after.call(turn.by, call.tool, call.arguments)
            answers.append(_Answer(outcome, world, after))
            world = after
        return tuple(answers)

    def _settle(self, turn: Turn, event: Results) -> None:
        answers, self._answers = self._answers or self._run(turn), ()
        for index, (call, answer, result) in enumerate(
            zip(turn.calls, answers, event.results, strict=True)
        ):
            outcome = answer.outcome
            self.happenings.append(
                Did(
                    turn.seq,
                    index,
                    turn.by,
                    call.tool,
                    call.arguments,
                    outcome,
                    answer.before,
                    answer.after,
                )
            )
            self._compare(event.seq, index, result, answer)
        if answers:
            self.world = answers[-1].after
        self._seen[turn.by].append(event)

    def _compare(self, seq: int, index: int, result: Result, answer: _Answer) -> None:
        state = answer.after.digest()
        if result.world != state:
            self.divergences.append(Divergence(seq, index, result.world, state))
        elif result.error != answer.outcome.error:
            recorded, recomputed = (
                "an error" if flag else "no error" for flag in (result.error, answer.outcome.error)
            )
            self.divergences.append(Divergence(seq, index, recorded, recomputed))
        elif result.text != answer.outcome.text and self._same_world:
            self.divergences.append(Divergence(seq, index, result.text, answer.outcome.text))

    def _deliver(self, turn: Turn) -> None:
        self._seen[turn.by].append(_copied(turn))
        if turn.calls or not turn.text:
            return
        text = without_markers(turn.text, turn.by)
        if not text:
            return
        self.happenings.append(Said(turn.seq, turn.by, text))
        # The other side gets the sentence alone: neither the rule behind it nor its timing.
        self._seen[other(turn.by)].append(Turn(seq=turn.seq, by=turn.by, text=text))


def _copied(turn: Turn) -> Turn:
    """The turn with arguments of its own: what a participant does to them stays in its view."""
    if not turn.calls:
        return turn
    calls = tuple(replace(call, arguments=_own(call.arguments)) for call in turn.calls)
    return replace(turn, calls=calls)


def _own(arguments: Json) -> Json:
    if isinstance(arguments, dict) and not any(
        isinstance(value, dict | list) for value in arguments.values()
    ):
        return dict(arguments)  # as most are, and much quicker
    return deepcopy(arguments)
