"""The store: sessions recorded as they happen, one transaction a turn."""

from __future__ import annotations

import contextlib
import os
import time
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Self, TypeVar

import msgspec
import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy.exc import IntegrityError

from ringback.canonical import digest
from ringback.domain import Side
from ringback.episode.events import AnyEvent, End, Ending, ModelCall, Start, Turn, encode
from ringback.episode.protocol import BEGINNING, Position, ProtocolError, advance
from ringback.errors import InputError, StoreError
from ringback.sessions import lease, queries
from ringback.sessions.calls import Spent, named_contents, spent
from ringback.sessions.packing import pack
from ringback.sessions.probes import Probe, noted
from ringback.sessions.reading import Reader, Unreadable
from ringback.sessions.sqlite import Database

__all__ = ["DEFAULT_PATH", "Conflict", "Store", "default_path"]

T = TypeVar("T")

DEFAULT_PATH = Path(".ringback") / "ringback.db"
_JOINED = 30_000  # cells of a study noted in one transaction


def default_path() -> Path:
    """Where the store is when nobody says: RINGBACK_STORE if set, else `DEFAULT_PATH`."""
    return Path(os.environ.get("RINGBACK_STORE") or DEFAULT_PATH)


class Conflict(StoreError):  # noqa: N818 - the word is the error
    """Another process went on with the session: what was to be appended stands in its way."""


class _Live(Struct):
    """A session that this store plays: its number, and where it stands (None: to be read)."""

    number: int
    position: Position | None
    renewed: float
    mine: bool


