"""Naming a case without saying what it is: a task's id names its faults, a number does not."""

from __future__ import annotations

import re

from ringback.domain import Domain, Task
from ringback.errors import InputError

__all__ = ["named_case", "numbered"]

_NUMBERED = re.compile(r"(?:([A-Za-z][\w-]*):)?([0-9]{1,9})")


def named_case(domain: Domain, text: str) -> Task:
    """The task that is meant by ``17`` or ``base:17``, counted from 1, or by a task's id.

    A number alone counts in the domain's default split. Raises `InputError` where there is none.
    """
    found = _NUMBERED.fullmatch(text.strip())
    if found is None:
        return domain.task(text)
    tasks = domain.tasks(found[1] or domain.splits[0])
    number = int(found[2])
    if not 1 <= number <= len(tasks):
        raise InputError(
            f"There is no case {text!r}: {found[1] or domain.splits[0]} has 1 to {len(tasks)}."
        )
    return tasks[number - 1]


def numbered(domain: Domain, split: str) -> dict[str, Task]:
    """The tasks of a split by the numbers that name them, as ``test:17``, in their order."""
    return {f"{split}:{place}": task for place, task in enumerate(domain.tasks(split), 1)}
