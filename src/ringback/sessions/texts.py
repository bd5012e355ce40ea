"""When a store first saw a text that agents are given: before or after other things were run."""

from __future__ import annotations

import time
from collections.abc import Iterable

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from ringback.sessions.schema import texts
from ringback.sessions.sqlite import Database

__all__ = ["Texts"]

_SEEN = sa.select(texts.c.digest, texts.c.seen_at).where(
    texts.c.digest.in_(sa.bindparam("digests", expanding=True))
)
_NEW = sa.insert(texts)


class Texts:
    """The texts of a store, by their digests (`ringback.canonical.digest` of the text)."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def seen(self, digests: Iterable[str]) -> dict[str, float]:
        """When each was first noted, in Unix seconds; nothing for one that never was."""
        asked = list(dict.fromkeys(digests))
        if not asked:
            return {}
        found = self._database.read(_SEEN, digests=asked)
        return {row[0]: row[1] for row in found}

    def note(self, digests: Iterable[str]) -> None:
        """Note that these were seen now; what was seen before keeps its time."""
        asked = list(dict.fromkeys(digests))
        known = self.seen(asked)
        new = [{"digest": each, "seen_at": time.time()} for each in asked if each not in known]
        if not new:
            return
        try:
            with self._database.writing() as connection:
                connection.execute(_NEW, new)
        except IntegrityError:  # another process has just noted some of them
            self.note(asked)
