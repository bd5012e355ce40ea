"""The task-by-arm grid, and every task that changed outcome, as the page shows them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from ringback.domain import Task
from ringback.report import wording
from ringback.report.failing import LAID_TO
from ringback.report.model import (
    ArmResults,
    Cell,
    FlipPair,
    GridRow,
    PartsAt,
    StudyResults,
)

__all__ = [
    "OUTCOME_WORDS",
    "FlipGroup",
    "FlipLine",
    "GridGroup",
    "Href",
    "faults_text",
    "flip_groups",
    "grid_groups",
]

Href: TypeAlias = Callable[[str], str | None]
"""From a session's id to the address of its page, None where there is none."""

OUTCOME_WORDS = {"solved": "solved", "unsolved": "not solved", "ungraded": "no graded outcome"}
_FOLDED = 12  # an arm with more changes has them folded


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


class FlipLine(Struct, frozen=True, kw_only=True):
    """A task that changed outcome.

    `parts` says where the two calls part and `said` what stands there in each. `here` and `there`
    link the arm's call and the baseline's, at the event that shows it where it is known.
    """

    id: str
    faults: str
    persona: str
    change: str
    better: bool
    parts: str
    said: tuple[tuple[str, str], ...]
    here: str | None
    there: str | None


class FlipGroup(Struct, frozen=True):
    """An arm's changes; `folded` where they are many."""

    name: str
    words: str
    rows: tuple[FlipLine, ...]
    folded: bool


def flip_groups(results: StudyResults, href: Href) -> tuple[FlipGroup, ...]:
    """Every task that changed outcome against the baseline, an arm a group; controls left out."""
    tasks = {task.id: task for task in results.facts.tasks}
    groups: list[FlipGroup] = []
    for arm in results.arms:
        if arm.versus is None or arm.role == "floor":
            continue
        rows = tuple(
            _flip_line(tasks[flip.task], pair, results.facts.trials, href)
            for flip in arm.versus.flips
            for pair in flip.pairs
        )
        better = sum(row.better for row in rows)
        words = "nothing changed"
        if rows:
            of = wording.plural(arm.versus.difference.pairs, "pair")
            words = f"{better:,} gained, {len(rows) - better:,} lost, of {of}"
        groups.append(FlipGroup(arm.name, words, rows, len(rows) > _FOLDED))
    return tuple(groups)


def _flip_line(task: Task, pair: FlipPair, trials: int, href: Href) -> FlipLine:
    parts = pair.parts
    change = "gained" if pair.better else "lost"
    return FlipLine(
        id=task.id,
        faults=faults_text(task),
        persona=task.persona,
        change=change if trials == 1 else f"{change} in trial {pair.trial}",
        better=pair.better,
        parts="" if parts is None else parts.words,
        said=() if parts is None else tuple(_said(parts)),
        here=_at(pair.session, None if parts is None else parts.seq, href),
        there=_at(pair.baseline, None if parts is None else parts.baseline_seq, href),
    )


def _said(parts: PartsAt) -> Iterator[tuple[str, str]]:
    if parts.here is not None:
        yield "here", parts.here
    if parts.there is not None:
        yield "baseline", parts.there


def _at(session: str | None, seq: int | None, href: Href) -> str | None:
    found = href(session) if session else None
    return found if found is None or seq is None else f"{found}#e{seq}"


def grid_groups(results: StudyResults, href: Href) -> tuple[GridGroup, ...]:
    """The grid, a family of tasks a group."""
    tasks = {task.id: task for task in results.facts.tasks}
    families = dict.fromkeys(task.family for task in results.facts.tasks)
    return tuple(
        _group(
            family,
            [row for row in results.grid if tasks[row.task].family == family],
            tasks,
            results.arms,
            href,
        )
        for family in families
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
