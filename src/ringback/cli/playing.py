"""Playing a plan with its progress on stderr; ``run`` and ``study run`` share it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ringback.models import Models
    from ringback.models.protocol import ModelEntry
    from ringback.study.plan import Plan

__all__ = ["UNFINISHED", "Outcome", "models", "play"]

UNFINISHED = 3
"""The exit code of a run that is not complete: for want of budget, or for faults on the way."""

_REASONS = 3
_LONGEST = 200


class Outcome(NamedTuple):
    """How many episodes were there before, and in a sentence or two why some are left, if any."""

    reused: int
    stopped: str | None


def models(
    entries: Mapping[str, ModelEntry] | None, budget: float | None, folder: Path | None = None
) -> Models:
    """What opens models in this process: those described here, then those of the user's config.

    Paths in names are taken from `folder`: a study file's, None for the current one.
    """
    from ringback.cli.output import beside_waiting
    from ringback.models import Ledger, Models
    from ringback.study.plan import refuse_taken

    opened = Models(entries, ledger=Ledger(budget), folder=folder, say=beside_waiting())
    refuse_taken(opened.names)
    return opened


def play(
    plan: Plan | Sequence[Plan], store: Path, opened: Models, *, jobs: int, workers: int
) -> Outcome:
    """Play what is missing of the plan, or of several, one after the other.

    Interrupted, it raises `KeyboardInterrupt` with a sentence how to go on.
    """
    from ringback.cli.output import complain
    from ringback.cli.progress import Progress
    from ringback.models import BudgetSpent
    from ringback.report.wording import plural
    from ringback.study.engine import Played
    from ringback.study.plan import Plan
    from ringback.study.run import run_plan

    plans = (plan,) if isinstance(plan, Plan) else tuple(plan)
    planned = sum(each.episodes for each in plans)
    several = len({entry.name for each in plans for entry in each.arms}) > 1
    progress = Progress(planned, asks=any(each.models for each in plans))
    failed: list[str] = []
    spent: str | None = None
    try:
        with progress:

            def done(played: Played) -> None:
                arm = played.arm if several else ""
                progress.ended(solved=played.solved is True, reused=played.reused, arm=arm)
                if played.ending == "infrastructure_error":
                    failed.append(played.session)

            def waiting(calls: int) -> None:
                if calls:
                    progress.say(
                        f"Stopping; waiting for {plural(calls, 'call')} in flight, so that what "
                        f"{'it comes' if calls == 1 else 'they come'} to is kept. Ctrl-C again "
                        f"drops {'it' if calls == 1 else 'them'}."
                    )

            for each in plans:
                run_plan(
                    each,
                    store,
                    jobs=jobs,
                    workers=workers,
                    done=done,
                    models=opened,
                    waiting=waiting,
                    heard=progress.heard,
                    begins=progress.begin,
                )
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            f"Stopped with {progress.done} of {planned} episodes done; all that happened is kept, "
            "and the same command goes on from there."
        ) from None
    except BudgetSpent as stop:
        spent = f"{stop} {_left(plans, store, jobs)}"
    else:
        if (assumed := opened.assumed) is not None:
            complain(assumed)
    told = [spent, _failed(store, failed, planned) if failed else None]
    return Outcome(progress.reused, " ".join(filter(None, told)) or None)


def _left(plans: Sequence[Plan], store: Path, jobs: int) -> str:
    """What a spent budget has left to play."""
    from ringback.report.wording import plural
    from ringback.sessions import Store
    from ringback.study.run import stock

    with Store.open(store, write=False) as opened:
        there = [stock(plan, opened) for plan in plans]
    planned = plural(sum(each.planned for each in there), "episode")
    left = f"{sum(each.missing for each in there):,} of {planned} are left to play"
    if not (begun := sum(each.unfinished for each in there)):
        return f"{left}."
    fewer = ", and a lower --jobs finishes more of them" if min(begun, jobs) > 1 else ""
    return f"{left}, {begun} of them begun: those come first the next time{fewer}."


def _failed(store: Path, sessions: Sequence[str], planned: int) -> str:
    """Why episodes ended as infrastructure_error, the most frequent reason first."""
    from ringback.episode.events import End
    from ringback.report.plain import one_line
    from ringback.report.wording import plural
    from ringback.sessions import Store

    reasons: Counter[str] = Counter()
    with Store.open(store, write=False) as opened:
        for session in sessions:
            end = opened.events(session)[-1]
            why = end.why if isinstance(end, End) else None
            reasons[one_line(why or "the reason is not recorded", _LONGEST).rstrip(".")] += 1
    common = reasons.most_common(_REASONS)
    told = [f"{why} ({count})" if len(reasons) > 1 else why for why, count in common]
    if more := len(reasons) - len(common):
        told.append(plural(more, "other reason"))
    many = len(sessions)
    return (
        f"{many} of {plural(planned, 'episode')} ended as infrastructure_error and "
        f"{'is' if many == 1 else 'are'} not graded: {'; '.join(told)}. Run the same command again "
        f"to play {'it' if many == 1 else f'those {many}'} again."
    )
