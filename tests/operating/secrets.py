"""What of a case an operator must not come upon before its end, and looking for it in any text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ringback.domain import Task
from ringback.domains import load

__all__ = ["CASES", "leaks"]

CASES = ("base:1", "base:60", "base:100", "test:17", "test:40", "full:1", "full:900", "full:2200")
"""Cases of all families and personas, repairable and not."""

_RUN = 4
"""So many words of the scenario in a row are a leak."""


def leaks(text: str, task: Task, spoken: Iterable[str] = ()) -> list[str]:
    """What in the text is of the case: its id, faults, family, checks, words of the scenario.

    `spoken` is what the customer said, which the operator may know, as it may the policy, the
    tools and the greeting.
    """
    domain = load("telecom")
    verdict = domain.check(task, (), domain.world(task))
    names = {task.id, *task.faults, task.family, "PERSONA", *(check.name for check in verdict.end)}
    found = sorted(name for name in names if name in text)
    known = "\n".join(
        [
            *(domain.policy(variant) for variant in domain.policies),
            *(f"{tool.description} {tool.parameters}" for tool in domain.tools("agent")),
            domain.greeting,
            *spoken,
        ]
    )
    public, told = set(_runs(known)), set(_runs(text))
    secret = set(_runs(domain.scenario(task).text)) - public
    assert len(secret) > 20, "the scenario has words of its own"
    return [*found, *sorted(secret & told)]


def _runs(text: str) -> Iterator[str]:
    words = re.findall(r"[a-z0-9']+", text.lower().replace("\\n", " "))
    for place in range(len(words) - _RUN + 1):
        yield " ".join(words[place : place + _RUN])
