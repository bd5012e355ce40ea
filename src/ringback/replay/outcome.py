"""What became of replays and forks: each beside the session that it was made from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ringback.canonical import Json, canonical
from ringback.replay.changes import unnamed
from ringback.replay.fork import ForkPlan
from ringback.replay.parents import Parent, recorded_arm
from ringback.replay.rerun import ReplayPlan
from ringback.report.rules import told
from ringback.sessions import SessionRow, Store
from ringback.stats import PairedDifference, Tally, paired_difference
from ringback.study.overrides import prove_overrides
from ringback.study.plan import Cell
from ringback.study.proof import prove_equal_users
from ringback.study.rules import rule_facts
from ringback.study.run import State

__all__ = ["Outcome", "Pair", "compared", "outcome"]

_Made: TypeAlias = ReplayPlan | ForkPlan
_WORDS = {"user": "the customer", "texts": "what the customer reads", "world": "the world"}


class Pair(Struct, frozen=True):
    """A session and what was made of it. `before` and `after` say whether each solved its case.

    They are None where there is no graded outcome. `plan` counts, from 0, the setups: what was
    recorded as one arm, `parent_arm`, under one condition; figures are of one. `paired`: the two
    are of one condition, so that they may be compared; `why` says why not, in words that go on
    after "since".
    """

    parent: str
    session: str | None
    arm: str
    plan: int
    parent_arm: str
    task: str
    trial: int
    before: bool | None
    after: bool | None
    paired: bool
    why: str | None = None

    @property
    def flipped(self) -> bool:
        """Whether a pair changed its outcome."""
        return self.paired and self.before != self.after


class Outcome(Struct, frozen=True):
    """All that became of it, in the order of the plans. `notes` are sentences to be said beside."""

    pairs: tuple[Pair, ...]
    notes: tuple[str, ...]


def outcome(plans: Sequence[_Made], store: Store) -> Outcome:
    """Each session beside what it was made from, as far as the store has it.

    A replay is paired with its parent where both are of one condition and have a graded outcome; a
    fork never is, since it does not begin where its parent did. Raises
    `ringback.study.overrides.OverrideNotShown` where the recorded calls do not show what was
    changed, and `ringback.study.proof.UnequalUsers` where pairs did not meet the same customer.
    """
    pairs: list[Pair] = []
    notes: dict[str, None] = {}
    for place, plan in enumerate(plans):
        cells = list(plan.all_cells() if isinstance(plan, ReplayPlan) else plan.cells())
        latest = store.latest(cell.hash for cell in cells)
        rows = {cell.hash: latest.get(cell.hash) for cell in cells}
        for note in _proven(plan, cells, rows, store):
            notes.setdefault(note)
        parents = _parents(plan)
        why = _unpaired(plan, parents[0])
        by_parent = {(cell.arm.name, cell.parent): cell for cell in cells}
        by_draw = {(cell.arm.name, cell.draw): cell for cell in cells}
        for entry in plan.arms:
            for parent in parents:
                cell = by_parent.get((entry.name, parent.row.id))
                cell = cell or by_draw[entry.name, parent.draw]
                pairs.append(_pair(parent, place, cell, rows[cell.hash], why))
    return Outcome(tuple(pairs), tuple(notes))


def compared(pairs: Sequence[Pair]) -> PairedDifference:
    """The paired difference in solve rate of the paired ones, of one setup, as a study has it.

    Tasks are resampled whole. Raises `ValueError` where none is paired.
    """
    by_task: dict[str, list[Pair]] = {}
    for pair in pairs:
        if pair.paired:
            by_task.setdefault(pair.task, []).append(pair)
    tallies = [
        Tally(
            len(of_task),
            sum(pair.flipped and pair.after is True for pair in of_task),
            sum(pair.flipped and pair.after is False for pair in of_task),
        )
        for of_task in by_task.values()
    ]
    return paired_difference(tallies, seed=0)


def _parents(plan: _Made) -> tuple[Parent, ...]:
    if isinstance(plan, ForkPlan):
        return tuple(point.parent for point in plan.points)
    return plan.parents


def _pair(parent: Parent, place: int, cell: Cell, row: SessionRow | None, why: str | None) -> Pair:
    before, after = _solved(parent.row), None if row is None else _solved(row)
    if why is None and before is None:
        why = "the recorded session has no graded outcome"
    elif why is None and after is None:
        why = "it has no graded outcome" if row is not None else "it was not played"
    return Pair(
        parent=parent.row.id,
        session=None if row is None else row.id,
        arm=cell.arm.name,
        plan=place,
        parent_arm=parent.row.arm_name,
        task=cell.task.id,
        trial=cell.trial,
        before=before,
        after=after,
        paired=why is None,
        why=why,
    )


def _solved(row: SessionRow) -> bool | None:
    return row.solved if row.graded else None


def _unpaired(plan: _Made, parent: Parent) -> str | None:
    """Why nothing of a plan can be paired with its parents; None where it can."""
    if isinstance(plan, ForkPlan):
        return "a fork begins where another session stood, and is no fresh episode"
    if parent.start.origin is not None:
        return (
            f"the session was recorded by another program ({parent.start.origin.form}), with "
            "another customer: another condition"
        )
    if parent.start.condition.forked is not None:
        return "the session is a fork itself, and did not begin at the case's beginning"
    if parent.row.condition == plan.condition_hash:
        return None
    told = ", ".join(_differences(canonical(parent.start.condition), canonical(plan.condition)))
    return f"the session was recorded under another condition ({told or 'unknown in what'})"


def _differences(was: Json, now: Json) -> Iterator[str]:
    if not isinstance(was, dict) or not isinstance(now, dict):
        return
    for key in dict.fromkeys([*was, *now]):
        if was.get(key) != now.get(key):
            what = _WORDS.get(key, key)
            one, other = was.get(key), now.get(key)
            short = isinstance(one, str | int) and isinstance(other, str | int) and key != "texts"
            yield f"{what} {one}, now {other}" if short else what


def _proven(
    plan: _Made, cells: Sequence[Cell], rows: dict[str, SessionRow | None], store: Store
) -> Iterator[str]:
    """Prove what was changed and, where pairs are made, that they met the same customer."""
    parents = _parents(plan)
    first = parents[0]
    recorded = recorded_arm(first)
    whole = replace(plan, arms=(recorded, *plan.arms))
    ours = [State(cell, rows[cell.hash]) for cell in cells]
    theirs = [
        State(
            Cell(parent.row.cell, recorded, parent.task, parent.draw.trial or 0, parent.draw),
            parent.row,
        )
        for parent in parents
    ]
    began: dict[str, int] = {}
    if isinstance(plan, ForkPlan):
        places = {point.parent.row.id: point.seq for point in plan.points}
        began = {row.id: places[cell.parent or ""] for cell in cells if (row := rows[cell.hash])}
    if first.start.origin is None:
        for entry in plan.arms[:1]:
            for words in unnamed(recorded.arm, entry.arm):
                yield f"Beside what was named, {words}."
    yield from prove_overrides(whole, store, [*theirs, *ours], began=began)
    facts = rule_facts(whole, store, baseline=[parent.row for parent in parents])
    for name, rules in facts.items():
        for rule in rules:
            yield told(name, rule)
    if _unpaired(plan, first) is None:
        answered = prove_equal_users(whole, store, [*theirs, *ours])
        if len({name for names in answered.values() for name in names}) > 1:
            yield "The customer's model answered by several names, in pairs by the same."
