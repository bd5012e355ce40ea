"""The protocol over a process's standard streams: a message a line, and nothing else on stdout.

The SDK's own transport waits in threads that outlive a signal for as long as the client keeps the
pipe open, and drops what it cannot read without an answer; so this is ours. Threads read and
write, since a pipe, a terminal and a file can all be read that way; they die with the process.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import queue
import sys
import threading
import time
from collections.abc import AsyncGenerator, Callable, Generator, Iterator

import anyio
import msgspec
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp.types import (
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
)
from mcp.types.jsonrpc import (
    INVALID_REQUEST,
    PARSE_ERROR,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)

from ringback.errors import InputError
from ringback.web.mcp.ids import id_in

__all__ = ["LONGEST", "Streams", "standard_streams"]

LONGEST = 4 * 2**20
"""Bytes of a message. What is longer is refused; over HTTP the limit is the same."""

_CHUNK = 65536
_GRACE = 0.4  # seconds in which answers can still be given once nothing more will be asked

Streams = tuple[
    MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]
]
"""What a server of the SDK reads from and writes to."""


@contextlib.asynccontextmanager
async def standard_streams(hurry: Callable[[], None]) -> AsyncGenerator[Streams]:
    """Take over stdin and stdout for the protocol, and give them back at the end.

    Meanwhile whatever is printed goes to stderr, and whoever reads stdin finds it empty. When the
    client closes its end, calls under way get a moment to be answered; then a thread calls
    `hurry`, in case one stands still. Raises `InputError` where one of the two is closed.
    """
    with _claimed() as (incoming, outgoing):
        to_server, from_client = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        to_client, from_server = anyio.create_memory_object_stream[SessionMessage](0)
        wire = _Wire(outgoing)
        reading = asyncio.create_task(_read(incoming, to_server, wire, hurry))
        writing = asyncio.create_task(_write(from_server, wire))
        try:
            yield from_client, to_client
        finally:
            reading.cancel()
            to_client.close()
            await asyncio.wait({writing}, timeout=_GRACE)
            writing.cancel()
            await asyncio.gather(reading, writing, return_exceptions=True)
            for stream in (to_server, from_client, from_server):
                stream.close()


class _Wire:
    """Where messages go out, in order; from a thread, since a client may not read."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._queue: queue.SimpleQueue[tuple[bytes, asyncio.Future[None]]] = queue.SimpleQueue()
        self._loop = asyncio.get_running_loop()
        self.unanswered: set[str | int] = set()
        threading.Thread(target=self._run, name="mcp stdout", daemon=True).start()

    async def send(self, message: JSONRPCMessage) -> None:
        """Raises `OSError` where the client has gone."""
        if isinstance(message, JSONRPCResponse | JSONRPCError) and message.id is not None:
            self.unanswered.discard(message.id)
        exclude = isinstance(message, JSONRPCError) and message.id is None
        text = message.model_dump_json(by_alias=True, exclude_unset=not exclude)
        done = self._loop.create_future()
        self._queue.put((text.encode() + b"\n", done))
        await done

    def _run(self) -> None:
        while True:
            data, done = self._queue.get()
            try:
                while data:
                    data = data[os.write(self._descriptor, data) :]
            except OSError as problem:
                answer = problem
            else:
                answer = None
            with contextlib.suppress(RuntimeError):  # the loop is over, and nobody asks any more
                self._loop.call_soon_threadsafe(_settle, done, answer)


def _settle(done: asyncio.Future[None], problem: OSError | None) -> None:
    if done.done():
        return
    if problem is None:
        done.set_result(None)
    else:
        done.set_exception(problem)


async def _write(from_server: MemoryObjectReceiveStream[SessionMessage], wire: _Wire) -> None:
    async for message in from_server:
        try:
            await wire.send(message.message)
        except OSError:
            return  # the client has gone; that its other end is closed ends the server


