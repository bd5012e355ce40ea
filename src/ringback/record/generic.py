"""A call told without knowing its world: what is left where a domain cannot tell it itself."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from ringback.canonical import Json
from ringback.domain import Did, Happening, Task, World
from ringback.report.plain import one_line
from ringback.report.wording import listing

__all__ = ["about", "changed", "recount"]

_LONG = 110


def about(task: Task) -> str:
    """The task by its family and its faults."""
    faults = listing(list(task.faults)) or "no fault"
    end = "" if task.repairable else " It is to be handed over."
    return f"{task.family or 'A case'}: {faults}.{end}"


def recount(history: Sequence[Happening]) -> list[str]:
    """A sentence for each thing said, and for the calls of a side in a row."""
    told: list[str] = []
    for side, group in groupby(history, key=lambda event: event.side):
        who = "agent" if side == "agent" else "customer"
        for is_call, events in groupby(group, key=lambda event: isinstance(event, Did)):
            found = list(events)
            if is_call:
                calls = [event for event in found if isinstance(event, Did)]
                told.append(f"The {who} called {listing([_called(did) for did in calls])}.")
            else:
                told.extend(
                    f"The {who} said: {one_line(said.text, _LONG)!r}."
                    for said in found
                    if not isinstance(said, Did)
                )
    return told


def _called(did: Did) -> str:
    refused = " (refused)" if did.outcome.error else ""
    return f"{one_line(did.tool, 40)}{refused}"


def changed(start: World, end: World) -> dict[str, Json]:
    """The fields of the world that are not at the end what they were at the beginning."""
    before, after = start.fields(), end.fields()
    return {name: value for name, value in sorted(after.items()) if before.get(name) != value}
