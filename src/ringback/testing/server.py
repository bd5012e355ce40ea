"""A server on loopback that speaks OpenAI's chat completions, and misbehaves as asked."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import inspect
import json
import logging
import threading
import time
from collections import Counter
from collections.abc import Mapping
from typing import Any, Self

from msgspec import Struct
from msgspec.structs import replace

from ringback.testing.brains import Brain
from ringback.testing.chat import ChatCall, ChatReply, completion, counted, failure
from ringback.testing.faults import Fault, draw
from ringback.testing.plain_http import NotHttp, answer, body_size, head, read_head, read_line, send

__all__ = ["ChaosServer", "Logged"]

_log = logging.getLogger(__name__)


class Logged(Struct):
    """One request as the server saw it.

    `number` counts from 1, `body` is the request as it came and `request` what it says, `began` and
    `ended` are seconds of the monotonic clock. `status` is None where no head was sent. `answered`
    says that a whole 200 with a model's reply went out before the client left, which a provider
    would have charged for; `reply` is its body.
    """

    number: int
    body: bytes
    digest: str
    began: float
    fault: Fault | None = None
    status: int | None = None
    answered: bool = False
    reply: dict[str, Any] | None = None
    ended: float | None = None

    @property
    def request(self) -> dict[str, Any]:
        """The JSON object that came in."""
        return json.loads(self.body)


class ChaosServer:
    """A model's endpoint for tests: real HTTP on loopback, in a thread of its own.

    `brain` thinks up the replies and `faults` gives each fault's probability, drawn from `seed` and
    the request alone. Every reply is held back `delay` seconds; a hanging one for `hang` seconds or
    until the client leaves. With a `key`, requests that do not bear it are refused. A brain that
    raises is a 500 with its words, and is logged. Used as a context manager; `log` holds every
    request for a completion, and `faults` and `delay` may be changed at any time.
    """

    def __init__(
        self,
        brain: Brain,
        *,
        model: str = "chaos-1",
        faults: Mapping[Fault, float] | None = None,
        seed: int = 0,
        delay: float = 0.0,
        hang: float = 3600.0,
        retry_after: float = 0.05,
        key: str | None = None,
        port: int = 0,
    ) -> None:
        self.model = model
        self.faults: Mapping[Fault, float] = faults or {}
        self.seed, self.delay, self.hang = seed, delay, hang
        self.retry_after, self.key = retry_after, key
        self.log: list[Logged] = []
        self._brain, self._port = brain, port
        self._seen: Counter[str] = Counter()
        self._loop = asyncio.new_event_loop()
        self._connections: set[asyncio.Task[None]] = set()
        self._thread = threading.Thread(target=self._serve, name="chaos", daemon=True)
        self._ready = threading.Event()
        self._problem: OSError | None = None

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait()
        if self._problem is not None:
            raise self._problem
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    @property
    def port(self) -> int:
        """The port it listens on."""
        return self._port

    @property
    def base_url(self) -> str:
        """What a client takes as its base, without a slash at the end."""
        return f"http://127.0.0.1:{self._port}/v1"

    @property
    def answered(self) -> list[Logged]:
        """The requests that got a whole reply of the model's, in order."""
        return [entry for entry in self.log if entry.answered]

    # --- the thread

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            server = self._loop.run_until_complete(
                asyncio.start_server(
                    self._connected, "127.0.0.1", self._port, limit=2**20, backlog=1024
                )
            )
        except OSError as problem:
            self._problem = problem
            self._ready.set()
            self._loop.close()
            return
        self._port = server.sockets[0].getsockname()[1]
        self._ready.set()
        try:
            self._loop.run_forever()
        finally:
            server.close()
            for task in self._connections:
                task.cancel()
            self._loop.run_until_complete(
                asyncio.gather(*self._connections, return_exceptions=True)
            )
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        begun: bytes | None = b""
        try:
            while begun is not None:
                begun = await self._exchange(begun, reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        except NotHttp as problem:
            body = failure(400, f"{problem}.", "invalid_request_error", None)
            with contextlib.suppress(ConnectionError):
                await answer(writer, *body, {"Connection": "close"})
        finally:
            self._connections.discard(task)
            writer.close()

    async def _exchange(
        self, begun: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bytes | None:
        """One request and its answer.

        `begun` is what was read of it already. Returns the same of the next one, None where the
        connection ends.
        """
        first = begun + await read_line(reader)
        if not first.strip():
            return None
        method, path, headers = await read_head(first, reader)
        size = body_size(headers)
        body = await reader.readexactly(size) if size else b""
        # A client that leaves ends its request, as it does at a provider.
        later = asyncio.ensure_future(reader.read(1))
        said = asyncio.ensure_future(self._answer(method, path, headers, body, writer))
        try:
            await asyncio.wait({later, said}, return_when=asyncio.FIRST_COMPLETED)
            if later.done() and not later.result():
                return None
            stays = await said
            return await later if stays else None
        finally:
            for task in (later, said):
                task.cancel()
            await asyncio.wait({later, said})

    async def _answer(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str],
        body: bytes,
        writer: asyncio.StreamWriter,
    ) -> bool:
        given = headers.get("authorization", "")
        if self.key is not None and given != f"Bearer {self.key}":
            # As OpenAI does it: what was sent comes back in the message.
            why = f"Incorrect API key provided: {given.removeprefix('Bearer ')}."
            return await answer(
                writer, *failure(401, why, "invalid_request_error", "invalid_api_key")
            )
        if method == "GET" and path.endswith("/models"):
            listed = {"object": "list", "data": [{"id": self.model, "object": "model"}]}
            return await answer(writer, 200, listed)
        if method != "POST" or not path.endswith("/chat/completions"):
            return await answer(writer, *failure(404, f"No {path} here.", "not_found", None))
        request = _request(body)
        if request is None or request.get("stream"):
            why = "Send an object with a list of messages, and ask for no stream."
            return await answer(writer, *failure(400, why, "invalid_request_error", None))
        return await self._chat(body, request, writer)

    async def _chat(
        self, body: bytes, request: dict[str, Any], writer: asyncio.StreamWriter
    ) -> bool:
        key = hashlib.blake2b(body, digest_size=16).hexdigest()
        seen = self._seen[key]
        self._seen[key] += 1
        fault = draw(self.faults, self.seed, key, seen)
        entry = Logged(len(self.log) + 1, body, key, time.monotonic(), fault)
        self.log.append(entry)
        try:
            return await self._reply(entry, request, writer)
        finally:
            entry.ended = time.monotonic()

    async def _reply(
        self, entry: Logged, request: dict[str, Any], writer: asyncio.StreamWriter
    ) -> bool:
        match entry.fault:
            case "hang":
                await asyncio.sleep(self.hang)
                return False
            case "rate_limit":
                entry.status = 429
                body = failure(429, "Too many requests.", "rate_limit_error", "rate_limit_exceeded")
                return await answer(writer, *body, {"Retry-After": f"{self.retry_after:g}"})
            case "server_error":
                entry.status = 500
                return await answer(
                    writer, *failure(500, "The server had an error.", "server_error", None)
                )
            case "context_overflow":
                entry.status = 400
                why = (
                    "This model's maximum context length is 4096 tokens. However, your messages "
                    "resulted in more."
                )
                return await answer(
                    writer, *failure(400, why, "invalid_request_error", "context_length_exceeded")
                )
            case _:
                pass
        began = time.monotonic()
        try:
            said = self._brain(request)
            reply = await said if inspect.isawaitable(said) else said
        except Exception as problem:  # noqa: BLE001 - somebody's own code
            _log.exception("The brain of the chaos server broke.")
            entry.status = 500
            why = f"The brain broke: {type(problem).__name__}: {problem}"
            return await answer(writer, *failure(500, why, "server_error", None))
        reply = _astray(reply, entry.fault)
        if (left := self.delay - (time.monotonic() - began)) > 0:
            await asyncio.sleep(left)
        model = "another-model" if entry.fault == "wrong_model" else self.model
        usage = reply.usage or counted(reply, request, len(entry.body))
        body = completion(reply, usage, entry.number, model)
        entry.status = 200
        if entry.fault in ("cut", "malformed_json"):
            data = json.dumps(body).encode()
            if entry.fault == "cut":
                await send(writer, head(200, len(data), {}) + data[: len(data) // 2])
                return False
            return await send(writer, head(200, len(data) // 2, {}) + data[: len(data) // 2])
        # Noted first, so that whoever has the answer finds it in the log.
        entry.answered, entry.reply = True, body
        try:
            return await answer(writer, 200, body)
        except (ConnectionError, asyncio.CancelledError):
            # Cancelled: the client left. What it did not wait for, it did not get.
            entry.answered = False
            raise


def _astray(reply: ChatReply, fault: Fault | None) -> ChatReply:
    """The reply as a model that goes astray in this way would give it."""
    match fault:
        case "empty":
            return ChatReply("", usage=reply.usage)
        case "reasoning_only":
            return ChatReply(None, reasoning=reply.text or "Let me think.", usage=reply.usage)
        case "refusal":
            return ChatReply(None, refusal="I cannot help with that.", usage=reply.usage)
        case "parallel_calls" if reply.calls:
            return replace(reply, calls=(*reply.calls, *reply.calls))
        case "malformed_arguments" if reply.calls:
            first, *others = reply.calls
            return replace(reply, calls=(replace(first, arguments='{"id": '), *others))
        case "malformed_arguments":
            return replace(reply, calls=(ChatCall("get_details_by_id", '{"id": '),))
        case "unknown_tool":
            return replace(reply, calls=(ChatCall("open_the_pod_bay_doors", {"now": True}),))
        case _:
            return reply


def _request(body: bytes) -> dict[str, Any] | None:
    """The object in a body, None where it is no request for a chat completion."""
    try:
        request: Any = json.loads(body)
    except (ValueError, RecursionError):
        return None
    messages: Any = request.get("messages") if isinstance(request, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    if not isinstance(messages, list) or not messages:
        return None
    if not all(isinstance(message, dict) for message in messages):  # pyright: ignore[reportUnknownVariableType]
        return None
    return request  # pyright: ignore[reportUnknownVariableType]
