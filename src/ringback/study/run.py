"""Running a plan: play what is missing, keep what is there."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from itertools import chain, groupby, islice
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from msgspec import Struct

from ringback.canonical import Json, canonical
from ringback.episode.events import Start
from ringback.episode.identity import session_id
from ringback.errors import InputError, RingbackError
from ringback.sessions import Member, SessionRow, Store, Unreadable
from ringback.study.engine import Heard, Played, needs_play, played
from ringback.study.plan import Cell, Plan, rules_of
from ringback.study.workers import run_here, run_in_workers

if TYPE_CHECKING:
    from ringback.models import Models

__all__ = ["Earlier", "State", "Stock", "recorded", "run_plan", "stock"]

_SOME = 10_000  # cells of a plan that are held at a time


_Why: TypeAlias = Literal["condition", "arm", "content", "draw"]


class State(Struct, frozen=True):
    """A planned cell and its latest session; None where there is none yet."""

    cell: Cell
    row: SessionRow | None


class Earlier(Struct, frozen=True):
    """Sessions that an earlier form of the study asked for and this one does not.

    They stay in the store and take no part in the figures. `why`: their ``condition`` was another
    (`changes` says in what, each as what it was and is), their ``arm`` is no longer in the study,
    it had another ``content`` then, or their ``draw`` (task, trial, seed) is no longer asked for.
    """

    why: _Why
    arms: tuple[str, ...]
    cells: int
    changes: dict[str, tuple[Json, Json]] = {}


class Stock(Struct, frozen=True):
    """What the store has of a plan.

    `planned` counts all cells, `states` are those that have a session, in the plan's order.
    """

    planned: int
    states: tuple[State, ...] = ()
    earlier: tuple[Earlier, ...] = ()

    @property
    def there(self) -> int:
        """Cells whose session has ended with an outcome."""
        return sum(not needs_play(state.row) for state in self.states)

    @property
    def unfinished(self) -> int:
        """Cells with a session that was begun and has not ended."""
        return sum(_begun(state.row) for state in self.states)

    @property
    def missing(self) -> int:
        """Cells that are still to be played, begun ones included."""
        return self.planned - self.there


def stock(plan: Plan, store: Store) -> Stock:
    """What is there of a plan, and what an earlier form of the study has left."""
    states = tuple(recorded(plan, store))
    ours = {state.cell.hash for state in states}
    left: dict[tuple[_Why, str], list[Member]] = {}
    for member in store.members(plan.study, begun=True) if plan.study else ():
        if member.cell not in ours:
            left.setdefault(_why(plan, member), []).append(member)
    earlier = tuple(_earlier(plan, store, left[key]) for key in sorted(left))
    return Stock(plan.episodes, states, earlier)


def recorded(plan: Plan, store: Store, arm: str | None = None) -> Iterator[State]:
    """The cells that have a session, of all arms or of this one, in the plan's order.

    A plan may have a million cells of which few were begun: only some are held at a time.
    """
    cells = (cell for cell in plan.cells() if arm is None or cell.arm.name == arm)
    while some := list(islice(cells, _SOME)):
        rows = store.latest([cell.hash for cell in some])
        for cell in some:
            if (row := rows.get(cell.hash)) is not None:
                yield State(cell, row)


def _why(plan: Plan, member: Member) -> tuple[_Why, str]:
    """Why a cell is not the plan's, and what is told apart of that."""
    if member.condition != plan.condition_hash:
        return "condition", member.condition or ""
    now = {entry.name: entry.hash for entry in plan.arms}.get(member.arm_name)
    why: _Why = "arm" if now is None else "content" if now != member.arm else "draw"
    return why, member.arm_name


def _earlier(plan: Plan, store: Store, members: Sequence[Member]) -> Earlier:
    why, _ = _why(plan, members[0])
    changes: dict[str, tuple[Json, Json]] = {}
    if why == "condition":
        with contextlib.suppress(Unreadable):
            start = store.events(session_id(members[0].cell, 0))[0]
            if isinstance(start, Start):
                changes = dict(_differences(canonical(start.condition), canonical(plan.condition)))
    arms = tuple(dict.fromkeys(member.arm_name for member in members))
    return Earlier(why, arms, len(members), changes)


