"""``ringback run``: an agent on tasks, from the first call to the figures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from ringback.cli.options import (
    AsJson,
    Budget,
    DomainName,
    Jobs,
    ModelsFile,
    MostErrors,
    MostSteps,
    PolicyVariant,
    StorePath,
    Whole,
    Workers,
    named_path,
)
from ringback.episode.installed import names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ringback.report.model import ArmResults, Cost, Count, Rate, StudyResults
    from ringback.sessions import SessionRow
    from ringback.study.plan import Plan

__all__ = ["run"]

_AGENTS = ("reference", "hasty", "careless", "transfer-at-once", "do-nothing")


def run(
    *,
    tasks: Annotated[
        str,
        Parameter(
            help="A split (telecom has test, train, base, small, full), or task ids with commas "
            "between.",
            metavar="SPLIT|IDS",
        ),
    ],
    agent: Annotated[
        str,
        Parameter(
            help=f"Who answers: {', '.join((*_AGENTS, *names('ringback.agents')))}, or a model "
            "such as openai:gpt-5.2.",
            metavar="NAME",
        ),
    ] = "reference",
    setting: Annotated[
        tuple[str, ...],
        Parameter(
            help="A setting of the agent, such as skip=0.5, or of its model, such as "
            "model.temperature=0; may be given several times.",
            metavar="KEY=VALUE",
            show_default=False,
        ),
    ] = (),
    instructions: Annotated[
        Path | None,
        Parameter(
            help="Text in place of our instructions to an agent model.",
            converter=named_path,
            metavar="FILE",
        ),
    ] = None,
    instructions_append: Annotated[
        Path | None,
        Parameter(
            help="Text after the policy, for an agent model.",
            converter=named_path,
            metavar="FILE",
        ),
    ] = None,
    user: Annotated[
        str,
        Parameter(
            help=f"Who calls: {', '.join(('rules', *names('ringback.users')))}, or a model.",
            metavar="NAME",
        ),
    ] = "rules",
    user_setting: Annotated[
        tuple[str, ...],
        Parameter(
            help="A setting of the user; may be given several times.",
            metavar="KEY=VALUE",
            show_default=False,
        ),
    ] = (),
    guard: Annotated[
        str | None,
        Parameter(
            help="What to do when a user model stops being a customer: off, record or correct.",
            metavar="HOW",
        ),
    ] = None,
    policy: PolicyVariant = None,
    trials: Annotated[Whole, Parameter(help="How often each task is run.", metavar="N")] = 1,
    seed: Annotated[Whole, Parameter(help="What all random draws start from.", metavar="N")] = 0,
    steps: MostSteps = 100,
    errors: MostErrors = 10,
    seconds: Annotated[
        float, Parameter(help="Both sides' active time to an episode.", metavar="SECONDS")
    ] = 1200.0,
    models: ModelsFile = None,
    budget: Budget = None,
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
    from ringback.cli import playing
    from ringback.cli.described import described
    from ringback.cli.options import store_path
    from ringback.cli.output import complain, print_json, print_lines, print_paragraphs
    from ringback.cli.settings import agent_settings, user_settings
    from ringback.episode.events import Limits
    from ringback.sessions import Store
    from ringback.study.plan import plan_run
    from ringback.study.results import results

    opened_models = playing.models(None if models is None else described(models), budget)
    plan = plan_run(
        tasks=tasks,
        agent=agent,
        settings=agent_settings(setting, instructions, instructions_append),
        user=user,
        user_settings=user_settings(user_setting, guard),
        policy=policy,
        limits=Limits(steps, errors, seconds),
        trials=trials,
        seed=seed,
        domain=domain,
        opener=opened_models.open,
    )
    path = store_path(store)
    reused, stopped = playing.play(plan, path, opened_models, jobs=jobs, workers=workers)
    with Store.open(path, write=False) as opened:
        found = results(plan, opened, "")
        newest = next(opened.rows(newest=True, limit=1), None)
    if json:
        print_json(_object(plan, found, reused, path) | {"stopped": stopped})
    else:
        print_paragraphs([_head(plan)])
        print_lines(_report(found, reused, whole=stopped is None))
        print_lines(_to_read(found, newest, store))
    if stopped is not None:
        complain(stopped)
        return playing.UNFINISHED
    return 0


def _object(plan: Plan, found: StudyResults, reused: int, store: Path) -> dict[str, Any]:
    arm = found.arms[0]
    known = arm.totals.graded > 0
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
        **_rate_object(arm.rate, known=known),
        "repairable": {
            "planned": arm.repairable.planned,
            **_rate_object(arm.repairable, known=known),
        },
        "unrepairable": {
            "planned": arm.unrepairable.planned,
            **_rate_object(arm.unrepairable, known=known),
        },
        "endings": {item.name: item.count for item in arm.endings},
        "conduct": {item.name: item.count for item in arm.conduct},
        "strict_differs": arm.strict_differs,
        "cost": {"agent": _cost_object(arm.agent_cost), "user": _cost_object(arm.user_cost)},
        "simulator_faults": arm.faults,
        "user_answered_as": found.facts.answered.get(arm.name, {}),
        "store": str(store),
        "sessions": [
            cell.session for row in found.grid for cell in row.cells[0] if cell.session is not None
        ],
    }


def _cost_object(cost: Cost | None) -> dict[str, Any] | None:
    """`usd` is null where any part is unknown; null in whole where no model was asked."""
    if cost is None:
        return None
    return {
        "usd": None if cost.unpriced else cost.usd,
        "known_usd": cost.usd,
        "calls": cost.calls,
        "calls_without_price": cost.unpriced,
        "tries_maybe_charged": cost.maybe_charged,
    }


def _rate_object(rate: Rate, *, known: bool) -> dict[str, Any]:
    """`known` is false where no episode was graded, and nothing can be said of the rate."""
    interval = rate.interval if known else None
    return {
        "solved": rate.solved,
        "rate": rate.rate if known else None,
        "interval": [interval.low, interval.high] if interval else None,
    }


def _head(plan: Plan) -> str:
    from ringback.cli.told import agent_told, user_told
    from ringback.report.wording import plural

    entry = plan.arms[0]
    agent = agent_told(entry.arm.agent, entry.own_settings)
    return (
        f"{plan.tasks_named}: {plural(len(plan.tasks), 'task')}, "
        f"{plural(plan.trials, 'trial')}, seed {plan.seed}; "
        f"agent {agent} ({entry.arm.policy}), user {user_told(plan.condition.user)}"
    )


def _report(found: StudyResults, reused: int, *, whole: bool) -> list[str]:
    """The figures; `whole` says that nothing of what was asked for is left to play."""
    from ringback.report.failing import failures_text
    from ringback.report.wording import answered, cost, counts, faults, strict_checks

    arm = found.arms[0]
    totals = arm.totals
    lines = [
        "",
        f"planned    {totals.planned:>5}",
        f"run        {totals.run:>5}" + (f"   {reused} of them before" if reused else ""),
        f"graded     {totals.graded:>5}",
        f"ungraded   {totals.ungraded:>5}"
        + (f"   {_exact(totals.reasons)}" if totals.reasons else ""),
        "",
        *_rates(arm),
        "",
        f"endings: {_exact(arm.endings) or 'none'}",
    ]
    if arm.failures or arm.unblamed:
        lines.append(f"failures laid to: {failures_text(arm)}")
    if arm.conduct:
        lines.append(f"conduct, in episodes: {counts(arm.conduct)}")
    if arm.strict_differs:
        lines.append(f"the strict action checks differ in {strict_checks(arm)}")
    if found.asked_models:
        over = "" if whole and not reused else ", over all commands"
        lines += ["", f"cost of the agent{over}: {cost(arm.agent_cost)}"]
        lines.append(f"cost of the user{over}:  {cost(arm.user_cost)}")
    if names := answered(found.facts.answered):
        lines.append(f"the user's model answered under several names, {names}")
    if arm.user_cost is not None:
        lines.append(f"faults of the user simulator: {faults(arm.faults, arm.user_cost)}")
    return lines


def _to_read(found: StudyResults, newest: SessionRow | None, store: Path | None) -> list[str]:
    """How to read a session of this run: ``latest`` only where that is one of them."""
    from ringback.cli.typed import command

    there = [cell for row in found.grid for cell in row.cells[0] if cell.session is not None]
    if not there:
        return []
    telling = [cell for cell in there if cell.outcome == "unsolved"] or there
    ours = newest is not None and newest.id in {cell.session for cell in there}
    which = "latest" if ours else str(telling[-1].session)
    return ["", f"Read one with {command('sessions', 'show', which, store=store)}."]


def _rates(arm: ArmResults) -> list[str]:
    """The table of rates; where no episode was graded, that there is none."""
    from ringback.report.wording import level, plural

    if arm.rate.interval is None or not arm.totals.graded:
        return ["No episode was graded: there is no rate."]
    lines = [
        f"{'':<13}solved of planned    rate   {level(arm.rate.interval.level)} interval",
        _rate_line("all tasks", arm.rate),
        _rate_line("repairable", arm.repairable),
        _rate_line("unrepairable", arm.unrepairable),
    ]
    if ungraded := arm.totals.ungraded:
        counts = "counts" if ungraded == 1 else "count"
        lines.append(f"{plural(ungraded, 'ungraded episode')} {counts} as not solved.")
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
