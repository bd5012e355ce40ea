"""Arguments that are typed: by their schema, and the same at every door."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from ringback.canonical import Json
from ringback.cli.operate_typed import arguments as in_the_shell
from ringback.domain import Tool
from ringback.domains import load
from ringback.errors import InputError
from ringback.operating.typed import json_typed, value_typed, word
from ringback.report.plain import json_text
from ringback.web.desk.forms import PREFIX, fields
from ringback.web.desk.forms import arguments as in_the_browser


def tool(schema: Any) -> Tool:
    return Tool("made_up", "agent", "", {"type": "object", "properties": {"it": schema}}, False)


def told(read: Any) -> str:
    """What reading came to, or the sentence with which it was refused."""
    try:
        return json_text(read())
    except InputError as problem:
        return f"refused: {problem}"


TYPES = ("string", "number", "integer", "boolean", "null", "array", "object")
VALUES = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats() | some.text(max_size=5),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.text(max_size=3), inner),
    max_leaves=5,
)
CHOICES = some.lists(VALUES, min_size=1, max_size=4).map(lambda values: {"enum": values})
SCHEMAS = some.one_of(
    some.sampled_from(TYPES).map(lambda kind: {"type": kind}),
    some.lists(some.sampled_from(TYPES), max_size=3).map(lambda kinds: {"type": kinds}),
    CHOICES,
    some.just({"anyOf": [{"type": "string"}, {"type": "null"}]}),
    some.just(True),
)
WORDS = some.one_of(
    some.text(some.characters(codec="utf-8"), min_size=1),
    VALUES.map(json_text),
    some.from_regex(r"[+-]?[0-9]{0,25}\.?[0-9]{0,3}(e[+-]?[0-9]{1,3})?", fullmatch=True),
    some.sampled_from(["true", " false ", "null", "NaN", "[1", '{"a": 1, "a": 2}', "2,5", "-0"]),
).filter(str.strip)


@given(SCHEMAS, WORDS)
def test_the_same_words_are_the_same_arguments_in_the_shell_and_the_browser(
    schema: Any, text: str
) -> None:
    made = tool(schema)
    shell = told(lambda: in_the_shell("made_up", [f"it={text}"], None, [made]))
    assert told(lambda: in_the_browser(made, {f"{PREFIX}it": text})) == shell


@given(CHOICES)
def test_what_a_form_offers_to_choose_is_read_as_that_and_can_be_typed(schema: Any) -> None:
    made = tool(schema)
    (field,) = fields(made)
    for value, choice in zip(schema["enum"], field.choices, strict=True):
        for read in (
            in_the_browser(made, {f"{PREFIX}it": choice.value}),
            in_the_shell("made_up", [f"it={choice.value}"], None, [made]),
        ):
            assert json_text(read) == json_text({"it": value})


@pytest.mark.parametrize(
    ("schema", "text", "value"),
    [
        ({"type": "string"}, "7", "7"),
        ({"type": "string"}, " as it is ", " as it is "),
        ({"type": ["string", "null"]}, "null", "null"),
        ({"type": "integer"}, " 7 ", 7),
        ({"type": "integer"}, "+07", 7),
        ({"type": "integer"}, "7.5", 7.5),
        ({"type": "number"}, "2", 2),
        ({"type": "number"}, ".5", 0.5),
        ({"type": "number"}, "1e3", 1000.0),
        ({"type": "number"}, "1e999", "1e999"),
        ({"type": "number"}, "9" * 19, "9" * 19),
        ({"type": "number"}, "2,5", "2,5"),
        ({"type": "number"}, "٣", "٣"),
        ({"type": ["number", "null"]}, " null ", None),
        ({"type": "boolean"}, "true", True),
        ({"type": "boolean"}, "True", "True"),
        ({"type": "array"}, '["a", 1]', ["a", 1]),
        ({"type": "array"}, "a, b", "a, b"),
        ({"type": "object"}, "{", "{"),
        ({"enum": ["a", "2", 2, None]}, "2", "2"),
        ({"enum": ["a", 2, "2", None]}, '"2"', "2"),
        ({"enum": ["a", 2, None]}, "null", None),
        (None, "NaN", "NaN"),
        (None, "-Infinity", "-Infinity"),
        (None, "[1, true]", [1, True]),
        (None, "as it is", "as it is"),
    ],
)
def test_what_is_typed_is_read_by_its_schema(schema: Any, text: str, value: Json) -> None:
    read = value_typed("it", text, schema)
    assert (type(read), read) == (type(value), value)


def test_how_a_value_is_typed() -> None:
    schema = {"enum": ["mobile", 2, "2", "", None, True]}
    typed = ["mobile", "2", '"2"', '""', "null", "true"]
    assert [word(value, schema) for value in schema["enum"]] == typed


def test_every_choice_of_the_carriers_tools_is_typed_as_it_reads() -> None:
    offered = [field for each in load("telecom").tools("agent") for field in fields(each)]
    for field in offered:
        for choice in field.choices:
            assert choice.value == choice.words


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x", "The text is no JSON (Expecting value, at character 1); write it as {}."),
        ("NaN", "The text is no JSON; write it as {}."),
        ('{"a": 1, "a": 2}', "The text has the name 'a' twice; write it once."),
        ("[" * 100_000, "The text nests too deeply; say it in fewer levels."),
    ],
)
def test_json_that_is_none_is_refused_in_a_sentence(text: str, said: str) -> None:
    with pytest.raises(InputError) as refused:
        json_typed(text, "The text", "{}")
    assert str(refused.value) == said
