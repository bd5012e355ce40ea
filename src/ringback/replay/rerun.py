"""Replays: fresh episodes from recorded sessions' tasks, with only the named things changed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec import Struct

from ringback.episode.identity import cell_hasher
from ringback.errors import InputError
from ringback.models.protocol import Opener
from ringback.replay.changes import Changes
from ringback.replay.parents import Parent, Passed, base_plan, grouped, read_parents
from ringback.sessions import SessionRow, Store
from ringback.study.plan import Cell, Plan

__all__ = ["REPLAY", "ReplayPlan", "Replays", "named", "plan_replays"]

REPLAY = "replay"
"""The name of an arm of replays where none is given."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


class ReplayPlan(Plan, frozen=True):
    """The replays of sessions that were recorded as one arm under one condition."""

    parents: tuple[Parent, ...] = ()

    @property
    def episodes(self) -> int:
        """How many cells there are."""
        return sum(1 for _ in self.cells())

    def cells(self) -> Iterator[Cell]:
        """A cell for each arm and parent; parents of one draw have it in common."""
        for entry in self.arms:
            hash_of = cell_hasher(self.condition, entry.arm, entry.name)
            seen: set[str] = set()
            for parent in self.parents:
                cell = hash_of(parent.draw)
                if cell not in seen:
                    seen.add(cell)
                    trial = parent.draw.trial or 0
                    yield Cell(cell, entry, parent.task, trial, parent.draw, parent.row.id)


class Replays(Struct, frozen=True):
    """What is to be played, and the sessions that cannot be replayed."""

    plans: tuple[ReplayPlan, ...]
    passed: tuple[Passed, ...]


def plan_replays(
    store: Store,
    rows: Iterable[SessionRow],
    changes: Changes,
    *,
    name: str = REPLAY,
    trials: int = 1,
    opener: Opener | None = None,
) -> Replays:
    """The replays of these sessions under the arm `name`.

    Each is a fresh episode of the recorded task, trial and seed, so the same customer calls; the
    agent's own draws go by the arm's name. With `trials` each is replayed so often, in arms called
    NAME, NAME-2 and so on. `opener` opens models. Raises `InputError` if nothing can be replayed,
    and for what is not known.
    """
    found, passed = read_parents(store, rows)
    parents = [parent for parent, _ in found]
    refuse_none(parents, passed, "replayed")
    names = named(name, trials)
    plans: list[ReplayPlan] = []
    for group in grouped(parents, lambda parent: parent):
        plan = base_plan(group, changes, names, opener)
        if left := _not_itself(plan, group, passed):
            plans.append(ReplayPlan(**msgspec.structs.asdict(plan), parents=tuple(left)))
    refuse_none(plans, passed, "replayed")
    return Replays(tuple(plans), tuple(passed))


def named(name: str, trials: int) -> tuple[str, ...]:
    """The names of the arms: the name, and with more trials the name with numbers."""
    if not _NAME.fullmatch(name):
        raise InputError(
            f"{name!r} is no name of an arm; use up to 64 letters, digits, points, dashes and "
            "underscores, a letter or digit first."
        )
    if trials < 1:
        raise InputError(f"{trials} trials cannot be run; ask for 1 or more.")
    return (name, *(f"{name}-{number}" for number in range(2, trials + 1)))


def refuse_none(parents: Sequence[object], passed: Sequence[Passed], what: str) -> None:
    """Raise `InputError` where no session is left."""
    if parents:
        return
    if passed:
        first = passed[0]
        more = f", and {len(passed) - 1} more cannot either" if len(passed) > 1 else ""
        raise InputError(f"Session {first.session} cannot be {what}: {first.why}{more}.")
    raise InputError(f"No session is selected, so none can be {what}.")


def _not_itself(plan: Plan, group: Sequence[Parent], passed: list[Passed]) -> list[Parent]:
    """The parents but those that are sessions of the planned arms themselves.

    So a selection that has come to hold the replays, when the command is given again, replays the
    same sessions as before.
    """
    found: list[Parent] = []
    hashers = [cell_hasher(plan.condition, entry.arm, entry.name) for entry in plan.arms]
    for parent in group:
        if any(hash_of(parent.draw) == parent.row.cell for hash_of in hashers):
            why = f"it is itself what the arm {parent.row.arm_name} would be; another --name helps"
            passed.append(Passed(parent.row.id, why))
        else:
            found.append(parent)
    return found
