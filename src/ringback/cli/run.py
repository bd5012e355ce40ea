"""``ringback run``: an agent on tasks, from the first call to the figures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from ringback.cli.options import AsJson, DomainName, Jobs, StorePath, Workers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ringback.report.model import Count, Rate, StudyResults
    from ringback.study.plan import Plan

__all__ = ["run"]


def run(
    *,
    tasks: Annotated[
        str, Parameter(help="A split, or task ids with commas between.", metavar="SPLIT|IDS")
    ],
    agent: Annotated[str, Parameter(help="Who answers the calls.", metavar="NAME")] = "reference",
    user: Annotated[str, Parameter(help="Who calls.", metavar="NAME")] = "rules",
    policy: Annotated[
        str | None,
        Parameter(help="Which wording of the policy; the first if left out.", metavar="NAME"),
    ] = None,
    trials: Annotated[int, Parameter(help="How often each task is run.", metavar="N")] = 1,
    seed: Annotated[int, Parameter(help="What all random draws start from.", metavar="N")] = 0,
    jobs: Jobs = 8,
    workers: Workers = 1,
    domain: DomainName = "telecom",
    store: StorePath = None,
    json: AsJson = False,
) -> int:
    """Run an agent on tasks and grade what it did.

    Every episode is recorded as it happens. Stopped and started again, the same command goes on
    where it was and repeats nothing.
    """
    from ringback.cli.options import store_path
    from ringback.cli.output import print_json, print_lines
    from ringback.cli.playing import play
    from ringback.sessions import Store
    from ringback.study.plan import plan_run
    from ringback.study.results import results

    plan = plan_run(
        tasks=tasks,
        agent=agent,
        user=user,
        policy=policy,
        trials=trials,
        seed=seed,
        domain=domain,
    )
    path = store_path(store)
    reused = play(plan, path, jobs=jobs, workers=workers)
    with Store.open(path, write=False) as opened:
        found = results(plan, opened, "")
    if json:
        print_json(_object(plan, found, reused, path))
    else:
        print_lines(_report(plan, found, reused))
    return 0


def _object(plan: Plan, found: StudyResults, reused: int, store: Path) -> dict[str, Any]:
    arm = found.arms[0]
    return {
        "tasks": plan.tasks_named,
        "trials": plan.trials,
        "seed": plan.seed,
        "agent": plan.arms[0].arm.agent,
        "policy": plan.arms[0].arm.policy,
        "user": plan.condition.user,
        "planned": arm.totals.planned,
        "run": arm.totals.run,
        "reused": reused,
        "graded": arm.totals.graded,
        "ungraded": arm.totals.ungraded,
        "ungraded_reasons": {item.name: item.count for item in arm.totals.reasons},
        **_rate_object(arm.rate),
        "repairable": {"planned": arm.repairable.planned, **_rate_object(arm.repairable)},
        "unrepairable": {"planned": arm.unrepairable.planned, **_rate_object(arm.unrepairable)},
        "endings": {item.name: item.count for item in arm.endings},
        "conduct": {item.name: item.count for item in arm.conduct},
        "strict_differs": arm.strict_differs,
        "store": str(store),
        "sessions": [
            cell.session for row in found.grid for cell in row.cells[0] if cell.session is not None
        ],
    }


def _rate_object(rate: Rate) -> dict[str, Any]:
    return {
        "solved": rate.solved,
        "rate": rate.rate,
        "interval": [rate.interval.low, rate.interval.high] if rate.interval else None,
    }


def _report(plan: Plan, found: StudyResults, reused: int) -> list[str]:
    from ringback.report.wording import counts, plural

    arm, entry = found.arms[0], plan.arms[0]
    totals = arm.totals
    lines = [
        f"{plan.tasks_named}: {plural(len(plan.tasks), 'task')}, "
        f"{plural(plan.trials, 'trial')}, seed {plan.seed}; "
        f"agent {entry.arm.agent.name} ({entry.arm.policy}), user {plan.condition.user.name}",
        "",
        f"planned    {totals.planned:>5}",
        f"run        {totals.run:>5}" + (f"   {reused} of them before" if reused else ""),
        f"graded     {totals.graded:>5}",
        f"ungraded   {totals.ungraded:>5}"
        + (f"   {_exact(totals.reasons)}" if totals.reasons else ""),
        "",
        f"{'':<13}solved of planned    rate   95% interval",
        _rate_line("all tasks", arm.rate),
        _rate_line("repairable", arm.repairable),
        _rate_line("unrepairable", arm.unrepairable),
        "",
        f"endings: {_exact(arm.endings) or 'none'}",
    ]
    if arm.conduct:
        lines.append(f"conduct, in episodes: {counts(arm.conduct)}")
    if arm.strict_differs:
        lines.append(f"the strict action checks differ in {plural(arm.strict_differs, 'episode')}")
    lines += ["", "Read one with `ringback sessions show latest`."]
    return lines


def _exact(items: Sequence[Count]) -> str:
    """Names as `sessions list` takes them, with their counts."""
    return ", ".join(f"{item.name} {item.count}" for item in items)


def _rate_line(name: str, rate: Rate) -> str:
    from ringback.report.wording import percent, percent_interval

    start = f"{name:<13}{rate.solved:>6} of {rate.planned:<7}"
    if rate.rate is None:
        return f"{start} none planned"
    return f"{start}{percent(rate.rate):>7}   {percent_interval(rate.interval)}"
