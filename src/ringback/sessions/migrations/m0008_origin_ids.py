"""0008: the id that another program gave to a session, so that it can be found by it.

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
_NOTE = sa.text("UPDATE sessions SET origin_id = :id WHERE number = :number")


def up(connection: sa.Connection) -> None:
    """Note the id of each; a start that cannot be read leaves it unknown."""
    connection.execute(sa.text("ALTER TABLE sessions ADD COLUMN origin_id TEXT"))
    after = 0
    while found := connection.execute(_STARTS, {"after": after, "many": _MANY}).all():
        after = found[-1][0]
        known = [
            {"number": number, "id": name}
            for number, body, coding in found
            if (name := _id(body, coding)) is not None
        ]
        if known:
            connection.execute(_NOTE, known)


def _id(body: bytes, coding: int) -> str | None:
    try:
        name = json.loads(unpack(coding, body))["origin"]["id"]
    except (ValueError, TypeError, LookupError, RecursionError):
        return None
    return name if isinstance(name, str) else None
