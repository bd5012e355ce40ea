"""Which sessions may be compared, and which are the same: three hashes and the ids made of them."""

from __future__ import annotations

import hashlib
import platform
import sys
from collections.abc import Callable
from functools import lru_cache

import msgspec

import ringback
from ringback.canonical import digest, encode
from ringback.domain import Domain
from ringback.episode.events import Arm, Condition, Draw, Limits, Origin, Setup, Start
from ringback.episode.seeds import agent_seed, user_seed

__all__ = [
    "arm",
    "arm_hash",
    "cell_hash",
    "cell_hasher",
    "condition",
    "condition_hash",
    "imported_ids",
    "opening",
    "session_id",
]


def condition(domain: Domain, user: Setup, limits: Limits) -> Condition:
    """What the sessions of a comparison share, with the versions that stand today."""
    return Condition(
        domain=domain.name,
        world=domain.version,
        grader=domain.grader_version,
        user=user,
        greeting=domain.greeting,
        texts=_user_texts(domain),
        limits=limits,
    )


@lru_cache(maxsize=8)
def _user_texts(domain: Domain) -> str:
    tasks = {task.id: task for split in domain.splits for task in domain.tasks(split)}
    scenarios = {name: domain.scenario(task).text for name, task in tasks.items()}
    return digest([scenarios, list(domain.tools("user"))])


def arm(domain: Domain, agent: Setup, policy: str) -> Arm:
    """What an arm varies; `policy` is a variant's name, `InputError` if there is no such one."""
    texts = digest([domain.policy(policy), list(domain.tools("agent"))])
    return Arm(agent=agent, policy=policy, texts=texts)


def condition_hash(value: Condition) -> str:
    """32 hexadecimal digits; sessions of different conditions are never averaged or paired."""
    return digest(value)


def arm_hash(value: Arm) -> str:
    """32 hexadecimal digits for the content of an arm, its name left out."""
    return digest(value)


def cell_hash(condition: Condition, arm: Arm, arm_name: str, draw: Draw) -> str:
    """The cell of a study. Two arms of equal content and different names are two cells."""
    return cell_hasher(condition, arm, arm_name)(draw)


def cell_hasher(condition: Condition, arm: Arm, arm_name: str) -> Callable[[Draw], str]:
    """`cell_hash` of many draws: what they share is spelled and hashed once."""
    shared = hashlib.blake2b(
        encode([condition, arm, arm_name]).removesuffix(b"]") + b",", digest_size=16
    )

    def of(draw: Draw) -> str:
        hasher = shared.copy()
        hasher.update(encode(draw) + b"]")
        return hasher.hexdigest()

    return of


def session_id(cell: str, attempt: int) -> str:
    """16 hexadecimal digits for one attempt at a cell."""
    return digest([cell, attempt])[:16]


def imported_ids(origin: Origin) -> tuple[str, str]:
    """The session's id and the cell of a recording that another program made.

    Both follow from what was read alone, so the same recording is one session wherever it lies. The
    cell is in no plan of ours.
    """
    cell = digest([origin.form, origin.digest])
    return session_id(cell, 0), cell


def opening(
    domain: Domain,
    condition: Condition,
    arm: Arm,
    arm_name: str,
    draw: Draw,
    *,
    attempt: int = 0,
    at: float | None = None,
    parent: str | None = None,
) -> Start:
    """The first event of an attempt at a cell, with seeds and versions filled in."""
    name, trial, seed = draw.task, draw.trial, draw.seed
    if name is None or trial is None or seed is None:
        raise ValueError("only a known draw can be played")
    cell = cell_hash(condition, arm, arm_name, draw)
    task = domain.task(name)
    return Start(
        seq=0,
        at=at,
        session=session_id(cell, attempt),
        condition=condition,
        arm=arm,
        arm_name=arm_name,
        draw=draw,
        user_seed=user_seed(seed, name, trial),
        agent_seed=agent_seed(seed, name, trial, arm_name),
        world=domain.world(task).digest(),
        versions={
            "ringback": ringback.__version__,
            "python": platform.python_version(),
            "implementation": sys.implementation.name,
            "msgspec": msgspec.__version__,
        },
        attempt=attempt,
        parent=parent,
    )
