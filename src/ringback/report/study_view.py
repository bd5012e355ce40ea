"""What the study page shows, in words: everything decided here, nothing in the template.

All text is as it came; the template engine escapes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from ringback.domain import Task
from ringback.report import wording
from ringback.report.charts import Mark
from ringback.report.failing import LAID_TO, NO_RATE, FailureGroup, failure_groups
from ringback.report.method import Clause, arm_text, clauses, limits
from ringback.report.model import (
    FEW_PAIRS,
    ArmFacts,
    ArmResults,
    Cell,
    Comparison,
    GridRow,
    Rate,
    StudyResults,
    Totals,
)

__all__ = [
    "OUTCOME_WORDS",
    "StudyView",
    "difference_marks",
    "faults_text",
    "part_marks",
    "rate_marks",
    "study_view",
]

Href: TypeAlias = Callable[[str], str | None]
"""From a session's id to the address of its page, None where there is none."""

OUTCOME_WORDS = {"solved": "solved", "unsolved": "not solved", "ungraded": "no graded outcome"}
_TAGS = {"baseline": "baseline", "noise": "noise", "floor": "control", "arm": ""}


class RateWords(Struct, frozen=True):
    """A rate in words."""

    solved: str
    planned: str
    percent: str
    interval: str
    share: str


class VersusWords(Struct, frozen=True, kw_only=True):
    """A paired difference in words; `reverse_*` is the baseline minus the arm."""

    points: str
    interval: str
    reverse_points: str
    reverse_interval: str
    better: int
    worse: int
    pairs: int
    verdict: str
    verdict_class: str
    remarks: tuple[str, ...]


class ArmName(Struct, frozen=True):
    """An arm's name with its role and what it is."""

    name: str
    tag: str
    about: str


class ArmLine(Struct, frozen=True, kw_only=True):
    """One arm's row in the tables."""

    name: str
    tag: str
    about: str
    short: ArmName
    rate: RateWords
    repairable: RateWords
    unrepairable: RateWords
    part_rates: tuple[RateWords, ...]
    versus: VersusWords | None
    ungraded: str
    steps: str
    totals: Totals
    reasons: str
    endings: str
    conduct: str
    strict: str
    agent_cost: str
    user_cost: str
    faults: str


class GridMark(Struct, frozen=True):
    """One episode in the grid."""

    outcome: str
    href: str | None
    title: str
    words: str


class GridCell(Struct, frozen=True):
    """The trials of one task in one arm, and whether they gained or lost against the baseline."""

    marks: tuple[GridMark, ...]
    change: str


class GridLine(Struct, frozen=True):
    """One task's row in the grid."""

    id: str
    faults: str
    persona: str
    repairable: bool
    cells: tuple[GridCell, ...]


class GridGroup(Struct, frozen=True):
    """The tasks of one family."""

    name: str
    count: str
    rows: tuple[GridLine, ...]


class StudyView(Struct, frozen=True, kw_only=True):
    """The study page."""

    title: str
    level: str
    trials: int
    strip: tuple[tuple[str, str], ...]
    clauses: tuple[Clause, ...]
    limits: tuple[tuple[str, str], ...]
    lines: tuple[ArmLine, ...]
    groups: tuple[tuple[ArmLine, ...], ...]
    compared: tuple[tuple[ArmLine, ...], ...]
    floors: tuple[ArmLine, ...]
    noises: bool
    noise_band: bool
    few: int
    part_names: tuple[tuple[str, str], ...]
    arm_names: tuple[str, ...]
    grid: tuple[GridGroup, ...]
    graded_sentence: str
    failures: tuple[FailureGroup, ...]
    laid_to: tuple[str, ...]
    no_rate: str
    versions: tuple[tuple[str, str], ...]


def study_view(results: StudyResults, href: Href) -> StudyView:
    """The page of a study. `href` says where a session's own page is."""
    facts = results.facts
    about = {arm.name: arm for arm in facts.arms}
    lines = tuple(_line(arm, about[arm.name]) for arm in results.arms)
    roles = {arm.name: arm.role for arm in results.arms}
    main = tuple(line for line in lines if roles[line.name] != "floor")
    floors = tuple(line for line in lines if roles[line.name] == "floor")
    noise = [arm.versus for arm in results.arms if arm.role == "noise"]
    tasks = {task.id: task for task in facts.tasks}
    families = list(dict.fromkeys(task.family for task in facts.tasks))
    return StudyView(
        title=f"{facts.name} · Ringback study",
        level=wording.level(facts.level),
        trials=facts.trials,
        strip=(
            (f"{len(facts.tasks):,}", "task" if len(facts.tasks) == 1 else "tasks"),
            (f"{len(facts.arms):,}", "arm" if len(facts.arms) == 1 else "arms"),
            (f"{facts.trials:,}", "trial of each" if facts.trials == 1 else "trials of each"),
            (f"{results.totals.planned:,}", "episodes planned"),
            (f"{results.totals.graded:,}", "graded"),
            (f"{results.totals.ungraded:,}", "left ungraded"),
        ),
        clauses=clauses(facts),
        limits=tuple(_lead(words) for words in limits(facts)),
        lines=lines,
        groups=tuple(group for group in (main, floors) if group),
        compared=tuple(
            group
            for group in (tuple(line for line in part if line.versus) for part in (main, floors))
            if group
        ),
        floors=floors,
        noises=bool(noise),
        few=FEW_PAIRS if any(_few(arm.versus) for arm in results.arms) else 0,
        noise_band=any(each and each.difference.interval for each in noise),
        part_names=_part_names(results),
        arm_names=tuple(arm.name for arm in results.arms),
        grid=tuple(
            _group(
                family,
                [row for row in results.grid if tasks[row.task].family == family],
                tasks,
                results.arms,
                href,
            )
            for family in families
        ),
        graded_sentence=_graded_sentence(results),
        failures=failure_groups(_floors_last(results.arms)),
        laid_to=tuple(LAID_TO.values()),
        no_rate=NO_RATE,
        versions=_versions(results),
    )


