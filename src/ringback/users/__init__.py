"""The caller's side: user simulators."""

from __future__ import annotations

from collections.abc import Mapping

from ringback.canonical import Json
from ringback.episode.participants import User
from ringback.errors import InputError

__all__ = ["USERS", "open_user"]

USERS: tuple[str, ...] = ("rules",)
"""The names of the user simulators."""


def open_user(name: str, settings: Mapping[str, Json] | None = None) -> User:
    """The user simulator of this name with these settings.

    `rules` has no settings. Raises `InputError` for an unknown name or setting.
    """
    if name not in USERS:
        raise InputError(f"There is no user simulator {name!r}; known are {', '.join(USERS)}.")
    if settings:
        raise InputError(
            f"The user simulator {name!r} has no settings; leave out {', '.join(settings)}."
        )
    from ringback.users.rules import Rules

    return Rules()
