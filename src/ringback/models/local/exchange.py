"""Talk with llama.cpp's server over a socket in the file system."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Mapping
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta, Struct

from ringback.canonical import Json
from ringback.models.local.turns import BrokenOff, Turn

__all__ = [
    "Abilities",
    "Broken",
    "Completion",
    "Exchange",
    "Prompt",
    "Props",
    "Refused",
    "Timed",
    "Tokens",
    "TooLong",
    "Written",
]

_T = TypeVar("_T")


class Broken(Exception):  # noqa: N818 - says what happened
    """The way to llama.cpp broke, or what came back is no answer."""


class Refused(Exception):  # noqa: N818 - says what happened
    """llama.cpp does not take the request; the text is its own."""


class TooLong(Refused):
    """The prompt is longer than the context."""


class _Function(Struct, frozen=True):
    name: str = ""
    arguments: Json = ""


class _Call(Struct, frozen=True):
    function: _Function = _Function()


class _Said(Struct, frozen=True):
    content: str | None = None
    reasoning_content: str | None = None
    tool_calls: tuple[_Call, ...] = ()


class _Choice(Struct, frozen=True):
    message: _Said
    finish_reason: str | None = None


class _Details(Struct, frozen=True):
    cached_tokens: int = 0


class _Counts(Struct, frozen=True):
    prompt_tokens: int
    completion_tokens: int
    prompt_tokens_details: _Details = _Details()


class Completion(Struct, frozen=True):
    """What llama.cpp answered."""

    choices: Annotated[tuple[_Choice, ...], Meta(min_length=1)]
    usage: _Counts


class _Timings(Struct, frozen=True):
    cache_n: int = 0


class Timed(Struct, frozen=True):
    """How long it took, of which the tokens that were not read anew."""

    timings: _Timings = _Timings()


class Prompt(Struct, frozen=True):
    """A request as its template writes it."""

    prompt: str


class Tokens(Struct, frozen=True):
    """A text as tokens."""

    tokens: tuple[int, ...]


class Written(Struct, frozen=True):
    """Bytes written down."""

    n_written: int


class Abilities(Struct, frozen=True):
    """What the model's chat template knows."""

    supports_tools: bool = False
    supports_tool_calls: bool = False
    supports_system_role: bool = True


class Props(Struct, frozen=True):
    """What the server says of the model."""

    chat_template_caps: Abilities = Abilities()


class _Error(Struct, frozen=True):
    message: str = ""
    type: str = ""


class _Failed(Struct, frozen=True):
    error: _Error = _Error()


class _Connection(HTTPConnection):
    """HTTP over a socket in the file system."""

    def __init__(self, place: str, seconds: float) -> None:
        super().__init__("localhost", timeout=seconds)
        self._place = place

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._place)


class Exchange(Turn):
    """One request's talk with the server, in its turn."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self._open: _Connection | None = None

    def cancel(self) -> None:
        """Break off, from any thread: llama.cpp stops at the next token."""
        super().cancel()
        held = self._open
        if held is not None and held.sock is not None:
            with contextlib.suppress(OSError):
                held.sock.shutdown(socket.SHUT_RDWR)

    def call(self, place: str, path: str, body: Mapping[str, Json] | None, kind: type[_T]) -> _T:
        """Post `body` (or get, without one) and read the answer as a `kind`.

        Raises `Refused`, `Broken`, and `BrokenOff` where it was cancelled or its time is over.
        """
        left = self.left()
        data = None if body is None else msgspec.json.encode(body)
        connection = self._open = _Connection(place, left)
        try:
            headers = {"Content-Type": "application/json"}
            connection.connect()
            self.left()  # who cancelled before there was a connection could not cut it
            connection.request("GET" if data is None else "POST", path, data, headers)
            response = connection.getresponse()
            status, text = response.status, response.read()
        except (OSError, HTTPException) as problem:
            if self.cancelled or isinstance(problem, TimeoutError):
                raise BrokenOff from None
            raise Broken(f"the connection broke ({type(problem).__name__}: {problem})") from None
        finally:
            self._open = None
            connection.close()
        if self.cancelled:
            raise BrokenOff
        if status != HTTPStatus.OK:
            raise _refusal(text)
        try:
            return msgspec.json.decode(text, type=kind)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as problem:
            raise Broken(f"it answered what is no answer ({problem})") from None


def _refusal(text: bytes) -> Refused:
    try:
        error = msgspec.json.decode(text, type=_Failed).error
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        error = _Error(text.decode(errors="replace")[:200])
    kind = TooLong if error.type == "exceed_context_size_error" else Refused
    return kind(error.message or "the server gave no reason")
