"""0003: sessions that other programs recorded, whose task, trial or seed may be unknown.

SQLite cannot take NOT NULL from a column, so each is made anew beside the old one.
"""

from __future__ import annotations

import sqlalchemy as sa

__all__ = ["up"]

_MAYBE_UNKNOWN = {"task": "TEXT", "family": "TEXT", "trial": "INTEGER", "seed": "BIGINT"}


def up(connection: sa.Connection) -> None:
    """Let those columns be unknown and note where a session comes from."""
    for name, kind in _MAYBE_UNKNOWN.items():
        for step in (
            f"ALTER TABLE sessions ADD COLUMN known_{name} {kind}",
            f"UPDATE sessions SET known_{name} = {name}",
            f"ALTER TABLE sessions DROP COLUMN {name}",
            f"ALTER TABLE sessions RENAME COLUMN known_{name} TO {name}",
        ):
            connection.execute(sa.text(step))
    connection.execute(sa.text("ALTER TABLE sessions ADD COLUMN origin TEXT"))
