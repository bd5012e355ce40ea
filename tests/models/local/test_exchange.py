"""Talking to llama.cpp over its socket, which may answer anything, or nothing."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from ringback.models.local.exchange import (
    Broken,
    Completion,
    Exchange,
    Prompt,
    Refused,
    TooLong,
)
from ringback.models.local.turns import BrokenOff

GOOD = b'{"prompt": "Hello."}'


@contextlib.contextmanager
def serving(folder: Path, answer: bytes, *, after: float = 0.0) -> Generator[str]:
    """A socket that takes one request and answers with these bytes."""
    place, over = folder / "s", threading.Event()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(place))
        listening.listen()

        def serve() -> None:
            with contextlib.suppress(OSError):
                connection, _ = listening.accept()
                with connection:
                    asked = b""
                    while not asked.endswith(b"{}") and (more := connection.recv(65536)):
                        asked += more
                    over.wait(after)
                    connection.sendall(answer)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield str(place)
        finally:
            over.set()
            with contextlib.suppress(OSError):
                listening.shutdown(socket.SHUT_RDWR)  # nobody may have come
            thread.join(10)
    assert not thread.is_alive()  # one that goes on takes a whole core for good


def http(body: bytes, status: int = 200, length: int | None = None) -> bytes:
    size = len(body) if length is None else length
    return b"HTTP/1.1 %d Said\r\nContent-Length: %d\r\n\r\n%b" % (status, size, body)


def asking(seconds: float = 5.0) -> Exchange:
    exchange = Exchange(seconds)
    exchange.begin()
    return exchange


def test_an_answer_is_read(tmp_path: Path) -> None:
    with serving(tmp_path, http(GOOD)) as place:
        assert asking().call(place, "/x", {}, Prompt) == Prompt("Hello.")


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"no HTTP at all\r\n\r\n",
        http(GOOD, length=1000),
        http(b"no JSON"),
        http(b"[]"),
        http(b'{"prompt": 5}'),
        http(b'{"prompt": "\xff"}'),
        http(b"[" * 100_000),
    ],
)
def test_what_is_no_answer_is_broken(tmp_path: Path, answer: bytes) -> None:
    with serving(tmp_path, answer) as place, pytest.raises(Broken):
        asking().call(place, "/x", {}, Prompt)


def test_nobody_there_is_broken_too(tmp_path: Path) -> None:
    with pytest.raises(Broken):
        asking().call(str(tmp_path / "s"), "/x", {}, Prompt)


def test_a_completion_without_a_choice_is_broken(tmp_path: Path) -> None:
    body = b'{"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 1}}'
    with serving(tmp_path, http(body)) as place, pytest.raises(Broken):
        asking().call(place, "/x", {}, Completion)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b'{"error": {"message": "no", "type": "exceed_context_size_error"}}', TooLong),
        (b'{"error": {"message": "no"}}', Refused),
        (b"no JSON", Refused),
        (b"[" * 100_000, Refused),
    ],
)
def test_a_refusal_is_read(tmp_path: Path, body: bytes, kind: type[Refused]) -> None:
    with serving(tmp_path, http(body, 400)) as place, pytest.raises(Refused) as caught:
        asking().call(place, "/x", {}, Prompt)
    assert type(caught.value) is kind


def test_time_that_is_over_breaks_it_off(tmp_path: Path) -> None:
    began = time.monotonic()
    with serving(tmp_path, http(GOOD), after=2.0) as place, pytest.raises(BrokenOff):
        asking(0.2).call(place, "/x", {}, Prompt)
    assert time.monotonic() - began < 1.0


def test_cancelled_while_it_waits(tmp_path: Path) -> None:
    exchange = asking()
    threading.Timer(0.2, exchange.cancel).start()
    began = time.monotonic()
    with serving(tmp_path, http(GOOD), after=2.0) as place, pytest.raises(BrokenOff):
        exchange.call(place, "/x", {}, Prompt)
    assert time.monotonic() - began < 1.0


def test_cancelled_before_there_is_a_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is nothing to cut yet, and the request must not go out all the same."""
    exchange = asking()

    class Late(socket.socket):
        def __init__(self, *arguments: Any, **more: Any) -> None:
            super().__init__(*arguments, **more)
            if not exchange.cancelled:
                exchange.cancel()

    with serving(tmp_path, http(GOOD), after=2.0) as place:
        monkeypatch.setattr("socket.socket", Late)
        began = time.monotonic()
        with pytest.raises(BrokenOff):
            exchange.call(place, "/x", {}, Prompt)
        assert time.monotonic() - began < 1.0
