"""Opening an agent by its name and settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from ringback.agents.controls import DoNothing, TransferAtOnce
from ringback.agents.operator import operator_of
from ringback.agents.reference import Habits, Reference
from ringback.canonical import Json
from ringback.episode import installed
from ringback.episode.participants import OPERATOR, Agent
from ringback.errors import InputError

if TYPE_CHECKING:
    from ringback.models.protocol import Model

__all__ = ["AGENTS", "GROUP", "names", "open_agent"]

GROUP = "ringback.agents"

_HABITS: Mapping[str, Habits] = {
    "reference": Habits(),
    "hasty": Habits(repairs_at_once=1, patience=0),
    "careless": Habits(passes=1, skip=0.15),
}
_CONTROLS: Mapping[str, type[TransferAtOnce] | type[DoNothing]] = {
    "transfer-at-once": TransferAtOnce,
    "do-nothing": DoNothing,
}
AGENTS: tuple[str, ...] = (*_HABITS, *_CONTROLS)
"""The names of the agents that are built in, the default first."""

_LEAST = {"checks_at_once": 1, "repairs_at_once": 1, "passes": 1, "asks": 1, "patience": 0}


def names() -> tuple[str, ...]:
    """The names of all agents on this machine but models, the built-in ones first."""
    return tuple(dict.fromkeys((*AGENTS, *installed.names(GROUP))))


def open_agent(
    name: str,
    settings: Mapping[str, Json] | None = None,
    opener: Callable[[str], Model] | None = None,
) -> Agent:
    """The agent of this name.

    The settings of `reference`, `hasty` and `careless` are the fields of `Habits`, with defaults
    of each agent's own; the controls have none. ``operator``, with one setting, ``as``, is whoever
    sits at the desk: it can be named and not be asked. Any other name is a model's, which `opener`
    opens; its settings are the fields of `ringback.agents.llm.LlmSettings`. The settings of an
    agent's `setup` open that agent again. Raises `InputError` for an unknown name or setting, or a
    value that a setting cannot take.
    """
    given = dict(settings or {})
    make = installed.factory(GROUP, name, built_in=name in AGENTS)
    if make is not None:
        agent: Agent = make(given)
        if agent.setup.name != name:
            raise InputError(
                f"The agent {name!r} calls itself {agent.setup.name!r} in records; its package "
                "must use one name."
            )
        return agent
    if name == OPERATOR:
        return operator_of(given)
    if name in _CONTROLS:
        if given:
            raise InputError(f"Agent {name} has no settings; leave out {', '.join(given)}.")
        return _CONTROLS[name]()
    if name in _HABITS:
        return Reference(name, _habits(name, given))
    if opener is None:
        raise InputError(f"There is no agent {name!r}; choose one of {', '.join(names())}.")
    model = opener(name)
    from ringback.agents.llm import LlmAgent

    return LlmAgent(model, given)


def _habits(name: str, given: Mapping[str, Json]) -> Habits:
    known = Habits.__struct_fields__
    for key in given:
        if key not in known:
            raise InputError(
                f"Agent {name} has no setting {key!r}; choose from {', '.join(known)}."
            )
    base = _HABITS[name]
    try:
        habits = msgspec.convert({**msgspec.to_builtins(base), **given}, Habits)
    except msgspec.ValidationError as error:
        raise InputError(f"A setting of agent {name} cannot be used: {error}.") from None
    for key, least in _LEAST.items():
        value = getattr(habits, key)
        if value is not None and value < least:
            raise InputError(f"Setting {key} of agent {name} is {value}; give at least {least}.")
    if not 0.0 <= habits.skip <= 1.0:
        raise InputError(f"Setting skip of agent {name} is {habits.skip}; give 0 to 1.")
    return replace(habits)
