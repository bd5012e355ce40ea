"""Arms whose cases were picked by how they had come out: replays of what had failed.

Who replays the failed calls of an arm finds some solved though nothing was changed: the choice
gathered the unlucky (regression to the mean). So of such an arm no rate is read, and no difference
from the sessions that it was picked from.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from ringback.errors import InputError
from ringback.overview.model import Picked
from ringback.overview.reading import Seen
from ringback.report.comparing import is_graded, is_solved
from ringback.sessions import SessionRow, Store

__all__ = ["Choice", "Choices"]

_Source = tuple[str, str, str]


class Choice(Struct, frozen=True):
    """The sessions that an arm's cases were picked from, by their ids, and how they came out.

    `all_of_it` says whether every session of the arm is of such a case.
    """

    picked: Picked
    sessions: frozenset[str]
    all_of_it: bool


class Choices:
    """Asks the store where replays come from. `told` are the sessions of the report."""

    def __init__(self, store: Store, told: Iterable[Seen]) -> None:
        self._store = store
        self._told = {seen.row.id: seen for seen in told}
        self._rows: dict[str, SessionRow | None] = {}
        self._came_out: dict[_Source, set[bool]] = {}
        # The arms of a study may be linked too: its plan chose the cases, not how they came out.
        self._planned = store.planned(seen.row.cell for seen in self._told.values())

    def of(self, sessions: Sequence[Seen]) -> Choice | None:
        """What these sessions, an arm's, were picked by; None where they were not.

        They were where, of the sessions of an arm that they replay, however long ago, all that are
        graded came out alike, and others of that arm did not.
        """
        lines = {seen.row.id: self._before(seen.row) for seen in sessions}
        sources: dict[_Source, dict[str, SessionRow]] = {}
        for line in lines.values():
            for row in line:
                sources.setdefault(_source(row), {})[row.id] = row
        picked: set[str] = set()
        outcomes: set[bool] = set()
        for source, rows in sources.items():
            found = {out for row in rows.values() if (out := self._outcome(row)) is not None}
            if len(found) == 1 and found != self._outcomes(source):
                picked |= rows.keys()
                outcomes |= found
        if not picked:
            return None
        how: Picked = "either" if len(outcomes) > 1 else "solved" if True in outcomes else "failed"
        whole = all(any(row.id in picked for row in line) for line in lines.values())
        return Choice(how, frozenset(picked), whole)

    def alike(self, sessions: Sequence[Seen]) -> bool:
        """Whether these sessions, an arm's, came out alike and others of the arm did not."""
        rows = [seen.row for seen in sessions]
        found = {out for row in rows if (out := self._outcome(row)) is not None}
        return len(found) == 1 and found != self._outcomes(_source(rows[0]))

    def _before(self, row: SessionRow) -> list[SessionRow]:
        """What a session replays, and what that replays, and so on."""
        found: list[SessionRow] = []
        ids = {row.id}
        while row.parent is not None and row.parent not in ids and not self._is_planned(row):
            before = self._row(row.parent)
            if before is None:
                break
            found.append(before)
            ids.add(before.id)
            row = before
        return found

    def _is_planned(self, row: SessionRow) -> bool:
        if row.id not in self._told and row.cell not in self._planned:
            self._planned |= self._store.planned([row.cell])
        return row.cell in self._planned

    def _row(self, session: str) -> SessionRow | None:
        if session not in self._rows:
            try:
                seen = self._told.get(session)
                self._rows[session] = self._store.row(session) if seen is None else seen.row
            except InputError:  # it came from another store without what it replays
                self._rows[session] = None
        return self._rows[session]

    def _outcome(self, row: SessionRow) -> bool | None:
        seen = self._told.get(row.id)
        if seen is not None:
            return is_solved(seen.cell) if is_graded(seen.cell) else None
        return row.solved if row.graded else None

    def _outcomes(self, source: _Source) -> set[bool]:
        """How the graded sessions of an arm came out, told here or not."""
        if source not in self._came_out:
            found = self._store.outcomes(*source)
            for seen in self._told.values():
                row = seen.row
                if _source(row) == source and is_graded(seen.cell):
                    found.add(is_solved(seen.cell))
            self._came_out[source] = found
        return self._came_out[source]


def _source(row: SessionRow) -> _Source:
    return row.condition, row.arm, row.arm_name
