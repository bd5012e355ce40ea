"""Forks: world and conversation as they stood before some turn, and then someone else goes on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ringback.domains import load
from ringback.episode.events import AnyEvent, Condition, Forked
from ringback.episode.identity import cell_hash, opening
from ringback.errors import InputError
from ringback.grading.grade import Grade
from ringback.models.protocol import Opener
from ringback.replay.changes import Changes
from ringback.replay.parents import (
    Parent,
    Passed,
    base_plan,
    grouped,
    limits_of,
    read_parents,
)
from ringback.replay.places import At, NoPlace, at_event, divergences, taken_over
from ringback.replay.rerun import named, refuse_none
from ringback.sessions import SessionRow, Store
from ringback.study.plan import Cell, Plan
from ringback.study.run import run_plan

if TYPE_CHECKING:
    from ringback.models import Models

__all__ = ["FORK", "ForkPlan", "Forks", "Point", "fork_sessions", "plan_forks"]

FORK = "fork"
"""The name of an arm of forks where none is given."""


class Point(Struct, frozen=True):
    """A session and where it is forked: the events before `seq` are taken over.

    `divergences` counts what of them does not come out as recorded in today's world.
    """

    parent: Parent
    seq: int
    divergences: int = 0


class ForkPlan(Plan, frozen=True):
    """Forks of sessions that were recorded as one arm under one condition.

    Each has a condition of its own, which names the session and the place: only forks from one
    place are ever paired.
    """

    points: tuple[Point, ...] = ()

    @property
    def episodes(self) -> int:
        """How many cells there are."""
        return len(self.arms) * len(self.points)

    def cells(self) -> Iterator[Cell]:
        """A cell for each arm and point."""
        for entry in self.arms:
            for point in self.points:
                draw = point.parent.draw
                cell = cell_hash(self._condition(point), entry.arm, entry.name, draw)
                task, trial = point.parent.task, draw.trial or 0
                yield Cell(cell, entry, task, trial, draw, point.parent.row.id)

    def beginning(
        self, cell: Cell, store: Store, *, attempt: int, at: float | None
    ) -> list[AnyEvent]:
        """The fork's own start, the events that are taken over, and a note that says from where.

        Raises `InputError` if what is taken over cannot be gone on with.
        """
        point = next(each for each in self.points if each.parent.row.id == cell.parent)
        domain = load(self.domain)
        start = opening(
            domain,
            self._condition(point),
            cell.arm.arm,
            cell.arm.name,
            cell.draw,
            attempt=attempt,
            at=at,
            parent=cell.parent,
        )
        events = store.events(point.parent.row.id)[: point.seq]
        try:
            return taken_over(start, events, domain, at=at)
        except NoPlace as problem:
            raise InputError(f"Session {cell.parent} cannot be forked: {problem}.") from None

    def _condition(self, point: Point) -> Condition:
        greeting = point.parent.start.condition.greeting
        forked = Forked(point.parent.row.id, point.seq)
        return replace(self.condition, greeting=greeting, forked=forked)


class Forks(Struct, frozen=True):
    """What is to be played, and the sessions that cannot be forked."""

    plans: tuple[ForkPlan, ...]
    passed: tuple[Passed, ...]


def plan_forks(
    store: Store,
    rows: Iterable[SessionRow],
    at: At | Mapping[str, int],
    changes: Changes,
    *,
    name: str = FORK,
    trials: int = 1,
    opener: Opener | None = None,
) -> Forks:
    """The forks of these sessions under the arm `name`.

    `at` says where each is forked, or gives an event's number by the session's id; the turn that
    it belongs to is the first that is not taken over. The customer goes on by its recorded seed,
    the agent's draws go by the arm's name; with `trials` each is forked so often, in arms called
    NAME, NAME-2 and so on. Raises `InputError` if nothing can be forked, and for what is not known.
    """
    found, passed = read_parents(store, rows)
    names = named(name, trials)
    points: list[Point] = []
    for parent, events in found:
        try:
            _refuse_itself(parent, names)
            place = at if callable(at) else at_event(at[parent.row.id])
            seq = place(events, store.grade(parent.row.id, Grade))
            differs = divergences(_trial(parent, events[:seq]))
        except NoPlace as problem:
            passed.append(Passed(parent.row.id, str(problem)))
        else:
            points.append(Point(parent, seq, differs))
    refuse_none(points, passed, "forked")
    plans: list[ForkPlan] = []
    for group in grouped(points, lambda point: point.parent):
        plan = base_plan((point.parent for point in group), changes, names, opener)
        plans.append(ForkPlan(**msgspec.structs.asdict(plan), points=tuple(group)))
    return Forks(tuple(plans), tuple(passed))


def fork_sessions(
    store: Path,
    places: Mapping[str, int],
    changes: Changes,
    *,
    name: str = FORK,
    jobs: int = 8,
    models: Models | None = None,
) -> list[SessionRow]:
    """Fork sessions of a store and play them to their ends; the rows of the forks, in that order.

    `places` gives the event before which each session, by its whole id, is forked. `models` opens
    models by name. What was forked so before is there already and not played again. Raises as
    `plan_forks` and `ringback.study.run.run_plan` do, and `InputError` for a session with no such
    place.
    """
    opener = None if models is None else models.open
    with Store.open(store, create=False) as opened:
        rows = [opened.row(session) for session in places]
        forks = plan_forks(opened, rows, places, changes, name=name, opener=opener)
        if forks.passed:
            refuse_none((), forks.passed, "forked")
    for plan in forks.plans:
        run_plan(plan, store, jobs=jobs, done=lambda _: None, models=models)
    with Store.open(store, write=False) as opened:
        cells = {cell.parent: cell.hash for plan in forks.plans for cell in plan.cells()}
        latest = opened.latest(cells.values())
    return [latest[cells[session]] for session in places]


def _refuse_itself(parent: Parent, names: Sequence[str]) -> None:
    """So that a selection that has come to hold the forks forks the same sessions as before."""
    if parent.start.condition.forked is not None and parent.row.arm_name in names:
        raise NoPlace(f"it is a fork of the arm {parent.row.arm_name} itself; another --name helps")


def _trial(parent: Parent, events: Sequence[AnyEvent]) -> list[AnyEvent]:
    """What would be taken over, to see whether and how it comes out."""
    domain = load(parent.row.domain)
    condition = replace(
        parent.start.condition, world=domain.version, limits=limits_of(parent.start)
    )
    world = domain.world(parent.task).digest()
    start = replace(parent.start, condition=condition, world=world, origin=None)
    return taken_over(start, events, domain, at=None)
