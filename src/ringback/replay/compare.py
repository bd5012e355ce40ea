"""Two sessions side by side: where they part, and from there the two worlds in time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest

from msgspec import Struct

from ringback.canonical import Json
from ringback.domain import Domain
from ringback.episode.episode import Episode
from ringback.episode.events import AnyEvent, Results, Turn
from ringback.episode.parting import Parting, first_parting
from ringback.episode.protocol import ProtocolError
from ringback.errors import InputError
from ringback.grading.grade import Grade
from ringback.report.plain import value_text
from ringback.report.transcript import Row, Transcript, transcript

__all__ = ["Beat", "Compared", "Recorded", "Unlike", "compare"]


class Recorded(Struct, frozen=True):
    """A session as it is read from a store. `domain` None where its world is not known here."""

    events: Sequence[AnyEvent]
    domain: Domain | None
    grade: Grade | None = None


class Unlike(Struct, frozen=True):
    """A field in which the two worlds differ. None where a world does not have it."""

    field: str
    a: str | None
    b: str | None


class Beat(Struct, frozen=True):
    """A turn of each session, the n-th of both; None where one is over.

    `parts` marks the one in which they part. `unlike` are the fields in which the worlds differ
    after it and did not, or otherwise, before; `alike` those that are equal again.
    """

    a: Row | None
    b: Row | None
    parts: bool = False
    unlike: tuple[Unlike, ...] = ()
    alike: tuple[str, ...] = ()


class Compared(Struct, frozen=True, kw_only=True):
    """Two sessions, ready to be shown side by side.

    `parting` is None where nothing differs. `same` counts the turns before they part; `beats` are
    those from there on, and `last` all fields in which the worlds differ in the end, None where
    there is no world to compare. `remarks` are sentences about both as a whole.
    """

    a: Transcript
    b: Transcript
    parting: Parting | None
    same: int
    beats: tuple[Beat, ...]
    last: tuple[Unlike, ...] | None
    remarks: tuple[str, ...] = ()


def compare(a: Recorded, b: Recorded) -> Compared:
    """The sessions side by side.

    Where the task, its world or the events of one are not known here, the conversations are
    compared all the same, and a remark says why nothing is known about the worlds. Raises
    `InputError` if one has no start.
    """
    told = [transcript(each.events, each.domain, each.grade) for each in (a, b)]
    parting = first_parting(a.events, b.events)
    turns = [[row for row in each.rows if row.kind in ("said", "called")] for each in told]
    states, remarks = _states(a, b)
    same = _same(turns[0], turns[1], parting)
    beats: list[Beat] = []
    known: dict[str, tuple[str | None, str | None]] = {}
    for number, (one, other) in enumerate(zip_longest(*turns)):
        if number < same:
            continue
        now = known if states is None else _unlike(states, number + 1)
        new = tuple(Unlike(name, *now[name]) for name in now if known.get(name) != now[name])
        again = tuple(name for name in known if name not in now)
        beats.append(Beat(one, other, number == same and parting is not None, new, again))
        known = now
    last = None
    if states is not None:
        found = _unlike(states, max(map(len, states)))
        last = tuple(Unlike(name, *found[name]) for name in found)
    return Compared(
        a=told[0],
        b=told[1],
        parting=parting,
        same=same,
        beats=tuple(beats) if parting is not None else (),
        last=last,
        remarks=remarks,
    )


def _same(a: Sequence[Row], b: Sequence[Row], parting: Parting | None) -> int:
    """How many turns come before the one in which they part."""
    if parting is None:
        return max(len(a), len(b))
    for number, pair in enumerate(zip_longest(a, b)):
        reached = [max(row.step or 0, row.answer_step or 0) for row in pair if row is not None]
        if max(reached) >= parting.step:
            return number
    return max(len(a), len(b))


_States = tuple[list[Mapping[str, Json]], list[Mapping[str, Json]]]


def _states(a: Recorded, b: Recorded) -> tuple[_States | None, tuple[str, ...]]:
    """The fields of both worlds at the start and after each turn; None with why there are none."""
    found: list[list[Mapping[str, Json]]] = []
    for name, each in (("A", a), ("B", b)):
        try:
            if each.domain is None:
                raise InputError(f"the world of session {name} is not known here")
            found.append(_fields(each.events, each.domain))
        except (InputError, ProtocolError) as problem:
            why = str(problem).removesuffix(".")
            return None, (f"Nothing is known about the two worlds: {why}.",)
    return (found[0], found[1]), ()


def _fields(events: Sequence[AnyEvent], domain: Domain) -> list[Mapping[str, Json]]:
    episode = Episode.from_events(events[:1], domain)
    found = [episode.world.fields()]
    for event in events[1:]:
        episode.feed(event)
        if isinstance(event, Turn):
            found.append(found[-1])
        elif isinstance(event, Results):
            found[-1] = episode.world.fields()
    return found


def _unlike(states: _States, turn: int) -> dict[str, tuple[str | None, str | None]]:
    """The fields that differ after so many turns, each as it is in both."""
    a, b = (each[min(turn, len(each) - 1)] for each in states)
    found: dict[str, tuple[str | None, str | None]] = {}
    for name in dict.fromkeys([*a, *b]):
        one = value_text(a[name]) if name in a else None
        other = value_text(b[name]) if name in b else None
        if one != other:
            found[name] = (one, other)
    return found
