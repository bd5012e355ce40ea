"""The server over HTTP: who is let in, several clients at once, and how it ends."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import signal
import socket
import time
from pathlib import Path

import anyio
import pytest

from ringback.testing import ChaosServer, scripted
from ringback.web.mcp.stdio import LONGEST
from tests.cli.conftest import Cli, refused
from tests.web.mcp.clients import Http, in_loop, over_http, served, text
from tests.web.mcp.pipes import slow_customer

TOKEN = "RINGBACK_MCP_TOKEN"
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "raw", "version": "1"},
    },
}


def asked(
    server: Http,
    *,
    method: str = "POST",
    path: str = "/mcp",
    body: bytes | None = None,
    **headers: str,
) -> tuple[int, str, dict[str, str]]:
    """One request as it is said here, and nothing added but its length; status, body, headers."""
    given = {
        "Host": f"127.0.0.1:{server.port}",
        "Authorization": f"Bearer {server.token}",
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    try:
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        content = json.dumps(HELLO).encode() if body is None else body
        for name, value in given.items():
            if value:
                connection.putheader(name, value)
        connection.putheader("Content-Length", str(len(content)))
        connection.endheaders(content)
        answer = connection.getresponse()
        return answer.status, answer.read().decode(), {k.lower(): v for k, v in answer.getheaders()}
    finally:
        connection.close()


def test_only_who_has_the_token_and_comes_by_our_name_is_let_in(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        status, body, headers = asked(server)
        assert (status, headers["x-content-type-options"]) == (200, "nosniff")
        assert "No clock runs while you think" in body
        for wrong in ("", "Bearer", "Bearer x", f"Basic {server.token}", f"Bearer {server.token}x"):
            status, body, headers = asked(server, Authorization=wrong)
            assert (status, headers["www-authenticate"]) == (401, "Bearer"), wrong
        port = server.port
        for name in (
            "",
            "evil.example",
            f"evil.example:{port}",
            "127.0.0.1",
            f"127.0.0.1:{port + 1}",
        ):
            assert asked(server, Host=name)[0] in (400, 421), name
        assert asked(server, Host=f"localhost:{port}")[0] == 200
        for origin in ("http://evil.example", "null", f"http://127.0.0.1:{port + 1}"):
            assert asked(server, Origin=origin)[0] == 403, origin
        assert asked(server, Origin=f"http://127.0.0.1:{port}")[0] == 200
        assert asked(server, Sec_Fetch_Site="cross-site")[0] == 403
        for path in (
            "/",
            "/mcp/x",
            "/open/" + server.token,
            "/.well-known/oauth-protected-resource",
        ):
            assert asked(server, method="GET", path=path)[0] in (404, 405), path
        assert (
            asked(server, method="OPTIONS", Authorization="", Origin="http://evil.example")[0]
            == 403
        )
        assert asked(server, body=b" " * (LONGEST + 1))[0] == 413
        assert asked(server, body=b"hello")[0] == 400
        assert asked(server, Content_Type="text/plain")[0] == 400
        assert asked(server, Mcp_Session_Id="0" * 32)[0] == 404
    assert server.errors == []
    assert server.token not in (tmp_path / "s.db").read_bytes().decode("latin-1")


def test_what_is_no_text_is_refused_or_made_text(tmp_path: Path) -> None:
    envelope: dict[str, object] = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    with served(tmp_path, "--case", "2") as server:

        def call(name: str, arguments: object) -> tuple[int, dict[str, object]]:
            body: dict[str, object] = {
                "jsonrpc": "2.0",
                "id": 1,
                "method": "tools/call",
                "params": {"name": name, "arguments": arguments, "_meta": envelope},
            }
            headers = {
                "MCP_Protocol_Version": "2026-07-28",
                "Mcp_Method": "tools/call",
                "Mcp_Name": name,
            }
            status, told, _ = asked(server, body=json.dumps(body).encode(), **headers)
            return status, json.loads(told)

        status, answer = call("start", {})
        assert status == 200, answer
        status, answer = call("say", {"text": "half \ud800 a pair"})
        assert status in (200, 400), answer
        status, answer = call("get_details_by_id", {"id": "\ud800"})
        assert status in (200, 400), answer
        deep: list[object] = []
        for _ in range(700):
            deep = [deep]
        for odd in (float("nan"), 10**40, deep):
            status, answer = call("get_details_by_id", {"id": odd})
            assert status in (200, 400), answer
            assert "went wrong inside" not in json.dumps(answer)
        status, answer = call("get_details_by_id", "L1001")
        assert status == 200
        assert answer["result"]["isError"]  # type: ignore[index]
        status, answer = call("look", {"part": "conversation"})
        assert status == 200
    assert server.errors == []


@in_loop
async def test_two_clients_work_two_episodes_side_by_side(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        async with over_http(server) as one, over_http(server, mode="legacy") as other:
            sessions: list[str] = []
            for client in (one, other):
                began = await client.call_tool("start")
                assert began.structured_content is not None
                sessions.append(began.structured_content["session"])
            hello = {"text": "Which number is it about?"}
            assert "say which with the argument session" in text(await one.call_tool("say", hello))
            answers = await asyncio.gather(
                *(
                    client.call_tool("say", {**hello, "session": session})
                    for client, session in zip((one, other), sessions, strict=True)
                )
            )
    got = [each.structured_content["session"] for each in answers if each.structured_content]
    assert got == sessions


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@in_loop
async def test_a_slow_customer_is_told_of_and_waited_for(
    tmp_path: Path, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    told: list[float] = []

    async def heard(progress: float, total: float | None, message: str | None) -> None:
        told.append(progress)

    says = "My internet is slow, can you help me?"
    with ChaosServer(scripted([says] * 5)) as model:
        customer = slow_customer(tmp_path, model)
        with served(tmp_path, "--case", "2", *customer) as server:
            async with over_http(server, mode=mode) as client:
                await client.call_tool("start")
                model.delay = 4.5
                hello = {"text": "Which number?"}
                answer = await client.call_tool("say", hello, progress_callback=heard)
                assert says in text(answer)
                assert told[:2] == [2.0, 4.0]
                with anyio.move_on_after(1):
                    await client.call_tool("say", hello)
                    pytest.fail("it cannot have been answered yet")
                waited = await client.call_tool("wait")
                assert says in text(waited)
                assert len(model.log) == 3
    assert server.errors == []


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
@in_loop
async def test_it_ends_within_a_second_with_streams_open(
    tmp_path: Path, how: signal.Signals
) -> None:
    with served(tmp_path, "--case", "2") as server:
        status, _, headers = asked(server)
        assert status == 200
        with socket.create_connection(("127.0.0.1", server.port)) as stream:
            stream.sendall(
                f"GET /mcp HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
                f"Authorization: Bearer {server.token}\r\nAccept: text/event-stream\r\n"
                f"Mcp-Session-Id: {headers['mcp-session-id']}\r\n\r\n".encode()
            )
            assert b"200 OK" in stream.recv(4096)
            server.process.send_signal(how)
            began = time.monotonic()
            code = await asyncio.to_thread(server.process.wait, 20)
            assert time.monotonic() - began < 1.0
    assert code == (130 if how is signal.SIGINT else 0)
    assert len(server.errors) == (1 if how is signal.SIGINT else 0), server.errors


def test_a_token_that_is_brought_along_is_used_and_not_printed(cli: Cli, tmp_path: Path) -> None:
    mine = "a-token-of-my-own-that-is-long-enough-0123456789"
    refused(cli("mcp", "--http", env={TOKEN: "short"}), TOKEN)
    refused(cli("mcp", "--http", env={TOKEN: "x" * 31 + " " + "x"}), TOKEN)
    os.environ[TOKEN] = mine
    try:
        with served(tmp_path) as server:
            assert server.token == mine
            assert asked(server)[0] == 200
    finally:
        del os.environ[TOKEN]


def test_where_it_cannot_listen_is_one_sentence(cli: Cli) -> None:
    refused(cli("mcp", "--http", "--host", "0.0.0.0"), "--i-know-others-can-reach-it")
    refused(cli("mcp", "--http", "--host", "example.org"), "no address")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        refused(cli("mcp", "--http", "--port", port), f"Port {port}", "taken")