def rate_marks(results: StudyResults) -> tuple[Mark, ...]:
    """The rows of the chart of rates, floor controls last."""
    return _marks(results, lambda arm: arm.rate)


def part_marks(results: StudyResults, *, repairable: bool) -> tuple[Mark, ...]:
    """The rows of the chart of rates on the tasks that can, or cannot, be repaired."""
    return _marks(results, lambda arm: arm.repairable if repairable else arm.unrepairable)


def difference_marks(results: StudyResults) -> tuple[Mark, ...]:
    """The rows of the chart of differences, floor controls last."""
    marks: list[Mark] = []
    for arm in _floors_last(results.arms):
        if arm.versus is None:
            continue
        words = _versus(arm.versus)
        found = arm.versus.difference
        told = found.verdict != "not distinguishable"
        text = f"{words.points} [{words.interval}]" if found.interval else words.interval
        marks.append(
            Mark(
                arm.name,
                text + (f", {wording.FEW}" if _few(arm.versus) else ""),
                found.difference,
                found.interval.low if found.interval else None,
                found.interval.high if found.interval else None,
                arm.role,
                clear=told,
            )
        )
    return tuple(marks)


def _marks(results: StudyResults, part: Callable[[ArmResults], Rate]) -> tuple[Mark, ...]:
    marks: list[Mark] = []
    for arm in _floors_last(results.arms):
        rate = part(arm)
        words = _rate(rate)
        marks.append(
            Mark(
                arm.name,
                f"{words.share} · {words.percent}" if rate.planned else "no such task",
                rate.rate,
                rate.interval.low if rate.interval else None,
                rate.interval.high if rate.interval else None,
                arm.role,
                clear=arm.role != "noise",
            )
        )
    return tuple(marks)


def _floors_last(arms: Iterable[ArmResults]) -> list[ArmResults]:
    return sorted(arms, key=lambda arm: arm.role == "floor")


def _line(arm: ArmResults, facts: ArmFacts) -> ArmLine:
    about = arm_text(facts)
    tag = _TAGS[arm.role] if _TAGS[arm.role] != arm.name else ""
    steps = "none" if arm.steps is None else f"{arm.steps.median:g} ({arm.steps.most})"
    return ArmLine(
        name=arm.name,
        tag=tag,
        about=about,
        short=ArmName(arm.name, tag, ""),
        rate=_rate(arm.rate),
        repairable=_rate(arm.repairable),
        unrepairable=_rate(arm.unrepairable),
        part_rates=(
            _rate(arm.repairable),
            _rate(arm.unrepairable),
            *(_rate(group.rate) for group in arm.families),
        ),
        versus=None if arm.versus is None else _versus(arm.versus),
        ungraded=f"{arm.totals.ungraded:,}",
        steps=steps,
        totals=arm.totals,
        reasons=wording.counts(arm.totals.reasons) or "none",
        endings=wording.counts(arm.endings) or "none",
        conduct=wording.counts(arm.conduct) or "none",
        strict=f"{arm.strict_differs:,}",
        agent_cost=wording.cost(arm.agent_cost),
        user_cost=wording.cost(arm.user_cost),
        faults=wording.faults(arm.faults, arm.user_cost),
    )


def _rate(rate: Rate) -> RateWords:
    return RateWords(
        solved=f"{rate.solved:,}",
        planned=f"{rate.planned:,}",
        percent=wording.percent(rate.rate) if rate.planned else "none",
        interval=wording.percent_interval(rate.interval) if rate.planned else "none",
        share=f"{rate.solved:,}/{rate.planned:,}",
    )


