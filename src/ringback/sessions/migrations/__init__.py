"""The steps from one version of the store to the next: numbered, in order, each applied once."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import sqlalchemy as sa
from msgspec import Struct

import ringback
from ringback.sessions.migrations import (
    m0001_sessions,
    m0002_model_calls,
    m0003_origins,
    m0004_maybe_charged,
    m0005_step_replies,
    m0006_texts,
    m0007_probes,
    m0008_origin_ids,
    m0009_origin_files,
)
from ringback.sessions.schema import migrations as table

__all__ = ["MIGRATIONS", "Migration", "migrate", "version"]


class Migration(Struct, frozen=True):
    """One step: its number in the sequence from 1, a name, and what it does to the tables."""

    number: int
    name: str
    up: Callable[[sa.Connection], None]


MIGRATIONS: tuple[Migration, ...] = (
    Migration(1, "sessions", m0001_sessions.up),
    Migration(2, "model calls", m0002_model_calls.up),
    Migration(3, "origins", m0003_origins.up),
    Migration(4, "maybe charged", m0004_maybe_charged.up),
    Migration(5, "step replies", m0005_step_replies.up),
    Migration(6, "texts", m0006_texts.up),
    Migration(7, "probes", m0007_probes.up),
    Migration(8, "origin ids", m0008_origin_ids.up),
    Migration(9, "origin files", m0009_origin_files.up),
)


def version(connection: sa.Connection) -> int:
    """The number of the last step applied; 0 for an empty database."""
    if not sa.inspect(connection).has_table(table.name):
        return 0
    return connection.execute(sa.select(sa.func.max(table.c.number))).scalar() or 0


def migrate(connection: sa.Connection, steps: Sequence[Migration] = MIGRATIONS) -> int:
    """Apply the steps that are missing, inside the caller's transaction; returns the version.

    All or nothing: a step that raises leaves the caller to roll back to where the store was.
    """
    current = version(connection)
    if current == 0:
        table.create(connection, checkfirst=False)
    for step in steps:
        if step.number <= current:
            continue
        step.up(connection)
        connection.execute(
            sa.insert(table),
            {
                "number": step.number,
                "name": step.name,
                "applied_at": time.time(),
                "ringback": ringback.__version__,
            },
        )
        current = step.number
    return current
