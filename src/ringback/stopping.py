"""Ctrl-C as a wish: the first may wait for what is in flight and paid for, the next drops it."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import threading
from collections.abc import Callable, Coroutine, Generator

from ringback.errors import StoreError

__all__ = ["stoppable"]


def stoppable(
    work: Coroutine[None, None, None],
    *,
    gently: Callable[[], int] | None,
    hurry: Callable[[], None],
    waiting: Callable[[int], None] | None,
) -> None:
    """Do the work in an event loop of its own, and end with `KeyboardInterrupt` after a Ctrl-C.

    `gently` begins nothing more and says how many calls are in flight, which `waiting` then hears;
    the work ends by itself when they are home. Without it, and at the next Ctrl-C, `hurry` ends a
    wait for the store and the work is cancelled. Only the main thread hears Ctrl-C.
    """
    stop = _Stop(gently, hurry, waiting)
    with stop.on_ctrl_c():
        try:
            asyncio.run(stop.through(work))
        except (asyncio.CancelledError, StoreError):
            if not stop.asked:
                raise
        if stop.asked:
            raise KeyboardInterrupt


class _Stop:
    """Hears Ctrl-C while the work is done.

    A plain signal handler, since one of the loop's is not heard while it stands still in a wait for
    the store.
    """

    def __init__(
        self,
        gently: Callable[[], int] | None,
        hurry: Callable[[], None],
        waiting: Callable[[int], None] | None,
    ) -> None:
        self.asked = False
        self._gently, self._hurry, self._waiting = gently, hurry, waiting
        self._cancel: Callable[[], object] | None = None

    @contextlib.contextmanager
    def on_ctrl_c(self) -> Generator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.signal(signal.SIGINT, self._ask)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    async def through(self, work: Coroutine[None, None, None]) -> None:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None
        self._cancel = lambda: loop.is_closed() or loop.call_soon_threadsafe(task.cancel)
        if self.asked:
            self._cancel()
        await work

    def _ask(self, *_: object) -> None:
        first, self.asked = not self.asked, True
        if first and self._gently is not None:
            flying = self._gently()
            if self._waiting is not None:
                self._waiting(flying)
            return
        self._hurry()
        if self._cancel is not None:
            self._cancel()
