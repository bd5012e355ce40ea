"""What calls failed of and whom that is laid to: counted, and put into words for every medium.

None of it moves a rate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct

from ringback.grading.blame import BLAMES, Blame
from ringback.report import wording
from ringback.report.model import ArmResults, Cell, Count, Failures

__all__ = [
    "LAID_TO",
    "NO_RATE",
    "FailureCell",
    "FailureRow",
    "counted",
    "failure_rows",
    "failures_of",
    "failures_text",
    "unblamed",
]

LAID_TO: dict[Blame, str] = {
    "agent": "the agent",
    "simulator": "the simulator",
    "infrastructure": "the infrastructure",
    "undecided": "undecided",
}
"""Whom a failure is laid to, in words."""

NO_RATE = (
    "None of this moves a rate: an episode that failed by the simulator's or the infrastructure's "
    "doing is no fault of the agent's, and counts as unsolved like every other."
)


def failures_of(cells: Iterable[Cell]) -> tuple[Failures, ...]:
    """The episodes that ended unsolved by whom they are laid to; only who has any."""
    found: dict[Blame, list[Cell]] = {blame: [] for blame in BLAMES}
    for cell in cells:
        if cell.blame is not None:
            found[cell.blame].append(cell)
    return tuple(
        Failures(blame, len(some), counted(kind for cell in some for kind in cell.kinds))
        for blame, some in found.items()
        if some
    )


def unblamed(cells: Iterable[Cell]) -> int:
    """How many graded episodes were not solved and nobody has asked whom that is laid to."""
    return sum(cell.outcome == "unsolved" and cell.blame is None for cell in cells)


def counted(names: Iterable[str]) -> tuple[Count, ...]:
    """How often each name occurs, the commonest first, then by name."""
    found = Counter(names).items()
    return tuple(Count(name, n) for name, n in sorted(found, key=lambda item: (-item[1], item[0])))


class FailureCell(Struct, frozen=True):
    """How many episodes, of how many; `by` says whom they are laid to where that is several."""

    count: int
    of: int
    by: tuple[str, ...] = ()


class FailureRow(Struct, frozen=True):
    """A line of the table, an arm a cell; `kind` marks the kinds of failure."""

    name: str
    kind: bool
    cells: tuple[FailureCell, ...]


def failure_rows(arms: Sequence[ArmResults]) -> tuple[FailureRow, ...]:
    """The table of failures, an arm a column: each kind stands once, the commonest first.

    First the episodes that ended unsolved, of all that ended; then, of these, whom they are laid to
    and what they failed of. Empty where nothing ended unsolved.
    """
    if not any(arm.failures or arm.unblamed for arm in arms):
        return ()
    unsolved = [sum(each.episodes for each in arm.failures) + arm.unblamed for arm in arms]

    def row(name: str, counts: Sequence[int]) -> FailureRow:
        return FailureRow(name, False, tuple(map(FailureCell, counts, unsolved)))

    rows = [
        FailureRow(
            "ended unsolved",
            False,
            tuple(map(FailureCell, unsolved, (arm.totals.run for arm in arms))),
        )
    ]
    for blame, words in LAID_TO.items():
        counts = [
            sum(each.episodes for each in arm.failures if each.blame == blame) for arm in arms
        ]
        rows.append(row(words if blame == "undecided" else f"laid to {words}", counts))
    if any(arm.unblamed for arm in arms):
        rows.append(row("nobody asked to whom", [arm.unblamed for arm in arms]))
    return (*rows, *_kinds(arms, unsolved))


def _kinds(arms: Sequence[ArmResults], unsolved: Sequence[int]) -> list[FailureRow]:
    found: dict[str, list[dict[Blame, int]]] = {}
    for place, arm in enumerate(arms):
        for each in arm.failures:
            for count in each.kinds:
                by_arm = found.setdefault(count.name, [{} for _ in arms])
                by_arm[place][each.blame] = count.count
    rows = [
        FailureRow(wording.reason(name), True, tuple(map(_cell, by_arm, unsolved)))
        for name, by_arm in found.items()
    ]
    return sorted(rows, key=lambda row: (-sum(cell.count for cell in row.cells), row.name))


def _cell(by: dict[Blame, int], of: int) -> FailureCell:
    said = tuple(f"{blame} {by[blame]:,}" for blame in BLAMES if blame in by)
    return FailureCell(sum(by.values()), of, said if len(by) > 1 else ())


def failures_text(arm: ArmResults) -> str:
    """An arm's failures on one line: ``the agent 3, the simulator 1``."""
    said = [f"{LAID_TO[each.blame]} {each.episodes:,}" for each in arm.failures]
    if arm.unblamed:
        said.append(f"not asked {arm.unblamed:,}")
    return ", ".join(said)
