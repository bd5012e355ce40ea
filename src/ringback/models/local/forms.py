"""JSON Schemas that a reply is held to: which can be, as a grammar, and whether a reply keeps one.

llama.cpp answers a schema that it cannot make a grammar of with free text and no word of warning.
So a form is held only if it uses nothing but the keywords below, and every reply is looked at.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

import msgspec

from ringback.canonical import Json

__all__ = ["grammar", "keeps", "unheld"]

_NOTES = {"title", "description", "default", "examples", "$schema", "$id", "$comment"}
_HELD = _NOTES | {
    "type",
    "enum",
    "const",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "prefixItems",
    "minItems",
    "maxItems",
    "minLength",
    "maxLength",
    "pattern",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "anyOf",
    "oneOf",
    "allOf",
    "$ref",
    "$defs",
    "definitions",
}
_SPACING: dict[str, Json] = {
    "whitespace_flexible": False,
    "item_separator": ", ",
    "key_separator": ": ",
}
_TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "null": type(None),
    "number": (int, float),
    "integer": (int, float),
}


def unheld(schema: Json) -> str | None:
    """The first keyword of this schema that replies are not held to; None if they are to all."""
    if isinstance(schema, bool):
        return None
    if not isinstance(schema, dict):
        return "a schema that is no object"
    for key, value in schema.items():
        if key not in _HELD:
            return key
        if key == "pattern" and not _plain(value):
            return f"pattern {value}"
        if key in ("properties", "$defs", "definitions"):
            inner = list(value.values()) if isinstance(value, dict) else []
        elif key in ("anyOf", "oneOf", "allOf", "prefixItems"):
            inner = value if isinstance(value, list) else []
        elif key in ("items", "additionalProperties"):
            inner = [value]
        else:
            inner = []
        for each in inner:
            if found := unheld(each):
                return found
    return None


def _plain(pattern: Json) -> bool:
    """Whether Python and a grammar read this pattern alike: no looking around, no going back."""
    if not isinstance(pattern, str) or "(?" in pattern or re.search(r"\\[1-9bBAZ]", pattern):
        return False
    try:
        re.compile(pattern)
    except re.error:
        return False
    return True


def grammar(schema: Json, convert: Any) -> str:
    """The grammar of this schema, on one line of JSON, by the runtime's own converter.

    `convert` is ``xllamacpp.json_schema_to_grammar``.
    """
    spaced = {"x-guidance": _SPACING, **cast("dict[str, Json]", schema)}
    return str(convert(spaced))


def keeps(text: str, schema: Json) -> bool:
    """Whether this text is one JSON value that satisfies the schema."""
    try:
        value = msgspec.json.decode(text.encode())
    except (msgspec.DecodeError, UnicodeEncodeError):
        return False
    return _keeps(value, schema, schema)


def _keeps(value: Any, schema: Any, root: Any) -> bool:
    if isinstance(schema, bool):
        return schema
    given = cast("dict[str, Any]", schema)
    return all(_holds(key, wanted, value, given, root) for key, wanted in given.items())


def _holds(key: str, wanted: Any, value: Any, schema: Mapping[str, Any], root: Any) -> bool:
    """Whether the value satisfies one keyword of its schema."""
    match key:
        case "type":
            names = cast("list[str]", wanted if isinstance(wanted, list) else [wanted])
            return any(_is(value, name) for name in names)
        case "enum":
            return any(_same(value, each) for each in wanted)
        case "const":
            return _same(value, wanted)
        case "anyOf":
            return any(_keeps(value, each, root) for each in wanted)
        case "oneOf":
            return sum(_keeps(value, each, root) for each in wanted) == 1
        case "allOf":
            return all(_keeps(value, each, root) for each in wanted)
        case "$ref":
            return _keeps(value, _there(wanted, root), root)
        case _:
            pass
    match value:
        case dict():
            return _holds_object(key, wanted, cast("dict[str, Any]", value), schema, root)
        case list():
            return _holds_array(key, wanted, cast("list[Any]", value), schema, root)
        case str():
            return _holds_text(key, wanted, value)
        case bool() | None:
            return True
        case _:
            return _holds_number(key, wanted, value)


def _holds_object(
    key: str, wanted: Any, value: Mapping[str, Any], schema: Mapping[str, Any], root: Any
) -> bool:
    if key == "required":
        return all(name in value for name in wanted)
    known: Mapping[str, Any] = schema.get("properties", {})
    if key == "properties":
        return all(_keeps(item, known[name], root) for name, item in value.items() if name in known)
    if key == "additionalProperties":
        return all(_keeps(item, wanted, root) for name, item in value.items() if name not in known)
    return True


def _holds_array(
    key: str, wanted: Any, value: Sequence[Any], schema: Mapping[str, Any], root: Any
) -> bool:
    first: Sequence[Any] = schema.get("prefixItems", ())
    if key == "prefixItems":
        return all(_keeps(item, form, root) for item, form in zip(value, first, strict=False))
    if key == "items":
        return all(_keeps(item, wanted, root) for item in value[len(first) :])
    if key == "minItems":
        return len(value) >= wanted
    return key != "maxItems" or len(value) <= wanted


def _holds_text(key: str, wanted: Any, value: str) -> bool:
    if key == "pattern":
        return re.search(wanted, value) is not None
    if key == "minLength":
        return len(value) >= wanted
    return key != "maxLength" or len(value) <= wanted


def _holds_number(key: str, wanted: Any, value: float) -> bool:
    match key:
        case "minimum":
            return value >= wanted
        case "maximum":
            return value <= wanted
        case "exclusiveMinimum":
            return value > wanted
        case "exclusiveMaximum":
            return value < wanted
        case _:
            return True


def _same(value: Any, wanted: Any) -> bool:
    return isinstance(value, bool) == isinstance(wanted, bool) and value == wanted


def _is(value: Any, name: str) -> bool:
    if name in ("number", "integer") and isinstance(value, bool):
        return False
    if name == "integer" and isinstance(value, float) and not value.is_integer():
        return False
    kind = _TYPES.get(name)
    return kind is not None and isinstance(value, kind)


def _there(reference: str, root: Any) -> Any:
    found: Any = root
    for step in reference.removeprefix("#").strip("/").split("/"):
        if step:
            found = found[step.replace("~1", "/").replace("~0", "~")]
    return found
