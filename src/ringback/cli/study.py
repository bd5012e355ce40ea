"""``ringback study``: compare agents on the same tasks, as a file says."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from cyclopts import Parameter
from msgspec import Struct
from msgspec.structs import replace

from ringback.cli.options import AsJson, Budget, Jobs, StorePath, Workers

if TYPE_CHECKING:
    from ringback.canonical import Json
    from ringback.errors import InputError
    from ringback.models import Models
    from ringback.report.model import ArmResults, StudyResults
    from ringback.report.step_model import StepCheckResults
    from ringback.stats import PairedDifference
    from ringback.study.plan import Plan
    from ringback.study.run import Stock

__all__ = ["plan", "run", "status"]

_File: TypeAlias = Annotated[Path, Parameter(name="FILE", help="The study, a TOML file.")]


def plan(file: _File, /, *, store: StorePath = None, json: AsJson = False) -> int:
    """Say what a study would run: its cells, and which of them are there already."""
    from ringback.cli.output import print_json, print_lines, print_text

    planned = _plan(file)
    stock = _stock(planned, store)
    if json:
        print_json(_plan_object(planned, stock))
        return 0
    print_lines(_head(planned))
    _print_arms(planned, stock)
    print_text("\n".join(["", _left(stock), *_earlier(stock)]))
    return 0


def run(
    file: _File,
    /,
    *,
    out: Annotated[
        Path, Parameter(help="Folder for the report: a page, a summary, results.", metavar="DIR")
    ] = Path("report"),
    budget: Budget = None,
    jobs: Jobs = 8,
    workers: Workers = 1,
    store: StorePath = None,
    json: AsJson = False,
) -> int:
    """Run what is missing of a study, grade it and write its report.

    Stopped and started again, it goes on where it was and repeats nothing.
    """
    from ringback.cli.options import store_path
    from ringback.cli.output import complain, print_json, print_lines, print_text
    from ringback.cli.playing import UNFINISHED, play
    from ringback.cli.step_check import print_results as print_step_check
    from ringback.domains import load
    from ringback.grading.grade import Grade
    from ringback.report.page import write_report
    from ringback.report.transcript import Transcript, transcript
    from ringback.sessions import Store
    from ringback.study.results import results
    from ringback.study.run import stock

    planned, models = _planned(file, budget)
    path = store_path(store)
    reused, stopped = play(planned, path, models, jobs=jobs, workers=workers)
    step, stopped, problem = _step_check(planned, path, models, jobs, stopped)
    with Store.open(path, write=False) as opened:

        def transcript_of(session: str) -> Transcript:
            kept = opened.grade(session, Grade)
            return transcript(opened.events(session), load(planned.domain), kept)

        found = replace(results(planned, opened, _command(file, store)), step_check=step)
        written = write_report(found, transcript_of, out)
        notes = list(_earlier(stock(planned, opened)))
    if json:
        for note in notes:
            complain(note)
        print_json(_results_object(found, reused, path, written) | {"stopped": stopped})
    else:
        print_lines(_head(planned))
        _print_results(found)
        lines = [*found.headline, *_cut_off(found), *notes]
        print_text("\n".join(["", *lines]))
        if step is not None:
            print_lines([""])
            print_step_check(step)
        print_lines(["", f"The report is {written}."])
    if problem is not None:
        raise problem
    if stopped is not None:
        complain(stopped)
        return UNFINISHED
    return 0


def _step_check(
    planned: Plan, path: Path, models: Models, jobs: int, stopped: str | None
) -> tuple[StepCheckResults | None, str | None, InputError | None]:
    """The study's step check, what stopped it, and what has to be put right before it can be done.

    None of it where the study has none, or its episodes were stopped by their budget.
    """
    from ringback.cli.step_check import check
    from ringback.errors import InputError
    from ringback.sessions import Store
    from ringback.stepcheck.targets import Check

    step = planned.step_check
    if step is None or stopped is not None:
        return None, stopped, None
    cells = [cell.hash for cell in planned.cells() if cell.arm.name == step.arm]
    with Store.open(path, write=False) as opened:
        rows = opened.latest(cells)
    sessions = [rows[cell].id for cell in cells if cell in rows]
    wanted = Check(tuple(step.models), step.repeat, step.sample, step.seed)
    try:
        found, stopped = check(sessions, wanted, path, models, jobs=jobs)
    except InputError as problem:
        return None, None, problem
    return found.results, stopped, None


def _command(file: Path, store: Path | None) -> str:
    """The line that runs the study again, as a shell reads it.

    It goes into the report, which is passed around: of an absolute path, only the name.
    """
    words = ["ringback", "study", "run", _said(file)]
    return shlex.join([*words, *(["--store", _said(store)] if store is not None else [])])


def _said(path: Path) -> str:
    return path.name if path.is_absolute() else str(path)


def _cut_off(found: StudyResults) -> Iterator[str]:
    """What ended otherwise than by one side hanging up: it may explain a rate."""
    for arm in found.arms:
        cut = [item for item in arm.endings if item.name not in ("user_stop", "agent_stop")]
        if cut:
            told = ", ".join(f"{item.name} {item.count}" for item in cut)
            yield f"Of {arm.name}, not ended by either side: {told}."


def status(file: _File, /, *, store: StorePath = None, json: AsJson = False) -> int:
    """Say how far a study is, arm by arm."""
    from ringback.cli.output import print_json, print_lines, print_text

    planned = _plan(file)
    stock = _stock(planned, store)
    if json:
        print_json(_plan_object(planned, stock))
        return 0
    print_lines([f"{planned.study}: {stock.there} of {len(stock.states)} episodes are done"])
    _print_arms(planned, stock)
    print_text("\n".join(["", _left(stock), *_earlier(stock)]))
    return 0


def _plan(file: Path) -> Plan:
    return _planned(file, None)[0]


def _planned(file: Path, budget: float | None) -> tuple[Plan, Models]:
    from ringback.cli.playing import models
    from ringback.study.file import read
    from ringback.study.plan import plan_study

    study = read(file)
    opened = models(study.models, budget)
    return plan_study(study, opened.open), opened


def _stock(planned: Plan, store: Path | None) -> Stock:
    """What the store has of the plan; nothing where there is no store yet."""
    from ringback.cli.options import store_path
    from ringback.sessions import Store
    from ringback.study.run import State, Stock, stock

    path = store_path(store)
    if not path.exists():
        return Stock(tuple(State(cell, None) for cell in planned.cells()), ())
    with Store.open(path, write=False) as opened:
        return stock(planned, opened)


def _head(planned: Plan) -> list[str]:
    from ringback.report.wording import agent, plural

    limits = planned.condition.limits
    lines = [planned.study, *([planned.question] if planned.question else []), ""]
    lines += [
        f"  tasks   {planned.tasks_named}: {plural(len(planned.tasks), 'task')}, "
        f"{plural(planned.trials, 'trial')} each, seed {planned.seed}",
        f"  user    {agent(planned.condition.user)}",
        f"  limits  {limits.steps} steps, {limits.errors} tool errors, {limits.seconds:g} seconds",
    ]
    if (step := planned.step_check) is not None:
        lines.append(
            f"  check   {plural(step.sample, 'call')} of {step.arm}, sent again to "
            f"{', '.join(step.models)}, seed {step.seed}"
        )
    return [*lines, ""]


class _Counts(Struct):
    """An arm's cells: planned, with an outcome, begun and not ended."""

    episodes: int = 0
    there: int = 0
    begun: int = 0


