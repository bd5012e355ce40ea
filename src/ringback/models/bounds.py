"""How long a reply may be before it is no longer read.

A server decides how much it sends, and a compressed body of a megabyte may hold a thousand. So what
comes is counted once it is unpacked, piece by piece, and the connection is given up where it is too
much. Every client of a provider that takes our HTTP client is bounded this way.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx2

__all__ = ["MOST_BYTES", "MOST_KEPT", "MOST_STREAMED", "ReplyTooLong", "bounded"]

MOST_BYTES = 16 * 2**20
"""Of a whole reply. The longest replies that models give are well under one megabyte."""

MOST_STREAMED = 64 * 2**20
"""Of one that comes as a stream of events, each of which has a frame around a few letters."""

MOST_KEPT = 4 * 2**20
"""Of a reply as it is recorded, and sent again with each request that comes after it."""


class ReplyTooLong(httpx2.DecodingError):
    """A reply that is longer than `limit` bytes, which was not read to its end."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        super().__init__(f"reply longer than {limit // 2**20} MiB")


def bounded(client: httpx2.AsyncClient) -> httpx2.AsyncClient:
    """The client, which from now on raises `ReplyTooLong` for a body that is too long."""
    hooks = client.event_hooks
    client.event_hooks = {**hooks, "response": [*hooks["response"], _bound]}
    return client


async def _bound(response: httpx2.Response) -> None:
    streamed = response.headers.get("content-type", "").startswith("text/event-stream")
    limit = MOST_STREAMED if streamed else MOST_BYTES
    if response.is_stream_consumed or not isinstance(response.stream, httpx2.AsyncByteStream):
        return
    # Unpacked here; what the client reads is plain, and no longer of the length that was announced.
    inner = httpx2.Response(
        response.status_code,
        headers=response.headers,
        stream=response.stream,
        request=response.request,
    )
    response.stream = _Bounded(inner, limit)
    for name in ("content-encoding", "content-length"):
        response.headers.pop(name, None)


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.Response, limit: int) -> None:
        self._inner = inner
        self._limit = limit

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = self._limit
        async for piece in self._inner.aiter_bytes():
            left -= len(piece)
            if left < 0:
                raise ReplyTooLong(self._limit)
            yield piece

    async def aclose(self) -> None:
        await self._inner.aclose()
