"""Which sessions a record tells, and which belong to the same case.

A case is a task and a seed with one operator. Its attempts are all operated sessions at that task
and seed in the store, under whatever operator's name and with whatever customer they were made and
however they ended; of another agent's call those of its arm too. Other sessions at them are known
by their agents. A session that is named (by its id or as the latest) is told itself. Of a case that
other words select, the first of the selected attempts that came to an outcome is told, so that
nobody picks the best; where none did, the last.

What is played by an operator is not told while it is open: a record says what they may not see.
Nor is any other call of that task meanwhile, unless it is named and of somebody who has none open.
"""

from __future__ import annotations

import shlex
from typing import TypeAlias

from msgspec import Struct

from ringback.episode.events import UNPLAYED, Start
from ringback.episode.participants import OPERATOR
from ringback.record.told import operator_name
from ringback.report.plain import one_line
from ringback.sessions import Selection, SessionRow, Store, Unreadable, default_path

__all__ = ["Chosen", "LeftOut", "choose"]

_Key: TypeAlias = tuple[object, ...]


class Chosen(Struct, frozen=True):
    """A session to tell, with all attempts at its case, itself included, in their order.

    `others` are the sessions of other agents at the same task and seed.
    """

    row: SessionRow
    attempts: tuple[SessionRow, ...]
    others: tuple[SessionRow, ...]


class LeftOut(Struct, frozen=True):
    """A selected session that is not told, and why."""

    session: str
    why: str


def choose(store: Store, selection: Selection) -> tuple[list[Chosen], list[LeftOut]]:
    """The sessions to tell, oldest first, and those left out.

    A selection of nothing in particular is that of all operated sessions. Raises
    `ringback.errors.InputError` if nothing that is asked for is there.
    """
    words = selection
    if selection.everything:
        words = Selection(filters={"agent": OPERATOR}, text="agent=operator")
    named = bool(selection.ids) or selection.latest
    cases = _Cases(store)
    left: list[LeftOut] = []
    chosen: list[Chosen] = []
    groups: dict[_Key, list[SessionRow]] = {}
    for row in store.rows(words):
        why = cases.closed(row, named=named)
        if why is not None:
            left.append(LeftOut(row.id, why))
        elif named and row.ending is None:
            left.append(LeftOut(row.id, "it is not over"))
        elif named:
            chosen.append(cases.chosen(row))
        else:
            groups.setdefault(cases.key(row), []).append(row)
    for rows in groups.values():
        over = [row for row in rows if row.ending is not None]
        if not over:
            left += [LeftOut(row.id, "it is not over") for row in rows]
            continue
        first = next((row for row in over if row.ending not in UNPLAYED), over[-1])
        chosen.append(cases.chosen(first))
    return chosen, left


class _Cases:
    """Cases by their keys. What was looked up once is kept."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._of_task: dict[tuple[str, str], tuple[SessionRow, ...]] = {}
        self._operators: dict[str, str] = {}

    def key(self, row: SessionRow) -> _Key:
        """What the attempts at a case have in common."""
        return (row.domain, row.task, row.seed, *self._who(row))

    def chosen(self, row: SessionRow) -> Chosen:
        """A session to tell, with all at its task and seed, the first begun first."""
        place, own = (row.task, row.seed), self.key(row)
        there = [each for each in self._all(row) if (each.task, each.seed) == place]
        attempts = [each for each in there if each.agent == OPERATOR or self.key(each) == own]
        ids = {each.id for each in attempts}
        return Chosen(row, tuple(attempts), tuple(each for each in there if each.id not in ids))

    def closed(self, row: SessionRow, *, named: bool) -> str | None:
        """Why a session cannot be told at all, None where it can."""
        if row.task is None:
            return "its task is not known"
        playing = [each for each in self._all(row) if _is_open(each)]
        if row.ending is not None and named:
            playing = [each for each in playing if self._who(each) == self._who(row)]
        if not playing:
            return None
        held = row if row in playing else playing[0]
        which = "it" if held is row else f"session {held.id}, of the same task,"
        name = one_line(self._who(held)[1], 60)
        if not name:
            return (
                f"{which} is open and cannot be read, so nobody can say whose it is: give it up "
                f"with {self._abandon(held)}"
            )
        own = any(self._who(each) == self._who(row) for each in playing)
        byname = "" if own or row.ending is None else "; named by its id it is told all the same"
        return (
            f"{which} is still being operated by {name}: bring it to its end, or give it up with "
            f"{self._abandon(held)}{byname}"
        )

    def _abandon(self, row: SessionRow) -> str:
        """The command that gives a session up, with its store where that is not the usual one."""
        path = self._store.path
        usual = path.absolute() == default_path().absolute()
        named = "" if usual else f" --store {shlex.quote(str(path))}"
        return f"`ringback operate abandon --session {row.id}{named}`"

    def _all(self, row: SessionRow) -> tuple[SessionRow, ...]:
        """Every session of a session's task."""
        assert row.task is not None
        place = (row.domain, row.task)
        if place not in self._of_task:
            words = Selection(filters={"task": row.task}, text=f"task={row.task}")
            rows = self._store.rows(words)
            self._of_task[place] = tuple(each for each in rows if each.domain == row.domain)
        return self._of_task[place]

    def _who(self, row: SessionRow) -> tuple[str, ...]:
        """Whose session it is: of an operator by the name, of another agent by its arm."""
        if row.agent != OPERATOR:
            return (row.agent, row.arm_name, row.arm)
        if row.id not in self._operators:
            self._operators[row.id] = self._called(row)
        return (OPERATOR, self._operators[row.id])

    def _called(self, row: SessionRow) -> str:
        try:
            start = self._store.events(row.id)[0]
        except Unreadable:
            return ""
        return operator_name(start) if isinstance(start, Start) else ""


def _is_open(row: SessionRow) -> bool:
    return row.agent == OPERATOR and row.ending is None
