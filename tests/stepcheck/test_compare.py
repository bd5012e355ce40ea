"""When a reply is the recorded one, and what it is when it is not."""

from __future__ import annotations

import json
from typing import Any, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ringback.canonical import Json
from ringback.episode.wire import (
    Answer,
    Asked,
    Failure,
    Message,
    Opaque,
    Part,
    Price,
    Text,
    Thought,
    Usage,
)
from ringback.stepcheck.compare import compare, kind_of

Strategy: TypeAlias = st.SearchStrategy[Any]

texts: Strategy = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
values: Strategy = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(2**63), 2**63), st.floats(-9, 9), texts),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=8,
)
arguments: Strategy = st.one_of(st.dictionaries(texts, values, max_size=4), texts)
calls: Strategy = st.lists(
    st.builds(Asked, tool=texts, arguments=arguments, id=texts), min_size=1, max_size=3
)
messages: Strategy = st.one_of(
    calls.map(lambda parts: Message("assistant", tuple(parts))),
    texts.filter(str.strip).map(lambda text: Message("assistant", (Text(text),))),
).filter(lambda message: kind_of(message) is not None)


def said(*parts: Part | str) -> Message:
    spelled = (Text(part) if isinstance(part, str) else part for part in parts)
    return Message("assistant", tuple(spelled))


def call(tool: str, arguments: Json = None, name: str = "c1") -> Asked:
    return Asked(tool, {} if arguments is None else arguments, name)


def answer(message: Message | None, failure: Failure | None = None) -> Answer:
    return Answer(message, "m", 0.1, Usage(), Price(0.0, "a test"), failure=failure)


def outcome(recorded: Message, reply: Message | None) -> str:
    found = compare(recorded, answer(reply, None if reply else "infrastructure"))
    return found.outcome


@settings(max_examples=300, deadline=None)
@given(messages)
def test_every_reply_is_itself(message: Message) -> None:
    found = compare(message, answer(message))
    assert found.outcome == "same"
    assert found.exact == (kind_of(message) == "text")


def shuffled(value: Any) -> Any:
    """The same JSON value: keys the other way round, whole numbers with a point."""
    match value:
        case bool():
            return value
        case dict():
            items: list[tuple[str, Any]] = list(value.items())  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
            return {key: shuffled(item) for key, item in reversed(items)}
        case list():
            return [shuffled(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
        case int() if abs(value) < 2**53:
            return float(value)
        case _:
            return value


@settings(max_examples=300, deadline=None)
@given(calls)
def test_neither_ids_nor_key_order_nor_the_spelling_of_numbers_matter(parts: list[Asked]) -> None:
    other = [
        Asked(part.tool, shuffled(part.arguments), f"other {place}", {"signature": "x"})
        for place, part in enumerate(parts)
    ]
    assert outcome(said(*parts), said(*other)) == "same"
    assert outcome(said(*other), said(*parts)) == "same"


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(texts, values, max_size=4), st.integers(1, 3))
def test_arguments_written_as_text_are_the_object(found: dict[str, Any], levels: int) -> None:
    text: Any = found
    for _ in range(levels):
        text = json.dumps(text)
    assert outcome(said(call("a", found)), said(call("a", text))) == "same"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"n": 25}, {"n": "25"}),
        ({"n": 1}, {"n": True}),
        ({"n": None}, {}),
        ({"n": [1, 2]}, {"n": [2, 1]}),
        ({"n": '{"a": 1}'}, {"n": {"a": 1}}),
        ({"n": '{"a": 1}'}, {"n": '{"a":1}'}),
        ({"n": 0.1}, {"n": 0.10000000000000002}),
        ({"n": 2**60}, {"n": 2**60 + 1}),
        ('{"id": ', {"id": 1}),
        ('{"id": ', '{"id":'),
        ("[1]", "[2]"),
        ("[1]", "[ 1]"),  # no object: the text that it is
        ("[1]", [1]),
        ("7", 7),
        ('"a"', "a"),
    ],
)
def test_other_arguments(one: Json, other: Json) -> None:
    assert outcome(said(call("a", one)), said(call("a", other))) == "other_arguments"
    assert outcome(said(call("a", other)), said(call("a", one))) == "other_arguments"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"n": 25}, {"n": 25.0}),
        ({"n": 25}, '{"n": 2.5e1}'),
        ({"a": {"x": 1, "y": 2}}, {"a": {"y": 2.0, "x": 1}}),
        ({}, ""),
        ({}, None),
        ({}, " "),
        ("no JSON", "no JSON"),
        ({"n": -0.0}, {"n": 0}),
    ],
)
def test_equal_arguments(one: Json, other: Json) -> None:
    assert outcome(said(Asked("a", one, "1")), said(Asked("a", other, "2"))) == "same"


def test_what_no_json_holds_is_compared_and_breaks_nothing() -> None:
    deep: Json = "[" * 100_000
    nested: Json = {}
    for _ in range(300):
        nested = {"n": nested}
    hostile: list[Json] = [deep, {"n": "\ud800"}, {"n": float("nan")}, nested]
    for value in hostile:
        assert outcome(said(call("a", value)), said(call("a", value))) == "same"
        assert outcome(said(call("a", value)), said(call("a", {"n": 1}))) == "other_arguments"


def test_kinds_of_replies() -> None:
    one, two = call("a"), call("b")
    assert outcome(said(one), said(two)) == "other_tool"
    assert outcome(said(one, two), said(two, one)) == "other_tool"
    assert outcome(said(one), said(one, one)) == "other_tool"
    assert outcome(said(one), said("Hello.")) == "text_for_call"
    assert outcome(said("Hello."), said(one)) == "call_for_text"
    assert outcome(said("Hello."), said("Good day.")) == "other_text"
    assert outcome(said("Hello."), None) == "failed"
    for empty in (said(), said(" \n"), said(Thought("Hello.")), said(Opaque({"x": 1}))):
        assert outcome(said("Hello."), empty) == "nothing"
        assert outcome(said(one), empty) == "nothing"


def test_words_beside_calls_and_reasoning_are_not_compared() -> None:
    assert outcome(said("One moment.", call("a")), said(call("a"))) == "same"
    assert outcome(said("One moment.", call("a")), said("One moment.")) == "text_for_call"
    assert outcome(said(Thought("hm"), "Hello."), said("Hello.", Opaque({}))) == "same"
    assert outcome(said("<think>hm</think>Hello."), said("Hello.")) == "same"


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("Hello there.", "  Hello\n\n there.\u00a0", "same"),
        ("caf\u00e9", "cafe\u0301", "same"),
        ("\u212b", "\u00e5".upper(), "same"),
        ("don't", "don\u2019t", "other_text"),
        ("10\u00b2", "102", "other_text"),
        ("\ufb01ne", "fine", "other_text"),
        ("Hello", "hello", "other_text"),
        ("a b", "ab", "other_text"),
    ],
)
def test_texts_by_form_c_and_white_space(one: str, other: str, expected: str) -> None:
    found = compare(said(one), answer(said(other)))
    assert (found.outcome, found.exact) == (expected, False)
    assert compare(said(one), answer(said(one))).exact


def test_only_a_call_or_a_text_can_be_compared_with() -> None:
    with pytest.raises(ValueError, match="neither"):
        compare(said(Thought("hm")), answer(said("Hello.")))
