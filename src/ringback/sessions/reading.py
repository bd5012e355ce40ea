"""What one can ask a store: sessions, their events, grades, model calls and costs."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import TypeVar

import msgspec

from ringback.canonical import digest
from ringback.domain import Side
from ringback.episode.events import AnyEvent, ModelCall, Start
from ringback.episode.participants import OPERATOR
from ringback.errors import InputError, StoreError
from ringback.sessions import queries
from ringback.sessions.calls import Spent
from ringback.sessions.packing import ZLIB, unpack
from ringback.sessions.probes import Probe, read_probes
from ringback.sessions.rows import Member, SessionRow
from ringback.sessions.selection import Selection
from ringback.sessions.sqlite import Database
from ringback.sessions.stepchecks import Replies
from ringback.sessions.texts import Texts

__all__ = ["Reader", "Unreadable"]

G = TypeVar("G")

_CHUNK = 500  # cells asked for, or rows fetched, at a time
_MOST = 2**31 - 1
_decoder = msgspec.json.Decoder(list[AnyEvent])
_start_decoder = msgspec.json.Decoder(Start)
_call_decoder = msgspec.json.Decoder(ModelCall)


class Unreadable(StoreError):  # noqa: N818 - the word is the error
    """What is stored of a session is not a session's events, or a text that they name is gone."""


