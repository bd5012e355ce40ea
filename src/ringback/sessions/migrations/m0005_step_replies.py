"""0005: what models replied when recorded calls were sent to them again.

A copy of the tables as they were then: it never changes, whatever `schema` becomes.
"""

from __future__ import annotations

import sqlalchemy as sa

__all__ = ["up"]

_metadata = sa.MetaData()

sa.Table("sessions", _metadata, sa.Column("number", sa.Integer, primary_key=True))

_targets = sa.Table(
    "step_targets",
    _metadata,
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("digest", sa.Text, nullable=False, unique=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("identity", sa.LargeBinary, nullable=False),
    sa.Column("owner", sa.Text),
    sa.Column("lease_until", sa.Float),
)

_replies = sa.Table(
    "step_replies",
    _metadata,
    sa.Column(
        "session",
        sa.Integer,
        sa.ForeignKey("sessions.number"),
        primary_key=True,
        autoincrement=False,
    ),
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column(
        "target",
        sa.Integer,
        sa.ForeignKey("step_targets.number"),
        primary_key=True,
        autoincrement=False,
    ),
    sa.Column("request", sa.Text, primary_key=True),
    sa.Column("attempt", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("asked_at", sa.Float, nullable=False),
    sa.Column("body", sa.LargeBinary, nullable=False),
    sa.Column("coding", sa.Integer, nullable=False),
)


def up(connection: sa.Connection) -> None:
    """Add both tables; everything that was there stays as it is."""
    _metadata.create_all(connection, tables=[_targets, _replies], checkfirst=False)
