"""The caller's side: user simulators.

`rules` is built in. Another package brings one through the entry point group ``ringback.users``:
a function from settings to a `ringback.episode.participants.User`.
"""

from __future__ import annotations

from collections.abc import Mapping

from ringback.canonical import Json
from ringback.episode import installed
from ringback.episode.participants import User
from ringback.errors import InputError

__all__ = ["GROUP", "USERS", "names", "open_user"]

GROUP = "ringback.users"
USERS: tuple[str, ...] = ("rules",)
"""The names of the user simulators that are built in."""


def names() -> tuple[str, ...]:
    """The names of all user simulators on this machine, the built-in ones first."""
    return tuple(dict.fromkeys((*USERS, *installed.names(GROUP))))


def open_user(name: str, settings: Mapping[str, Json] | None = None) -> User:
    """The user simulator of this name with these settings.

    `rules` has no settings. Raises `InputError` for an unknown name or setting.
    """
    given = dict(settings or {})
    make = installed.factory(GROUP, name, built_in=name in USERS)
    if make is not None:
        user: User = make(given)
        if user.setup.name != name:
            raise InputError(
                f"The user simulator {name!r} calls itself {user.setup.name!r} in records; its "
                "package must use one name."
            )
        return user
    if name not in USERS:
        raise InputError(f"There is no user simulator {name!r}; known are {', '.join(names())}.")
    if given:
        raise InputError(
            f"The user simulator {name!r} has no settings; leave out {', '.join(given)}."
        )
    from ringback.users.rules import Rules

    return Rules()
