"""Participants that other packages bring, found by their name through entry points."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, TypeAlias

from ringback.canonical import Json
from ringback.errors import InputError

__all__ = ["Factory", "factory", "names"]

Factory: TypeAlias = Callable[[Mapping[str, Json]], Any]
"""From settings, which may be empty, to an agent or a user; `InputError` for settings it lacks."""


@cache
def _points(group: str) -> Mapping[str, tuple[EntryPoint, ...]]:
    found: dict[str, tuple[EntryPoint, ...]] = {}
    for point in entry_points(group=group):
        found[point.name] = (*found.get(point.name, ()), point)
    return found


def names(group: str) -> tuple[str, ...]:
    """The names that installed packages offer in this group, in order."""
    return tuple(sorted(_points(group)))


def factory(group: str, name: str, *, built_in: bool) -> Factory | None:
    """What makes the participant of this name, None where no package offers it.

    Raises `InputError` where two offer it, or one offers a name that is `built_in`, or where what
    is offered cannot be loaded.
    """
    points = _points(group).get(name, ())
    packages = sorted({point.dist.name if point.dist else point.value for point in points})
    if points and (built_in or len({point.value for point in points}) > 1):
        owners = " and ".join((["Ringback itself"] if built_in else []) + packages)
        raise InputError(f"{name!r} of {group} is offered by {owners}; uninstall the other.")
    if not points:
        return None
    try:
        return points[0].load()
    except (ImportError, AttributeError) as problem:
        raise InputError(
            f"{name!r} of {group} cannot be loaded from {points[0].value} ({problem}); mend or "
            f"uninstall {packages[0]}."
        ) from problem
