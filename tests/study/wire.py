"""The program against models on loopback, as people would run it, and the books of both sides."""

from __future__ import annotations

import itertools
import os
import signal
import time
from collections import Counter
from collections.abc import Awaitable, Generator
from contextlib import contextmanager
from inspect import isawaitable
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ringback.episode.events import ModelCall
from ringback.episode.wire import Usage
from ringback.sessions import SessionRow, Store, parse_selection
from ringback.testing import Brain, ChaosServer, ChatReply
from tests import warm
from tests.cli.conftest import environment
from tests.warm import Done, Program

KEY = "sesame-9f2c81d7"


_numbers = itertools.count(1_000_000)


def stamped(brain: Brain) -> Brain:
    """The brain, giving each reply a number of its own as its count of tokens."""

    async def stamping(request: dict[str, Any]) -> ChatReply:
        said: ChatReply | Awaitable[ChatReply] = brain(request)
        reply = await said if isawaitable(said) else said
        return replace(reply, usage=Usage(input=next(_numbers), output=7))

    return stamping


class Desk:
    """A folder with a store, a configuration that names the servers, and the program to run."""

    def __init__(self, folder: Path, **servers: ChaosServer) -> None:
        self.folder, self.servers = folder, servers
        self.configure()

    def configure(
        self, price: str = "{ input = 0.1, output = 1.0 }", more: str = "", **settings: float
    ) -> None:
        """Write the models down; `settings` go to each of them, and the lines of `more`."""
        given = {"timeout": 4.0, "max_retries": 4} | settings
        text = ", ".join(f"{name} = {value}" for name, value in given.items())
        config = self.folder / "ringback" / "models.toml"
        config.parent.mkdir(exist_ok=True)
        config.write_text(
            "\n".join(
                f'[models.{name}]\nmodel = "openai:{server.model}"\n'
                f'base_url = "{server.base_url}"\nkey_env = "CHAOS_KEY"\n'
                f"price = {price}\nsettings = {{ {text} }}\n{more}\n"
                for name, server in self.servers.items()
            )
        )

    def start(self, *arguments: str, key: str = KEY) -> Program:
        """The program, in a process group of its own."""
        env = environment(XDG_CONFIG_HOME=str(self.folder), CHAOS_KEY=key)
        return warm.start(*arguments, cwd=self.folder, env=env, group=True)

    def run(self, *arguments: str, key: str = KEY, seconds: float = 300) -> Done:
        """The program, to its end."""
        process = self.start(*arguments, key=key)
        out, errors = process.communicate(timeout=seconds)
        return Done(arguments, process.wait(), out, errors)

    def answered(self) -> Counter[int]:
        """The numbers of the replies that went out whole."""
        return Counter(
            entry.reply["usage"]["prompt_tokens"]
            for server in self.servers.values()
            for entry in server.answered
            if entry.reply is not None
        )

    def recorded(self) -> Counter[int]:
        """The numbers of the replies in the record."""
        with self.store() as store:
            rows = [row.id for row in store.rows(parse_selection([]))]
            return Counter(
                call.answer.usage.input
                for _, call in store.model_calls(rows)
                if call.answer.usage.input is not None
            )

    def calls(self) -> list[ModelCall]:
        """Every model call in the record."""
        with self.store() as store:
            rows = [row.id for row in store.rows(parse_selection([]))]
            return [call for _, call in store.model_calls(rows)]

    def rows(self) -> list[SessionRow]:
        """Every session."""
        with self.store() as store:
            return list(store.rows(parse_selection([])))

    @contextmanager
    def store(self) -> Generator[Store]:
        """The store, for reading."""
        with Store.open(self.folder / ".ringback" / "ringback.db", write=False) as opened:
            yield opened

    def when_answered(self, count: int, process: Program) -> None:
        """Wait until so many replies went out."""
        until = time.monotonic() + 120
        while sum(len(server.answered) for server in self.servers.values()) < count:
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < until
            time.sleep(0.01)


def interrupt(process: Program) -> None:
    """Ctrl-C."""
    os.killpg(process.pid, signal.SIGINT)


def kill(process: Program) -> None:
    """The end without a word."""
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
