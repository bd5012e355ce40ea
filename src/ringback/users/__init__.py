"""The caller's side: user simulators, by rules (`rules`) or by any model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ringback.canonical import Json
from ringback.episode.participants import User
from ringback.errors import InputError

if TYPE_CHECKING:
    from ringback.models.protocol import Model

__all__ = ["USERS", "open_user"]

USERS: tuple[str, ...] = ("rules",)
"""The names of the user simulators that are no models."""


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
    if name in USERS:
        if given:
            raise InputError(
                f"The user simulator {name!r} has no settings; leave out {', '.join(given)}."
            )
        from ringback.users.rules import Rules

        return Rules()
    if opener is None:
        raise InputError(f"There is no user simulator {name!r}; known are {', '.join(USERS)}.")
    model = opener(name)
    from ringback.users.llm import LlmUser

    return LlmUser(model, given)
