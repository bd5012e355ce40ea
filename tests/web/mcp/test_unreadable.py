"""One episode whose record cannot be read stands in the way of no other."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from ringback.operating import Desk
from ringback.sessions import Store
from ringback.web.mcp.door import Door
from ringback.web.mcp.host import Host
from tests.web.mcp.clients import in_loop
from tests.web.mcp.test_calls import client_of, refused, seen


def broken(path: Path, session: str) -> None:
    """Spoil an episode's second event, as a disk may."""
    raw = sqlite3.connect(path)
    with raw:
        changed = raw.execute(
            "update events set body = x'7b7d', coding = 0 where session = "
            "(select number from sessions where id = ?) and seq = 1",
            (session,),
        ).rowcount
    raw.close()
    assert changed == 1


@in_loop
async def test_an_episode_that_cannot_be_read_is_not_among_those_that_are_open(
    tmp_path: Path,
) -> None:
    path = tmp_path / "s.db"
    with Store.open(path) as store:
        async with client_of(store) as client:
            lost = seen(await client.call_tool("start", {"case": 2}))["session"]
            whole = seen(await client.call_tool("start", {"case": 3}))["session"]
    broken(path, lost)
    with Store.open(path) as store:
        assert [each.session for each in Desk(store).open_episodes()] == [lost, whole]
        assert Door(Desk(store), Host()).open_episodes() == [whole]
        async with client_of(store) as client:
            assert seen(await client.call_tool("say", {"text": "Hello?"}))["session"] == whole
            assert seen(await client.call_tool("look"))["stands"]["session"] == whole
            assert seen(await client.call_tool("end"))["over"] is not None
            assert await refused(client, "say", {"text": "Hm?"}) == (
                "No episode of yours is open; start begins one."
            )
