"""Commands that a server has begun: they go on whatever becomes of the request that asked."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, Generic, TypeVar

__all__ = ["Commands"]

T = TypeVar("T")


class Commands(Generic[T]):
    """The commands under way, one an episode at most, so that they can be awaited and cut short.

    That no two are at one episode is `ringback.operating.Desk`'s to see to, here as everywhere; who
    asks for `running` first can say it better.
    """

    def __init__(self) -> None:
        self._tasks: dict[str, asyncio.Task[T]] = {}

    def running(self, session: str) -> asyncio.Task[T] | None:
        """The command that is at this episode now."""
        return self._tasks.get(session)

    def begin(self, session: str, command: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Let a command run on its own. The caller sees to it that none is at the episode."""
        task = asyncio.create_task(command)
        self._tasks[session] = task
        task.add_done_callback(lambda done: self._done(session, done))
        return task

    async def stop(self, session: str, seconds: float | None = None) -> None:
        """Cut short what is at an episode, and wait for its end, no longer than this."""
        if (task := self._tasks.get(session)) is not None:
            task.cancel()
            await asyncio.wait({task}, timeout=seconds)

    async def close(self) -> None:
        """Cut short all. What was said is recorded; the customer can be asked again."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _done(self, session: str, task: asyncio.Task[T]) -> None:
        if self._tasks.get(session) is task:
            del self._tasks[session]
        if not task.cancelled():
            task.exception()  # seen: whoever waits gets it, and later the record says it
