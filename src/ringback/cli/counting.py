"""How many have been read so far, on stderr; of how many, where that is known."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["Counting"]

_SECONDS_BETWEEN_LINES = 10.0
_SECONDS_BETWEEN_UPDATES = 0.1


class Counting:
    """A live count in a terminal, a line now and then in a pipe. Used as a context manager."""

    def __init__(self, what: str) -> None:
        self.done = 0
        self._what = what
        self._bar: Any = None
        self._task: Any = None
        self._said_at = time.monotonic()

    def __enter__(self) -> Counting:
        if sys.stderr.isatty():
            self._open()
        return self

    def _open(self) -> None:
        from rich.progress import (
            BarColumn,
            Progress,
            SpinnerColumn,
            TextColumn,
            TimeElapsedColumn,
        )

        from ringback.cli.output import progress_console

        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}: {task.completed:,.0f}"),
            BarColumn(bar_width=30),
            TimeElapsedColumn(),
            console=progress_console(),
            transient=True,
            refresh_per_second=8,
        )
        self._task = self._bar.add_task(self._what, total=None)
        self._bar.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def one(self) -> None:
        """One more."""
        self.done += 1
        now = time.monotonic()
        if self._bar is not None:
            if now - self._said_at >= _SECONDS_BETWEEN_UPDATES:
                self._said_at = now
                self._bar.update(self._task, completed=self.done)
        elif now - self._said_at >= _SECONDS_BETWEEN_LINES:
            self._said_at = now
            sys.stderr.write(f"{self._what}: {self.done:,}\n")
            sys.stderr.flush()

    def reach(self, done: int, total: int) -> None:
        """So many are done, of so many: a bar from now on."""
        self.done = done
        now = time.monotonic()
        if self._bar is not None:
            if now - self._said_at >= _SECONDS_BETWEEN_UPDATES or done == total:
                self._said_at = now
                self._bar.update(self._task, completed=done, total=total)
        elif now - self._said_at >= _SECONDS_BETWEEN_LINES:
            self._said_at = now
            sys.stderr.write(f"{self._what}: {done:,} of {total:,}\n")
            sys.stderr.flush()
