"""The store's layout: reached by numbered steps, whole or not at all, and not SQLite's alone."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa
from msgspec.structs import replace
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateIndex, CreateTable

from ringback.errors import StoreError
from ringback.sessions import Store, parse_selection, queries, schema
from ringback.sessions.migrations import MIGRATIONS, Migration, m0008_origin_ids, m0009_origin_files
from ringback.sessions.sqlite import Database
from tests.sessions.made import ended
from tests.sessions.test_imported import ORIGIN, add, recording


def layout(engine: sa.Engine) -> dict[str, object]:
    """Everything an inspector can tell of a database's tables."""
    inspector = sa.inspect(engine)
    return {
        name: (
            [(c["name"], str(c["type"]), c["nullable"]) for c in inspector.get_columns(name)],
            inspector.get_pk_constraint(name)["constrained_columns"],
            sorted(
                (f["constrained_columns"], f["referred_table"], f["referred_columns"])
                for f in inspector.get_foreign_keys(name)
            ),
            sorted(u["column_names"] for u in inspector.get_unique_constraints(name)),
            sorted((i["name"] or "", i["column_names"]) for i in inspector.get_indexes(name)),
        )
        for name in inspector.get_table_names()
    }


def test_all_steps_lead_to_the_tables_of_today(path: Path, tmp_path: Path) -> None:
    Store.open(path).close()
    migrated = sa.create_engine(f"sqlite:///{path}")
    declared = sa.create_engine(f"sqlite:///{tmp_path / 'declared.db'}")
    schema.metadata.create_all(declared)
    assert layout(migrated) == layout(declared)
    migrated.dispose()
    declared.dispose()


def test_steps_are_numbered_from_one_without_gaps() -> None:
    assert [step.number for step in MIGRATIONS] == list(range(1, len(MIGRATIONS) + 1))


def test_a_step_is_applied_once_and_leaves_its_mark(path: Path) -> None:
    for _ in range(2):
        Store.open(path).close()
    engine = sa.create_engine(f"sqlite:///{path}")
    with engine.connect() as connection:
        marks = connection.execute(sa.select(schema.migrations)).all()
    engine.dispose()
    assert [(mark.number, mark.name) for mark in marks] == [(s.number, s.name) for s in MIGRATIONS]


def _add(connection: sa.Connection) -> None:
    connection.execute(sa.text("ALTER TABLE sessions ADD COLUMN mood TEXT"))


def _fail(connection: sa.Connection) -> None:
    _add(connection)
    connection.execute(sa.text("INSERT INTO nowhere VALUES (1)"))


@pytest.mark.parametrize("write", [True, False])
def test_an_older_store_is_brought_up_to_date_whoever_opens_it(path: Path, write: bool) -> None:
    with Store.open(path) as store:
        session = ended(store).start.session
    before = columns(path)
    later = (*MIGRATIONS, Migration(MIGRATIONS[-1].number + 1, "mood", _add))
    Database(path, write=write, steps=later).close()
    assert columns(path) == [*before, "mood"]
    Database(path, write=write, steps=later).close()
    with closing(sqlite3.connect(path)) as raw, raw:
        assert raw.execute("SELECT id, mood FROM sessions").fetchall() == [(session, None)]
    raw.close()
    with pytest.raises(StoreError, match="newer Ringback"):
        Store.open(path)


def test_what_an_older_store_knew_of_a_session_is_known_afterwards(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Database(path, create=True, steps=MIGRATIONS[:2]).close()
    with closing(sqlite3.connect(path)) as raw, raw:
        values = (
            "0a",
            "cell",
            0,
            "c",
            "a",
            "arm",
            "lamp",
            "dark",
            "lamp",
            4,
            2**40,
            "who",
            "caller",
        )
        raw.execute(
            "INSERT INTO sessions (id, cell, attempt, condition, arm, arm_name, domain, task,"
            f" family, trial, seed, agent, user) VALUES ({', '.join('?' * len(values))})",
            values,
        )
        raw.execute("INSERT INTO events (session, seq, kind, body) VALUES (1, 0, 'start', x'00')")
    raw.close()
    with Store.open(path) as store:
        row = store.row("0a")
    assert (row.task, row.family, row.trial, row.seed) == ("dark", "lamp", 4, 2**40)
    assert row.origin is None


def test_the_ids_of_recordings_that_are_there_are_read_from_them(path: Path) -> None:
    with Store.open(path) as store:
        ended(store)
        for digest, name in (("d1", "theirs-1"), ("d2", None), ("d3", "x" * 900)):
            origin = replace(ORIGIN, digest=digest, id=name)
            add(store, recording(origin), origin)
        wanted = [(row.id, row.origin_id) for row in store.rows()]
    engine = sa.create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        connection.execute(sa.text("ALTER TABLE sessions DROP COLUMN origin_id"))
        connection.execute(sa.text("UPDATE events SET body = x'00' WHERE seq = 0 AND session = 2"))
        m0008_origin_ids.up(connection)
    engine.dispose()
    with Store.open(path, write=False) as store:
        found = [(row.id, row.origin_id) for row in store.rows()]
    assert [name for _, name in wanted] == [None, "theirs-1", None, "x" * 900]
    assert found == [wanted[0], (wanted[1][0], None), *wanted[2:]]


def test_the_files_of_recordings_that_are_there_are_read_from_them(path: Path) -> None:
    with Store.open(path) as store:
        ended(store)
        for digest, name in (("d1", "a.json"), ("d2", "run/b.json"), ("d3", "c.json")):
            origin = replace(ORIGIN, digest=digest, source=name)
            add(store, recording(origin), origin)
    engine = sa.create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        connection.execute(sa.text("ALTER TABLE sessions DROP COLUMN origin_file"))
        connection.execute(sa.text("UPDATE events SET body = x'00' WHERE seq = 0 AND session = 2"))
        m0009_origin_files.up(connection)
    engine.dispose()
    with Store.open(path, write=False) as store:
        assert [row.origin_file for row in store.rows()] == [None, None, "run/b.json", "c.json"]


def test_a_step_that_fails_leaves_the_store_as_it_was(path: Path) -> None:
    with Store.open(path) as store:
        session = ended(store).start.session
    before = columns(path)
    later = (*MIGRATIONS, Migration(MIGRATIONS[-1].number + 1, "mood", _fail))
    with pytest.raises(StoreError, match="cannot be used: no such table: nowhere"):
        Database(path, steps=later)
    assert columns(path) == before
    with Store.open(path) as store:
        assert len(store.events(session)) == 5


def columns(path: Path) -> list[str]:
    raw = sqlite3.connect(path)
    names = [row[1] for row in raw.execute("PRAGMA table_info(sessions)")]
    raw.close()
    return names


def test_tables_and_statements_are_postgresqls_too() -> None:
    dialect = postgresql.dialect()
    for table in schema.metadata.sorted_tables:
        assert str(CreateTable(table).compile(dialect=dialect))
        for index in table.indexes:
            assert str(CreateIndex(index).compile(dialect=dialect))
    words = ["study=a", "arm=b", "task=c", "ending=none", "solved=unknown"]
    statements = [getattr(queries, name) for name in queries.__all__]
    statements = [item for item in statements if isinstance(item, sa.sql.ClauseElement)]
    assert len(statements) > 10
    statements.append(queries.page(parse_selection(words), ("0a",), newest=True, counting=True))
    for statement in statements:
        assert str(statement.compile(dialect=dialect))
