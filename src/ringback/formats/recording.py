"""What a reader of another program's form gives: sessions as read, and what could not be one."""

from __future__ import annotations

from msgspec import Struct

from ringback.episode.events import AnyEvent, End, Origin, Start

__all__ = ["Recording", "Skipped"]


class Recording(Struct, frozen=True):
    """One session as another program recorded it, in our events.

    `contents` are the texts that the events name by digest.
    """

    events: tuple[AnyEvent, ...]
    contents: dict[str, str] = {}

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

    @property
    def end(self) -> End | None:
        """The ending, None where the recording stops without one."""
        last = self.events[-1]
        return last if isinstance(last, End) else None


class Skipped(Struct, frozen=True):
    """An entry of a file, or a whole file, of which no session was made, and why in a sentence.

    `source` is the file's name and `place` the entry in it from 0, None where the whole file is
    meant. `broken`: it could not be read; otherwise it was read and is something else, such as
    another domain.
    """

    source: str
    place: int | None
    why: str
    broken: bool
