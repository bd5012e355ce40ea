"""How far a run is, on stderr: a live bar in a terminal, a line now and then in a pipe."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["Progress"]

_SECONDS_BETWEEN_LINES = 10.0


class Progress:
    """Counts episodes as they end. Used as a context manager."""

    def __init__(self, planned: int) -> None:
        self.planned, self.done, self.solved, self.reused = planned, 0, 0, 0
        self._bar: Any = None
        self._task: Any = None
        self._said_at = time.monotonic()

    def __enter__(self) -> Progress:
        if sys.stderr.isatty():
            self._open_bar()
        return self

    def _open_bar(self) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        from ringback.cli.output import progress_console

        self._bar = Bar(
            TextColumn("episodes"),
            BarColumn(bar_width=30),
            MofNCompleteColumn(),
            TextColumn("solved {task.fields[solved]}"),
            TextColumn("{task.fields[arm]}", style="dim"),
            TimeRemainingColumn(compact=True),
            console=progress_console(),
            transient=True,
            refresh_per_second=8,
        )
        self._task = self._bar.add_task("", total=self.planned, solved=0, arm="")
        self._bar.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def ended(self, *, solved: bool, reused: bool, arm: str = "") -> None:
        """One more episode has its outcome."""
        self.done += 1
        self.solved += solved
        self.reused += reused
        if self._bar is not None:
            self._bar.update(self._task, completed=self.done, solved=self.solved, arm=arm)
        elif time.monotonic() - self._said_at >= _SECONDS_BETWEEN_LINES:
            self._said_at = time.monotonic()
            sys.stderr.write(f"{self.done} of {self.planned} episodes, {self.solved} solved\n")
            sys.stderr.flush()

    def say(self, sentence: str) -> None:
        """Say something beside the bar."""
        if self._bar is None:
            from ringback.cli.output import complain

            complain(sentence)
        else:
            from ringback.cli.output import shown

            self._bar.console.print(f"ringback: {shown(sentence)}")
