"""What a writer of another program's form is given, and what several of them ask of it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from msgspec import Struct

from ringback.domain import Side
from ringback.episode.events import (
    AnyEvent,
    End,
    ModelCall,
    Note,
    Nudge,
    Rejected,
    Reported,
    Result,
    Results,
    SideEvent,
    Start,
    Turn,
)
from ringback.episode.markers import without_markers
from ringback.episode.wire import Request
from ringback.errors import InputError
from ringback.grading.grade import Grade
from ringback.sessions import Spent, requests, spent

__all__ = ["Session", "Step", "iso", "steps"]


class Session(Struct, frozen=True):
    """A recorded session to be written: its events, the contents they name, its grade if any."""

    events: tuple[AnyEvent, ...]
    contents: dict[str, str] = {}
    grade: Grade | None = None

    @property
    def start(self) -> Start:
        """The opening."""
        first = self.events[0]
        assert isinstance(first, Start)
        return first

    @property
    def end(self) -> End | None:
        """The ending, None where there is none yet."""
        last = self.events[-1]
        return last if isinstance(last, End) else None

    @property
    def last_at(self) -> float | None:
        """Unix seconds of the last event whose time is known."""
        return next((event.at for event in reversed(self.events) if event.at is not None), None)

    @property
    def last_words(self) -> str | None:
        """What was said last, by either side, without the words that end a call."""
        for event in reversed(self.events):
            if isinstance(event, Turn) and event.text and not event.calls:
                return without_markers(event.text, event.by) or event.text
        return None

    def spent(self) -> dict[Side, Spent]:
        """What each side's model calls came to; nothing for a side without any."""
        return spent(self.events)

    def asked(self) -> dict[int, Request]:
        """Each recorded model call's request as it was sent, by the event's number.

        Raises `InputError` where the record does not give one back.
        """
        try:
            return {event.seq: request for event, request in requests(self.events, self.contents)}
        except (ValueError, KeyError) as problem:
            raise InputError(
                f"Session {self.start.session} cannot be written: a request to a model does not "
                f"come out of its record as it was sent ({problem}); leave it out of the selection."
            ) from problem


class Step(Struct):
    """A turn with what belongs to it: the side events it is made of, and its calls' results.

    `turn` is None for side events that no turn of their side follows. `results` is None while the
    calls are not answered.
    """

    turn: Turn | None
    beside: list[SideEvent]
    results: Results | None = None

    @property
    def answers(self) -> tuple[Result | None, ...]:
        """A result for each call of the turn, None where it was not answered."""
        if self.turn is None or self.results is None:
            return (None,) * (len(self.turn.calls) if self.turn else 0)
        return self.results.results


def steps(events: tuple[AnyEvent, ...]) -> Iterator[Step]:
    """The events between start and end, by the turn that they belong to, in order.

    A side event that names a turn as its cause goes with that turn, another with the next one of
    its side.
    """
    waiting: list[SideEvent] = []
    open_step: Step | None = None
    for event in events:
        match event:
            case Turn():
                if open_step is not None:
                    yield open_step
                mine: list[SideEvent] = []
                others: list[SideEvent] = []
                for side in waiting:
                    whose = mine if isinstance(side, Note) or side.by == event.by else others
                    whose.append(side)
                if others:
                    yield Step(None, others)
                open_step, waiting = Step(event, mine), []
            case Results():
                if open_step is not None:
                    open_step.results = event
            case Reported() | Note() if open_step and _is_of(event, open_step.turn):
                open_step.beside.append(event)
            case ModelCall() | Reported() | Rejected() | Nudge() | Note():
                waiting.append(event)
            case _:
                pass
    if open_step is not None:
        yield open_step
    if waiting:
        yield Step(None, waiting)


def _is_of(event: SideEvent, turn: Turn | None) -> bool:
    return turn is not None and event.cause == turn.seq


def iso(at: float | None) -> str | None:
    """Unix seconds as ISO 8601 in UTC; None where unknown, or no date that a calendar has."""
    if at is None:
        return None
    try:
        return datetime.fromtimestamp(at, UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return None