def _differences(was: Json, now: Json, at: str = "") -> Iterator[tuple[str, tuple[Json, Json]]]:
    if isinstance(was, dict) and isinstance(now, dict):
        for key in dict.fromkeys([*was, *now]):
            yield from _differences(was.get(key), now.get(key), f"{at}.{key}" if at else key)
    elif was != now:
        yield at, (was, now)


def _begun(row: SessionRow | None) -> bool:
    return row is not None and row.ending is None


@contextlib.contextmanager
def _opened(path: Path, *, paid: bool) -> Generator[Store]:
    """The store; no Ctrl-C breaks into its closing, one that comes then is heard afterwards."""
    store = Store.open(path, paid=paid)
    try:
        yield store
    finally:
        with _undisturbed():
            store.close()


@contextlib.contextmanager
def _undisturbed() -> Generator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heard: list[int] = []

    def hear(number: int, _: object) -> None:
        heard.append(number)

    before = signal.signal(signal.SIGINT, hear)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if heard:
        raise KeyboardInterrupt


def run_plan(
    plan: Plan,
    store: Path,
    *,
    jobs: int = 8,
    workers: int = 1,
    done: Callable[[Played], None],
    models: Models | None = None,
    waiting: Callable[[int], None] | None = None,
    heard: Heard | None = None,
    begins: Callable[[], None] | None = None,
) -> None:
    """Play every cell of the plan that has no outcome yet.

    `jobs` episodes are kept in flight in each of `workers` processes; `done` hears of every planned
    cell once, of those that were there already first. Killed or stopped at any moment and started
    again, it takes up what was begun, before all else, and repeats nothing. In one process `heard`
    hears of all events that are recorded, a commit at a time. `begins` hears once that there is
    something to play, and that the models for it can be asked.

    `models` opens the models that the plan names. They are asked in this process alone, where their
    limits and the budget hold. A first Ctrl-C then waits for the calls in flight, after `waiting`
    heard in how many episodes. Raises `InputError` for counts below 1, for models that cannot be
    asked (a key is missing, say) and for models with `workers`, `BudgetSpent` when all that could
    be afforded is done, `StoreError` for a store that cannot be written, and `RingbackError` if in
    the end some cell has no outcome after all.
    """
    if jobs < 1 or workers < 1:
        what, count = ("jobs", jobs) if jobs < 1 else ("workers", workers)
        raise InputError(f"{count} {what} cannot play anything; ask for 1 or more.")
    if plan.models and workers > 1:
        raise InputError(
            f"Models ({', '.join(plan.models)}) are asked from one process, where their limits and "
            "the budget hold; leave out --workers and raise --jobs."
        )
    played_so_far = 0

    def tell(outcome: Played) -> None:
        nonlocal played_so_far
        played_so_far += 1
        done(outcome)

    with _opened(store, paid=bool(plan.models)) as opened:
        opened.texts.note(rule for entry in plan.arms for rule in rules_of(entry))
        for name, cells in groupby(plan.cells(), lambda cell: cell.arm.name):
            opened.join(plan.study, name, (cell.hash for cell in cells))
        begun: list[Cell] = []
        met: set[str] = set()  # what is begun or has an outcome
        ended = 0
        for state in recorded(plan, opened):
            cell, row = state.cell, state.row
            ended += not needs_play(row)
            if row is not None and not needs_play(row) and row.graded is not None:
                tell(played(cell, row, reused=True))
            elif _begun(row):
                begun.append(cell)
            else:
                continue
            met.add(cell.hash)
        todo = chain(begun, (cell for cell in plan.cells() if cell.hash not in met))
        count = plan.episodes - played_so_far
        if models is not None and ended < plan.episodes:
            models.ready()
        if begins is not None and count:
            begins()
        if workers == 1 or count < 2:
            run_here(plan, todo, count, opened, jobs, tell, models, waiting, heard)
    if workers > 1 and count > 1:
        run_in_workers(plan, todo, count, store, workers, jobs, tell)
    if left := plan.episodes - played_so_far:
        raise RingbackError(
            f"{left} of {plan.episodes} episodes were not played to an end, a participant must "
            "have stopped the run; what was recorded is kept, and the same command goes on from "
            "there."
        )
