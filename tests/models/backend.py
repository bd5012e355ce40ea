"""A server on loopback that answers as it is told and keeps what it was sent, byte for byte."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import MappingProxyType
from typing import Any, NamedTuple, Self

from ringback.episode.wire import Message, Request, Text, ToolSpec

Json = dict[str, Any]


class Sent(NamedTuple):
    path: str
    headers: dict[str, str]
    body: Json


class Reply(NamedTuple):
    body: Json | bytes
    status: int = 200
    headers: Mapping[str, str] = MappingProxyType({})


class Backend:
    """Plays the replies in order, the last one again and again."""

    def __init__(self, *replies: Reply | Json | Callable[[Sent], Reply]) -> None:
        self.replies = list(replies)
        self.sent: list[Sent] = []
        self._lock = threading.Lock()
        backend = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers["Content-Length"]))
                sent = Sent(
                    self.path, {k.lower(): v for k, v in self.headers.items()}, json.loads(raw)
                )
                reply = backend.take(sent)
                body = (
                    reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
                )
                self.send_response(reply.status)
                for name, value in {"Content-Type": "application/json", **reply.headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    def take(self, sent: Sent) -> Reply:
        with self._lock:
            self.sent.append(sent)
            reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if callable(reply):
            return reply(sent)
        return reply if isinstance(reply, Reply) else Reply(reply)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def completion(
    text: str | None = "Hello.",
    *,
    calls: Sequence[tuple[str, str]] = (),
    usage: Json | None = None,
    model: str = "served",
    finish: str | None = None,
    **message: Any,
) -> Json:
    """A chat completion as OpenAI's protocol has it."""
    asked = [
        {"id": f"c{n}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for n, (name, arguments) in enumerate(calls)
    ]
    said: Json = {"role": "assistant", "content": text, **message}
    if asked:
        said["tool_calls"] = asked
    reason = finish or ("tool_calls" if asked else "stop")
    body: Json = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": model,
        "choices": [{"index": 0, "message": said, "finish_reason": reason}],
    }
    if usage is not None:
        body["usage"] = usage
    return body


USAGE: Json = {
    "prompt_tokens": 1000,
    "completion_tokens": 100,
    "total_tokens": 1100,
    "prompt_tokens_details": {"cached_tokens": 400},
    "completion_tokens_details": {"reasoning_tokens": 60},
}

TOOL = ToolSpec("look", "Looks.", {"type": "object", "properties": {"at": {"type": "string"}}})


def asking(*messages: Message, **settings: Any) -> Request:
    """A request with one tool; the conversation is a greeting where none is given."""
    said = messages or (Message("user", (Text("Hello?"),)),)
    return Request("You help.", said, (TOOL,), settings)
