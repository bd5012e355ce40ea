"""Playing a plan with its progress on stderr; ``run`` and ``study run`` share it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ringback.study.plan import Plan

__all__ = ["play"]


def play(plan: Plan, store: Path, *, jobs: int, workers: int) -> int:
    """Play what is missing of the plan; gives how many episodes were there before.

    Interrupted, it raises `KeyboardInterrupt` with a sentence how to go on.
    """
    from ringback.cli.progress import Progress
    from ringback.study.engine import Played
    from ringback.study.run import run_plan

    planned = len(plan.arms) * len(plan.tasks) * plan.trials
    progress = Progress(planned)
    try:
        with progress:

            def done(played: Played) -> None:
                arm = played.arm if len(plan.arms) > 1 else ""
                progress.ended(solved=played.solved is True, reused=played.reused, arm=arm)

            run_plan(plan, store, jobs=jobs, workers=workers, done=done)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            f"Stopped with {progress.done} of {planned} episodes done; all that happened is kept, "
            "and the same command goes on from there."
        ) from None
    return progress.reused
