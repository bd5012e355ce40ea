"""The caller's side: user simulators.

`rules` is built in. Another package brings one through the entry point group ``ringback.users``:
a function from settings to a `ringback.episode.participants.User`. Any other name is a model's
(`ringback.users.llm`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ringback.canonical import Json
from ringback.episode import installed
from ringback.episode.participants import User
from ringback.errors import InputError

if TYPE_CHECKING:
    from ringback.models.protocol import Model

__all__ = ["GROUP", "USERS", "names", "open_user"]

GROUP = "ringback.users"
USERS: tuple[str, ...] = ("rules",)
"""The names of the user simulators that are built in and no models."""


def names() -> tuple[str, ...]:
    """The names of all user simulators on this machine but models, the built-in ones first."""
    return tuple(dict.fromkeys((*USERS, *installed.names(GROUP))))


def open_user(
    name: str,
    settings: Mapping[str, Json] | None = None,
    opener: Callable[[str], Model] | None = None,
) -> User:
    """The user simulator of this name with these settings.

    `rules` has no settings. Any other name is a model's, which `opener` opens; its settings are the
    fields of `ringback.users.llm.LlmUserSettings`. The settings of a simulator's `setup` open it
    again. Raises `InputError` for an unknown name or setting, or a value that it cannot take.
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
    if name in USERS:
        if given:
            raise InputError(
                f"The user simulator {name!r} has no settings; leave out {', '.join(given)}."
            )
        from ringback.users.rules import Rules

        return Rules()
    if opener is None:
        raise InputError(f"There is no user simulator {name!r}; known are {', '.join(names())}.")
    model = opener(name)
    from ringback.users.llm import LlmUser

    return LlmUser(model, given)
