"""Replays: fresh episodes from recorded sessions' tasks, with only the named things changed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec import Struct

from ringback.episode.events import Draw
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

_MOST_TRIALS = 1_000_000
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


class ReplayPlan(Plan, frozen=True):
    """The replays of sessions that were recorded as one arm under one condition.

    `elsewhere` are the draws that another plan of the same command has already, since what replays
    them is the same there: they are no cells of this one.
    """

    parents: tuple[Parent, ...] = ()
    elsewhere: frozenset[Draw] = frozenset()

    @property
    def episodes(self) -> int:
        """How many cells there are."""
        draws = {parent.draw for parent in self.parents} - self.elsewhere
        return len(self.arms) * len(draws)

    def cells(self) -> Iterator[Cell]:
        """A cell for each arm and draw that is no other plan's."""
        return (cell for cell in self.all_cells() if cell.draw not in self.elsewhere)

    def all_cells(self) -> Iterator[Cell]:
        """A cell for each arm and parent; parents of one draw have it in common."""
        firsts: dict[Draw, Parent] = {}
        for parent in self.parents:
            firsts.setdefault(parent.draw, parent)
        for entry in self.arms:
            hash_of = cell_hasher(self.condition, entry.arm, entry.name)
            for draw, parent in firsts.items():
                trial = draw.trial or 0
                yield Cell(hash_of(draw), entry, parent.task, trial, draw, parent.row.id)


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
    taken: dict[tuple[str, str], set[Draw]] = {}
    for group in grouped(parents, lambda parent: parent):
        plan = base_plan(group, changes, names, opener)
        if left := _once(_not_itself(plan, group, passed), passed):
            there = taken.setdefault((plan.condition_hash, plan.arms[0].hash), set())
            fields = msgspec.structs.asdict(plan)
            plans.append(ReplayPlan(**fields, parents=tuple(left), elsewhere=frozenset(there)))
            there.update(parent.draw for parent in left)
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
    if trials > _MOST_TRIALS:
        raise InputError(f"{trials:,} trials are too many; ask for {_MOST_TRIALS:,} or fewer.")
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
    entries = {entry.name: entry for entry in plan.arms}
    for parent in group:
        entry = entries.get(parent.row.arm_name)
        if (
            entry is not None
            and cell_hasher(plan.condition, entry.arm, entry.name)(parent.draw) == parent.row.cell
        ):
            why = f"it is itself what the arm {parent.row.arm_name} would be; another --name helps"
            passed.append(Passed(parent.row.id, why))
        else:
            found.append(parent)
    return found


def _once(group: Sequence[Parent], passed: list[Passed]) -> list[Parent]:
    """The parents but the attempts at a cell that a later one replaced; imported ones all stay."""
    last = {parent.row.cell: parent for parent in sorted(group, key=lambda each: each.row.attempt)}
    found: list[Parent] = []
    for parent in group:
        other = last[parent.row.cell]
        if other is parent or parent.start.origin is not None:
            found.append(parent)
        else:
            why = f"session {other.row.id} is a later attempt at the same, and one replay answers"
            passed.append(Passed(parent.row.id, why))
    return found
