"""0007: what became of trying a model's credential.

A copy of the table as it was then: it never changes, whatever `schema` becomes.
"""

from __future__ import annotations

import sqlalchemy as sa

__all__ = ["up"]

_metadata = sa.MetaData()

_probes = sa.Table(
    "probes",
    _metadata,
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("model", sa.Text, nullable=False),
    sa.Column("outcome", sa.Text, nullable=False),
    sa.Column("status", sa.Integer),
    sa.Column("words", sa.Text),
)


def up(connection: sa.Connection) -> None:
    """Create the table; what was tried before is not known to it."""
    _metadata.create_all(connection, checkfirst=False)
