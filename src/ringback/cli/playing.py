"""Playing a plan with its progress on stderr; ``run`` and ``study run`` share it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ringback.models import Models
    from ringback.models.protocol import ModelEntry
    from ringback.study.plan import Plan

__all__ = ["UNFINISHED", "Outcome", "models", "play"]

UNFINISHED = 3
"""The exit code of a run that its budget stopped."""


class Outcome(NamedTuple):
    """How many episodes were there before, and the sentence of what stopped the run, if any."""

    reused: int
    stopped: str | None


def models(entries: Mapping[str, ModelEntry] | None, budget: float | None) -> Models:
    """What opens models in this process: those described here, then those of the user's config."""
    from ringback.models import Ledger, Models
    from ringback.study.plan import refuse_taken

    opened = Models(entries, ledger=Ledger(budget))
    refuse_taken(opened.names)
    return opened


def play(plan: Plan, store: Path, opened: Models, *, jobs: int, workers: int) -> Outcome:
    """Play what is missing of the plan.

    Interrupted, it raises `KeyboardInterrupt` with a sentence how to go on.
    """
    from ringback.cli.output import complain
    from ringback.cli.progress import Progress
    from ringback.models import BudgetSpent
    from ringback.report.wording import plural
    from ringback.study.engine import Played
    from ringback.study.run import run_plan

    planned = len(plan.arms) * len(plan.tasks) * plan.trials
    progress = Progress(planned)
    try:
        with progress:

            def done(played: Played) -> None:
                arm = played.arm if len(plan.arms) > 1 else ""
                progress.ended(solved=played.solved is True, reused=played.reused, arm=arm)

            def waiting(episodes: int) -> None:
                if episodes:
                    progress.say(
                        "Stopping; waiting for what is in flight and paid for, in "
                        f"{plural(episodes, 'episode')}. Ctrl-C again drops it."
                    )

            run_plan(
                plan,
                store,
                jobs=jobs,
                workers=workers,
                done=done,
                models=opened,
                waiting=waiting,
            )
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            f"Stopped with {progress.done} of {planned} episodes done; all that happened is kept, "
            "and the same command goes on from there."
        ) from None
    except BudgetSpent as spent:
        left = plural(planned - progress.done, "episode")
        return Outcome(progress.reused, f"{spent} {left} of {planned} are left, and kept so far.")
    if (assumed := opened.assumed) is not None:
        complain(assumed)
    return Outcome(progress.reused, None)
