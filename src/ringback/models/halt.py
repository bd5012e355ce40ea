"""Stopping: calls that are in flight are waited for, calls that are not sent yet are not sent."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Generator

from ringback.models.protocol import CallsStopped

__all__ = ["Halt"]


class Halt:
    """Whether a model's calls may still be sent. `stop` may come from a signal handler or thread.

    Waiting for a call to be sent happens inside `waiting`; `flying` counts those that were.
    """

    def __init__(self) -> None:
        self.flying = 0
        self._stopped = False
        self._waits: set[tuple[asyncio.AbstractEventLoop, asyncio.Timeout]] = set()

    def stop(self) -> int:
        """Let no more calls be sent. Returns how many are in flight."""
        self._stopped = True
        for loop, wait in list(self._waits):
            with contextlib.suppress(RuntimeError):  # the loop is closed, nobody waits
                loop.call_soon_threadsafe(self._end, loop, wait)
        return self.flying

    def go_on(self) -> None:
        """Let calls be sent again."""
        self._stopped = False

    def check(self) -> None:
        """Raise `CallsStopped` after `stop`."""
        if self._stopped:
            raise CallsStopped("The run was stopped before the call was sent.")

    @contextlib.asynccontextmanager
    async def waiting(self) -> AsyncGenerator[None]:
        """For what comes before a call is sent: ended by `stop` with `CallsStopped`."""
        loop, wait = asyncio.get_running_loop(), asyncio.timeout(None)
        try:
            async with wait:
                self._waits.add((loop, wait))
                try:
                    self.check()  # only now: a stop in between would not find us
                    yield
                finally:
                    self._waits.discard((loop, wait))
        except TimeoutError:
            if wait.expired():
                self.check()
            raise

    @contextlib.contextmanager
    def flight(self) -> Generator[None]:
        """For a call that was sent."""
        self.flying += 1
        try:
            yield
        finally:
            self.flying -= 1

    def _end(self, loop: asyncio.AbstractEventLoop, wait: asyncio.Timeout) -> None:
        if (loop, wait) in self._waits:
            wait.reschedule(loop.time())