class Store(Reader):
    """Recorded sessions in one file. Open it with `Store.open`; one for each process.

    All methods are plain calls that return when the work is done, raise `StoreError` when the
    file does not allow it and `InputError` for a session that is not there. What a method writes
    is one transaction: all of it is kept, or nothing.
    """

    def __init__(self, database: Database, *, write: bool) -> None:
        super().__init__(database)
        self._write = write
        self._live: dict[str, _Live] = {}
        self._kept: set[str] = set()  # digests of contents that are there
        self._me = lease.mark()

    @classmethod
    def open(
        cls,
        path: Path | str,
        *,
        create: bool = True,
        write: bool = True,
        paid: bool = False,
        patience: float = 30.0,
    ) -> Self:
        """Open the store at `path`, bringing an older one up to date.

        `create`: make the file and its folder where there is none. `write` False: read alone,
        which a read-only file allows too; nothing is then created. `paid`: replies cost money, so
        wait for the disk when one is recorded (what is made of it can be made again). `patience`:
        seconds to wait for other processes' locks. Raises `StoreError` for a file that is not a
        store, is from a newer version, or cannot be opened.
        """
        database = Database(Path(path), create=create, write=write, paid=paid, patience=patience)
        return cls(database, write=write)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the sessions being played, and close the file."""
        if self._write and (mine := self._mine()):
            # A lease that cannot be let go of dies with this process.
            with contextlib.suppress(StoreError), self._database.writing() as connection:
                values = [{"which": live.number, "me": self._me} for live in mine]
                connection.execute(queries.RELEASE, values)
        self._live.clear()
        self._database.close()

    def hurry(self) -> None:
        """Wait for other processes' locks no more, not even now; what is locked fails at once.

        For a program that is asked to stop; may be called from a signal handler.
        """
        self._database.hurry()

    # --- writing a session

    def begin(
        self,
        start: Start,
        *,
        family: str | None,
        cell: str,
        condition: str,
        arm: str,
        since: int | None = None,
    ) -> bool:
        """Record the start of an attempt at a cell and take its lease.

        `cell`, `condition` and `arm` are the digests of `ringback.episode.identity`; `family` is
        the task's. Returns False, and records nothing, if that attempt has been begun before, by
        this process or another. Nor if one of the same agent has been begun after `since`, as
        `newest` gave it before the caller looked whether anything stands against this one.
        """
        values = _row(start, family=family, cell=cell, condition=condition, arm=arm)
        values |= {"owner": self._me, "lease_until": time.time() + lease.LEASE_SECONDS}
        position = advance(BEGINNING, start)
        try:
            with self._database.writing() as connection:
                if since is not None and _begun_since(connection, since, start.arm.agent.name):
                    return False
                number = _insert(connection, values)
                connection.execute(queries.NEW_EVENTS, [_stored(number, start)])
        except IntegrityError:
            if not self._is_there(start, cell):
                raise
            return False
        self._live[start.session] = _Live(number, position, time.monotonic(), mine=True)
        return True

    def add(
        self,
        events: Sequence[AnyEvent],
        *,
        family: str | None,
        cell: str,
        condition: str,
        arm: str,
        contents: Mapping[str, str] | None = None,
    ) -> bool:
        """Record a whole session at once, one that was played elsewhere.

        Where another program played it, the first event is a `Start` with an origin and `cell` is
        the second of `ringback.episode.identity.imported_ids`, which is in no plan. One of our own,
        from another store, has no origin; `cell` is then its own cell, and for every study it is
        as if it had been played here: the attempt is not played again, and one without an `End`,
        which comes without a lease, is gone on with by the next process that claims it. Without
        turns, the steps are unknown, and so is the time where another program noted none. Returns
        False if the session is there; nothing is recorded then but texts that its events name and
        that are missing. Raises as `append` does.
        """
        if not events or not isinstance(events[0], Start):
            raise ProtocolError("the first event is not a start")
        start, position = events[0], BEGINNING
        for event in events:
            position = advance(position, event)
        values = _row(start, family=family, cell=cell, condition=condition, arm=arm)
        if isinstance(end := events[-1], End):
            values |= _closing(position, end)
            turns = [event for event in events if isinstance(event, Turn)]
            if not turns:
                values |= {"steps": None, "errors": None}
            if not turns or (start.origin and all(turn.seconds is None for turn in turns)):
                values |= {"seconds": None}
        new = self._new(contents or {})
        if self._is_there(start, cell):
            self._mend(start.session, new)
            return False
        try:
            with self._database.writing() as connection:
                number = _insert(connection, values)
                connection.execute(queries.NEW_EVENTS, [_stored(number, event) for event in events])
                _keep(connection, new)
                for side, amount in spent(events).items():
                    _spend(connection, number, side, amount)
        except IntegrityError:  # another process has just added it
            if not self._is_there(start, cell):
                raise
            return False
        self._kept |= new.keys()
        return True

    def append(
        self,
        session: str,
        events: Sequence[AnyEvent],
        contents: Mapping[str, str] | None = None,
        *,
        wait: bool = False,
    ) -> None:
        """Record the next events of a session, all or none; an `End` closes it.

        `contents` are the texts that the events name by digest; what is there already is passed
        over. A store opened as `paid` waits for the disk where a model's call is among the events,
        and with `wait` in any case: for what nobody can make again. Raises
        `ringback.episode.protocol.ProtocolError` for events that cannot stand where the session is,
        `Conflict` if another process has recorded its next events already, and `ValueError` for a
        content that does not fit its digest.
        """
        if not events:
            return
        live = self._live.get(session) or self._take_up(session)
        position = live.position or self._position(session)
        if events[0].seq < position.seq:
            raise _conflict(session, events[0])
        end: End | None = None
        stored: list[dict[str, object]] = []
        for event in events:
            position = advance(position, event)
            stored.append(_stored(live.number, event))
            if isinstance(event, End):
                end = event
        new = self._new(contents or {})
        more = spent(events)
        paid = wait or any(isinstance(event, ModelCall) for event in events)
        live.position = None
        now = time.monotonic()
        stale = live.mine and now - live.renewed > lease.LEASE_SECONDS / 4
        try:
            with self._database.writing(paid=paid) as connection:
                connection.execute(queries.NEW_EVENTS, stored)
                _keep(connection, new)
                for side, amount in more.items():
                    _spend(connection, live.number, side, amount)
                if end is not None:
                    closing = _closing(position, end)
                    connection.execute(queries.CLOSE, {"which": live.number, **closing})
                elif stale:
                    connection.execute(queries.RENEW, [self._renewed(live)])
        except IntegrityError as problem:
            raise _conflict(session, events[0]) from problem
        live.position = position
        self._kept |= new.keys()
        if stale:
            live.renewed = now
        if end is not None:
            del self._live[session]

    def close_unread(self, session: str, ending: Ending) -> None:
        """Note a session as ended whose events cannot be read; they stay as they are, without it.

        How long it was stays unknown. One that has an ending keeps it.
        """
        number, *_ = self._holder(session)
        with self._database.writing() as connection:
            values = {"which": number, "how": ending, "at": time.time()}
            connection.execute(queries.CLOSE_UNREAD, values)
        self._live.pop(session, None)

    def claim(self, session: str) -> bool:
        """Take an unfinished session's lease, so as to go on with it.

        False if a process that lives is playing it, or if it is over. The lease of a process that
        died on this machine is taken over at once, another machine's when it has run out.
        """
        number, ending, owner, until = self._holder(session)
        now = time.time()
        if ending is not None:
            return False
        if owner != self._me and not lease.is_free(owner, until, now):
            return False
        with self._database.writing() as connection:
            taken = connection.execute(
                queries.CLAIM,
                {
                    "which": number,
                    "seen": owner,
                    "me": self._me,
                    "until": now + lease.LEASE_SECONDS,
                },
            ).rowcount
        if taken:
            self._live[session] = _Live(number, None, time.monotonic(), mine=True)
        return bool(taken)

    def release(self, session: str) -> None:
        """Let go of a session's lease, if it is ours; another process may then go on with it."""
        live = self._live.get(session)
        if live is not None and live.mine:
            with self._database.writing() as connection:
                connection.execute(queries.RELEASE, {"which": live.number, "me": self._me})
        self._live.pop(session, None)  # not before: what failed can be asked again

    def renew(self) -> None:
        """Renew the leases of all sessions being played here.

        Appending does it too. Worth a call every 20 seconds or so where a turn can take longer
        than two minutes and processes on other machines use the same store.
        """
        mine = self._mine()
        if not mine:
            return
        with self._database.writing() as connection:
            connection.execute(queries.RENEW, [self._renewed(live) for live in mine])
        now = time.monotonic()
        for live in mine:
            live.renewed = now

    def holder(self, session: str) -> str | None:
        """In words, the process that is playing this session; None if none is."""
        _, ending, owner, until = self._holder(session)
        if ending is not None or owner is None or lease.is_free(owner, until, time.time()):
            return None
        return lease.describe(owner)

    def join(self, study: str, arm_name: str, cells: Iterable[str]) -> None:
        """Note that a study's arm asks for these cells, begun or not; twice is as good as once.

        The study ``""`` is what was run outside any. Of very many cells, some are held and noted at
        a time.
        """
        left = iter(cells)
        while some := list(islice(left, _JOINED)):
            self._join(study, arm_name, some)

    def _join(self, study: str, arm_name: str, cells: Sequence[str]) -> None:
        wanted = dict.fromkeys(cells)
        for cell in self.joined(study, arm_name, cells):
            del wanted[cell]
        new = [{"study": study, "arm_name": arm_name, "cell": cell} for cell in wanted]
        if not new:
            return
        try:
            with self._database.writing() as connection:
                connection.execute(queries.NEW_MEMBERS, new)
        except IntegrityError:  # another process has just noted some of them
            self._join(study, arm_name, list(wanted))

    def save_grade(
        self,
        session: str,
        grade: Struct,
        *,
        version: str,
        reward: float | None,
        solved: bool | None,
        graded: bool,
    ) -> None:
        """Keep a grade; it takes the place of an older one of the same version.

        `version` names the grader. The grade saved last is the one that rows show.
        """
        number, *_ = self._holder(session)
        body = _bytes(msgspec.json.encode, grade, "the grade")
        with self._database.writing() as connection:
            which = {"which": number, "by": version}
            connection.execute(queries.FORGET_GRADE, which)
            connection.execute(
                queries.NEW_GRADE,
                {
                    "session": number,
                    "grader": version,
                    "reward": reward,
                    "solved": solved,
                    "graded": graded,
                    "body": body,
                    "graded_at": time.time(),
                },
            )
            connection.execute(queries.NOTE_GRADER, which)

    def note_probe(self, probe: Probe) -> None:
        """Keep what became of trying a model's credential."""
        noted(self._database, probe)

    # --- within

    def _new(self, contents: Mapping[str, str]) -> dict[str, bytes]:
        """Those of the contents that this store has not kept yet, as they are kept."""
        new: dict[str, bytes] = {}
        for name, text in contents.items():
            if name in self._kept:
                continue
            if digest(text) != name:
                raise ValueError(f"the content {name} has another digest")
            new[name] = zlib.compress(text.encode(), 6)
        return new

    def _mend(self, session: str, new: Mapping[str, bytes]) -> None:
        """Keep those of the contents that the session names and the store lacks."""
        if not new:
            return
        there = self._database.read(queries.CONTENTS, digests=list(new))
        lacking = new.keys() - {name for name, _ in there}
        if lacking:
            try:
                lacking &= named_contents(self.events(session))
            except (Unreadable, InputError):  # what is there is not the session that was given
                return
        if lacking:
            with self._database.writing() as connection:
                _keep(connection, {name: new[name] for name in lacking})
        self._kept |= new.keys() & (lacking | {name for name, _ in there})

    def _is_there(self, start: Start, cell: str) -> bool:
        return bool(
            self._database.read(
                queries.IS_THERE, id=start.session, cell=cell, attempt=start.attempt
            )
        )

    def _holder(self, session: str) -> tuple[int, str | None, str | None, float | None]:
        for number, ending, owner, until in self._database.read(queries.HOLDER, id=session):
            return number, ending, owner, until
        raise InputError(f"There is no session {session} in {self.path}.")

    def _take_up(self, session: str) -> _Live:
        number, *_ = self._holder(session)
        live = _Live(number, None, 0.0, mine=False)
        self._live[session] = live
        return live

    def _position(self, session: str) -> Position:
        position = BEGINNING
        for event in self.events(session):
            position = advance(position, event)
        return position

    def _renewed(self, live: _Live) -> dict[str, object]:
        until = time.time() + lease.LEASE_SECONDS
        return {"which": live.number, "me": self._me, "until": until}

    def _mine(self) -> list[_Live]:
        return [live for live in self._live.values() if live.mine]


