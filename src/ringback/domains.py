"""Finding a support world by its name, through the entry points ``ringback.domains``."""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from typing import cast

from ringback.domain import Domain
from ringback.errors import InputError

__all__ = ["GROUP", "installed", "load"]

GROUP = "ringback.domains"


def installed() -> tuple[str, ...]:
    """The names of the domains on this machine, in order."""
    return tuple(sorted({point.name for point in entry_points(group=GROUP)}))


@cache
def load(name: str = "telecom") -> Domain:
    """The domain of this name.

    Raises `InputError` if it is not installed, if two packages claim it, or if the package that
    offers it cannot be imported.
    """
    found = list(entry_points(group=GROUP, name=name))
    if not found:
        known = ", ".join(installed()) or "none"
        raise InputError(f"There is no domain {name!r}; installed: {known}.")
    if len({point.value for point in found}) > 1:
        packages = " and ".join(sorted({point.dist.name for point in found if point.dist}))
        raise InputError(f"The domain {name!r} is offered by {packages}; uninstall one of them.")
    try:
        return cast("Domain", found[0].load())
    except (ImportError, AttributeError) as problem:
        package = found[0].dist.name if found[0].dist else found[0].value
        raise InputError(
            f"The domain {name!r} cannot be loaded from {package} ({problem}); install that "
            "package again, or ask who wrote it."
        ) from problem
