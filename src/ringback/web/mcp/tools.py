"""The tools that a client sees: ours, by which a call is led, and the carrier's by their names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from ringback.canonical import Json
from ringback.domain import Domain
from ringback.errors import InputError
from ringback.web.mcp.host import Host
from ringback.web.mcp.words import ABOUT

__all__ = [
    "AIM",
    "OURS",
    "Abandon",
    "Aim",
    "Begin",
    "Command",
    "End",
    "Offered",
    "Part",
    "Say",
    "Show",
    "Wait",
    "aimed",
    "offered",
    "understood",
]

T = TypeVar("T", bound=Struct)

Part = Literal["all", "conversation", "policy", "tools"]
"""What `look` shows beside where the episode stands."""


class Aim(Struct, frozen=True):
    """Which episode is meant and where it should stand; every tool but `start` takes it."""

    session: (
        Annotated[
            str,
            Meta(description="Which episode, as answers name it; needed while several are open."),
        ]
        | UnsetType
    ) = UNSET
    expect_step: (
        Annotated[
            int,
            Meta(
                ge=0,
                description="Do nothing unless the episode is at this step, as answers name it.",
            ),
        ]
        | UnsetType
    ) = UNSET


class Begin(Struct, frozen=True, forbid_unknown_fields=True):
    """Begin an episode; without a case the next one. Seed and trial are the host's."""

    case: (
        Annotated[
            int, Meta(ge=1, description="The number of a case; left out, the next one is taken.")
        ]
        | UnsetType
    ) = UNSET


class Say(Struct, frozen=True, forbid_unknown_fields=True):
    """Say something to the customer."""

    text: Annotated[str, Meta(description="What you say, as the customer is to hear it.")]


class Show(Struct, frozen=True, forbid_unknown_fields=True):
    """Show where an episode stands, and this part of it."""

    part: (
        Annotated[Part, Meta(description="What to show beside where it stands; all if left out.")]
        | UnsetType
    ) = UNSET


class Wait(Struct, frozen=True, forbid_unknown_fields=True):
    """Hear the customer where a call was cut short."""


class End(Struct, frozen=True, forbid_unknown_fields=True):
    """Hang up, with a last word or without."""

    text: (
        Annotated[
            str, Meta(description="A last word to the customer; nothing is said if left out.")
        ]
        | UnsetType
    ) = UNSET


class Abandon(Struct, frozen=True, forbid_unknown_fields=True):
    """Give an episode up."""

    why: Annotated[str, Meta(description="Why, for the record.")] | UnsetType = UNSET


Command = Begin | Say | Show | Wait | End | Abandon
"""What a client asks of us by one of our own tools."""

OURS: dict[str, type[Command]] = {
    "start": Begin,
    "say": Say,
    "look": Show,
    "wait": Wait,
    "end": End,
    "abandon": Abandon,
}
"""Our tools by their names. Their schemas follow from the fields."""

_DECIDED = {"case", "seed", "trial"}  # what an episode is begun with

AIM = Aim.__struct_fields__
"""What is ours of the arguments of any tool; the rest is recorded as the call's."""


class Offered(Struct, frozen=True):
    """A tool as a client is offered it; `looks` where it cannot change an episode at all."""

    name: str
    description: str
    schema: dict[str, Any]
    looks: bool = False


def offered(host: Host) -> tuple[Offered, ...]:
    """All tools, ours first.

    Raises `InputError` for a domain in which a tool of the agent has the name of one of ours, or
    takes a parameter that has the name of one of `AIM`.
    """
    world = host.world
    _refuse_collisions(world)
    aim = _schema(Aim)["properties"]
    ours = tuple(_own(name, kind, host, aim) for name, kind in OURS.items())
    carriers = tuple(
        Offered(tool.name, tool.description, _with(dict(tool.parameters), aim))
        for tool in world.tools("agent")
    )
    return (*ours, *carriers)


def aimed(arguments: dict[str, Json]) -> tuple[Aim, dict[str, Json]]:
    """What is ours of a call's arguments, and the rest; `InputError` for one that is no aim.

    A null is what some clients send for what they leave out.
    """
    ours = {key: arguments[key] for key in AIM if arguments.get(key) is not None}
    rest = {key: value for key, value in arguments.items() if key not in AIM}
    return _read(ours, Aim, "Which episode is meant cannot be read"), rest


def understood(name: str, arguments: dict[str, Json], host: Host) -> Command:
    """One of our tools with its arguments; `InputError` where they do not fit."""
    given = {key: value for key, value in arguments.items() if value is not None}
    kind = OURS[name]
    if kind is Begin and (fixed := set(given) & _DECIDED - set(host.chooses)):
        raise InputError(
            f"start takes no {sorted(fixed)[0]} here: whoever runs this server has decided it."
        )
    return _read(given, kind, f"{name} cannot be done as asked")


def _read(given: Mapping[str, Json], kind: type[T], what: str) -> T:
    try:
        return msgspec.convert(given, kind)
    except msgspec.ValidationError as problem:
        told = str(problem).replace(" - at `$.", " - at `").rstrip(".")
        raise InputError(f"{what}: {told}.") from None


def _own(name: str, kind: type[Command], host: Host, aim: dict[str, Any]) -> Offered:
    schema = _schema(kind)
    schema["additionalProperties"] = False
    if kind is Begin:
        schema["properties"] = {key: schema["properties"][key] for key in host.chooses}
    else:
        schema = _with(schema, aim)
    return Offered(name, ABOUT[name], schema, looks=kind is Show)


def _schema(kind: type[Struct]) -> dict[str, Any]:
    """The JSON Schema of a struct's fields, without references."""
    _, parts = msgspec.json.schema_components([kind])
    found = parts[kind.__name__]
    return {
        "type": "object",
        "properties": found["properties"],
        **({"required": found["required"]} if found.get("required") else {}),
    }


def _with(schema: dict[str, Any], aim: dict[str, Any]) -> dict[str, Any]:
    return {**schema, "properties": {**schema.get("properties", {}), **aim}}


def _refuse_collisions(world: Domain) -> None:
    for tool in world.tools("agent"):
        if tool.name in OURS:
            raise InputError(
                f"The domain {world.name} has a tool {tool.name}, and so has this server; it "
                "cannot be worked over MCP until that tool has another name."
            )
        if both := set(tool.parameters.get("properties", {})) & set(AIM):
            raise InputError(
                f"The tool {tool.name} of the domain {world.name} takes {sorted(both)[0]}, by "
                "which this server names an episode; it cannot be worked over MCP until that "
                "parameter has another name."
            )