def _row(
    start: Start, *, family: str | None, cell: str, condition: str, arm: str
) -> dict[str, object]:
    return {
        "id": start.session,
        "cell": cell,
        "attempt": start.attempt,
        "condition": condition,
        "arm": arm,
        "arm_name": start.arm_name,
        "domain": start.condition.domain,
        "task": start.draw.task,
        "family": family,
        "trial": start.draw.trial,
        "seed": start.draw.seed,
        "agent": start.arm.agent.name,
        "user": start.condition.user.name,
        "parent": start.parent,
        "origin": None if start.origin is None else start.origin.form,
        "origin_id": None if start.origin is None else start.origin.id,
        "origin_file": None if start.origin is None else start.origin.source,
        "created_at": start.at,
    }


def _closing(position: Position, end: End) -> dict[str, object]:
    return {
        "ending": end.ending,
        "steps": position.steps,
        "errors": position.errors,
        "seconds": position.seconds,
        "finished_at": end.at,
    }


def _begun_since(connection: sa.Connection, number: int, agent: str) -> bool:
    values = {"since": number, "agent": agent}
    return connection.execute(queries.BEGUN_SINCE, values).first() is not None


def _insert(connection: sa.Connection, values: Mapping[str, object]) -> int:
    key = connection.execute(queries.NEW_SESSION, values).inserted_primary_key
    assert key is not None
    return key[0]


