"""What the reward does not see."""

from __future__ import annotations

from collections.abc import Sequence

from ringback.domain import Conduct, Happening, Task

__all__ = ["conduct"]


def conduct(task: Task, history: Sequence[Happening]) -> tuple[Conduct, ...]:
    """Notes on a history, in its order."""
    return ()
