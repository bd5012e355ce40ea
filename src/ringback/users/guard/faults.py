"""How often a session's customer stopped being one, from the record alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from ringback.episode.events import AnyEvent, Rejected

__all__ = ["faults_by_rule", "simulator_faults"]


def simulator_faults(events: Iterable[AnyEvent]) -> int:
    """The faults of the user simulator that a guard recorded: one for each reply it objected to.

    None of them is charged to the agent. A session whose guard was off has none recorded, which is
    not the same as none made.
    """
    return sum(isinstance(event, Rejected) and event.by == "user" for event in events)


def faults_by_rule(events: Iterable[AnyEvent]) -> Mapping[str, int]:
    """The same by rule; a reply that breaks two rules counts under both."""
    count: Counter[str] = Counter()
    for event in events:
        if isinstance(event, Rejected) and event.by == "user":
            count.update(event.rules)
    return dict(sorted(count.items()))
