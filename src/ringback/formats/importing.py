"""Recordings into the store: each once, graded like a session of our own, and counted."""

from __future__ import annotations

from collections import Counter

from msgspec import Struct, field

from ringback.domains import load
from ringback.episode.episode import Episode
from ringback.episode.events import UNPLAYED, Ending, Start
from ringback.episode.identity import arm_hash, cell_hash, condition_hash, imported_ids
from ringback.episode.protocol import ProtocolError
from ringback.errors import InputError
from ringback.formats.recording import SURPRISES, Recording, Skipped, surprise
from ringback.grading.grade import grade
from ringback.sessions import Store

__all__ = ["Importer", "Tally"]

_MOST_KEPT = 1000


class Tally(Struct):
    """What became of the entries that were read.

    `added` and `there` are sessions, new and there before. `ungraded` counts those of either that
    no grade could be made of: their domain, task or ending is not known here, or what was said.
    `passed` counts by reason what is something else than a session of this form, `unreadable` what
    could not be read; `broken` are the first of the latter.
    """

    added: int = 0
    there: int = 0
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

        A recording that is there already is left as it is; only a grade that it lacks is added.
        Raises `StoreError` where the file does not allow it.
        """
        if isinstance(entry, Skipped):
            self._skip(entry)
            return
        try:
            self._take(entry)
        except SURPRISES as problem:
            origin = entry.start.origin
            source = origin.source if origin else f"session {entry.start.session}"
            why = f"it cannot be kept ({surprise(problem)})"
            self._skip(Skipped(source, origin.place if origin else None, why, broken=True))

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
            tally.there += 1
            row = self._store.row(entry.start.session)
            graded = self._grade(entry) if row.grader is None else _is_known(row.graded, row.ending)
        tally.ungraded += not graded

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