def _versus(versus: Comparison) -> VersusWords:
    found = versus.difference
    interval = reverse = wording.difference_ends(found)
    if found.interval is not None:
        low, high = found.interval.low, found.interval.high
        reverse = f"{wording.points(-high)} to {wording.points(-low)}"
    remarks: list[str] = []
    if not versus.settled:
        remarks.append("the episodes without a graded outcome decide it")
    if versus.completed is not None:
        remarks.append(
            f"both graded, {wording.plural(versus.completed.pairs, 'pair')}: "
            f"{wording.difference(versus.completed)}"
        )
    for what, count in (
        ("only in this arm", versus.pairs.only_arm),
        ("only in the baseline", versus.pairs.only_baseline),
        ("in neither", versus.pairs.neither),
    ):
        if count:
            remarks.append(f"{wording.plural(count, 'pair')} graded {what}")
    told = versus.settled and found.verdict != "not distinguishable"
    return VersusWords(
        points=wording.points(found.difference),
        interval=interval,
        reverse_points=wording.points(-found.difference),
        reverse_interval=reverse,
        better=found.better,
        worse=found.worse,
        pairs=found.pairs,
        verdict=wording.reading(versus),
        verdict_class=f"verdict {'good' if found.verdict == 'better' else 'bad'}"
        if told
        else "same",
        remarks=tuple(remarks),
    )


def _few(versus: Comparison | None) -> bool:
    """Whether a verdict is printed that rests on few changes."""
    return versus is not None and versus.few and versus.difference.verdict != "not distinguishable"


def _lead(words: str) -> tuple[str, str]:
    """The first sentence, and the rest."""
    first, stop, rest = words.partition(". ")
    return first + stop.rstrip(), rest


def _part_names(results: StudyResults) -> tuple[tuple[str, str], ...]:
    base = results.arms[0]
    tasks = results.facts.tasks
    right = sum(not task.repairable for task in tasks)
    return (
        ("Repairable", wording.plural(len(tasks) - right, "task")),
        ("Not repairable", wording.plural(right, "task")),
        *(
            (wording.reason(group.name), wording.plural(group.tasks, "task"))
            for group in base.families
        ),
    )


def _group(
    family: str,
    rows: Sequence[GridRow],
    tasks: Mapping[str, Task],
    arms: Sequence[ArmResults],
    href: Href,
) -> GridGroup:
    return GridGroup(
        wording.reason(family),
        wording.plural(len(rows), "task"),
        tuple(_grid_line(tasks[row.task], row, arms, href) for row in rows),
    )


def _grid_line(task: Task, row: GridRow, arms: Sequence[ArmResults], href: Href) -> GridLine:
    base = row.cells[0]
    return GridLine(
        id=task.id,
        faults=faults_text(task),
        persona=task.persona,
        repairable=task.repairable,
        cells=tuple(
            GridCell(
                tuple(
                    _grid_mark(
                        arm.name if len(cells) == 1 else f"{arm.name}, trial {trial}", cell, href
                    )
                    for trial, cell in enumerate(cells)
                ),
                "" if arm.role == "floor" else _change(base, cells),
            )
            for arm, cells in zip(arms, row.cells, strict=True)
        ),
    )


def _grid_mark(name: str, cell: Cell, href: Href) -> GridMark:
    words = [OUTCOME_WORDS[cell.outcome]]
    if cell.reason:
        words.append(wording.reason(cell.reason))
    if cell.ending and cell.ending != cell.reason:
        words.append(f"ended by {wording.reason(cell.ending)}")
    if cell.steps is not None:
        words.append(wording.plural(cell.steps, "step"))
    if cell.faults:
        words.append(wording.plural(cell.faults, "simulator fault"))
    if cell.strict_differs:
        words.append("strict checks disagree")
    if cell.blame:
        words.append(f"laid to {LAID_TO[cell.blame]}" if cell.blame != "undecided" else "undecided")
    words += [wording.reason(kind) for kind in dict.fromkeys((*cell.kinds, *cell.conduct))]
    return GridMark(
        cell.outcome,
        href(cell.session) if cell.session else None,
        f"{name}: {', '.join(words)}",
        f"{name}: {words[0]}",
    )


def _change(base: Sequence[Cell], cells: Sequence[Cell]) -> str:
    """By the number of trials solved."""
    gained = sum(cell.outcome == "solved" for cell in cells) - sum(
        cell.outcome == "solved" for cell in base
    )
    return "better" if gained > 0 else "worse" if gained < 0 else ""


def faults_text(task: Task) -> str:
    """The faults of a task, spaced for reading."""
    return " · ".join(wording.reason(fault) for fault in task.faults) or task.id


def _graded_sentence(results: StudyResults) -> str:
    totals = results.totals
    text = (
        f"{wording.plural(totals.planned, 'episode')} planned, {totals.run:,} run to an end, "
        f"{totals.graded:,} graded. "
    )
    if totals.ungraded:
        return text + (
            f"{totals.ungraded:,} left ungraded ({wording.counts(totals.reasons)}): "
            "they count as unsolved in every rate above."
        )
    return text + "Nothing was left ungraded."


def _versions(results: StudyResults) -> tuple[tuple[str, str], ...]:
    facts = results.facts
    return (
        *facts.versions.items(),
        *facts.made_with.items(),
        ("condition", facts.condition),
        *((f"arm {arm.name}", arm.digest) for arm in facts.arms),
        ("study seed", str(facts.seed)),
        ("bootstrap seed", str(facts.bootstrap_seed)),
        ("results format", str(results.format)),
    )
