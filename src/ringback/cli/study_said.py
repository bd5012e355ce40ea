"""What the commands of ``ringback study`` say: plans, stock and results, for people and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

if TYPE_CHECKING:
    from ringback.canonical import Json
    from ringback.report.model import StudyResults
    from ringback.report.rules import RuleFacts
    from ringback.study.plan import Plan
    from ringback.study.run import Stock

__all__ = [
    "cut_off",
    "earlier",
    "head",
    "left",
    "plan_object",
    "print_arms",
    "print_results",
    "results_object",
    "rule_lines",
]


def head(planned: Plan) -> list[str]:
    """What is asked, on which tasks, with whom, within which limits."""
    from ringback.cli.output import folded
    from ringback.cli.told import user_told
    from ringback.report.wording import plural

    limits = planned.condition.limits
    asked = folded(planned.question, "") if planned.question else []
    lines = [planned.study, *asked, ""]
    lines += [
        f"  tasks   {planned.tasks_named}: {plural(len(planned.tasks), 'task')}, "
        f"{plural(planned.trials, 'trial')} each, seed {planned.seed}",
        *folded(f"  user    {user_told(planned.condition.user)}", " " * 10),
        f"  limits  {limits.steps} steps, {limits.errors} tool errors, {limits.seconds:g} seconds",
    ]
    if (step := planned.step_check) is not None:
        words = (
            f"{plural(step.sample, 'call')} of {step.arm}, sent again to {', '.join(step.models)}, "
            f"seed {step.seed}"
        )
        lines += folded(f"  check   {words}", " " * 10)
    return [*lines, ""]


class _Counts(Struct):
    """An arm's cells: planned, with an outcome, begun and not ended."""

    episodes: int
    there: int = 0
    begun: int = 0


def _counts(planned: Plan, stock: Stock) -> dict[str, _Counts]:
    from ringback.study.engine import needs_play

    each = len(planned.tasks) * planned.trials
    counts = {arm.name: _Counts(each) for arm in planned.arms}
    for state in stock.states:
        count = counts[state.cell.arm.name]
        count.there += not needs_play(state.row)
        count.begun += state.row is not None and state.row.ending is None
    return counts


def print_arms(planned: Plan, stock: Stock) -> None:
    """The arms and how many of their episodes are there."""
    from ringback.cli.output import print_table
    from ringback.report.method import arm_text
    from ringback.study.results import arm_facts

    counts = _counts(planned, stock)
    print_table(
        [
            ("arm", "left"),
            ("role", "left"),
            ("what it is, or changes", "wrap"),
            ("episodes", "right"),
            ("there", "right"),
            ("begun", "right"),
            ("to run", "right"),
        ],
        (
            [
                arm.name,
                arm.role,
                arm_text(arm_facts(arm)),
                f"{counts[arm.name].episodes:,}",
                f"{counts[arm.name].there:,}",
                f"{counts[arm.name].begun:,}",
                f"{counts[arm.name].episodes - counts[arm.name].there:,}",
            ]
            for arm in planned.arms
        ),
    )


def left(stock: Stock) -> str:
    """How much is left to run, in a sentence."""
    from ringback.report.wording import plural

    planned = plural(stock.planned, "episode")
    if not stock.missing:
        return f"All {planned} are there; nothing is left to run."
    begun = f", {stock.unfinished:,} of them begun" if stock.unfinished else ""
    return f"{stock.missing:,} of {planned} are left to run{begun}."


def rule_lines(rules: Mapping[str, Sequence[RuleFacts]]) -> Iterator[str]:
    """Of each text that an arm adds to its instructions: when it was first seen, what it names."""
    from ringback.report.rules import told

    for name, facts in rules.items():
        yield from (told(name, rule) for rule in facts)


def earlier(stock: Stock) -> Iterator[str]:
    """What an earlier form of the study has left in the store, said and never mixed in."""
    from ringback.report.wording import listing, plural

    for item in stock.earlier:
        arms = f"arm {item.arms[0]}" if len(item.arms) == 1 else f"arms {listing(item.arms)}"
        match item.why:
            case "condition":
                changes = [_changed(key, *values) for key, values in item.changes.items()]
                why = "recorded under another condition"
                why += f" ({', '.join(changes)})" if changes else ""
            case "arm":
                why = "recorded for an arm that is no longer in the study"
            case "content":
                why = "recorded with another content of the arm"
            case "draw":
                why = "recorded for tasks, trials or a seed no longer asked for"
        many = "was" if item.cells == 1 else "were"
        yield (
            f"Note: {plural(item.cells, 'session')} of {arms} {many} {why}: left out of the "
            "figures, and kept in the store."
        )


def _changed(key: str, was: Json, now: Json) -> str:
    from ringback.report.wording import value

    if key == "texts":
        return "what the user reads"
    return f"{key} {value(was)}, now {value(now)}"


def plan_object(planned: Plan, stock: Stock) -> dict[str, Any]:
    """The plan and its stock for ``--json``."""
    counts = _counts(planned, stock)
    return {
        "study": planned.study,
        "question": planned.question,
        "domain": planned.domain,
        "tasks": [task.id for task in planned.tasks],
        "trials": planned.trials,
        "seed": planned.seed,
        "user": planned.condition.user,
        "limits": planned.condition.limits,
        "step_check": planned.step_check,
        "condition": planned.condition_hash,
        "episodes": stock.planned,
        "there": stock.there,
        "begun": stock.unfinished,
        "missing": stock.missing,
        "arms": [
            {
                "name": arm.name,
                "role": arm.role,
                "agent": arm.arm.agent,
                "policy": arm.arm.policy,
                "changes": arm.changes,
                "episodes": counts[arm.name].episodes,
                "there": counts[arm.name].there,
                "begun": counts[arm.name].begun,
            }
            for arm in planned.arms
        ],
        "earlier": stock.earlier,
    }


def results_object(found: StudyResults, reused: int, store: Path, written: Path) -> dict[str, Any]:
    """The results for ``--json``."""
    return {
        "study": found.facts.name,
        "planned": found.totals.planned,
        "run": found.totals.run,
        "reused": reused,
        "graded": found.totals.graded,
        "ungraded": found.totals.ungraded,
        "ungraded_reasons": {item.name: item.count for item in found.totals.reasons},
        "headline": found.headline,
        "arms": found.arms,
        "step_check": found.step_check,
        "store": str(store),
        "report": str(written),
    }


def print_results(found: StudyResults) -> None:
    """The results, an arm a line, and what they took and cost where a model was asked."""
    from ringback.cli.output import print_lines, print_paragraphs, print_table
    from ringback.report.arm_table import arm_tables

    for place, table in enumerate(arm_tables(found)):
        if place:
            print_lines([""])
        print_table(table.columns, table.rows)
        if table.below:
            print_paragraphs(["", table.below])


def cut_off(found: StudyResults) -> Iterator[str]:
    """What ended otherwise than by one side hanging up: it may explain a rate."""
    from ringback.episode.events import STOPS

    for arm in found.arms:
        cut = [item for item in arm.endings if item.name not in STOPS]
        if cut:
            told = ", ".join(f"{item.name} {item.count:,}" for item in cut)
            yield f"Of {arm.name}, not ended by either side, of {arm.totals.run:,} run: {told}."