def _conflict(session: str, event: AnyEvent) -> Conflict:
    return Conflict(
        f"Session {session} has an event {event.seq} already, another process went on with it; "
        "leave it to that one, or start again."
    )


def _stored(number: int, event: AnyEvent) -> dict[str, object]:
    kind = type(event).__struct_config__.tag
    coding, body = pack(_bytes(encode, event, f"event {event.seq}"))
    return {"session": number, "seq": event.seq, "kind": kind, "body": body, "coding": coding}


def _keep(connection: sa.Connection, new: Mapping[str, bytes]) -> None:
    """Keep contents that another process may have kept meanwhile; the write lock is held."""
    if not new:
        return
    there = {name for name, _ in connection.execute(queries.CONTENTS, {"digests": list(new)})}
    rows = [{"digest": name, "body": body} for name, body in new.items() if name not in there]
    if rows:
        connection.execute(queries.NEW_CONTENTS, rows)


def _spend(connection: sa.Connection, number: int, side: Side, more: Spent) -> None:
    amounts = msgspec.structs.asdict(more)
    values = {f"more_{name}": amount for name, amount in amounts.items()}
    done = connection.execute(queries.ADD_SPENDING, {"which": number, "of": side, **values})
    if not done.rowcount:
        connection.execute(queries.NEW_SPENDING, {"session": number, "side": side, **amounts})


def _bytes(encoder: Callable[[T], bytes], value: T, what: str) -> bytes:
    try:
        return encoder(value)
    except UnicodeEncodeError as problem:
        raise StoreError(
            f"Nothing was stored, because {what} holds half a surrogate pair, which is no text; "
            "clean it where it comes in."
        ) from problem