async def _read(
    descriptor: int,
    to_server: MemoryObjectSendStream[SessionMessage | Exception],
    wire: _Wire,
    hurry: Callable[[], None],
) -> None:
    """Hand the client's messages to the server, and close the stream when there are no more."""
    lines: asyncio.Queue[bytes | None] = asyncio.Queue()
    room = threading.Semaphore(16)
    loop = asyncio.get_running_loop()

    def work() -> None:
        with contextlib.suppress(RuntimeError, OSError):  # the loop is over
            for line in _lines(descriptor):
                room.acquire()
                loop.call_soon_threadsafe(lines.put_nowait, line)
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(lines.put_nowait, None)
        time.sleep(_GRACE)
        hurry()

    threading.Thread(target=work, name="mcp stdin", daemon=True).start()
    async with to_server:
        while (line := await lines.get()) is not None:
            room.release()
            with contextlib.suppress(OSError):  # it has gone, which the next read shows
                await _take(line, to_server, wire)
        until = loop.time() + _GRACE
        while wire.unanswered and loop.time() < until:
            await asyncio.sleep(0.01)


async def _take(
    line: bytes, to_server: MemoryObjectSendStream[SessionMessage | Exception], wire: _Wire
) -> None:
    if len(line) > LONGEST:
        await wire.send(_refusal(INVALID_REQUEST, f"A message is at most {LONGEST:,} bytes long."))
        return
    if not line.strip():
        return
    try:
        message = jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        await wire.send(_unread(line))
        return
    if isinstance(message, JSONRPCNotification) and id_in(line).there:
        await wire.send(_refusal(INVALID_REQUEST, "An id is a text or a whole number."))
        return
    if isinstance(message, JSONRPCRequest):
        wire.unanswered.add(message.id)
    await to_server.send(SessionMessage(message))


def _unread(line: bytes) -> JSONRPCError:
    """The answer to a line that is no message, with its id where that can be made out."""
    known = id_in(line)
    try:
        msgspec.json.decode(line)
    except (ValueError, RecursionError):
        if not known.there:
            return _refusal(PARSE_ERROR, "This line is not JSON.")
        words = (
            "This message cannot be read, and nothing was done: it is not JSON, is nested too "
            "deep, or holds what is no text, such as half a surrogate pair."
        )
        return _refusal(PARSE_ERROR, words, known.id)
    return _refusal(INVALID_REQUEST, "This line is no message of JSON-RPC 2.0.", known.id)


def _refusal(code: int, words: str, number: str | int | None = None) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=number, error=ErrorData(code=code, message=words))


def _lines(descriptor: int) -> Iterator[bytes]:
    """The lines that come; of one that is too long, only enough to see that it is."""
    kept = bytearray()
    while chunk := os.read(descriptor, _CHUNK):
        *whole, rest = chunk.split(b"\n")
        for part in whole:
            kept += part[: LONGEST + 1 - len(kept)]
            yield bytes(kept)
            kept.clear()
        kept += rest[: LONGEST + 1 - len(kept)]
    if kept:
        yield bytes(kept)


@contextlib.contextmanager
def _claimed() -> Generator[tuple[int, int]]:
    """The two descriptors under other numbers; 0 reads nothing and 1 is stderr meanwhile.

    The numbers stay taken afterwards: threads may still wait on them.
    """
    # A stream that was closed at the start leaves its number to whatever is opened first.
    if sys.stdin is None or not _takes(0, os.O_RDONLY) or not _takes(1, os.O_WRONLY):  # pyright: ignore[reportUnnecessaryComparison]
        raise InputError(
            "`ringback mcp` speaks with its client over stdin and stdout, and one of them is "
            "closed; an MCP client starts it with both, or use --http."
        )
    incoming, outgoing = (fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, 3) for number in (0, 1))
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(2 if _takes(2, os.O_WRONLY) else nothing, 1)
    os.close(nothing)
    try:
        yield incoming, outgoing
    finally:
        os.dup2(incoming, 0)
        os.dup2(outgoing, 1)


def _takes(descriptor: int, how: int) -> bool:
    """Whether a descriptor is open for this, or for reading and writing."""
    try:
        mode = fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE
    except OSError:
        return False
    return mode in (how, os.O_RDWR)
