"""0002: texts that many sessions share, packed events, and what each side's model calls came to.

A copy of the tables as they were then: it never changes, whatever `schema` becomes.
"""

from __future__ import annotations

import sqlalchemy as sa

__all__ = ["up"]

_metadata = sa.MetaData()

sa.Table("sessions", _metadata, sa.Column("number", sa.Integer, primary_key=True))

_contents = sa.Table(
    "contents",
    _metadata,
    sa.Column("digest", sa.Text, primary_key=True),
    sa.Column("body", sa.LargeBinary, nullable=False),
)

_spending = sa.Table(
    "spending",
    _metadata,
    sa.Column(
        "session",
        sa.Integer,
        sa.ForeignKey("sessions.number"),
        primary_key=True,
        autoincrement=False,
    ),
    sa.Column("side", sa.Text, primary_key=True),
    sa.Column("calls", sa.Integer, nullable=False),
    sa.Column("unpriced", sa.Integer, nullable=False),
    sa.Column("usd", sa.Float, nullable=False),
    sa.Column("rejected", sa.Integer, nullable=False),
)


def up(connection: sa.Connection) -> None:
    """Add what model calls need; everything that was there stays as it is."""
    _metadata.create_all(connection, tables=[_contents, _spending], checkfirst=False)
    connection.execute(sa.text("ALTER TABLE events ADD COLUMN coding INTEGER DEFAULT 0 NOT NULL"))
