"""0006: when the store first saw a text that agents are given, such as a rule in a prompt.

A copy of the table as it was then: it never changes, whatever `schema` becomes.
"""

from __future__ import annotations

import sqlalchemy as sa

__all__ = ["up"]

_metadata = sa.MetaData()

_texts = sa.Table(
    "texts",
    _metadata,
    sa.Column("digest", sa.Text, primary_key=True),
    sa.Column("seen_at", sa.Float, nullable=False),
)


def up(connection: sa.Connection) -> None:
    """Create the table; what was seen before is not known to it."""
    _metadata.create_all(connection, checkfirst=False)
