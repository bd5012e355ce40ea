"""Which of the selected sessions are told: what an operator is still at is not.

A page says what a case was and how it came out. So an operated session that is not over is left
out, and every session of a case that is being operated: it may be another attempt at it, or a
replay that shows what it is about.
"""

from __future__ import annotations

from msgspec import Struct

from ringback.episode.events import Start
from ringback.episode.participants import OPERATOR
from ringback.errors import InputError
from ringback.overview.model import Held
from ringback.sessions import Selection, SessionRow, Store

__all__ = ["Chosen", "called", "choose"]


class Chosen(Struct, frozen=True):
    """The selected sessions: those that are told, which of them were replaced, those left out.

    `replaced` are the ids of attempts that a later one of their cell followed.
    """

    rows: tuple[SessionRow, ...]
    replaced: frozenset[str]
    operated: tuple[Held, ...]
    others: int

    @property
    def selected(self) -> int:
        """How many sessions fit the selection."""
        return len(self.rows) + len(self.operated) + self.others


def choose(store: Store, selection: Selection) -> Chosen:
    """The sessions that a selection asks for, oldest first.

    Raises `InputError` where there is none.
    """
    rows = list(store.rows(selection))
    if not rows:
        raise InputError(
            f"Nothing is recorded in {store.path} yet, so there is nothing to report; `ringback "
            "run` records sessions, and `ringback import` reads others'."
        )
    playing = _playing(store)
    told: list[SessionRow] = []
    operated: list[Held] = []
    others = 0
    for row in rows:
        here = () if row.task is None else playing.get((row.domain, row.task), ())
        if _by_hand(row) and row.ending is None:
            operated.append(Held(row.id, "it is not over"))
        elif not here:
            told.append(row)
        elif _by_hand(row):
            why = f"its case is being played by hand in session {here[0]}, which is not over"
            operated.append(Held(row.id, why))
        else:
            others += 1
    latest = store.latest(row.cell for row in told)
    replaced = frozenset(row.id for row in told if latest[row.cell].id != row.id)
    return Chosen(tuple(told), replaced, tuple(operated), others)


def called(start: Start) -> str:
    """The name of a session's arm; of an operator's, who are all one agent, that of the operator.

    An arm that was given a name of its own keeps it.
    """
    agent = start.arm.agent
    name = agent.settings.get("as")
    operated = agent.name == start.arm_name == OPERATOR
    return name if operated and isinstance(name, str) and name else start.arm_name


def _by_hand(row: SessionRow) -> bool:
    return row.agent == OPERATOR and row.origin is None


def _playing(store: Store) -> dict[tuple[str, str], tuple[str, ...]]:
    """The open operated sessions of each case, by domain and task, whether selected or not."""
    words = {"agent": OPERATOR, "ending": "none"}
    found: dict[tuple[str, str], tuple[str, ...]] = {}
    try:
        for row in store.rows(Selection(filters=words, text="agent=operator ending=none")):
            if _by_hand(row) and row.task is not None:
                place = (row.domain, row.task)
                found[place] = (*found.get(place, ()), row.id)
    except InputError:  # there is none
        pass
    return found
