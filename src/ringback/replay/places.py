"""Places in a recorded call: before which turn it is cut, and what is taken over up to there."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeAlias, cast

from ringback.canonical import Json
from ringback.domain import Domain
from ringback.episode.episode import Divergence, Episode
from ringback.episode.events import (
    AnyEvent,
    End,
    ModelCall,
    Note,
    Nudge,
    Rejected,
    Reported,
    Results,
    Start,
)
from ringback.episode.parting import Move, moves
from ringback.episode.protocol import ProtocolError, due
from ringback.errors import InputError
from ringback.grading.grade import Grade

__all__ = [
    "At",
    "NoPlace",
    "at_event",
    "at_failure",
    "at_step",
    "divergences",
    "parse_at",
    "taken_over",
]

_MOST_SAID = 20
_WORD = re.compile(r"(e?)([0-9]{1,9})")

At: TypeAlias = Callable[[Sequence[AnyEvent], Grade | None], int]
"""Where a session is cut: the number of the first event that is not taken over, or `NoPlace`."""


class NoPlace(InputError):  # noqa: N818 - the words are the error
    """A session has no such place; the words go on after "since"."""


def parse_at(word: str) -> At:
    """A place as typed: a step such as ``12``, an event such as ``e25``, or ``failure``.

    Raises `InputError`.
    """
    if word == "failure":
        return at_failure
    found = _WORD.fullmatch(word)
    if found is None or not int(found[2]):
        raise InputError(
            f"{word!r} is no place in a call; give a step's number such as 12, an event's such as "
            "e25, or failure."
        )
    number = int(found[2])
    return at_event(number) if found[1] else at_step(number)


def at_step(step: int) -> At:
    """Before the turn that is this step, or whose calls are answered in it; steps count from 1."""

    def place(events: Sequence[AnyEvent], _: Grade | None) -> int:
        for move in moves(events):
            if step in (move.step, move.step + 1 if move.results else move.step):
                return _before(events, move)
        raise NoPlace(f"it has no step {step}")

    return place


def at_event(seq: int) -> At:
    """Before the turn that this event is, answers, or led to."""

    def place(events: Sequence[AnyEvent], _: Grade | None) -> int:
        return _before_event(events, seq)

    return place


def at_failure(events: Sequence[AnyEvent], grade: Grade | None) -> int:
    """Before the turn that shows what the call failed of, by its grade."""
    failure = None if grade is None else grade.failure
    if failure is None:
        raise NoPlace("its grade names no failure")
    return _before_event(events, failure.seq)


def taken_over(
    start: Start, events: Sequence[AnyEvent], domain: Domain, *, at: float | None
) -> list[AnyEvent]:
    """The beginning of a fork: its start, the events after the recorded one, and a note.

    `events` are those of the recorded session up to the place. Where the world is of another
    version than recorded, or does not come out as recorded, the calls are run again in today's, and
    the note says what differs. Raises `NoPlace` where that is no conversation to go on with.
    """
    recorded = cast("Start", events[0])
    try:
        before = Episode.from_events(events, domain)
        same = recorded.condition.world == domain.version and not before.divergences
        episode = Episode(start, domain)
        for event in events[1:]:
            if isinstance(event, Results) and not same:
                episode.settle(at=event.at)
            else:
                episode.feed(event)
    except ProtocolError as problem:
        raise NoPlace(f"its events do not make a call ({problem})") from None
    if over := due(episode.position, start.condition.limits):
        raise NoPlace(f"the call is over by event {len(events)} ({over.ending})")
    note = Note(
        seq=episode.position.seq,
        at=at,
        cause=episode.position.seq - 1,
        what="forked",
        detail=_detail(recorded.session, len(events), before.divergences),
    )
    episode.feed(note)
    return episode.events


def divergences(beginning: Sequence[AnyEvent]) -> int:
    """How much of a fork's beginning does not come out as recorded in today's world."""
    last = beginning[-1]
    detail = last.detail if isinstance(last, Note) else None
    found = detail.get("divergences") if isinstance(detail, dict) else None
    return found if isinstance(found, int) else 0


def _before_event(events: Sequence[AnyEvent], seq: int) -> int:
    if not 0 < seq < len(events):
        raise NoPlace(f"it has no turn at event {seq}")
    event = events[seq]
    match event:
        case End():
            raise NoPlace(f"event {seq} is its end, and no turn")
        case Results():
            seq = event.turn
        case Note() | Reported():
            return _before_event(events, event.cause)
        case _:
            pass
    for move in moves(events):
        if move.turn.seq >= seq:
            return _before(events, move)
    return _asides_before(events, seq + 1)


def _before(events: Sequence[AnyEvent], move: Move) -> int:
    return _asides_before(events, move.turn.seq)


def _asides_before(events: Sequence[AnyEvent], seq: int) -> int:
    """The first of the side events that lead to what stands at `seq`."""
    while isinstance(events[seq - 1], ModelCall | Rejected | Nudge):
        seq -= 1
    return seq


def _detail(session: str, seq: int, found: Sequence[Divergence]) -> Json:
    detail: dict[str, Json] = {"session": session, "event": seq}
    if found:
        said = [
            f"event {each.seq}: recorded {each.recorded}, today {each.recomputed}"
            for each in found[:_MOST_SAID]
        ]
        detail |= {"divergences": len(found), "differs": cast("Json", said)}
    return detail
