"""The server as a program at the other end of two pipes, spoken to byte by byte."""

from __future__ import annotations

import contextlib
import json
import queue
import threading
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

from ringback.testing import ChaosServer
from tests import warm
from tests.cli.conftest import environment
from tests.warm import Program

__all__ = ["Pipe", "piped", "slow_customer"]


class Pipe:
    """One process of ``ringback mcp``, and what it says."""

    def __init__(self, process: Program) -> None:
        self.process = process
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._last = 0
        self.out = b""
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        for line in self.process.stdout.buffer:
            self.out += line
            self._lines.put(line)

    def send(self, line: bytes) -> None:
        self.process.stdin.buffer.write(line + b"\n")
        self.process.stdin.buffer.flush()

    def next(self, seconds: float = 30) -> dict[str, Any]:
        """The next message of the server's."""
        return json.loads(self._lines.get(timeout=seconds))

    def begin(self, method: str, params: dict[str, Any]) -> int:
        """Send a request and do not wait; gives its id."""
        self._last += 1
        request = {"jsonrpc": "2.0", "id": self._last, "method": method, "params": params}
        self.send(json.dumps(request).encode())
        return self._last

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """A request's result, or its error."""
        number = self.begin(method, params)
        while (message := self.next()).get("id") != number:
            pass
        return message.get("result") or message["error"]

    def call(self, name: str, arguments: Any = None) -> dict[str, Any]:
        """What a tool answers."""
        given = {} if arguments is None else {"arguments": arguments}
        return self.ask("tools/call", {"name": name, **given})

    def shake_hands(self) -> dict[str, Any]:
        """The handshake; the server's side of it."""
        client = {"name": "test", "version": "1"}
        asked = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        found = self.ask("initialize", asked)
        self.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
        return found

    def ended(self) -> tuple[int, float, str]:
        """The exit code, the seconds until it came, and stderr."""
        began = time.monotonic()
        code = self.process.wait(timeout=30)
        took = time.monotonic() - began
        return code, took, self.process.stderr.read()


@contextlib.contextmanager
def piped(folder: Path, *arguments: str, cold: bool = False) -> Generator[Pipe]:
    """The server over stdin and stdout, killed at the end of the block if it is there still."""
    command = ("mcp", "--store", str(folder / "s.db"), *arguments)
    env = environment(OPENAI_API_KEY="sk-test")
    process = warm.start(*command, cwd=folder, env=env, cold=cold)
    try:
        yield Pipe(process)
    finally:
        process.kill()
        process.wait(timeout=20)
        for stream in (process.stdin, process.stdout, process.stderr):
            with contextlib.suppress(OSError):
                stream.close()


def slow_customer(folder: Path, server: ChaosServer) -> tuple[str, ...]:
    """The arguments with which that server's model is the customer."""
    file = folder / "models.toml"
    file.write_text(f'[models.slow]\nmodel = "openai:chaos-1"\nbase_url = "{server.base_url}"\n')
    return ("--models-file", str(file), "--user", "slow", "--guard", "off")
