"""Forms: which can be held, and whether a reply keeps one."""

from __future__ import annotations

import msgspec
import pytest

from ringback.canonical import Json
from ringback.models.local.forms import grammar, keeps, unheld


def an_object(**properties: Json) -> dict[str, Json]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


KEPT: list[tuple[Json, Json]] = [
    ({"type": "string", "maxLength": 3}, "abc"),
    ({"type": "integer", "minimum": 1, "maximum": 2}, 2),
    ({"type": ["string", "null"]}, None),
    ({"enum": ["a", 1, None]}, 1),
    ({"const": {"a": [1]}}, {"a": [1]}),
    (an_object(a={"type": "boolean"}), {"a": False}),
    ({"type": "array", "items": {"type": "number"}, "minItems": 1}, [1.5, 2]),
    ({"type": "array", "prefixItems": [{"const": 1}], "items": {"const": 2}}, [1, 2, 2]),
    ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, 3),
    ({"oneOf": [{"type": "string"}, {"type": "integer"}]}, "x"),
    ({"allOf": [{"minLength": 1}, {"maxLength": 2}], "type": "string"}, "xy"),
    ({"type": "string", "pattern": "^[0-9]+$"}, "42"),
    ({"$ref": "#/$defs/yes", "$defs": {"yes": {"const": True}}}, True),
    (True, {"any": "thing"}),
]
BROKEN: list[tuple[Json, Json]] = [
    ({"type": "string", "maxLength": 3}, "abcd"),
    ({"type": "integer"}, 1.5),
    ({"type": "integer"}, True),
    ({"const": 1}, True),
    ({"enum": [0]}, False),
    ({"exclusiveMinimum": 1}, 1),
    (an_object(a={"type": "boolean"}), {}),
    (an_object(a={"type": "boolean"}), {"a": True, "b": 1}),
    ({"type": "array", "maxItems": 1}, [1, 2]),
    ({"oneOf": [{"type": "integer"}, {"type": "number"}]}, 3),
    ({"type": "string", "pattern": "^[0-9]+$"}, "4x"),
    (False, 1),
]


@pytest.mark.parametrize(("schema", "value"), KEPT)
def test_keeps(schema: Json, value: Json) -> None:
    assert unheld(schema) is None
    assert keeps(msgspec.json.encode(value).decode(), schema)


@pytest.mark.parametrize(("schema", "value"), BROKEN)
def test_breaks(schema: Json, value: Json) -> None:
    assert unheld(schema) is None
    assert not keeps(msgspec.json.encode(value).decode(), schema)


@pytest.mark.parametrize("text", ["", "{", "yes", '"a" "b"', "\ud800"])
def test_what_is_no_json_keeps_no_form(text: str) -> None:
    assert not keeps(text, True)


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
