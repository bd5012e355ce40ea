"""Recordings into the store: each once, graded like a session of our own, and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec
from msgspec import Struct, field

from ringback.domains import load
from ringback.episode.episode import Episode
from ringback.episode.events import (
    UNPLAYED,
    AnyEvent,
    End,
    Ending,
    ModelCall,
    Results,
    Start,
    Turn,
)
from ringback.episode.identity import arm_hash, cell_hash, condition_hash, imported_ids
from ringback.episode.protocol import ProtocolError
from ringback.errors import InputError
from ringback.formats.recording import SURPRISES, Recording, Skipped, surprise
from ringback.grading.grade import grade
from ringback.sessions import Store, Unreadable

__all__ = ["Importer", "Tally"]

_MOST_KEPT = 1000
_encode = msgspec.json.Encoder(order="sorted").encode

_SAME, _BEGUN, _BEHIND, _OTHER = "same", "begun", "behind", "other"
_WHY = {
    _OTHER: "session {session} of {store} has the same id and other events, so that this one was "
    "not added; import it into a store of its own with --store",
    _BEGUN: "{store} has only the beginning of session {session}, which is not over there, and was "
    "not added to; import the whole of it into a store of its own with --store",
}
"""What is said where the session of an id that is in the store is not the one that was read."""


class Tally(Struct):
    """What became of the entries that were read.

    `added` and `there` are sessions, new and there before; of the latter `behind` counts those of
    which the store has more. `unfinished` counts those of either that are not over, `ungraded`
    others that no grade could be made of: their domain, task or ending is not known here, or what
    was said. `passed` counts by reason what is something else than a session of this form,
    `unreadable` what could not be read, or not kept because another session has its id; `broken`
    are the first of the latter.
    """

    added: int = 0
    there: int = 0
    behind: int = 0
    unfinished: int = 0
    ungraded: int = 0
    unreadable: int = 0
    passed: Counter[str] = field(default_factory=Counter[str])
    broken: list[Skipped] = field(default_factory=list[Skipped])

    @property
    def entries(self) -> int:
        """How many were read."""
        return self.added + self.there + self.unreadable + self.passed.total()


class Importer:
    """Takes what a reader gives, one at a time, into a store that can be written."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.tally = Tally()

    def take(self, entry: Recording | Skipped) -> None:
        """Store and grade a recording, or count why there is none.

        A recording that is there already is left as it is; only a grade that it lacks is added. So
        is one of the same id and other events, which is said.
        Raises `StoreError` where the file does not allow it.
        """
        if isinstance(entry, Skipped):
            self._skip(entry)
            return
        try:
            self._take(entry)
        except SURPRISES as problem:
            why = f"it cannot be kept ({surprise(problem)})"
            self._skip(Skipped(*entry.place, why, broken=True))

    def _skip(self, entry: Skipped) -> None:
        tally = self.tally
        if not entry.broken:
            tally.passed[entry.why] += 1
            return
        tally.unreadable += 1
        if len(tally.broken) < _MOST_KEPT:
            tally.broken.append(entry)

    def _take(self, entry: Recording) -> None:
        tally = self.tally
        if self._add(entry):
            tally.added += 1
            graded = self._grade(entry)
        else:
            standing = self._standing(entry)
            if standing in (_OTHER, _BEGUN):
                why = _WHY[standing].format(session=entry.start.session, store=self._store.path)
                self._skip(Skipped(*entry.place, why, broken=True))
                return
            tally.there += 1
            tally.behind += standing == _BEHIND
            row = self._store.row(entry.start.session)
            same = row.grader is None and standing == _SAME
            graded = self._grade(entry) if same else _is_known(row.graded, row.ending)
        if not graded and entry.is_open:
            tally.unfinished += 1
        else:
            tally.ungraded += not graded

    def _standing(self, entry: Recording) -> str:
        """How a recording stands to the session of its id that is there."""
        try:
            there = self._store.events(entry.start.session)
        except Unreadable:  # which those say who look at it
            return _SAME
        # Of a recording by another program the id follows from what was read, and how that is read
        # may change a little from version to version; what was said and done does not.
        spell = _spelled if entry.start.origin is None else _told
        ours, theirs = spell(there), spell(entry.events)
        if ours == theirs:
            return _SAME
        if not isinstance(there[-1], End) and theirs[: len(ours)] == ours:
            return _BEGUN
        return _BEHIND if entry.end is None and ours[: len(theirs)] == theirs else _OTHER

    def _add(self, recording: Recording) -> bool:
        start = recording.start
        return self._store.add(
            recording.events,
            family=_family(recording),
            cell=_cell(start),
            condition=condition_hash(start.condition),
            arm=arm_hash(start.arm),
            contents=recording.contents,
        )

    def _grade(self, recording: Recording) -> bool:
        start = recording.start
        if start.draw.task is None or recording.end is None:
            return False
        try:
            domain = load(start.condition.domain)
            found = grade(Episode.from_events(recording.events, domain))
        except (InputError, ProtocolError):  # a domain or a task that is not installed here
            return False
        self._store.save_grade(
            start.session,
            found,
            version=domain.grader_version,
            reward=found.reward,
            solved=found.solved,
            graded=found.graded,
        )
        return _is_known(found.graded, found.ending)


def _spelled(events: Sequence[AnyEvent]) -> list[bytes]:
    return [_encode(event) for event in events]


def _told(events: Sequence[AnyEvent]) -> list[bytes]:
    """What was said, called and answered, and how it ended."""
    found: list[bytes] = []
    for event in events:
        match event:
            case Turn():
                calls = [[call.tool, call.arguments] for call in event.calls]
                found.append(_encode([event.by, event.text, calls]))
            case Results():
                found.append(_encode([[each.text, each.error] for each in event.results]))
            case ModelCall():
                found.append(_encode([event.by, event.answer.message]))
            case End():
                found.append(_encode(event.ending))
            case _:
                pass
    return found


def _is_known(graded: bool | None, ending: Ending | None) -> bool:
    """Whether a session has a grade, or an ending that says nothing about the agent."""
    return bool(graded) or ending in UNPLAYED


def _cell(start: Start) -> str:
    """The cell of a recording; that of a session which we played ourselves is the one it had."""
    if start.origin is not None:
        return imported_ids(start.origin)[1]
    return cell_hash(start.condition, start.arm, start.arm_name, start.draw)


def _family(recording: Recording) -> str | None:
    start = recording.start
    if start.draw.task is None:
        return None
    try:
        return load(start.condition.domain).task(start.draw.task).family
    except InputError:
        return None
