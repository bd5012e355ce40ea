"""Who takes a side, on one line: what tells this run from another like it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ringback.canonical import Json, digest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ringback.episode.events import Setup

__all__ = ["agent_told", "user_told"]

_LONGEST = 40
_DIGITS = 8


def agent_told(setup: Setup, own: Mapping[str, Json]) -> str:
    """An agent with its own settings: ``careless with skip 0.5``; of a long text, its digest.

    `own` are the settings that differ from the agent's defaults.
    """
    return _with(setup.name, own)


def user_told(setup: Setup) -> str:
    """A user simulator with its settings: of a model the guard, and what is not as usual."""
    from ringback import users

    if setup.name in users.names():
        return _with(setup.name, setup.settings)
    from ringback.canonical import canonical
    from ringback.users.llm.settings import LlmUserSettings

    usual = canonical(LlmUserSettings())
    assert isinstance(usual, dict)
    given = dict(setup.settings)
    guard = given.pop("guard", None)
    given.pop("identity", None)
    if given.get("structured") is True or not setup.name.startswith("local:"):
        given.pop("structured", None)  # as it is wherever a model can be held to a form
    own = {key: value for key, value in given.items() if usual.get(key) != value}
    return _with(setup.name, {"guard": guard, **own})


def _with(name: str, settings: Mapping[str, Json]) -> str:
    from ringback.report import wording

    if not settings:
        return name
    return f"{name} with {wording.settings({key: _short(settings[key]) for key in settings})}"


def _short(value: Json) -> Json:
    """The value; in place of a long text how long it is and its digest, so that two differ."""
    match value:
        case str() if len(value) > _LONGEST or "\n" in value:
            return f"of {len(value):,} characters ({digest(value)[:_DIGITS]})"
        case dict():
            return {key: _short(item) for key, item in value.items()}
        case _:
            return value
