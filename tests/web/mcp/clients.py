"""Real clients of the SDK against the installed program, with every byte written down."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import sys
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterable
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, TextContent

from tests import warm
from tests.cli.conftest import PROGRAM, environment
from tests.record.reenacted import Command
from tests.warm import Program

P = ParamSpec("P")

TEE = str(Path(__file__).with_name("tee.py"))

__all__ = ["Http", "Wire", "drive", "in_loop", "over_http", "over_stdio", "served", "text"]


def in_loop(test: Callable[P, Awaitable[None]]) -> Callable[P, None]:
    """A test that is a coroutine, run in an event loop of its own."""

    @wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        async def whole() -> None:
            async with asyncio.timeout(120):
                await test(*args, **kwargs)

        asyncio.run(whole())

    return run


class Wire:
    """What was written down of a conversation between a client and the server."""

    def __init__(self, log: Path) -> None:
        self._log = log

    def __getitem__(self, end: str) -> bytes:
        """What went ``in`` to the server, came ``out`` of it, or on its ``err``."""
        path = self._log.with_name(f"{self._log.name}.{end}")
        return path.read_bytes() if path.exists() else b""

    @property
    def all(self) -> str:
        """Every byte that the server let out, as text."""
        return (self["out"] + self["err"]).decode()


@contextlib.asynccontextmanager
async def over_stdio(
    folder: Path, *arguments: str, mode: str = "auto"
) -> AsyncGenerator[tuple[Client, Wire]]:
    """A client of ``ringback mcp`` with these arguments, in a process of its own."""
    log = folder / "wire"
    store = ("--store", str(folder / "s.db"))
    server = StdioServerParameters(
        command=sys.executable, args=[TEE, str(log), PROGRAM, "mcp", *store, *arguments]
    )
    async with Client(server, mode=mode) as client:
        yield client, Wire(log)


class Http:
    """A server over HTTP: where it is, its token, and its process."""

    def __init__(self, url: str, token: str, process: Program, errors: list[str]) -> None:
        self.url, self.token, self.process, self.errors = url, token, process, errors

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2].partition("/")[0])


@contextlib.contextmanager
def served(folder: Path, *arguments: str) -> Generator[Http]:
    """``ringback mcp --http`` on a free port, until the end of the block."""
    store = str(folder / "s.db")
    command = ("mcp", "--http", "--port", "0", "--json", "--store", store, *arguments)
    process = warm.start(*command, cwd=folder, env=environment())
    errors: list[str] = []
    heard = threading.Thread(target=errors.extend, args=(process.stderr,), daemon=True)
    heard.start()
    try:
        printed = ""
        for line in process.stdout:
            printed += line
            if line.startswith("}"):
                break
        assert printed, errors
        said = json.loads(printed)
        yield Http(said["url"], said["token"], process, errors)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=20)
        heard.join(timeout=5)
        for stream in (process.stdin, process.stdout, process.stderr):
            stream.close()


@contextlib.asynccontextmanager
async def over_http(
    server: Http, log: Path | None = None, *, mode: str = "auto"
) -> AsyncGenerator[Client]:
    """A client of that server. What goes over its connections is added to `log`, if given."""
    async with contextlib.AsyncExitStack() as stack:
        url = server.url
        if log is not None:
            port = await stack.enter_async_context(_recorded(server.port, log))
            url = url.replace(str(server.port), str(port))
        headers = {"Authorization": f"Bearer {server.token}", "Host": f"127.0.0.1:{server.port}"}
        http = await stack.enter_async_context(httpx2.AsyncClient(headers=headers, timeout=60))
        transport = streamable_http_client(url, http_client=http)
        yield await stack.enter_async_context(Client(transport, mode=mode))


@contextlib.asynccontextmanager
async def _recorded(port: int, log: Path) -> AsyncGenerator[int]:
    """A port that leads to that one, with all that passes written down."""
    under_way: set[asyncio.Task[None]] = set()

    async def copy(source: asyncio.StreamReader, to: asyncio.StreamWriter, end: str) -> None:
        file = log.with_name(f"{log.name}.{end}")
        with file.open("ab") as kept, contextlib.suppress(ConnectionError):
            while chunk := await source.read(65536):
                kept.write(chunk)
                to.write(chunk)
                await to.drain()
        to.close()

    async def joined(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", port)
        try:
            await asyncio.gather(copy(reader, back, "in"), copy(there, writer, "out"))
        finally:
            for each in (back, writer):
                each.close()
                with contextlib.suppress(ConnectionError):
                    await each.wait_closed()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        under_way.add(asyncio.create_task(joined(reader, writer)))

    listener = await asyncio.start_server(connected, "127.0.0.1", 0)
    try:
        yield listener.sockets[0].getsockname()[1]
    finally:
        listener.close()
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)


async def drive(client: Client, commands: Iterable[Command], **more: Any) -> CallToolResult:
    """Begin the case and give the commands of an operator, one after the other; the last answer."""
    answer = await client.call_tool("start")
    assert not answer.is_error, text(answer)
    for command in commands:
        if command[0] == "say":
            answer = await client.call_tool("say", {"text": command[1], **more})
        else:
            assert len(command) == 3
            answer = await client.call_tool(command[1], {**command[2], **more})
    return answer


def text(answer: CallToolResult) -> str:
    """The words of an answer."""
    return "\n".join(part.text for part in answer.content if isinstance(part, TextContent))
