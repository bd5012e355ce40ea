"""Beginning an operated episode, and whether one that was begun can be gone on with here."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct

from ringback.agents.operator import OPERATOR, operator_of
from ringback.canonical import Json
from ringback.domain import Domain, Task
from ringback.domains import load
from ringback.episode.episode import Episode
from ringback.episode.events import UNPLAYED, Draw, Ending, Limits
from ringback.episode.identity import (
    arm,
    arm_hash,
    cell_hasher,
    condition,
    condition_hash,
    opening,
)
from ringback.episode.participants import UserBrief
from ringback.errors import InputError
from ringback.models.protocol import Opener
from ringback.operating.cases import drawn, named_case
from ringback.operating.reading import of_operator
from ringback.sessions import SessionRow, Store
from ringback.study.file import unusable
from ringback.study.plan import planned_user

__all__ = ["NoneLeft", "Taken", "Wanted", "begun", "refuse_changed", "refuse_unusable"]

_MOST_TRIALS = 1_000_000


class Taken(InputError):  # noqa: N818 - what it is
    """This operator has the case open already, or has played it: `session` says in which episode.

    `ending` is how that ended, None where it is open. A door can say in its own words what to do.
    """

    def __init__(self, sentence: str, session: str, ending: Ending | None) -> None:
        super().__init__(sentence)
        self.session, self.ending = session, ending


class NoneLeft(InputError):  # noqa: N818 - what it is
    """This operator has begun every case that could be the next."""


class Wanted(Struct, frozen=True, kw_only=True):
    """What is to be begun; `case` None is the next one of `split` that was not played.

    `split` None is the domain's default one.
    """

    case: str | None
    split: str | None
    seed: int
    trial: int
    user: str
    user_settings: dict[str, Json]
    called: str
    policy: str | None
    limits: Limits
    domain: str


def begun(
    store: Store, wanted: Wanted, opener: Opener | None, ready: Callable[[], None] | None
) -> str:
    """Record the beginning of an episode; gives its id. Nobody holds it then.

    Raises `InputError`, with nothing recorded, for what is not known or out of range, a customer
    that cannot be asked (`ready` says it), and a case that this operator has played or has open
    (`Taken`, and `NoneLeft` where the next one was asked for).
    """
    refuse_unusable(wanted.seed, wanted.trial, wanted.limits, wanted.called)
    world = load(wanted.domain)
    task = None if wanted.case is None else named_case(world, wanted.case)
    agent = operator_of({"as": wanted.called})
    caller = planned_user(wanted.user, wanted.user_settings, opener)
    shared = condition(world, caller.setup, wanted.limits)
    policy = world.policies[0] if wanted.policy is None else wanted.policy
    content = arm(world, agent.setup, policy)
    if task is None:
        task = _next(store, world, wanted)
    for row in _of_draw(store, wanted, {"task": task.id}):
        _refuse_again(row)
    draw = Draw(task.id, wanted.trial, wanted.seed)
    cell = cell_hasher(shared, content, OPERATOR)(draw)
    before = store.latest([cell]).get(cell)
    if before is not None:
        _refuse_again(before)
    caller.take(UserBrief(world.name, world.scenario(task), world.tools("user")))  # may refuse
    if ready is not None:
        ready()
    attempt = 0 if before is None else before.attempt + 1
    start = opening(world, shared, content, OPERATOR, draw, attempt=attempt, at=time.time())
    store.join("", OPERATOR, [cell])
    if not store.begin(
        start,
        family=task.family,
        cell=cell,
        condition=condition_hash(shared),
        arm=arm_hash(content),
    ):
        raise InputError(
            f"Another process has just begun this episode, {start.session}; go on with it there."
        )
    store.release(start.session)
    return start.session


def refuse_changed(episode: Episode) -> None:
    """Raise `InputError` where what the operator or the customer reads is not what it was."""
    start, domain = episode.start, episode.domain
    recorded, session = start.condition, start.session
    why: str | None = None
    if recorded.world != domain.version:
        why = (
            f"in version {recorded.world} of the world {domain.name}, and this is {domain.version}"
        )
    elif arm(domain, start.arm.agent, start.arm.policy).texts != start.arm.texts:
        why = "with another policy or other tools than this version of Ringback has"
    elif condition(domain, recorded.user, recorded.limits).texts != recorded.texts:
        why = "with other texts for the customer than this version of Ringback has"
    if why is not None:
        raise InputError(
            f"Episode {session} was begun {why}, so it cannot be gone on with here; go on with the "
            "version of then, or give it up and begin the case again."
        )


def refuse_unusable(seed: int, trial: int, limits: Limits, called: str = OPERATOR) -> None:
    """Raise `InputError` where no episode can be begun with these, whatever the case is."""
    operator_of({"as": called})
    if not 0 <= seed < 2**63:
        raise InputError(f"The seed {seed} is not usable; give a whole number from 0 to 2^63 - 1.")
    if not 0 <= trial < _MOST_TRIALS:
        raise InputError(f"There is no trial {trial}; they count from 0 to {_MOST_TRIALS - 1:,}.")
    if wrong := unusable(limits):
        raise InputError(f"The episode {wrong}.")


def _of_draw(store: Store, wanted: Wanted, more: Mapping[str, str]) -> Iterator[SessionRow]:
    """What this operator began with this seed and trial, under whatever conditions.

    With other limits, another policy or customer it would be another cell, but the same case: who
    was told of it once cannot play it again as if not.
    """
    draw = {"seed": str(wanted.seed), "trial": str(wanted.trial)}
    return of_operator(store, wanted.domain, wanted.called, {**draw, **more})


def _next(store: Store, world: Domain, wanted: Wanted) -> Task:
    """The first case without an attempt, else the first of those that were given up."""
    split = world.splits[0] if wanted.split is None else wanted.split
    cases = {task.id: task for _, task in drawn(world, split, wanted.seed)}
    rows = [row for row in _of_draw(store, wanted, {}) if row.task in cases]
    begun_ones = {row.task for row in rows}
    counting = {row.task for row in rows if row.ending not in UNPLAYED}

    def left() -> Iterator[Task]:
        yield from (task for name, task in cases.items() if name not in begun_ones)
        yield from (task for name, task in cases.items() if name not in counting)

    if (task := next(left(), None)) is None:
        open_ones = {row.task for row in rows if row.ending is None}
        first = f", {len(open_ones)} of them are open still" if open_ones else ""
        raise NoneLeft(
            f"All {len(cases)} cases of {split} were begun by {wanted.called}{first}; "
            f"--trial {wanted.trial + 1} plays them once more, and base:1 and so on are others."
        )
    return task


def _refuse_again(before: SessionRow) -> None:
    if before.ending is None:
        raise Taken(
            f"This case is open as episode {before.id}; go on with it, or give it up with "
            f"`ringback operate abandon --session {before.id}`.",
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
