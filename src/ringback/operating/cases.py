"""Naming a case without saying what it is: a task's id names its faults, a number does not.

Whoever has this package can look a number up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ringback.canonical import digest
from ringback.domain import Domain, Task
from ringback.errors import InputError

__all__ = ["drawn", "named_case", "number_of", "numbered"]

_NUMBERED = re.compile(r"(?:([A-Za-z][\w-]*):)?([0-9]+)")
_SHOWN = 40  # characters of what was typed
_LONGEST = 9  # digits of a number that may be a case's


def named_case(domain: Domain, text: str) -> Task:
    """The task that is meant by ``17`` or ``base:17``, counted from 1, or by a task's id.

    A number alone counts in the domain's default split. Raises `InputError` where there is none.
    """
    found = _NUMBERED.fullmatch(text.strip())
    if found is None:
        return domain.task(text)
    tasks = domain.tasks(found[1] or domain.splits[0])
    number = int(found[2]) if len(found[2]) <= _LONGEST else 0
    if not 1 <= number <= len(tasks):
        raise InputError(
            f"There is no case {text[:_SHOWN]!r}: {found[1] or domain.splits[0]} has 1 to "
            f"{len(tasks)}."
        )
    return tasks[number - 1]


def numbered(domain: Domain, split: str) -> dict[str, Task]:
    """The tasks of a split by the numbers that name them, as ``test:17``, in their order."""
    return {f"{split}:{place}": task for place, task in enumerate(domain.tasks(split), 1)}


def number_of(domain: Domain, task: Task) -> str | None:
    """The number that names this task, in the first split that has it; None where none has."""
    for split in domain.splits:
        for name, each in numbered(domain, split).items():
            if each.id == task.id:
                return name
    return None


def drawn(domain: Domain, split: str, seed: int) -> Iterator[tuple[str, Task]]:
    """A split's tasks with their numbers, in an order that follows from the seed alone.

    In their own order neighbours have faults in common, so that one would give the next away.
    Whoever plays the first few plays the same few as everybody.
    """
    cases = numbered(domain, split).items()
    yield from sorted(cases, key=lambda case: digest([seed, case[1].id]))
