"""As much of HTTP as a server on loopback needs: a request's head, and whole answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

__all__ = ["MOST_BYTES", "NotHttp", "answer", "body_size", "head", "read_head", "read_line", "send"]

MOST_BYTES = 64 * 2**20
"""Of the body of a request."""

_MOST_HEADERS = 200
_REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found"}


class NotHttp(Exception):  # noqa: N818 - says what it is not
    """What came is no request; the text says why."""


async def read_line(reader: asyncio.StreamReader) -> bytes:
    """A line of a request's head, empty at the end of what comes. Raises `NotHttp`."""
    try:
        return await reader.readline()
    except ValueError:
        raise NotHttp("A line of the head is too long") from None


async def read_head(first: bytes, reader: asyncio.StreamReader) -> tuple[str, str, dict[str, str]]:
    """Method, path and headers of a request that begins with this line. Raises `NotHttp`."""
    words = first.decode("latin-1").split()
    if len(words) != 3 or not words[2].startswith("HTTP/"):
        raise NotHttp("The first line is no request")
    headers: dict[str, str] = {}
    while (line := (await read_line(reader)).decode("latin-1").strip()) != "":
        name, colon, value = line.partition(":")
        if not colon or len(headers) == _MOST_HEADERS:
            raise NotHttp("A header is none, or one too many")
        headers[name.strip().lower()] = value.strip()
    return words[0], words[1], headers


def body_size(headers: Mapping[str, str]) -> int:
    """The length in bytes of the body under a head. Raises `NotHttp`."""
    if "transfer-encoding" in headers:
        raise NotHttp("A body comes with its length, not in chunks")
    said = headers.get("content-length", "0")
    if not (said.isascii() and said.isdigit()) or len(said) > 20 or int(said) > MOST_BYTES:
        raise NotHttp(f"A body has a length of at most {MOST_BYTES} bytes")
    return int(said)


async def answer(
    writer: asyncio.StreamWriter,
    status: int,
    body: dict[str, Any],
    headers: Mapping[str, str] | None = None,
) -> bool:
    """Send a whole answer, `body` as JSON; True, as the connection goes on."""
    data = json.dumps(body).encode()
    return await send(writer, head(status, len(data), headers or {}) + data)


async def send(writer: asyncio.StreamWriter, data: bytes) -> bool:
    """Send these bytes and wait until they are on their way; True, as the connection goes on."""
    writer.write(data)
    await writer.drain()
    return True


def head(status: int, size: int, headers: Mapping[str, str]) -> bytes:
    """The head of an answer with a body of `size` bytes."""
    lines = [
        f"HTTP/1.1 {status} {_REASONS.get(status, 'Error')}",
        "Content-Type: application/json",
        f"Content-Length: {size}",
        *(f"{name}: {value}" for name, value in headers.items()),
    ]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")
