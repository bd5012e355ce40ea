"""0009: the file that an imported session was read from, so that it can be found by it.

It stands in the session's first event, from which it is read for the sessions that are there.
"""

from __future__ import annotations

import json

import sqlalchemy as sa

from ringback.sessions.packing import unpack

__all__ = ["up"]

_MANY = 500
_STARTS = sa.text(
    "SELECT sessions.number, events.body, events.coding FROM sessions "
    "JOIN events ON events.session = sessions.number AND events.seq = 0 "
    "WHERE sessions.origin IS NOT NULL AND sessions.number > :after "
    "ORDER BY sessions.number LIMIT :many"
)
_NOTE = sa.text("UPDATE sessions SET origin_file = :file WHERE number = :number")


def up(connection: sa.Connection) -> None:
    """Note the file of each; a start that cannot be read leaves it unknown."""
    connection.execute(sa.text("ALTER TABLE sessions ADD COLUMN origin_file TEXT"))
    after = 0
    while found := connection.execute(_STARTS, {"after": after, "many": _MANY}).all():
        after = found[-1][0]
        known = [
            {"number": number, "file": name}
            for number, body, coding in found
            if (name := _file(body, coding)) is not None
        ]
        if known:
            connection.execute(_NOTE, known)


def _file(body: bytes, coding: int) -> str | None:
    try:
        name = json.loads(unpack(coding, body))["origin"]["source"]
    except (ValueError, TypeError, LookupError, RecursionError):
        return None
    return name if isinstance(name, str) else None
