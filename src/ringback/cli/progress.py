"""How far a run is, on stderr: a live bar in a terminal, a line now and then in a pipe."""

from __future__ import annotations

import sys
import threading
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from ringback.episode.events import AnyEvent

__all__ = ["Progress"]

_SECONDS_BETWEEN_LINES = 10.0
_SECONDS_BETWEEN_UPDATES = 0.1
_SECONDS_OF_SILENCE = 30.0


class Progress:
    """Counts episodes as they end, and what happens in them. Used as a context manager.

    `asks` says that models are asked: their calls are counted then, else turns. Of a model that
    takes its time a pipe hears every half minute.
    """

    def __init__(self, planned: int, *, asks: bool = False) -> None:
        self.planned, self.done, self.solved, self.reused = planned, 0, 0, 0
        self._asks, self._turns, self._calls = asks, 0, 0
        self._over = threading.Event()
        self._begun = False
        self._bar: Any = None
        self._task: Any = None
        self._said_at = time.monotonic()

    def __enter__(self) -> Progress:
        return self

    def begin(self) -> None:
        """Show it from now on: there is something to wait for. Again changes nothing."""
        if self._begun:
            return
        self._begun = True
        if sys.stderr.isatty():
            self._open_bar()
        elif self._asks:
            threading.Thread(target=self._keep_saying, daemon=True).start()

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
        self._task = self._bar.add_task(
            "",
            total=self.planned,
            completed=self.done,
            solved=self.solved,
            arm="",
            within=self._within,
        )
        self._bar.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
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
        """What has happened in the episodes: calls of models that were answered, else turns."""
        count, one = (self._calls, "call") if self._asks else (self._turns, "turn")
        return f"{count:,} {one}{'' if count == 1 else 's'}"

    def _keep_saying(self) -> None:
        while not self._over.wait(_SECONDS_OF_SILENCE / 10):
            self._say_now_and_then(_SECONDS_OF_SILENCE)

    def _say_now_and_then(self, seconds: float = _SECONDS_BETWEEN_LINES) -> None:
        if time.monotonic() - self._said_at < seconds:
            return
        self._said_at = time.monotonic()
        sys.stderr.write(
            f"{self.done} of {self.planned} episodes, {self.solved} solved; {self._within}\n"
        )
        sys.stderr.flush()

    def say(self, sentence: str) -> None:
        """Say something beside the bar."""
        if self._bar is None:
            from ringback.cli.output import complain

            complain(sentence)
        else:
            from ringback.cli.output import shown

            self._bar.console.print(f"ringback: {shown(sentence)}")
