"""The one place that knows SQLite: opening a file, locking it, and saying what went wrong.

Everything else in this package is SQLAlchemy Core that PostgreSQL would take as well.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import TypeVar, TypeVarTuple

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError
from sqlalchemy.pool import StaticPool

from ringback.errors import StoreError
from ringback.sessions.migrations import MIGRATIONS, Migration, migrate, version

__all__ = ["APPLICATION_ID", "Database", "Locked"]

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

APPLICATION_ID = 0x52425331  # "RBS1"
_MAGIC = b"SQLite format 3\x00"
_NAP = 0.1  # seconds SQLite waits for a lock by itself; between naps we can be told to hurry


class Locked(StoreError):  # noqa: N818 - what it is
    """Another process has held the file's lock for as many seconds as we were ready to wait."""

    def __init__(self, path: Path, seconds: float) -> None:
        super().__init__(
            f"The session store {path} has been locked by another process for {seconds:g} s; wait "
            "until that one is done, or name another file with --store."
        )


class Database:
    """One connection to a store's file, and the transactions on it.

    `create` makes the file and its folder where there is none; `write` False opens it for reading
    alone; `paid` lets commits wait for the disk; `patience` is how many seconds to wait for
    another process's lock; `steps` are the migrations it knows. Raises `StoreError`.
    """

    def __init__(
        self,
        path: Path,
        *,
        create: bool = False,
        write: bool = True,
        paid: bool = False,
        patience: float = 30.0,
        steps: Sequence[Migration] = MIGRATIONS,
    ) -> None:
        self.path = path
        self._steps = steps
        self._latest = steps[-1].number
        self.patience = patience
        self._paid = paid
        self._waits = paid
        self._hurried = False
        self._kept_out: float | None = None
        self._napping = _NAP
        self._file: tuple[int, int] | None = None
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._connection: sa.Connection | None = None
        with self._explained():
            try:
                if write:
                    self._open_to_write(create=create)
                else:
                    self._open_to_read()
            except BaseException:
                self.close()
                raise

    def close(self) -> None:
        """Close the connection; the last one to close tidies the file."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(DBAPIError):
                connection.close()
            connection.engine.dispose()

    @contextlib.contextmanager
    def writing(self, *, paid: bool = True) -> Generator[sa.Connection]:
        """A transaction that holds the write lock from its first moment; all of it or nothing.

        Of a database opened as `paid` it waits for the disk, unless what it writes is not.
        `sqlalchemy.exc.IntegrityError` is the caller's to read; all else becomes `StoreError`.
        """
        connection = self._open
        with self._lock, self._explained():
            try:
                if self._waits != (self._paid and paid):
                    self._waits = self._paid and paid
                    self._synchronous()
                self._begin(connection)
                yield connection
                # Not connection.commit, which can be tried only once.
                self._patiently(lambda: connection.exec_driver_sql("COMMIT"))
                connection.commit()
            except BaseException:
                with contextlib.suppress(DBAPIError):
                    connection.rollback()
                raise

    def hurry(self) -> None:
        """Wait for locks no more, not even now: for a program that is asked to stop.

        May be called from a signal handler.
        """
        self._hurried = True

    @property
    def hurried(self) -> bool:
        """Whether it was asked to wait no more."""
        return self._hurried

    def read(self, statement: sa.Select[*Ts], **values: object) -> list[sa.Row[*Ts]]:
        """All rows of a query, outside any transaction."""
        connection = self._open

        def fetch() -> list[sa.Row[*Ts]]:
            try:
                return list(connection.execute(statement, values).all())
            finally:
                connection.rollback()

        with self._lock, self._explained():
            return self._patiently(fetch)

    @property
    def _open(self) -> sa.Connection:
        if self._connection is None:
            raise ValueError(f"the store {self.path} is closed")
        if self._process != os.getpid():
            raise ValueError("a store cannot be used across a fork; open it again in the child")
        return self._connection

    def _open_to_write(self, *, create: bool) -> None:
        self._look(create=create)
        if create:
            self.path.parent.mkdir(exist_ok=True, parents=True)
        self._connect("mode=rwc" if create else "mode=rw")
        self._file = self._which_file()
        self._pragma("foreign_keys = ON")
        self._synchronous()
        if self._version() < self._latest:
            # A new file gets its tables under SQLite's rollback journal, before WAL: so our mark
            # is in the file itself, and a process killed here leaves an empty file or a store.
            with self.writing() as connection:
                if self._version() < self._latest:
                    connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
                    migrate(connection, self._steps)
        self._patiently(lambda: self._pragma("journal_mode = WAL"))
        self._try_to_write()

    def _synchronous(self) -> None:
        self._pragma(f"synchronous = {'FULL' if self._waits else 'NORMAL'}")

    def _try_to_write(self) -> None:
        """So that a file that cannot be written says so now, not at the first turn."""
        connection = self._open
        self._begin(connection)
        try:
            connection.exec_driver_sql("PRAGMA user_version = 0")
        finally:
            connection.rollback()

    def _open_to_read(self) -> None:
        self._look(create=False)
        self._connect("mode=ro")
        try:
            found = self._version()
        except DBAPIError as problem:
            if not _keeps_no_index(problem):
                raise
            self._open_immutable()
            found = self._version()
        if found == 0:
            raise StoreError(f"The session store at {self.path} is empty; run something first.")
        if found < self._latest:
            self.close()
            Database(self.path, patience=self.patience, steps=self._steps).close()
            self._connect("mode=ro")

    def _open_immutable(self) -> None:
        """Where nothing can be written, SQLite cannot keep its index of the log: do without it."""
        log = self.path.with_name(self.path.name + "-wal")
        if log.exists() and log.stat().st_size:
            raise StoreError(
                f"{self.path} has unmerged turns in {log.name}, and nothing can be written there; "
                "copy both files to a folder that can be written, and name the copy with --store."
            )
        self.close()
        self._connect("mode=ro&immutable=1")

    def _look(self, *, create: bool) -> None:
        if self.path.is_dir():
            raise StoreError(f"{self.path} is a folder; the store must be a file.")
        if not create and not self.path.exists():
            raise StoreError(
                f"There is no session store at {self.path}; run something first, or say where it "
                "is with --store or RINGBACK_STORE."
            )

        journal = self.path.with_name(self.path.name + "-journal")
        if self.path.exists() and not journal.exists():
            # SQLite takes a file of a few bytes for an empty one, and would write over it.
            with self.path.open("rb") as file:
                head = file.read(len(_MAGIC))
            if head and head != _MAGIC:
                raise StoreError(self._not_a_store())

    def _not_a_store(self) -> str:
        return (
            f"{self.path} is not a session store but some other file; name another file with "
            "--store or RINGBACK_STORE."
        )

    def _connect(self, how: str) -> None:
        uri = f"{self.path.absolute().as_uri()}?{how}"

        def connect() -> sqlite3.Connection:
            return sqlite3.connect(
                uri, uri=True, timeout=_NAP, isolation_level=None, check_same_thread=False
            )

        engine = sa.create_engine("sqlite://", creator=connect, poolclass=StaticPool)
        self._connection = engine.connect()

    def _version(self) -> int:
        """The store's version, 0 for an empty file; raises for what is not ours to touch."""
        connection = self._open
        # Tables before mark: another process may be making the store at this moment.
        tables = self._patiently(
            lambda: connection.exec_driver_sql("SELECT count(*) FROM sqlite_master").scalar()
        )
        mark = self._patiently(lambda: self._pragma("application_id"))
        if mark != APPLICATION_ID:
            if mark or tables:
                raise StoreError(
                    f"{self.path} is another program's database, not a session store; name another "
                    "file with --store or RINGBACK_STORE."
                )
            return 0
        found = version(connection)
        if found > self._latest:
            raise StoreError(
                f"{self.path} was written by a newer Ringback (its layout is {found}, this one "
                f"knows up to {self._latest}); upgrade Ringback, or name another file with --store."
            )
        return found

    def _pragma(self, pragma: str) -> object:
        connection = self._open
        driver = connection.connection.driver_connection
        assert isinstance(driver, sqlite3.Connection)
        outside = not driver.in_transaction
        try:
            result = connection.exec_driver_sql(f"PRAGMA {pragma}")
            return result.scalar() if result.returns_rows else None
        finally:
            if outside:
                connection.rollback()

    def _which_file(self) -> tuple[int, int] | None:
        try:
            found = self.path.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def _begin(self, connection: sa.Connection) -> None:
        """Take the write lock.

        Patience is counted from when we were first kept out of it: where many ask in turn, as
        episodes side by side do, the wait does not add up.
        """
        if self._file is not None and self._which_file() != self._file:
            raise StoreError(
                f"The session store {self.path} was moved, deleted or replaced while it was in "
                "use; put it back if you can, and start again."
            )
        if self._kept_out is None:
            self._kept_out = time.monotonic()
        elif self._out_of_patience(self._kept_out):
            self._nap(0)
        try:
            self._patiently(
                lambda: connection.exec_driver_sql("BEGIN IMMEDIATE"), since=self._kept_out
            )
        except OperationalError as problem:
            if _code(problem) not in _BUSY:
                self._kept_out = None
            raise
        self._nap(_NAP)
        self._kept_out = None

    def _patiently(self, action: Callable[[], T], since: float | None = None) -> T:
        """Do it, again and again while another process holds the lock, up to our patience."""
        since = time.monotonic() if since is None else since
        while True:
            try:
                return action()
            except OperationalError as problem:
                if _code(problem) not in _BUSY or self._out_of_patience(since):
                    raise
                time.sleep(_NAP / 10)

    def _out_of_patience(self, since: float) -> bool:
        return self._hurried or time.monotonic() >= since + self.patience

    def _nap(self, seconds: float) -> None:
        """How long SQLite waits for a lock by itself from now on."""
        if seconds != self._napping:
            self._pragma(f"busy_timeout = {int(seconds * 1000)}")
            self._napping = seconds

    @contextlib.contextmanager
    def _explained(self) -> Generator[None]:
        try:
            yield
        except IntegrityError:
            raise
        except DBAPIError as problem:
            if _code(problem) in _BUSY:
                raise Locked(self.path, self.patience) from problem
            raise StoreError(self._sentence(problem)) from problem
        except OSError as problem:
            why = problem.strerror or str(problem)
            raise StoreError(f"The session store {self.path} cannot be opened: {why}.") from problem
        except UnicodeEncodeError as problem:
            raise StoreError(
                "A name with half a surrogate pair, which is no text, cannot be in a store; "
                "use another."
            ) from problem
        except OverflowError as problem:
            raise StoreError(
                "A number over 64 bits cannot be stored; use a smaller one."
            ) from problem

    def _sentence(self, problem: DBAPIError) -> str:
        store = f"The session store {self.path}"
        match _code(problem):
            case sqlite3.SQLITE_FULL:
                return (
                    f"{store} cannot grow, the disk is full; make room and start again: "
                    "every turn before this one is kept."
                )
            case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
                return (
                    f"{store} cannot be written, the file or its folder is read-only; name another "
                    "file with --store or RINGBACK_STORE."
                )
            case sqlite3.SQLITE_CANTOPEN:
                return f"{store} cannot be opened; look at the rights of the file and its folder."
            case sqlite3.SQLITE_NOTADB:
                return self._not_a_store()
            case sqlite3.SQLITE_CORRUPT:
                return (
                    f"{store} is damaged ({problem.orig}); keep a copy, and get back what can be "
                    'read with: sqlite3 FILE ".recover" | sqlite3 NEW_FILE.'
                )
            case sqlite3.SQLITE_IOERR:
                return (
                    f"{store} could not be read or written ({problem.orig}); look for room and "
                    "health of its disk and start again: every turn before this one is kept."
                )
            case _:
                return f"{store} cannot be used: {problem.orig}."


_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _keeps_no_index(problem: DBAPIError) -> bool:
    """Whether a log's index cannot be made: in a read-only folder, or on a full disk.

    Then no other process has one either, so that nobody is writing.
    """
    full = (sqlite3.SQLITE_IOERR_SHMOPEN, sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_IOERR_SHMMAP)
    if getattr(problem.orig, "sqlite_errorcode", None) in full:
        return True
    return _code(problem) in (
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_FULL,
    )


def _code(problem: DBAPIError) -> int | None:
    """SQLite's primary error code."""
    code = getattr(problem.orig, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF
