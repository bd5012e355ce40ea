"""Ctrl-C as a wish: the first waits for what is in flight and paid for, the second drops it."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import threading
from collections.abc import Callable, Coroutine, Generator

__all__ = ["Stop"]


class Stop:
    """Hears Ctrl-C while work is done in an event loop.

    A plain signal handler, since one of the loop's is not heard while it stands still in a wait for
    the store. `gently` begins nothing more and says how many calls are in flight, which `waiting`
    then hears; `hurry` ends a wait for the store, and the work is cancelled.
    """

    def __init__(
        self,
        gently: Callable[[], int],
        hurry: Callable[[], None],
        waiting: Callable[[int], None] | None,
    ) -> None:
        self.asked = False
        self._gently, self._hurry, self._waiting = gently, hurry, waiting
        self._cancel: Callable[[], object] | None = None

    @contextlib.contextmanager
    def on_ctrl_c(self) -> Generator[None]:
        """Hear it within; only the main thread can, elsewhere nothing changes."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.signal(signal.SIGINT, self._ask)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    async def through(self, work: Coroutine[None, None, None]) -> None:
        """Do the work, cancelled by a second Ctrl-C."""
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None
        self._cancel = lambda: loop.is_closed() or loop.call_soon_threadsafe(task.cancel)
        await work

    def _ask(self, *_: object) -> None:
        first, self.asked = not self.asked, True
        if first:
            flying = self._gently()
            if self._waiting is not None:
                self._waiting(flying)
            return
        self._hurry()
        if self._cancel is not None:
            self._cancel()
