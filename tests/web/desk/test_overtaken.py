"""A page that is behind although it looked up to date: another door went on meanwhile."""

from __future__ import annotations

import asyncio
import http.client
from pathlib import Path
from urllib.parse import urlencode

import httpx2
import pytest

from ringback.episode.events import Limits
from ringback.operating import Desk, Seen, Terms
from ringback.sessions import Store
from ringback.web.desk.app import DeskApp
from ringback.web.desk.opening import Opening
from tests.web.desk.serving import open_desk

OPENING = Opening(
    domain="telecom",
    split=None,
    case=None,
    seed=0,
    trial=0,
    user="rules",
    user_settings={},
    called="Ada",
    policy=None,
    limits=Limits(),
)
COMMANDS = ("say", "end", "transfer", "abandon", "wait")


class Overtaken(Desk):
    """One that another door is a moment ahead of: it says something before each command here."""

    def __init__(self, store: Store) -> None:
        super().__init__(store, door="browser")
        self._store_of_both = store

    async def _ahead(self, session: str) -> None:
        await Desk(self._store_of_both, door="shell").say(session, "Hello from a shell.")

    async def say(self, session: str, text: str, *, expect_step: int | None = None) -> Seen:
        await self._ahead(session)
        return await super().say(session, text, expect_step=expect_step)

    async def end(
        self, session: str, text: str | None = None, *, expect_step: int | None = None
    ) -> Seen:
        await self._ahead(session)
        return await super().end(session, text, expect_step=expect_step)

    async def transfer(
        self, session: str, summary: str | None = None, *, expect_step: int | None = None
    ) -> Seen:
        await self._ahead(session)
        return await super().transfer(session, summary, expect_step=expect_step)

    async def abandon(
        self, session: str, why: str | None = None, *, expect_step: int | None = None
    ) -> Seen:
        await self._ahead(session)
        return await super().abandon(session, why, expect_step=expect_step)

    async def wait(self, session: str, *, expect_step: int | None = None) -> Seen:
        if expect_step is not None:
            await self._ahead(session)
        return await super().wait(session, expect_step=expect_step)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_that_came_second_is_no_success(tmp_path: Path, command: str) -> None:
    async def whole(store: Store) -> None:
        desk = Overtaken(store)
        app = DeskApp(desk, store, OPENING, customer="rules").application()
        transport = httpx2.ASGITransport(app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://desk") as client:
            session = (await desk.start("2", Terms(called="Ada"))).session
            form = {"text": "What I wrote.", "expect_step": "1"}
            answer = await client.post(f"/e/{session}/{command}", data=form)
            assert answer.status_code == 409
            assert "This page was behind" in answer.text
            assert "what you wrote is still here" in answer.text
            assert "Hello from a shell." in answer.text
            assert "hx-refresh" not in answer.headers
            now = desk.look(session)
            assert now.stands.over is None
            assert not [each for each in now.conversation if each.text == "What I wrote."]

    with Store.open(tmp_path / "s.db", paid=True) as store:
        asyncio.run(whole(store))


@pytest.mark.parametrize("command", COMMANDS)
def test_a_form_that_comes_in_slowly_is_held_against_what_stands_when_it_is_there(
    tmp_path: Path, command: str
) -> None:
    with open_desk(tmp_path / "s.db") as desk, desk.client() as client:
        call = client.post("/start", data={"case": "2", "seed": "0", "trial": "0"}).headers[
            "location"
        ]
        body = urlencode({"text": "Too late.", "expect_step": "1"}).encode()
        slow = http.client.HTTPConnection(desk.place.removeprefix("http://"))
        slow.putrequest("POST", f"{call}/{command}")
        slow.putheader("Origin", desk.place)
        slow.putheader("Cookie", "; ".join(f"{k}={v}" for k, v in client.cookies.items()))
        slow.putheader("Content-Type", "application/x-www-form-urlencoded")
        slow.putheader("Content-Length", str(len(body)))
        slow.endheaders(body[:5])
        form = {"text": "In time.", "expect_step": "1"}
        assert client.get(call).status_code == 200  # the slow one's headers were read before
        assert client.post(f"{call}/say", data=form).status_code == 200
        slow.send(body[5:])
        answer = slow.getresponse()
        assert answer.status == 409
        assert "This page was behind" in answer.read().decode()
        slow.close()
        page = client.get(call).text
        assert "In time." in page
        assert "Too late." not in page
        assert 'id="say"' in page


def test_the_outcome_of_a_call_waits_for_another_of_its_case(tmp_path: Path) -> None:
    async def whole(store: Store) -> None:
        desk = Desk(store, door="browser")
        app = DeskApp(desk, store, OPENING, customer="rules").application()
        transport = httpx2.ASGITransport(app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://desk") as client:
            first = (await desk.start("2", Terms(called="Ada"))).session
            second = (await desk.start("2", Terms(called="Ada", trial=1))).session
            await desk.end(second)
            waiting = (await client.get(f"/e/{second}")).text
            assert f"episode <code>{first}</code>" in waiting
            assert "airplane_mode_on" not in waiting
            assert (await client.get(f"/e/{second}/transcript")).status_code == 404
            await desk.end(first)
            told = (await client.get(f"/e/{second}")).text
            assert "toggle_airplane_mode" in told

    with Store.open(tmp_path / "s.db", paid=True) as store:
        asyncio.run(whole(store))
