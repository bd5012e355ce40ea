"""One request at a time: whose turn it is, until when, and whether it is still wanted."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

__all__ = ["BrokenOff", "Turn", "in_turn", "one_at_a_time"]

_T = TypeVar("_T")


class BrokenOff(Exception):  # noqa: N818 - says what happened
    """The caller no longer wants the answer, or its time is over."""


class Turn:
    """A request's turn: `seconds` from when it begins, unless it is cancelled before."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._asked = self._began = time.monotonic()
        self._gone = threading.Event()

    def begin(self) -> None:
        """Its time runs from now."""
        self._began = time.monotonic()

    @property
    def waited(self) -> float:
        """Seconds until it began."""
        return self._began - self._asked

    def passed(self) -> float:
        """Seconds since it began."""
        return time.monotonic() - self._began

    def cancel(self) -> None:
        """Break off, from any thread."""
        self._gone.set()

    @property
    def cancelled(self) -> bool:
        """Whether nobody waits for it any more."""
        return self._gone.is_set()

    def left(self) -> float:
        """The seconds that are left. Raises `BrokenOff` where there are none."""
        left = self.seconds - self.passed()
        if left <= 0 or self.cancelled:
            raise BrokenOff
        return left


def one_at_a_time() -> ThreadPoolExecutor:
    """A thread that works off what it is given, first come first served."""
    return ThreadPoolExecutor(1, thread_name_prefix="ringback-local")


async def in_turn(pool: ThreadPoolExecutor, turn: Turn, work: Callable[[], _T]) -> _T:
    """What `work` returns when its turn has come. Cancelled, it breaks the turn off."""
    try:
        return await asyncio.wrap_future(pool.submit(work))
    except asyncio.CancelledError:
        turn.cancel()
        raise
