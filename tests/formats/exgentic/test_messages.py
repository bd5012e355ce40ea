"""Messages and tools go into our form and back as the same JSON values, whatever they hold."""

from __future__ import annotations

import json
from typing import Any, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ringback.episode.wire import Asked, Given, Opaque, Text, Thought
from ringback.formats.exgentic.messages import Mapper, message_back, tools_back
from tests.formats.exgentic.made import called, gave, said, tools

Strategy: TypeAlias = st.SearchStrategy[Any]


def record(optional: dict[str, Strategy] | None = None, **fields: Strategy) -> Strategy:
    return st.fixed_dictionaries(fields, optional=optional or {})


texts: Strategy = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
scalars: Strategy = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.floats(-9, 9), texts
)
values: Strategy = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=6,
)
more: dict[str, Strategy] = {"sig": values, "meta": values, "finish_reason": values}
parts: Strategy = st.one_of(
    record(more, type=st.just("text"), content=texts),
    record(more, type=st.just("thinking"), thinking=texts),
    record(type=st.just("reasoning"), content=texts),
    record(more, type=st.just("tool_call"), id=texts | st.none(), name=texts, arguments=values),
    record(type=st.just("tool_call_response"), id=texts, result=values),
    record(type=st.just("tool_call_response"), id=texts, response=values),
    record(type=st.just("tool_call"), name=texts),
    record(type=st.just("tool_call_response"), id=texts),
    values,
)
roles: Strategy = st.sampled_from(["user", "assistant", "tool", "developer", "system", None, 7])
messages: Strategy = record({"role": roles, **more}, parts=st.lists(parts, max_size=3))


def spelled(value: Any) -> str:
    """A JSON value so that 1, 1.0 and true are three."""
    return json.dumps(value, sort_keys=True)


@settings(max_examples=300, deadline=None)
@given(st.lists(messages, max_size=4))
def test_messages_come_back_as_they_were(conversation: list[dict[str, Any]]) -> None:
    found = Mapper().messages(json.dumps(conversation))
    back = [message_back(mapped.message, mapped.rest) for mapped in found]
    assert spelled(back) == spelled(conversation)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.one_of(
            record({"description": values, "extra": values}, name=texts),
            record(type=st.just("function"), name=texts, description=values, parameters=values),
            record(type=st.just("function"), function=record({"parameters": values}, name=texts)),
        ),
        max_size=3,
    )
)
def test_tools_come_back_as_they_were(definitions: list[dict[str, Any]]) -> None:
    try:
        found = Mapper().tools(json.dumps(definitions))
    except ValueError:  # a name that is no text
        return
    assert spelled(tools_back(found.specs, found.rest)) == spelled(definitions)


def test_the_usual_shapes_need_nothing_beside_them() -> None:
    conversation = [
        said("Hello"),
        called("get_bill", {"id": "B1", "n": 2.0}),
        gave('"{\\"total\\": 5}"'),
        {
            "role": "assistant",
            "parts": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "content": "Five."}],
        },
    ]
    found = Mapper().messages(json.dumps(conversation))
    assert [mapped.rest for mapped in found] == [None] * 4
    assert [mapped.message.role for mapped in found] == ["user", "assistant", "user", "assistant"]
    assert found[0].message.parts == (Text("Hello"),)
    assert found[1].message.parts == (Asked("get_bill", {"id": "B1", "n": 2.0}, "call_1"),)
    assert found[2].message.parts == (Given("call_1", "get_bill", '"{\\"total\\": 5}"'),)
    assert found[3].message.parts == (Thought("hm"), Text("Five."))


def test_a_result_that_is_no_text_is_json_and_not_kept_twice() -> None:
    found = Mapper().messages(json.dumps([called("f", {}), gave({"a": [1, 2.0]})]))[1]
    assert found.message.parts == (Given("call_1", "f", '{"a":[1,2.0]}'),)
    assert found.rest == {"parts": {"0": {"read": ["result"]}}}


def test_arguments_in_text_are_read_and_text_that_is_no_object_stays() -> None:
    conversation = [called("f", '{ "a": 1 }'), called("f", "a=1"), called("f", None)]
    found = Mapper().messages(json.dumps(conversation))
    assert [mapped.message.parts[0] for mapped in found] == [
        Asked("f", {"a": 1}, "call_1"),
        Asked("f", "a=1", "call_1"),
        Asked("f", {}, "call_1"),
    ]


def test_a_result_is_of_the_tool_that_was_called_last_with_its_id() -> None:
    mapper = Mapper()
    first = mapper.messages(json.dumps([called("f", {}), gave("x")]))
    second = mapper.messages(json.dumps([called("g", {}), gave("x")]))
    assert [
        part.tool for m in (*first, *second) for part in m.message.parts if isinstance(part, Given)
    ] == ["f", "g"]


def test_a_part_of_another_kind_is_kept_and_not_read() -> None:
    part: Any = {"type": "image", "data": "AAAA"}
    found = Mapper().messages(json.dumps([{"role": "user", "parts": [part]}]))[0]
    assert found.message.parts == (Opaque(part),)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not JSON",
        "[",
        "{}",
        "null",
        "[1]",
        "[null]",
        '[{"role": "user"}]',
        '[{"role": "user", "content": "words"}]',
        '[{"role": "user", "parts": {}}]',
        '["\\ud800"]',
        "[" * 100_000,
        '[{"parts": [' + "[" * 5000 + "]" * 5000 + "]}]",
        "[1e999]",
    ],
)
def test_what_is_no_conversation_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        Mapper().messages(text)


@pytest.mark.parametrize(
    ("given_", "kind", "known"),
    [
        (tools("a", "b", schemas=True), "all", 2),
        ([*tools("a", schemas=True), *tools("b")], "some", 1),
        (tools("a", "b"), "none", 0),
        ([], "no tools", 0),
    ],
)
def test_schemas_are_counted(given_: Any, kind: str, known: int) -> None:
    found = Mapper().tools(json.dumps(given_))
    assert (found.schemas, found.with_schema) == (kind, known)


@pytest.mark.parametrize(
    "text", ["", "{}", "[1]", '[{"name": 1}]', "[" * 9999, '[{"function": 1}]']
)
def test_what_is_no_list_of_tools_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        Mapper().tools(text)


@pytest.mark.parametrize(
    "text",
    [
        '[{"role": "user", "role": "tool", "parts": []}]',
        '[{"role": "user", "parts": [{"type": "text", "content": "a", "content": "b"}]}]',
    ],
)
def test_a_message_that_says_a_thing_twice_is_not_guessed_at(text: str) -> None:
    with pytest.raises(ValueError, match="twice"):
        Mapper().messages(text)


def test_tools_and_arguments_that_say_a_thing_twice_are_not_guessed_at() -> None:
    with pytest.raises(ValueError, match=r"'\[\].name' twice"):
        Mapper().tools('[{"name": "a", "name": "b"}]')
    arguments = '{"a": 1, "a": 2}'
    (found,) = Mapper().messages(json.dumps([called("f", arguments)]))
    (part,) = found.message.parts
    assert isinstance(part, Asked)
    assert part.arguments == arguments