class Reader:
    """The asking half of a store.

    All methods raise `StoreError` when the file does not allow it, and `InputError` for a session
    that is not there.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    @property
    def path(self) -> Path:
        """The file."""
        return self._database.path

    @property
    def patience(self) -> float:
        """How many seconds it waits for another process's lock."""
        return self._database.patience

    @property
    def hurried(self) -> bool:
        """Whether it was asked to wait for no lock any more."""
        return self._database.hurried

    @contextlib.contextmanager
    def patient(self, seconds: float) -> Generator[None]:
        """Within it, wait this long for another process's lock; 0 asks once."""
        before = self._database.patience
        self._database.patience = seconds
        try:
            yield
        finally:
            self._database.patience = before

    @cached_property
    def step_checks(self) -> Replies:
        """What models replied to recorded calls that were sent again."""
        return Replies(self._database)

    @cached_property
    def texts(self) -> Texts:
        """When texts that agents are given were first seen."""
        return Texts(self._database)

    def events(self, session: str) -> list[AnyEvent]:
        """A session's events in order.

        Raises `Unreadable` if what is stored is not a session's events.
        """
        found = self._database.read(queries.BODIES, id=session)
        if not found:
            raise InputError(f"There is no session {session} in {self.path}.")
        try:
            bodies = [unpack(coding, body) for body, coding in found]
            events = _decoder.decode(b"[" + b",".join(bodies) + b"]")
        except (ValueError, TypeError) as problem:
            raise Unreadable(
                f"The events of session {session} in {self.path} cannot be read ({problem}); "
                "another version of Ringback or another program has written them: read them with "
                "that one."
            ) from problem
        for place, event in enumerate(events):
            if event.seq != place:
                raise Unreadable(
                    f"Event {place} of session {session} is missing in {self.path}, which no "
                    "Ringback leaves out; take the session from an older copy of the file."
                )
        return events

    def contents(self, digests: Iterable[str]) -> dict[str, str]:
        """The texts with these digests.

        Raises `Unreadable` for one that is not there or is not what its digest says.
        """
        asked = list(dict.fromkeys(digests))
        texts: dict[str, str] = {}
        for place in range(0, len(asked), _CHUNK):
            found = self._database.read(queries.CONTENTS, digests=asked[place : place + _CHUNK])
            for name, body in found:
                with contextlib.suppress(ValueError):
                    text = unpack(ZLIB, body).decode()
                    if digest(text) == name:
                        texts[name] = text
        for name in asked:
            if name not in texts:
                raise Unreadable(
                    f"The content {name} is missing or damaged in {self.path}; the file was "
                    "changed by something else."
                )
        return texts

    def spent(self, sessions: Iterable[str]) -> dict[str, dict[Side, Spent]]:
        """What the model calls of these sessions came to, by side.

        A side that asked no model is left out, and a session in which neither did.
        """
        asked = list(dict.fromkeys(sessions))
        found: dict[str, dict[Side, Spent]] = {}
        for place in range(0, len(asked), _CHUNK):
            for session, side, *amounts in self._database.read(
                queries.SPENT, ids=asked[place : place + _CHUNK]
            ):
                found.setdefault(session, {})[side] = Spent(*amounts)
        return found

    def model_calls(self, sessions: Iterable[str]) -> Iterator[tuple[str, ModelCall]]:
        """Every model call of these sessions with its session, a session's in order.

        Raises `StoreError` if one cannot be read.
        """
        asked = list(dict.fromkeys(sessions))
        for place in range(0, len(asked), _CHUNK):
            found = self._database.read(queries.MODEL_CALLS, ids=asked[place : place + _CHUNK])
            for session, body, coding in found:
                try:
                    yield session, _call_decoder.decode(unpack(coding, body))
                except ValueError as problem:
                    raise StoreError(
                        f"A model call of session {session} in {self.path} cannot be read "
                        f"({problem}); the file was changed by something else."
                    ) from problem

    def row(self, session: str) -> SessionRow:
        """The row of the session with this whole id."""
        for found in self._database.read(queries.OF_ID, id=session):
            return queries.row(found)
        raise InputError(f"There is no session {session} in {self.path}.")

    def newest(self) -> int:
        """The number of the session that was begun last; a later one has a greater. 0 for none."""
        return self._database.read(queries.NEWEST)[0][0]

    def latest(self, cells: Iterable[str]) -> dict[str, SessionRow]:
        """The attempt that counts, the last one, for each of these cells that has any."""
        asked = list(dict.fromkeys(cells))
        rows: dict[str, SessionRow] = {}
        for place in range(0, len(asked), _CHUNK):
            for found in self._database.read(queries.OF_CELLS, cells=asked[place : place + _CHUNK]):
                row = queries.row(found)
                rows[row.cell] = row
        return rows

    def joined(self, study: str, arm_name: str, cells: Iterable[str]) -> set[str]:
        """Those of these cells that a study's arm has asked for."""
        asked = list(dict.fromkeys(cells))
        found: set[str] = set()
        for place in range(0, len(asked), _CHUNK):
            some = asked[place : place + _CHUNK]
            rows = self._database.read(queries.OF_MEMBERS, study=study, arm=arm_name, cells=some)
            found.update(cell for (cell,) in rows)
        return found

    def planned(self, cells: Iterable[str]) -> set[str]:
        """Those of these cells that a study, one with a name, has asked for."""
        asked = list(dict.fromkeys(cells))
        found: set[str] = set()
        for place in range(0, len(asked), _CHUNK):
            rows = self._database.read(queries.PLANNED, cells=asked[place : place + _CHUNK])
            found.update(cell for (cell,) in rows)
        return found

    def outcomes(self, condition: str, arm: str, arm_name: str) -> set[bool]:
        """Whether the graded sessions of an arm under a condition were solved: what there is."""
        found = self._database.read(
            queries.OUTCOMES, of_condition=condition, of_arm=arm, called=arm_name
        )
        return {bool(solved) for (solved,) in found}

    def members(self, study: str, *, begun: bool = False) -> list[Member]:
        """Every cell that a study ever asked for, by arm; with `begun`, of those with a session."""
        which = queries.BEGUN_MEMBERS if begun else queries.MEMBERS
        return [Member(*found) for found in self._database.read(which, study=study)]

    def grade(self, session: str, kind: type[G], version: str | None = None) -> G | None:
        """A session's grade as `kind`: of this grader version, or the one saved last."""
        for (body,) in self._database.read(queries.GRADE, id=session, by=version):
            try:
                return msgspec.json.decode(body, type=kind)
            except (msgspec.DecodeError, UnicodeDecodeError, TypeError) as problem:
                raise StoreError(
                    f"The grade of session {session} in {self.path} cannot be read ({problem}); "
                    "another version of Ringback or another program has written it: use that one."
                ) from problem
        return None

    def grades(self, sessions: Iterable[str]) -> dict[str, bytes]:
        """The grades saved last of these sessions, each as the JSON it was saved as.

        A session without a grade, or that is not there, is left out.
        """
        asked = list(dict.fromkeys(sessions))
        bodies: dict[str, bytes] = {}
        for place in range(0, len(asked), _CHUNK):
            bodies.update(
                (session, body)
                for session, body in self._database.read(
                    queries.GRADES, ids=asked[place : place + _CHUNK]
                )
            )
        return bodies

    def rows(
        self,
        selection: Selection | None = None,
        *,
        newest: bool = False,
        limit: int | None = None,
        counting: bool = False,
    ) -> Iterator[SessionRow]:
        """The selected sessions with their grades, as they are asked for, oldest first.

        `newest` turns the order round, `limit` stops after so many, `counting` leaves out attempts
        that a later one replaced. Raises `InputError` at the first row if something was asked for
        and nothing is found, or if the beginning of an id fits several.
        """
        selection = selection or Selection()
        ids = self._resolve(selection) if selection.ids or selection.latest else None
        arms = self._arms(selection)
        query = queries.page(selection, ids, arms, newest=newest, counting=counting)
        left = _MOST if limit is None else limit
        after, seen = _MOST if newest else 0, False
        while left > 0:
            most = min(_CHUNK, left)
            found = self._database.read(query, after=after, most=most)
            for item in found:
                seen = True
                yield queries.row(item)
            if len(found) < most:
                break
            left -= most
            after = found[-1][-1]
        if not seen and left > 0 and not selection.everything:
            raise InputError(f"No session in {self.path} fits {selection.text!r}.")

    def values(self, key: str, most: int = 20) -> list[str]:
        """The values that a filter's key has in this store, in order; none for numbers."""
        if key == "as":
            return sorted(self._operators())[:most]
        query = queries.values(key)
        return [] if query is None else [one for (one,) in self._database.read(query, most=most)]

    def _resolve(self, selection: Selection) -> tuple[str, ...]:
        ids = [self._whole(prefix) for prefix in selection.ids]
        if selection.latest:
            arms = self._arms(selection)
            query = queries.page(selection, None, arms, newest=True, counting=False)
            newest = self._database.read(query, after=_MOST, most=1)
            ids.extend(queries.row(found).id for found in newest)
        return tuple(ids)

    def _arms(self, selection: Selection) -> list[str] | None:
        name = selection.filters.get("as")
        return None if name is None else self._operators().get(name, [])

    def _operators(self) -> dict[str, list[str]]:
        """The operators' names, each with the contents of their arms.

        A name is part of an arm's content, so one first event of each that can be read tells it.
        """
        found: dict[str, list[str]] = {}
        unread: set[int] = set()
        known: set[str] = set()
        while True:
            left = len(unread)
            for number, arm, body, coding in self._database.read(
                queries.FIRST_OF_ARMS, agent=OPERATOR, but=sorted(unread)
            ):
                try:
                    name = _start_decoder.decode(unpack(coding, body)).arm.agent.settings.get("as")
                except ValueError:
                    unread.add(number)
                    continue
                if isinstance(name, str) and arm not in known:
                    known.add(arm)
                    found.setdefault(name, []).append(arm)
            if len(unread) == left:
                return found

    def _whole(self, prefix: str) -> str:
        shown = 3
        found = self._database.read(
            queries.WITH_PREFIX, low=prefix, high=prefix + "g", most=shown + 1
        )
        ids: list[str] = [one for (one,) in found]
        if len(ids) == 1:
            return ids[0]
        if not ids:
            raise InputError(f"There is no session {prefix} in {self.path}.")
        names = ", ".join(ids[:shown]) + (" and more" if len(ids) > shown else "")
        raise InputError(f"The id {prefix} is the beginning of several: {names}; give more digits.")

    def probes(self) -> list[Probe]:
        """The credentials of models that were tried, oldest first, and what became of it."""
        return read_probes(self._database)
