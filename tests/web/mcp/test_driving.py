"""A real client of the SDK works whole episodes: over stdio and over HTTP, old protocol and new."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcp.types import CallToolResult

from ringback.episode.events import Turn
from ringback.sessions import Store
from tests.record.reenacted import CALLS
from tests.web.mcp.clients import drive, in_loop, over_http, over_stdio, served, text


def solved(answer: CallToolResult, tier: str) -> str:
    """The episode's id, if it ended with reward 1.0 as the re-enacted one does."""
    assert answer.structured_content is not None, text(answer)
    over = answer.structured_content["over"]
    assert (over["ending"], over["grade"]["reward"]) == ("user_stop", 1.0)
    assert over["task"] == CALLS[tier].task
    assert "Reward 1.0: solved." in text(answer)
    return answer.structured_content["session"]


def host(tier: str) -> tuple[str, ...]:
    return ("--case", CALLS[tier].task, "--seed", str(CALLS[tier].seed), "--as", "Ada")


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@in_loop
async def test_the_easy_episode_over_stdio(tmp_path: Path, mode: str) -> None:
    async with over_stdio(tmp_path, *host("easy"), mode=mode) as (client, wire):
        session = solved(await drive(client, CALLS["easy"].commands), "easy")
    assert wire["err"] == b""
    assert all(line.startswith(b'{"jsonrpc"') for line in wire["out"].splitlines())
    with Store.open(tmp_path / "s.db", write=False) as store:
        turns = [event for event in store.events(session) if isinstance(event, Turn)]
        own = [turn for turn in turns if turn.by == "agent"]
    assert {(turn.rule, turn.seconds) for turn in own} == {("mcp", None)}
    assert len(own) == len(CALLS["easy"].commands)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@in_loop
async def test_the_medium_episode_over_http(tmp_path: Path, mode: str) -> None:
    with served(tmp_path, *host("medium")) as server:
        async with over_http(server, mode=mode) as client:
            solved(await drive(client, CALLS["medium"].commands), "medium")
    assert server.process.returncode == 0
    assert server.errors == []
