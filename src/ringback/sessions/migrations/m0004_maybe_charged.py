"""0004: how many failed tries a side's model calls had that may have been charged for.

What was recorded before did not say it of its tries, so it counts none.
"""

from __future__ import annotations

import sqlalchemy as sa

__all__ = ["up"]


def up(connection: sa.Connection) -> None:
    """Add the count, 0 for what is there."""
    connection.execute(
        sa.text("ALTER TABLE spending ADD COLUMN maybe_charged INTEGER DEFAULT 0 NOT NULL")
    )
