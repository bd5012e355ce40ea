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
    "FailureGroup",
    "FailureRow",
    "counted",
    "failure_groups",
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


class FailureRow(Struct, frozen=True):
    """A line of the table: what, in how many episodes, and of these by whom they are laid to."""

    name: str
    total: int
    by: tuple[int, ...]


class FailureGroup(Struct, frozen=True):
    """An arm's failures: all of them, under its name, then by kind, the commonest first."""

    whole: FailureRow
    kinds: tuple[FailureRow, ...]
    unblamed: int


def failure_groups(arms: Iterable[ArmResults]) -> tuple[FailureGroup, ...]:
    """The table of failures, an arm a group; arms without any are left out."""
    groups: list[FailureGroup] = []
    for arm in arms:
        if arm.failures or arm.unblamed:
            whole: dict[Blame, int] = {each.blame: each.episodes for each in arm.failures}
            kinds = tuple(_kinds(arm.failures))
            groups.append(FailureGroup(_row(arm.name, whole), kinds, arm.unblamed))
    return tuple(groups)


def _kinds(failures: Sequence[Failures]) -> list[FailureRow]:
    by_kind: dict[str, dict[Blame, int]] = {}
    for each in failures:
        for count in each.kinds:
            by_kind.setdefault(count.name, {})[each.blame] = count.count
    rows = [_row(wording.reason(name), by) for name, by in by_kind.items()]
    return sorted(rows, key=lambda row: (-row.total, row.name))


def _row(name: str, by: dict[Blame, int]) -> FailureRow:
    return FailureRow(name, sum(by.values()), tuple(by.get(blame, 0) for blame in BLAMES))


def failures_text(arm: ArmResults) -> str:
    """An arm's failures on one line: ``the agent 3, the simulator 1``."""
    said = [f"{LAID_TO[each.blame]} {each.episodes:,}" for each in arm.failures]
    if arm.unblamed:
        said.append(f"not asked {arm.unblamed:,}")
    return ", ".join(said)
