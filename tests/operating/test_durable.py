"""What an operator did waits for the disk, so that a power cut does not take it either."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event

from ringback.operating import Desk
from ringback.sessions import Store


@pytest.fixture
def modes() -> Iterator[list[str]]:
    """SQLite's ``synchronous`` at each write of events: FULL waits for the disk."""
    found: list[str] = []
    now = [""]

    def hear(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if statement.startswith("PRAGMA synchronous"):
            now[0] = statement.rpartition(" ")[2]
        elif statement.startswith("INSERT INTO events"):
            found.append(now[0])

    event.listen(Engine, "before_cursor_execute", hear)
    yield found
    event.remove(Engine, "before_cursor_execute", hear)


def test_a_turn_of_the_operator_waits_for_the_disk(tmp_path: Path, modes: list[str]) -> None:
    with Store.open(tmp_path / "calls.db", paid=True) as store:
        desk = Desk(store)
        began = asyncio.run(desk.start("2"))
        assert modes == ["FULL", "NORMAL"]  # its beginning, and what the rules say
        modes.clear()
        asyncio.run(desk.say(began.session, "Which phone number is it about?"))
        assert modes == ["FULL", "NORMAL"]
        modes.clear()
        asyncio.run(desk.call(began.session, [("get_details_by_id", {"id": "L1002"})]))
        assert modes == ["FULL"]
        modes.clear()
        asyncio.run(desk.abandon(began.session))
        assert modes == ["FULL"]
