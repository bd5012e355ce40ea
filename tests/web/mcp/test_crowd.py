"""More clients over HTTP than there is room for, none of which says that it is gone."""

from __future__ import annotations

from pathlib import Path

import httpx2

from ringback.operating import Desk
from ringback.sessions import Store
from ringback.web.mcp.crowd import Crowd
from ringback.web.mcp.door import Door
from ringback.web.mcp.host import Host
from ringback.web.mcp.server import server
from tests.web.mcp.clients import in_loop
from tests.web.mcp.test_http import HELLO

HEADERS = {"Accept": "application/json, text/event-stream"}
PING = {"jsonrpc": "2.0", "id": 2, "method": "ping"}


@in_loop
async def test_a_new_client_takes_the_place_of_the_longest_idle_one(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store:
        made = server(Door(Desk(store), Host()), Host())
        app = made.streamable_http_app(max_sessions=3, json_response=True)
        transport = httpx2.ASGITransport(Crowd(app, 3))
        there = "http://127.0.0.1:8719/mcp"
        async with (
            made.session_manager.run(),
            httpx2.AsyncClient(transport=transport, headers=HEADERS) as client,
        ):

            async def comes() -> str:
                answer = await client.post(there, json=HELLO)
                assert answer.status_code == 200, answer.text
                return answer.headers["mcp-session-id"]

            async def known(session: str) -> bool:
                told = await client.post(there, json=PING, headers={"mcp-session-id": session})
                assert told.status_code in (200, 404)
                return told.status_code == 200

            one, two, three = [await comes() for _ in range(3)]
            assert await known(one)
            four = await comes()
            assert [await known(each) for each in (one, two, three, four)] == [
                True,
                False,
                True,
                True,
            ]
            gone = await client.delete(there, headers={"mcp-session-id": three})
            assert gone.status_code == 200
            five = await comes()
            assert [await known(each) for each in (one, four, five)] == [True] * 3
            many = [await comes() for _ in range(10)]
            assert await known(many[-1])
