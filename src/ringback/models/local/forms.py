"""JSON Schemas that a reply is held to: which can be, and the grammar of one that can.

llama.cpp answers a schema that it cannot make a grammar of with free text and no word of warning.
So a form is held only if it uses nothing but the keywords below.
"""

from __future__ import annotations

import re
from typing import Any, cast

from ringback.canonical import Json

__all__ = ["grammar", "unheld"]

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
