"""0001: sessions, their events and grades, and which study asked for which cell.

A copy of the tables as they were then: it never changes, whatever `schema` becomes.
"""

from __future__ import annotations

import sqlalchemy as sa

__all__ = ["up"]

_metadata = sa.MetaData()


sa.Table(
    "sessions",
    _metadata,
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("id", sa.Text, nullable=False, unique=True),
    sa.Column("cell", sa.Text, nullable=False),
    sa.Column("attempt", sa.Integer, nullable=False),
    sa.Column("condition", sa.Text, nullable=False),
    sa.Column("arm", sa.Text, nullable=False),
    sa.Column("arm_name", sa.Text, nullable=False),
    sa.Column("domain", sa.Text, nullable=False),
    sa.Column("task", sa.Text, nullable=False),
    sa.Column("family", sa.Text, nullable=False),
    sa.Column("trial", sa.Integer, nullable=False),
    sa.Column("seed", sa.BigInteger, nullable=False),
    sa.Column("agent", sa.Text, nullable=False),
    sa.Column("user", sa.Text, nullable=False),
    sa.Column("parent", sa.Text),
    sa.Column("created_at", sa.Float),
    sa.Column("ending", sa.Text),
    sa.Column("steps", sa.Integer),
    sa.Column("errors", sa.Integer),
    sa.Column("seconds", sa.Float),
    sa.Column("finished_at", sa.Float),
    sa.Column("grader", sa.Text),
    sa.Column("owner", sa.Text),
    sa.Column("lease_until", sa.Float),
    sa.UniqueConstraint("cell", "attempt"),
)

sa.Table(
    "events",
    _metadata,
    sa.Column(
        "session",
        sa.Integer,
        sa.ForeignKey("sessions.number"),
        primary_key=True,
        autoincrement=False,
    ),
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("body", sa.LargeBinary, nullable=False),
)

sa.Table(
    "grades",
    _metadata,
    sa.Column(
        "session",
        sa.Integer,
        sa.ForeignKey("sessions.number"),
        primary_key=True,
        autoincrement=False,
    ),
    sa.Column("grader", sa.Text, primary_key=True),
    sa.Column("reward", sa.Float),
    sa.Column("solved", sa.Boolean),
    sa.Column("graded", sa.Boolean, nullable=False),
    sa.Column("body", sa.LargeBinary, nullable=False),
    sa.Column("graded_at", sa.Float, nullable=False),
)

sa.Table(
    "memberships",
    _metadata,
    sa.Column("cell", sa.Text, primary_key=True),
    sa.Column("study", sa.Text, primary_key=True),
    sa.Column("arm_name", sa.Text, primary_key=True),
    sa.Index("memberships_by_study", "study", "arm_name", "cell"),
)


def up(connection: sa.Connection) -> None:
    """Create the first tables."""
    _metadata.create_all(connection, checkfirst=False)
