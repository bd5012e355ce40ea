"""Beginning an operated episode."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping

from ringback.domain import Task
from ringback.episode.events import UNPLAYED, Draw, Ending
from ringback.episode.identity import (
    arm,
    arm_hash,
    cell_hasher,
    condition,
    condition_hash,
    opening,
)
from ringback.episode.participants import OPERATOR, UserBrief
from ringback.errors import InputError, StoreError
from ringback.models.protocol import Opener
from ringback.operating.cases import drawn, named_case
from ringback.operating.reading import of_operator
from ringback.operating.terms import Terms
from ringback.sessions import SessionRow, Store
from ringback.study.plan import planned_user

__all__ = ["NoneLeft", "Taken", "begun"]

_TRIES = 100  # to begin; each that fails is one that somebody else has begun


class Taken(InputError):  # noqa: N818 - what it is
    """This operator has the case open already, or has played it: `session` says in which episode.

    `ending` is how that ended, None where it is open. A door can say in its own words what to do.
    """

    def __init__(self, sentence: str, session: str, ending: Ending | None) -> None:
        super().__init__(sentence)
        self.session, self.ending = session, ending


class NoneLeft(InputError):  # noqa: N818 - what it is
    """This operator has begun every case that could be the next."""


def begun(
    store: Store,
    case: str | None,
    terms: Terms,
    opener: Opener | None,
    ready: Callable[[], None] | None,
) -> str:
    """Record the beginning of an episode; gives its id. Nobody holds it then.

    `case` None is the next one of the terms' split that was not played.

    Raises `InputError`, with nothing recorded, for what is not known or out of range, a customer
    that cannot be asked (`ready` says it), and a case that this operator has played or has open
    (`Taken`, and `NoneLeft` where the next one was asked for).
    """
    terms.refuse_unusable()
    world = terms.world
    named = None if case is None else named_case(world, case)
    caller = planned_user(terms.user, terms.user_settings, opener)
    shared = condition(world, caller.setup, terms.limits)
    content = arm(world, terms.operator.setup, terms.variant)
    for _ in range(_TRIES):
        since = store.newest()  # what is begun after this was not looked at
        task = named or _next(store, terms)
        draw = Draw(task.id, terms.trial, terms.seed)
        cell = cell_hasher(shared, content, OPERATOR)(draw)
        try:
            before = _before(store, terms, task, cell)
        except Taken:
            if named is None:
                continue  # begun by another process since it was the next
            raise
        caller.take(UserBrief(world.name, world.scenario(task), world.tools("user")))  # may refuse
        if ready is not None:
            ready()
        attempt = 0 if before is None else before.attempt + 1
        start = opening(world, shared, content, OPERATOR, draw, attempt=attempt, at=time.time())
        store.join("", OPERATOR, [cell])
        if store.begin(
            start,
            family=task.family,
            cell=cell,
            condition=condition_hash(shared),
            arm=arm_hash(content),
            since=since,
        ):
            with contextlib.suppress(StoreError):  # a lease that is kept dies with this process
                store.release(start.session)
            return start.session
    raise InputError(
        "Other processes keep beginning episodes in this store, so that none could be begun now; "
        "try again."
    )


def _of_draw(store: Store, terms: Terms, more: Mapping[str, str]) -> Iterator[SessionRow]:
    """What this operator began with this seed and trial, under whatever conditions.

    With other limits, another policy or customer it would be another cell, but the same case: who
    was told of it once cannot play it again as if not.
    """
    draw = {"seed": str(terms.seed), "trial": str(terms.trial)}
    return of_operator(store, terms.domain, terms.operator.called, {**draw, **more})


def _before(store: Store, terms: Terms, task: Task, cell: str) -> SessionRow | None:
    """The cell's attempt before this one, None where there is none; raises `Taken`."""
    for row in _of_draw(store, terms, {"task": task.id}):
        _refuse_again(row)
    before = store.latest([cell]).get(cell)
    if before is not None:
        _refuse_again(before)
    return before


def _next(store: Store, terms: Terms) -> Task:
    """The first case without an attempt, else the first of those that were given up."""
    split = terms.drawn_from
    cases = {task.id: task for _, task in drawn(terms.world, split, terms.seed)}
    rows = [row for row in _of_draw(store, terms, {}) if row.task in cases]
    begun_ones = {row.task for row in rows}
    counting = {row.task for row in rows if row.ending not in UNPLAYED}

    def left() -> Iterator[Task]:
        yield from (task for name, task in cases.items() if name not in begun_ones)
        yield from (task for name, task in cases.items() if name not in counting)

    if (task := next(left(), None)) is None:
        open_ones = {row.task for row in rows if row.ending is None}
        first = f", {len(open_ones)} of them are open still" if open_ones else ""
        raise NoneLeft(
            f"All {len(cases)} cases of {split} were begun by {terms.operator.called}{first}; "
            f"--trial {terms.trial + 1} plays them once more, and base:1 and so on are others."
        )
    return task


def _refuse_again(before: SessionRow) -> None:
    if before.ending is None:
        raise Taken(
            f"This case is open as episode {before.id}; go on with it, or give it up first.",
            before.id,
            None,
        )
    if before.ending not in UNPLAYED:
        raise Taken(
            f"This case was played already, as episode {before.id}, and one outcome counts; "
            "another --trial or --seed plays it once more, and both count.",
            before.id,
            before.ending,
        )
