"""Arguments that somebody typed, as text, read by the schema of the tool they are for.

One reading for every door, so that the same words come to the same call. What fits its kind is read
as such; what does not stays the text that it is, for the tool to refuse as it would any agent's.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any, cast

from ringback.canonical import Json
from ringback.domain import Tool
from ringback.errors import InputError
from ringback.report.plain import json_text, one_line

__all__ = ["NUMBER", "WHOLE", "NoJson", "arguments", "json_typed", "kinds", "value_typed", "word"]

WHOLE = r"[+\-]?[0-9]{1,40}"
"""How a whole number is typed, as a regular expression that browsers read as well."""

NUMBER = r"[+\-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+\-]?[0-9]+)?"
"""How any number is typed."""

_TOO_LARGE = 2**63  # which no JSON of the record can hold
_SHOWN = 40  # characters of what was typed


class NoJson(InputError):  # noqa: N818 - what it is
    """What was to be JSON and is none."""


def arguments(tool: Tool | None, words: Iterable[tuple[str, str]]) -> dict[str, Json]:
    """A call's arguments from their names and what was typed for each; None is no known tool.

    Raises `InputError` for a name that is given twice, and as `value_typed` does.
    """
    known = None if tool is None else tool.parameters.get("properties")
    properties = cast("Mapping[str, object]", known or {})
    made: dict[str, Json] = {}
    for name, text in words:
        if name in made:
            raise InputError(f"The argument {one_line(name, _SHOWN)} is given twice; give it once.")
        made[name] = value_typed(name, text, properties.get(name))
    return made


def value_typed(name: str, text: str, schema: object) -> Json:
    """What was typed for an argument, as its schema asks for it; None is no known argument.

    Where a schema has a list of values (`enum`), it is the one that is typed so (`word`). Else text
    is text where that is allowed, to the letter; around numbers, true, false and null spaces do not
    count; and what may be a list, an object or anything is read as JSON. Raises `InputError` for
    JSON that names something twice or nests too deeply.
    """
    form = cast("Mapping[str, Any]", schema if isinstance(schema, dict) else {})
    if isinstance(values := form.get("enum"), list):
        for spelled in (_plainly, json_text):
            for value in cast("list[Json]", values):
                if text == spelled(value):
                    return value
    asked, bare = kinds(form), text.strip()
    if "string" in asked:
        return text
    if asked & {"number", "integer"} and (number := _number(bare)) is not None:
        return number
    if "boolean" in asked and bare in ("true", "false"):
        return bare == "true"
    if "null" in asked and bare == "null":
        return None
    if asked & {"array", "object"} or not asked:
        try:
            return _json(text, f"The argument {one_line(name, _SHOWN)}")
        except ValueError:
            return text
    return text


def json_typed(text: str, where: str, example: str) -> Json:
    """The JSON that was typed there.

    Raises `NoJson`, with an example, where it is none, and `InputError` where it names something
    twice or nests too deeply.
    """
    try:
        return _json(text, where)
    except ValueError as problem:
        why = ""
        if isinstance(problem, json.JSONDecodeError):
            why = f" ({problem.msg}, at character {problem.pos + 1})"
        raise NoJson(f"{where} is no JSON{why}; write it as {example}.") from None


def kinds(schema: Mapping[str, Any]) -> set[str]:
    """The types that a schema names; none where it leaves them open."""
    named = schema.get("type")
    return {named} if isinstance(named, str) else set(cast("list[str]", named or ()))


def word(value: Json, schema: Mapping[str, Any]) -> str:
    """How one of a schema's values is typed, so that it is read as that value and no other."""
    plain = _plainly(value)
    if not plain.strip():
        return json_text(value)
    read = value_typed("", plain, schema)
    return plain if (type(read), read) == (type(value), value) else json_text(value)


def _plainly(value: Json) -> str:
    return value if isinstance(value, str) else json_text(value)


def _number(text: str) -> int | float | None:
    if re.fullmatch(WHOLE, text):
        number = int(text)
    elif re.fullmatch(NUMBER, text):
        number = float(text)
    else:
        return None
    return number if math.isfinite(number) and abs(number) < _TOO_LARGE else None


def _json(text: str, where: str) -> Json:
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
    except _Twice as twice:
        named = one_line(str(twice.args[0]), _SHOWN)
        raise InputError(f"{where} has the name {named!r} twice; write it once.") from None
    except RecursionError:
        raise InputError(f"{where} nests too deeply; say it in fewer levels.") from None


class _Twice(Exception):  # noqa: N818 - the name of what stands there twice
    pass


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise _Twice(name)
        found[name] = value
    return found


def _no_constant(name: str) -> Json:
    raise ValueError(name)
