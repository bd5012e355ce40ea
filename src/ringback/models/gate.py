"""How many calls of a model are in flight, and how many begin in a minute."""

from __future__ import annotations

import asyncio
import time

__all__ = ["Gate"]


class Gate:
    """An async context for one call: enters when there is a place and the pace allows it.

    Places are handed out in the order of asking. With `per_minute`, calls begin evenly spaced, so
    that no minute sees more of them. A gate belongs to the event loop it is first used in.
    """

    def __init__(self, concurrency: int | None = None, per_minute: float | None = None) -> None:
        self._places = None if concurrency is None else asyncio.Semaphore(concurrency)
        self._step = None if per_minute is None else 60.0 / per_minute
        self._pacing = asyncio.Lock()
        self._last = float("-inf")

    async def __aenter__(self) -> None:
        if self._places is not None:
            await self._places.acquire()
        try:
            if self._step is not None:
                async with self._pacing:
                    await asyncio.sleep(self._last + self._step - time.monotonic())
                    self._last = time.monotonic()
        except BaseException:
            if self._places is not None:
                self._places.release()
            raise

    async def __aexit__(self, *_: object) -> None:
        if self._places is not None:
            self._places.release()
