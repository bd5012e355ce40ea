"""``ringback study``: compare agents on the same tasks, as a file says."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from msgspec.structs import replace

from ringback.cli.options import AsJson, Budget, Jobs, StorePath, StudyFile, Workers, named_path

if TYPE_CHECKING:
    from ringback.errors import InputError
    from ringback.models import Models
    from ringback.report.step_model import StepCheckResults
    from ringback.study.plan import Plan

__all__ = ["plan", "run", "status"]


def plan(
    file: StudyFile,
    /,
    *,
    detect: Annotated[
        float | None,
        Parameter(help="Say how many tasks find this difference: 0.1 is 10 points.", metavar="D"),
    ] = None,
    store: StorePath = None,
    json: AsJson = False,
) -> int:
    """Say what a study would run: its cells, and which of them are there already."""
    from ringback.cli.output import print_json, print_lines, print_paragraphs
    from ringback.cli.study_files import planned_study, rules_of, stock_of
    from ringback.cli.study_power import power_lines
    from ringback.cli.study_said import earlier, head, left, plan_object, print_arms, rule_lines
    from ringback.errors import InputError
    from ringback.stats.power import LEAST
    from ringback.study.power import power

    if detect is not None and not LEAST <= detect <= 1:
        raise InputError(
            f"A difference of {detect:g} cannot be looked for; give a share from {LEAST:f} to 1, "
            "such as 0.1 for 10 points."
        )
    planned = planned_study(file)
    stock = stock_of(planned, store)
    rules = rules_of(planned, store)
    could = power(planned, stock.states, detect)
    if json:
        print_json(plan_object(planned, stock) | {"rules": rules, "power": could})
        return 0
    print_lines(head(planned))
    print_arms(planned, stock)
    said = [left(stock), *rule_lines(rules), *power_lines(could), *earlier(stock)]
    print_paragraphs(["", *said])
    return 0


def run(
    file: StudyFile,
    /,
    *,
    out: Annotated[
        Path,
        Parameter(
            help="Folder for the report: a page, a summary, results.",
            converter=named_path,
            metavar="DIR",
        ),
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
    from ringback.cli.output import complain, print_json, print_lines, print_paragraphs
    from ringback.cli.playing import UNFINISHED, play
    from ringback.cli.step_check import print_results as print_step_check
    from ringback.cli.study_files import command, planned_with_models
    from ringback.cli.study_said import cut_off, earlier, head, print_results, results_object
    from ringback.domains import load
    from ringback.grading.grade import Grade
    from ringback.report.folder import refuse_foreign
    from ringback.report.page import write_report
    from ringback.report.transcript import Transcript, transcript
    from ringback.sessions import Store, named_contents
    from ringback.study.results import results
    from ringback.study.run import stock

    planned, models = planned_with_models(file, budget)
    refuse_foreign(out, "study")
    path = store_path(store)
    reused, stopped = play(planned, path, models, jobs=jobs, workers=workers)
    step, stopped, problem = _step_check(planned, path, models, jobs, stopped)
    with Store.open(path, write=False) as opened:

        def transcript_of(session: str) -> Transcript:
            kept = opened.grade(session, Grade)
            events = opened.events(session)
            told = opened.contents(sorted(named_contents(events)))
            return transcript(events, load(planned.domain), kept, told)

        found = replace(results(planned, opened, command(file, store)), step_check=step)
        written = write_report(found, transcript_of, out)
        notes = list(earlier(stock(planned, opened)))
    if json:
        for note in notes:
            complain(note)
        print_json(results_object(found, reused, path, written) | {"stopped": stopped})
    else:
        print_lines(head(planned))
        print_results(found)
        lines = [*found.headline, *cut_off(found), *notes]
        print_paragraphs(["", *lines])
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

    Where its episodes were stopped nothing is sent: it is what was replied before.
    """
    from ringback.cli.step_check import check
    from ringback.errors import InputError
    from ringback.sessions import Store
    from ringback.stepcheck.targets import Check
    from ringback.study.run import recorded

    step = planned.step_check
    if step is None:
        return None, stopped, None
    with Store.open(path, write=False) as opened:
        states = list(recorded(planned, opened, step.arm))
    sessions = [state.row.id for state in states if state.row is not None]
    wanted = Check(tuple(step.models), step.repeat, step.sample, step.seed)
    try:
        found, left = check(sessions, wanted, path, models, jobs=jobs, send=stopped is None)
    except InputError as problem:
        # What stopped the episodes may be why there is nothing to draw from; it is told instead.
        return None, stopped, problem if stopped is None else None
    return found.results, stopped or left, None


def status(file: StudyFile, /, *, store: StorePath = None, json: AsJson = False) -> int:
    """Say how far a study is, arm by arm."""
    from ringback.cli.output import print_json, print_lines, print_paragraphs
    from ringback.cli.study_files import planned_study, stock_of
    from ringback.cli.study_said import earlier, left, plan_object, print_arms

    planned = planned_study(file)
    stock = stock_of(planned, store)
    if json:
        print_json(plan_object(planned, stock))
        return 0
    print_lines([f"{planned.study}: {stock.there:,} of {stock.planned:,} episodes are done", ""])
    print_arms(planned, stock)
    print_paragraphs(["", left(stock), *earlier(stock)])
    return 0
