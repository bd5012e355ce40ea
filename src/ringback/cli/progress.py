"""How far a run is, on stderr: a live bar in a terminal, a line now and then in a pipe."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from ringback.episode.events import AnyEvent

__all__ = ["Progress"]

_SECONDS_BETWEEN_LINES = 10.0
_SECONDS_BETWEEN_UPDATES = 0.1


class Progress:
    """Counts episodes as they end, and what happens in them. Used as a context manager."""

    def __init__(self, planned: int) -> None:
        self.planned, self.done, self.solved, self.reused = planned, 0, 0, 0
        self._turns, self._calls = 0, 0
        self._bar: Any = None
        self._task: Any = None
        self._said_at = time.monotonic()

    def __enter__(self) -> Progress:
        if sys.stderr.isatty():
            self._open_bar()
        return self

    def _open_bar(self) -> None:
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )
        from rich.progress import Progress as Bar

        from ringback.cli.output import progress_console

        self._bar = Bar(
            TextColumn("episodes"),
            BarColumn(bar_width=18),
            MofNCompleteColumn(),
            TextColumn("solved {task.fields[solved]}"),
            TextColumn("{task.fields[arm]}", style="dim"),
            TextColumn("{task.fields[within]}"),
            TimeElapsedColumn(),
            TimeRemainingColumn(compact=True),
            console=progress_console(),
            transient=True,
            refresh_per_second=8,
        )
        self._task = self._bar.add_task("", total=self.planned, solved=0, arm="", within="")
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
            self._bar.update(
                self._task, completed=self.done, solved=self.solved, arm=arm, within=self._within
            )
        else:
            self._say_now_and_then()

    def heard(self, events: Sequence[AnyEvent]) -> None:
        """Something has happened in an episode, and is recorded."""
        from ringback.episode.events import ModelCall, Turn

        for event in events:
            self._turns += isinstance(event, Turn)
            self._calls += isinstance(event, ModelCall)
        if self._bar is None:
            self._say_now_and_then()
        elif time.monotonic() - self._said_at >= _SECONDS_BETWEEN_UPDATES:
            self._said_at = time.monotonic()
            self._bar.update(self._task, within=self._within)

    @property
    def _within(self) -> str:
        """What has happened in the episodes: calls of models, turns where none were asked."""
        count, one = (self._calls, "call") if self._calls else (self._turns, "turn")
        return f"{count:,} {one}{'' if count == 1 else 's'}" if count else ""

    def _say_now_and_then(self) -> None:
        if time.monotonic() - self._said_at < _SECONDS_BETWEEN_LINES:
            return
        self._said_at = time.monotonic()
        within = f", {self._within} so far" if self._within else ""
        sys.stderr.write(f"{self.done} of {self.planned} episodes, {self.solved} solved{within}\n")
        sys.stderr.flush()

    def say(self, sentence: str) -> None:
        """Say something beside the bar."""
        if self._bar is None:
            from ringback.cli.output import complain

            complain(sentence)
        else:
            from ringback.cli.output import shown

            self._bar.console.print(f"ringback: {shown(sentence)}")
