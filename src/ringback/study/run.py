"""Running a plan: play what is missing, keep what is there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from ringback.errors import InputError
from ringback.sessions import SessionRow, Store
from ringback.study.engine import Played, needs_play, played
from ringback.study.plan import Cell, Plan
from ringback.study.workers import run_here, run_in_workers

__all__ = ["Earlier", "State", "Stock", "run_plan", "stock"]


class State(Struct, frozen=True):
    """A planned cell and its latest session, None where there is none yet."""

    cell: Cell
    row: SessionRow | None


class Earlier(Struct, frozen=True):
    """Sessions that the study had under another condition or another content of an arm.

    They stay in the store and take no part in the figures.
    """

    arm_name: str
    cells: int
    same_condition: bool


class Stock(Struct, frozen=True):
    """What the store has of a plan."""

    states: tuple[State, ...]
    earlier: tuple[Earlier, ...]

    @property
    def there(self) -> int:
        """Cells whose session has ended with an outcome."""
        return sum(not needs_play(state.row) for state in self.states)

    @property
    def unfinished(self) -> int:
        """Cells with a session that was begun and has not ended."""
        return sum(state.row is not None and state.row.ending is None for state in self.states)

    @property
    def missing(self) -> int:
        """Cells that are still to be played, begun ones included."""
        return len(self.states) - self.there


def stock(plan: Plan, store: Store) -> Stock:
    """What is there of a plan, and what an earlier form of the study has left."""
    cells = list(plan.cells())
    rows = store.latest([cell.hash for cell in cells])
    ours = {cell.hash for cell in cells}
    counts: dict[tuple[str, bool], int] = {}
    for member in store.members(plan.study) if plan.study else ():
        if member.cell not in ours and member.condition is not None:
            key = (member.arm_name, member.condition == plan.condition_hash)
            counts[key] = counts.get(key, 0) + 1
    earlier = tuple(Earlier(name, count, same) for (name, same), count in sorted(counts.items()))
    return Stock(tuple(State(cell, rows.get(cell.hash)) for cell in cells), earlier)


def run_plan(
    plan: Plan,
    store: Path,
    *,
    jobs: int = 8,
    workers: int = 1,
    done: Callable[[Played], None],
) -> None:
    """Play every cell of the plan that has no outcome yet.

    `jobs` episodes are kept in flight in each of `workers` processes; `done` hears of every planned
    cell once, of those that were there already first. Killed or stopped at any moment and started
    again, it takes up what was begun and repeats nothing. Raises `InputError` for counts below 1
    and `StoreError` for a store that cannot be written.
    """
    if jobs < 1 or workers < 1:
        what, count = ("jobs", jobs) if jobs < 1 else ("workers", workers)
        raise InputError(f"{count} {what} cannot play anything; ask for 1 or more.")
    with Store.open(store) as opened:
        cells = list(plan.cells())
        for entry in plan.arms:
            mine = [cell.hash for cell in cells if cell.arm is entry]
            opened.join(plan.study, entry.name, mine)
        rows = opened.latest([cell.hash for cell in cells])
        todo: list[Cell] = []
        for cell in cells:
            row = rows.get(cell.hash)
            if row is None or needs_play(row) or row.graded is None:
                todo.append(cell)
            else:
                done(played(cell, row, reused=True))
        if workers == 1 or len(todo) < 2:
            run_here(plan, todo, opened, jobs, done)
    if workers > 1 and len(todo) > 1:
        run_in_workers(plan, todo, store, workers, jobs, done)
