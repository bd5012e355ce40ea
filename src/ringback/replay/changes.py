"""What is changed against a recorded session, and what an agent becomes by it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from msgspec import Struct

from ringback import agents
from ringback.canonical import Json
from ringback.episode.events import Arm, Setup, Start
from ringback.episode.participants import OPERATOR
from ringback.errors import InputError
from ringback.study.file import BaselineEntry

__all__ = ["Change", "Changes", "caller", "changed", "told_changes", "unnamed"]


class Changes(Struct, frozen=True):
    """What is to be other than recorded; nothing named makes a second draw of the same.

    `agent` is a scripted agent's name or a model's, `policy` a wording of the policy, `settings`
    are laid over the recorded ones, tables within them too. `user` with `user_settings` is another
    customer, which makes the sessions ones of another condition.
    """

    agent: str | None = None
    policy: str | None = None
    settings: dict[str, Json] = {}
    user: str | None = None
    user_settings: dict[str, Json] = {}


class Change(Struct, frozen=True):
    """Something that is other than recorded. None is unknown, or not there."""

    what: str
    was: Json
    now: Json


def told_changes(start: Start, arm: Arm, user: Setup) -> tuple[Change, ...]:
    """All in which the agent, the policy and the customer are other than recorded, in that order.

    Of an imported session nothing is taken but its case, so all three are other: the agent and the
    customer of another program are not ours, whatever their names.
    """
    theirs = start.origin is not None
    found: list[Change] = []
    for what, was, now in (
        ("agent", start.arm.agent, arm.agent),
        ("customer", start.condition.user, user),
    ):
        if theirs or was.name != now.name:
            found.append(Change(what, was.name or None, now.name))
        both_models = "identity" in was.settings and "identity" in now.settings
        if not theirs and (was.name == now.name or both_models):
            of = "" if what == "agent" else f"{what}'s "
            for key in dict.fromkeys([*was.settings, *now.settings]):
                one, other = was.settings.get(key), now.settings.get(key)
                if one != other and (was.name == now.name or key != "identity"):
                    found.append(Change(f"{of}{key}", one, other))
    if theirs or start.arm.policy != arm.policy:
        found.append(Change("policy", start.arm.policy or None, arm.policy))
    return tuple(found)


def changed(start: Start, changes: Changes) -> BaselineEntry:
    """The agent that is to answer in place of the recorded one.

    Settings stay where the agent does, and from one model to another; a scripted agent that is
    named starts from its own. Of an imported session only the case is taken, so the agent must be
    named, as where somebody answered by hand. Raises `InputError` where that is missing.
    """
    recorded = start.arm.agent
    if start.origin is not None:
        if changes.agent is None:
            raise InputError(
                f"Session {start.session} was read from a recording of {start.origin.form}, whose "
                "agent cannot be asked here; name one with --agent or --model."
            )
        return BaselineEntry(changes.agent, changes.policy, dict(changes.settings))
    if recorded.name == OPERATOR and changes.agent in (None, OPERATOR):
        raise InputError(
            f"Session {start.session} was answered by hand, and whoever did it cannot be asked "
            "here; --model NAME lets a model answer in their place, --agent NAME a scripted agent."
        )
    name = recorded.name if changes.agent is None else changes.agent
    settings = _inherited(recorded, name)
    policy = start.arm.policy if changes.policy is None else changes.policy
    return BaselineEntry(name, policy, _laid_over(settings, changes.settings))


def caller(start: Start, changes: Changes) -> tuple[str, dict[str, Json]]:
    """The customer that is to call, by name and settings: the recorded one unless another is named.

    The customers of other programs cannot be had here; `rules` stands in for them.
    """
    recorded = start.condition.user
    if changes.user is None and start.origin is None:
        settings = dict(recorded.settings)
        return recorded.name, _laid_over(settings, changes.user_settings)
    return changes.user or "rules", dict(changes.user_settings)


def unnamed(recorded: Arm, now: Arm) -> tuple[str, ...]:
    """What differs between two arms without having been named, in words."""
    found: list[str] = []
    one, other = recorded.agent, now.agent
    if one.name == other.name and one.version != other.version:
        found.append(
            f"the agent {one.name} is version {other.version}, {one.version} when recorded"
        )
    if recorded.policy == now.policy and recorded.texts != now.texts:
        found.append("the policy or the tools that the agent reads have changed since")
    return tuple(found)


def _inherited(recorded: Setup, name: str) -> dict[str, Json]:
    settings = dict(recorded.settings)
    if name == recorded.name:
        return settings
    if "identity" in settings and name not in agents.names():
        settings["identity"] = None
        return settings
    return {}


def _laid_over(below: Mapping[str, Json], above: Mapping[str, Json]) -> dict[str, Json]:
    found = dict(below)
    for name, value in above.items():
        there = found.get(name)
        if isinstance(there, dict) and isinstance(value, dict):
            found[name] = cast("Json", _laid_over(there, value))
        else:
            found[name] = value
    return found
