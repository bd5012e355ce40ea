"""What a reader of another program's form gives: sessions as read, and what could not be one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from ringback.episode.events import AnyEvent, End, Origin, Start
from ringback.formats.values import clipped

__all__ = [
    "RECORDED_GRADE",
    "RECORDED_OUTCOME",
    "REQUESTOR",
    "STATE_DIFFERS",
    "SURPRISES",
    "TASK_DIFFERS",
    "TASK_READ_AS",
    "TASK_UNKNOWN",
    "Recording",
    "Skipped",
    "bounded",
    "surprise",
]

_SAYS_SO = "kitaru"  # the form with a state for what goes on
_MOST_WORDS = 400  # characters of what is said of an entry, which may quote it
_MOST_BROKEN = 10_000  # entries in a row that cannot be read, after which no more of a file is

SURPRISES = (RecursionError, OverflowError, MemoryError)
"""What a value that nobody foresaw may raise anywhere: it costs its entry, and no other."""

RECORDED_GRADE = "recorded_grade"
"""A note that says what the program that recorded a session made of it: ``{"reward": 1.0}``.

Where a reward stands there that is no number it is None, and ``set_aside`` shows what stands."""

RECORDED_OUTCOME = "recorded"
"""The same of Exgentic's traces: their figures of a run, ``score`` and ``success`` among them."""

REQUESTOR = "requestor"
"""A note of a message (its place) whose ``role`` is one and whose calls name another as who made
them: of which ``calls`` (from 0), and whom, None where they name nobody. They count as the other's,
as in tau2, for which who is not named is the assistant. ``text`` is what the message said beside
where no call of it is its own."""

STATE_DIFFERS = "state_differs"
"""A note that says where a recorded answer states something else than our world does: of which
``call`` of its turn, of which ``tool``, ``what`` differs."""

TASK_DIFFERS = "task_differs"
"""A note that says in which ``parts`` the recording's task is graded by something else than ours of
its id, and by which ``basis`` (``end_state``, ``actions``, or a word of the other program)."""

TASK_READ_AS = "task_read_as"
"""A note that names the recording's task where ours of the same faults has another id."""

TASK_UNKNOWN = "task_unknown"
"""A note that names the task of a session whose domain has no such task."""


class Recording(Struct, frozen=True):
    """One session as another program recorded it, in our events.

    `contents` are the texts that the events name by digest. `line` is the file and the entry in it,
    from 0, where a session was read that we had written there: its events say where it came from.
    """

    events: tuple[AnyEvent, ...]
    contents: dict[str, str] = {}
    line: tuple[str, int] | None = None

    @property
    def start(self) -> Start:
        """The opening."""
        first = self.events[0]
        assert isinstance(first, Start)
        return first

    @property
    def origin(self) -> Origin:
        """Where it was read."""
        found = self.start.origin
        assert found is not None
        return found

    def read_from(self, source: str) -> Recording:
        """The same, with its file called so."""
        origin = replace(self.origin, source=source)
        return replace(self, events=(replace(self.start, origin=origin), *self.events[1:]))

    @property
    def place(self) -> tuple[str, int | None]:
        """The file and the entry in it from which it was read, in words where they are unknown."""
        if self.line is not None:
            return self.line
        origin = self.start.origin
        if origin is None:
            return f"session {self.start.session}", None
        return origin.source, origin.place

    @property
    def end(self) -> End | None:
        """The ending, None where the recording stops without one."""
        last = self.events[-1]
        return last if isinstance(last, End) else None

    @property
    def is_open(self) -> bool:
        """Whether it says that it is not over: of other forms some do not say how it ended."""
        origin = self.start.origin
        return self.end is None and (origin is None or origin.form == _SAYS_SO)


class Skipped(Struct, frozen=True):
    """An entry of a file, or a whole file, of which no session was made.

    `source` is the file's name and `place` the entry in it from 0, None where the whole file is
    meant. `why` is a clause about it, ``it is of the domain airline, not telecom``, without the
    place, so that equal reasons can be counted. `broken`: it could not be read; otherwise it was
    read and is something else.
    """

    source: str
    place: int | None
    why: str
    broken: bool


def bounded(source: str, entries: Iterable[Recording | Skipped]) -> Iterator[Recording | Skipped]:
    """The entries of one file, until so many in a row could not be read that it is no recording.

    Then one more says so, and the rest of the file is left: one of 64 MB can hold 30 million. So it
    is where one of `SURPRISES` comes out of the file as such. Sentences are cut to a readable
    length.
    """
    broken = 0
    left = iter(entries)
    while True:
        try:
            entry = next(left, None)
        except SURPRISES as problem:
            yield Skipped(source, None, f"it cannot be read on ({surprise(problem)})", broken=True)
            return
        if entry is None:
            return
        if isinstance(entry, Skipped) and len(entry.why) > _MOST_WORDS:
            entry = replace(entry, why=clipped(entry.why, _MOST_WORDS))
        yield entry
        broken = broken + 1 if isinstance(entry, Skipped) and entry.broken else 0
        if broken == _MOST_BROKEN:
            why = f"{broken:,} entries in a row could not be read; what follows is left"
            yield Skipped(source, None, why, broken=True)
            return


def surprise(problem: BaseException) -> str:
    """What one of `SURPRISES` says of the value that it came from, as a clause."""
    match problem:
        case RecursionError():
            return "it is nested too deeply"
        case OverflowError():
            return "a number or a date in it is out of range"
        case _:
            return "it takes more memory than there is"
