"""Forms: a tool's fields from its schema, its arguments from what was filled in, what was sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias, cast
from urllib.parse import parse_qsl

from msgspec import Struct

from ringback.canonical import Json
from ringback.domain import Tool
from ringback.errors import InputError
from ringback.operating import typed
from ringback.report.plain import value_text

__all__ = ["PREFIX", "Choice", "Field", "arguments", "fields", "free_calls", "pairs"]

PREFIX = "arg."
"""What stands before a parameter's name in a form, so that it meets no name of ours."""

_MOST_FIELDS = 200

Kind: TypeAlias = Literal["text", "whole", "number", "choice", "json"]


class Choice(Struct, frozen=True):
    """One value that a field allows: as it is sent, and as it is read."""

    value: str
    words: str


class Field(Struct, frozen=True):
    """One parameter of a tool as a field of a form.

    `hint` says in words what the schema asks for beside the type, such as a least value or what
    holds where the field is left empty.
    """

    name: str
    kind: Kind
    about: str
    required: bool
    choices: tuple[Choice, ...] = ()
    hint: str = ""

    @property
    def pattern(self) -> str | None:
        """What a browser lets be sent, as a regular expression; None for everything."""
        inner = {"whole": typed.WHOLE, "number": typed.NUMBER}.get(self.kind)
        return None if inner is None else rf"\s*{inner}\s*"


def pairs(body: bytes) -> dict[str, str]:
    """The fields of a form as a browser sends them. Raises `InputError` for anything else."""
    try:
        found = parse_qsl(
            body.decode(), keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="strict"
        )
    except ValueError:
        raise InputError("This form cannot be read; load the page again.") from None
    # Browsers send line ends as the two characters of old.
    return {name: text.replace("\r\n", "\n") for name, text in found}


def fields(tool: Tool) -> tuple[Field, ...]:
    """The fields of a tool's form, required ones first, else in the schema's order."""
    properties = cast("Mapping[str, Any]", tool.parameters.get("properties") or {})
    required = cast("Sequence[str]", tool.parameters.get("required") or ())
    made = [_field(name, schema, name in required) for name, schema in properties.items()]
    return tuple(sorted(made, key=lambda field: not field.required))


def arguments(tool: Tool, filled: Mapping[str, str]) -> dict[str, Json]:
    """What was filled in as the tool's arguments; an empty field that is not required is left out.

    A text is read by the tool's schema (`ringback.operating.typed`): what is not of its type the
    browser does not send, and where it comes all the same the tool refuses it. Raises `InputError`
    where a field that is required is empty, and as the reading does.
    """
    words: list[tuple[str, str]] = []
    for field in fields(tool):
        text = filled.get(PREFIX + field.name, "")
        if text.strip():
            words.append((field.name, text))
        elif field.required:
            raise InputError(f"{field.name} is needed.")
    return typed.arguments(tool, words)


def free_calls(tool: str, text: str) -> list[tuple[str, Json]]:
    """Calls written by hand: a name with its arguments as JSON, or a list of such in the text.

    A list is ``[{"tool": NAME, "arguments": {...}}, ...]``; then `tool` stays empty. Arguments that
    are no JSON go as the text that they are, like those of an agent that cannot write it.
    """
    value: Json = {}
    if text.strip():
        try:
            value = typed.json_typed(text, "The text", '[{"tool": "...", "arguments": {}}, ...]')
        except typed.NoJson:
            if not tool:
                raise
            value = text
    if tool:
        return [(tool, value)]
    if not isinstance(value, list) or not value:
        raise InputError(
            'Name a tool, or leave that empty and write [{"tool": "...", "arguments": {}}, ...].'
        )
    made: list[tuple[str, Json]] = []
    for place, each in enumerate(value, 1):
        name = each.get("tool") if isinstance(each, dict) else None
        if not isinstance(each, dict) or not isinstance(name, str) or not name.strip():
            raise InputError(f"Call {place} of the list names no tool.")
        made.append((name, each.get("arguments", {})))
    return made


def _field(name: str, schema: object, required: bool) -> Field:
    form: Mapping[str, Any] = {}
    if isinstance(schema, dict):
        form = cast("Mapping[str, Any]", schema)
    about = form.get("description")
    choices: tuple[Choice, ...] = ()
    kind: Kind = "json"
    if isinstance(values := form.get("enum"), list):
        kind = "choice"
        choices = tuple(
            Choice(typed.word(value, form), value_text(value))
            for value in cast("list[Json]", values)
        )
    elif form.get("type") == "boolean":
        kind, choices = "choice", (Choice("true", "true"), Choice("false", "false"))
    elif form.get("type") == "string":
        kind = "text"
    elif form.get("type") == "integer":
        kind = "whole"
    elif form.get("type") == "number":
        kind = "number"
    return Field(
        name, kind, about if isinstance(about, str) else "", required, choices, _hint(kind, form)
    )


_BOUNDS = {
    "minimum": "at least {}",
    "exclusiveMinimum": "more than {}",
    "maximum": "at most {}",
    "exclusiveMaximum": "less than {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "default": "{} if left empty",
}


def _hint(kind: Kind, schema: Mapping[str, Any]) -> str:
    words = {"whole": ["a whole number"], "number": ["a number"], "json": ["JSON"]}.get(kind, [])
    return ", ".join(
        [
            *words,
            *(
                form.format(value_text(schema[name]))
                for name, form in _BOUNDS.items()
                if name in schema
            ),
        ]
    )
