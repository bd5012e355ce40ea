"""The recorded sessions that are called back, and those that cannot be."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ringback.domain import Task
from ringback.domains import load
from ringback.episode.events import AnyEvent, Draw, Limits, Start
from ringback.errors import InputError
from ringback.models.protocol import Opener
from ringback.replay.changes import Changes, caller, changed
from ringback.sessions import SessionRow, Store
from ringback.sessions.selection import Selection
from ringback.study.plan import ArmPlan, Plan, planned, planned_arm, planned_user

__all__ = [
    "Parent",
    "Passed",
    "base_plan",
    "grouped",
    "limits_of",
    "originals",
    "read_parents",
    "recorded_arm",
]

T = TypeVar("T")

_MOST_STUDIES = 1_000_000


class Parent(Struct, frozen=True):
    """A recorded session to call back: its row, its start, its case, and the draw as it is taken.

    The trial and the seed of an imported session are 0 where its recording does not say them.
    """

    row: SessionRow
    start: Start
    task: Task
    draw: Draw


class Passed(Struct, frozen=True):
    """A session that cannot be called back, and why, in words that go on after "since"."""

    session: str
    why: str


def originals(
    store: Store, rows: Iterable[SessionRow], selection: Selection
) -> tuple[list[SessionRow], int]:
    """What was meant by a selection, and how many replays and forks among it were not.

    A filter such as ``solved=no`` also fits the replays that were made of the sessions it fitted
    before. They are meant only where they are named: by id, as the latest, by their arm or study.
    The arms of a study are its own and no replays in this sense.
    """
    found = list(rows)
    named = selection.ids or selection.latest or "arm" in selection.filters
    if named or selection.filters.get("study") or all(row.parent is None for row in found):
        return found, 0
    studies = filter(None, store.values("study", most=_MOST_STUDIES))
    planned_there = {member.cell for study in studies for member in store.members(study)}
    meant = [row for row in found if row.parent is None or row.cell in planned_there]
    return meant, len(found) - len(meant)


def read_parents(
    store: Store, rows: Iterable[SessionRow]
) -> tuple[list[tuple[Parent, list[AnyEvent]]], list[Passed]]:
    """The sessions of these rows, each with its events, and those whose case is not known here."""
    found: list[tuple[Parent, list[AnyEvent]]] = []
    passed: list[Passed] = []
    for row in rows:
        events = store.events(row.id)
        start = events[0]
        task = _task(row) if isinstance(start, Start) else "it has no start"
        if isinstance(task, str) or not isinstance(start, Start):
            passed.append(Passed(row.id, str(task)))
        else:
            draw = Draw(task.id, start.draw.trial or 0, start.draw.seed or 0)
            found.append((Parent(row, start, task, draw), events))
    return found, passed


def _task(row: SessionRow) -> Task | str:
    if row.task is None:
        return "its task is not known"
    try:
        return load(row.domain).task(row.task)
    except InputError as problem:
        return f"its task is not known here ({str(problem).removesuffix('.')})"


def grouped(entries: Iterable[T], parent_of: Callable[[T], Parent]) -> list[list[T]]:
    """The entries whose parents were recorded as one arm under one condition, in order."""
    groups: dict[tuple[str, str, str, bool], list[T]] = {}
    for entry in entries:
        row = parent_of(entry).row
        key = (row.condition, row.arm, row.arm_name, row.origin is not None)
        groups.setdefault(key, []).append(entry)
    return list(groups.values())


def base_plan(
    parents: Iterable[Parent], changes: Changes, names: Iterable[str], opener: Opener | None
) -> Plan:
    """A plan of arms with these names: the parents' arm changed, under its customer and limits.

    `parents` are of one group. Raises `InputError` for what is not known, or where a part of the
    recorded sessions cannot be had any more.
    """
    parents = list(parents)
    start = parents[0].start
    domain = load(start.condition.domain)
    user = planned_user(*caller(start, changes), opener)
    entry = changed(start, changes)
    recorded = None if start.origin is not None else start.arm
    names = list(names)
    first = planned_arm(domain, names[0], entry, opener, user, recorded)
    return planned(
        domain,
        "",
        "",
        list(dict.fromkeys(parent.task.id for parent in parents)),
        1,
        0,
        limits_of(start),
        user,
        tuple(replace(first, name=name) for name in names),
    )


def limits_of(start: Start) -> Limits:
    """The recorded limits; ours where a recording does not say one."""
    limits = msgspec.structs.asdict(start.condition.limits)
    return Limits(**{name: limit for name, limit in limits.items() if limit is not None})


def recorded_arm(parent: Parent) -> ArmPlan:
    """The recorded arm, as one that others are compared with."""
    start = parent.start
    return ArmPlan(
        name=f"{start.arm_name} (recorded)",
        role="baseline",
        arm=start.arm,
        hash=parent.row.arm,
        changes={},
        deterministic=False,
        own_settings=start.arm.agent.settings,
    )
