"""A store with recorded calls for the tests of replays and forks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ringback.episode.events import Start
from ringback.models import Models
from ringback.replay.changes import Changes
from ringback.replay.fork import ForkPlan, plan_forks
from ringback.replay.outcome import Outcome, outcome
from ringback.replay.places import At
from ringback.replay.rerun import ReplayPlan, plan_replays
from ringback.sessions import SessionRow, Store, parse_selection
from ringback.study.plan import Plan, plan_run
from ringback.study.run import run_plan

__all__ = ["TASKS", "fork", "play", "record", "replay", "rows", "start_of"]

TASKS = (
    "[service_issue]overdue_bill_suspension|unseat_sim_card[PERSONA:Easy]",
    "[mobile_data_issue]airplane_mode_on|data_usage_exceeded[PERSONA:Easy]",
    "[service_issue]lock_sim_card_pin[PERSONA:Hard]",
)
"""Two cases that `hasty` fails and `reference` solves, and one to hand over."""


def record(
    store: Path, agent: str = "hasty", *, models: Models | None = None, **more: object
) -> Plan:
    """Play the cases with an agent, once or as `more` says."""
    opener = None if models is None else models.open
    arguments = {"tasks": TASKS, "agent": agent, "user": "rules", "opener": opener, **more}
    plan = plan_run(**arguments)  # pyright: ignore[reportArgumentType]
    play([plan], store, models)
    return plan


def play(plans: Sequence[Plan], store: Path, models: Models | None = None) -> None:
    for plan in plans:
        run_plan(plan, store, done=lambda _: None, models=models)


def rows(store: Path, *words: str) -> list[SessionRow]:
    with Store.open(store, write=False) as opened:
        return list(opened.rows(parse_selection(words)))


def start_of(store: Path, session: str) -> Start:
    with Store.open(store, write=False) as opened:
        start = opened.events(session)[0]
    assert isinstance(start, Start)
    return start


def replay(
    store: Path, changes: Changes, *words: str, models: Models | None = None, **more: object
) -> tuple[tuple[ReplayPlan, ...], Outcome]:
    """Replay a selection to the end, and what became of it."""
    with Store.open(store, write=False) as opened:
        found = plan_replays(
            opened,
            opened.rows(parse_selection(words), counting=True),
            changes,
            opener=None if models is None else models.open,
            **more,  # pyright: ignore[reportArgumentType]
        )
    play(found.plans, store, models)
    with Store.open(store, write=False) as opened:
        return found.plans, outcome(found.plans, opened)


def fork(
    store: Path, at: At, changes: Changes, *words: str, models: Models | None = None, **more: object
) -> tuple[tuple[ForkPlan, ...], Outcome]:
    """Fork a selection, play it to the end, and what became of it."""
    with Store.open(store, write=False) as opened:
        found = plan_forks(
            opened,
            opened.rows(parse_selection(words), counting=True),
            at,
            changes,
            opener=None if models is None else models.open,
            **more,  # pyright: ignore[reportArgumentType]
        )
    play(found.plans, store, models)
    with Store.open(store, write=False) as opened:
        return found.plans, outcome(found.plans, opened)
