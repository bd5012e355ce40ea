"""Checking a call's arguments against a tool's schema, and filling in what was left out.

A schema (the part of JSON Schema that the tools use) is compiled once into frozen `Parameters`, so
that nothing a caller does to the schema it was shown can change what is accepted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, cast

from msgspec import UNSET, Struct, UnsetType

from ringback.canonical import Json
from ringback.telecom.tool_error import ToolError, quoted, short

__all__ = ["Parameter", "Parameters", "bind", "parameters"]


class Parameter(Struct, frozen=True):
    """One argument: the JSON types it may have, its bounds, and its default where it has one.

    `fields` says what an object holds.
    """

    name: str
    kinds: tuple[str, ...]
    default: str | float | bool | UnsetType | None = UNSET
    choices: tuple[str, ...] = ()
    least: float | None = None
    above: float | None = None
    fields: tuple[Parameter, ...] = ()

    @property
    def words(self) -> str:
        """The types as a sentence has them: ``a string or null``."""
        return " or ".join(_WORDS[kind] for kind in self.kinds)


class Parameters(Struct, frozen=True):
    """What a tool takes, in the order of its schema."""

    tool: str
    items: tuple[Parameter, ...]


def parameters(tool: str, schema: Mapping[str, Any]) -> Parameters:
    """Compile a JSON Schema of type object."""
    return Parameters(tool, _compiled(schema))


def _compiled(schema: Mapping[str, Any]) -> tuple[Parameter, ...]:
    return tuple(
        Parameter(
            name=name,
            kinds=(wanted["type"],) if isinstance(wanted["type"], str) else tuple(wanted["type"]),
            default=wanted.get("default", UNSET),
            choices=tuple(wanted.get("enum", ())),
            least=wanted.get("minimum"),
            above=wanted.get("exclusiveMinimum"),
            fields=_compiled(wanted) if wanted["type"] == "object" else (),
        )
        for name, wanted in schema["properties"].items()
    )


def bind(takes: Parameters, arguments: Json) -> list[Any]:
    """The arguments' values in the order of the tool's schema, with defaults filled in.

    Nothing is coerced but a number's spelling: an integer is welcome where a number is due, and a
    whole float where an integer is. The empty text stands for no arguments. Raises `ToolError`,
    naming the argument and the type, for what does not fit the schema.
    """
    if arguments == "":
        arguments = {}
    if isinstance(arguments, str):
        raise ToolError(f"the arguments of {takes.tool} are not valid JSON")
    if not isinstance(arguments, dict):
        raise ToolError(
            f"the arguments of {takes.tool} must be a JSON object, not {_article(arguments)}"
        )
    values = _fit(takes.tool, takes.items, arguments)
    return [values.get(item.name, item.default) for item in takes.items]


def _fit(where: str, items: tuple[Parameter, ...], given: dict[str, Json]) -> dict[str, Any]:
    """The values that were given, in the schema's order."""
    names = [item.name for item in items]
    for name in given:
        if name not in names:
            takes = ", ".join(names) or "none"
            raise ToolError(f"{where} has no argument {quoted(name)}; it takes: {takes}")
    values: dict[str, Any] = {}
    for item in items:
        if item.name in given:
            values[item.name] = _value(item, given[item.name])
        elif item.default is UNSET:
            raise ToolError(f"{where} needs the argument {item.name} ({item.words})")
    return values


def _value(wanted: Parameter, value: Json) -> Any:
    name = wanted.name
    for kind in wanted.kinds:
        fits, converted = _TYPES[kind](value)
        if not fits:
            continue
        if kind == "object":
            return _fit(name, wanted.fields, cast("dict[str, Json]", value))
        if wanted.choices and converted not in wanted.choices:
            raise ToolError(
                f"{name} must be one of {', '.join(wanted.choices)}, not {quoted(value)}"
            )
        if wanted.least is not None and converted < wanted.least:
            raise ToolError(f"{name} must be at least {wanted.least}, not {short(value)}")
        if wanted.above is not None and converted <= wanted.above:
            raise ToolError(f"{name} must be more than {wanted.above}, not {short(value)}")
        return converted
    raise ToolError(f"{name} must be {wanted.words}, not {_article(value)}")


def _string(value: Json) -> tuple[bool, Any]:
    if not isinstance(value, str):
        return False, value
    try:
        value.encode()
    except UnicodeEncodeError:  # half a character: no text that could be written down
        return False, value
    return True, value


def _boolean(value: Json) -> tuple[bool, Any]:
    return isinstance(value, bool), value


def _null(value: Json) -> tuple[bool, Any]:
    return value is None, value


def _number(value: Json) -> tuple[bool, Any]:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False, value
    try:
        number = float(value)
    except OverflowError:
        return False, value
    return math.isfinite(number), number


def _integer(value: Json) -> tuple[bool, Any]:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    whole = isinstance(value, int) and not isinstance(value, bool)
    return whole and abs(cast("int", value)) < 2**53, value


def _is_object(value: Json) -> tuple[bool, Any]:
    return isinstance(value, dict), value


_TYPES: dict[str, Callable[[Json], tuple[bool, Any]]] = {
    "string": _string,
    "boolean": _boolean,
    "null": _null,
    "number": _number,
    "integer": _integer,
    "object": _is_object,
}
_WORDS = {
    "string": "a string",
    "boolean": "true or false",
    "null": "null",
    "number": "a number",
    "integer": "a whole number",
    "object": "an object",
}


def _article(value: Json) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return f"the boolean {str(value).lower()}"
        case int() | float():
            return f"the number {short(value)}"
        case str():
            return f"the string {quoted(value)}"
        case list():
            return "a list"
        case _:
            return "an object"