def _counts(planned: Plan, stock: Stock) -> dict[str, _Counts]:
    from ringback.study.engine import needs_play

    counts = {arm.name: _Counts() for arm in planned.arms}
    for state in stock.states:
        count = counts[state.cell.arm.name]
        count.episodes += 1
        count.there += not needs_play(state.row)
        count.begun += state.row is not None and state.row.ending is None
    return counts


def _print_arms(planned: Plan, stock: Stock) -> None:
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
                str(counts[arm.name].episodes),
                str(counts[arm.name].there),
                str(counts[arm.name].begun),
                str(counts[arm.name].episodes - counts[arm.name].there),
            ]
            for arm in planned.arms
        ),
    )


def _left(stock: Stock) -> str:
    from ringback.report.wording import plural

    planned = plural(len(stock.states), "episode")
    if not stock.missing:
        return f"All {planned} are there; nothing is left to run."
    begun = f", {stock.unfinished} of them begun" if stock.unfinished else ""
    return f"{stock.missing} of {planned} are left to run{begun}."


def _earlier(stock: Stock) -> Iterator[str]:
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


def _plan_object(planned: Plan, stock: Stock) -> dict[str, Any]:
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
        "episodes": len(stock.states),
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


def _results_object(found: StudyResults, reused: int, store: Path, written: Path) -> dict[str, Any]:
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


def _print_results(found: StudyResults) -> None:
    from ringback.cli.output import print_lines, print_table
    from ringback.report.wording import cost, faults

    print_table(
        [
            ("arm", "left"),
            ("solved", "right"),
            ("rate", "right"),
            ("95% interval", "left"),
            ("points, 95% interval", "wrap"),
            ("reads", "wrap"),
        ],
        (_result_cells(arm) for arm in found.arms),
    )
    if found.asked_models:
        print_lines([""])
        print_table(
            [
                ("arm", "left"),
                ("cost of the agent", "wrap"),
                ("cost of the user", "wrap"),
                ("faults of the simulator", "wrap"),
            ],
            (
                [
                    arm.name,
                    cost(arm.agent_cost),
                    cost(arm.user_cost),
                    faults(arm.faults, arm.user_cost),
                ]
                for arm in found.arms
            ),
        )


def _result_cells(arm: ArmResults) -> list[str]:
    from ringback.report.wording import percent, percent_interval, reading

    cells = [
        arm.name,
        f"{arm.rate.solved} of {arm.rate.planned}",
        percent(arm.rate.rate),
        percent_interval(arm.rate.interval),
    ]
    if arm.versus is None:
        return [*cells, "", reading(None)]
    return [*cells, _difference(arm.versus.difference), reading(arm.versus)]


def _difference(found: PairedDifference) -> str:
    """The difference in points with its interval, or what stands in the interval's place."""
    from ringback.report.wording import difference_interval, points

    match found.remark:
        case None:
            between = difference_interval(found).removeprefix("95% interval ")
            return f"{points(found.difference)}, {between}"
        case "same difference in every task":
            return f"{points(found.difference)} in every task"
        case remark:
            return remark
