"""Forms: which can be held, and what becomes of them."""

from __future__ import annotations

import pytest

from ringback.canonical import Json
from ringback.models.local.forms import grammar, unheld


def an_object(**properties: Json) -> dict[str, Json]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


HELD: list[Json] = [
    {"type": "string", "maxLength": 3},
    {"type": "integer", "minimum": 1, "maximum": 2},
    {"type": "number", "exclusiveMinimum": 1},
    {"type": ["string", "null"]},
    {"enum": ["a", 1, None]},
    {"const": {"a": [1]}},
    an_object(a={"type": "boolean"}),
    {"type": "array", "items": {"type": "number"}, "minItems": 1},
    {"type": "array", "prefixItems": [{"const": 1}], "items": {"const": 2}},
    {"anyOf": [{"type": "string"}, {"type": "integer"}]},
    {"oneOf": [{"type": "string"}, {"type": "integer"}]},
    {"allOf": [{"minLength": 1}, {"maxLength": 2}], "type": "string"},
    {"type": "string", "pattern": "^[0-9]+$"},
    {"$ref": "#/$defs/yes", "$defs": {"yes": {"const": True}}},
    True,
]


@pytest.mark.parametrize("schema", HELD)
def test_what_a_grammar_can_hold(schema: Json) -> None:
    assert unheld(schema) is None


UNHELD: list[tuple[Json, str]] = [
    ({"not": {}}, "not"),
    ({"type": "array", "uniqueItems": True}, "uniqueItems"),
    (an_object(a=an_object(b={"format": "date"})), "format"),
    ({"anyOf": [{"type": "null"}, {"if": {}}]}, "if"),
    ({"pattern": "(?=a)b"}, "pattern (?=a)b"),
    ({"pattern": "("}, "pattern ("),
    ("no schema", "a schema that is no object"),
]


@pytest.mark.parametrize(("schema", "why"), UNHELD)
def test_what_no_grammar_holds_is_named(schema: Json, why: str) -> None:
    assert unheld(schema) == why


def test_a_grammar_is_made_of_the_schema_as_it_stands() -> None:
    seen: list[dict[str, Json]] = []

    def convert(schema: dict[str, Json]) -> str:
        seen.append(schema)
        return "made"

    assert grammar(an_object(b={}, a={}), convert) == "made"
    assert list(seen[0]["properties"]) == ["b", "a"]  # pyright: ignore[reportArgumentType]
