"""Conversations as others keep them, read without losing a word."""

from __future__ import annotations

from typing import Any

import pytest

from ringback.episode.wire import Asked, Given, Message, Opaque, Text, Thought, ToolSpec
from ringback.formats.messages import conversation_of, spelled, tool_spelled, tools_of

CALLED = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"a": 1}'}}


def test_chat_completions() -> None:
    found = conversation_of(
        [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": [{"type": "text", "text": "Hello?"}]},
            {"role": "assistant", "content": None, "tool_calls": [CALLED]},
            {"role": "tool", "tool_call_id": "c1", "content": "It is dark."},
            {"role": "assistant", "content": "It is dark.", "refusal": None},
        ]
    )
    assert found is not None
    assert found.system == "Be brief."
    assert found.messages == (
        Message("user", (Text("Hello?"),)),
        Message("assistant", (Asked("look", {"a": 1}, "c1"),)),
        Message("user", (Given("c1", "look", "It is dark."),)),
        Message("assistant", (Text("It is dark."),)),
    )


def test_content_blocks() -> None:
    found = conversation_of(
        [
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "Hm.", "signature": "s"},
                    {"type": "tool_use", "id": "t", "name": "look", "input": {"a": 1}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "t", "content": "No.", "is_error": True}
                ],
            },
        ]
    )
    assert found is not None
    assert found.messages == (
        Message("assistant", (Thought("Hm.", {"signature": "s"}), Asked("look", {"a": 1}, "t"))),
        Message("user", (Given("t", "look", "No.", error=True),)),
    )


@pytest.mark.parametrize(
    "block",
    [
        {"type": "image", "url": "x"},
        {"type": "text", "content": "x", "cache_control": {"type": "ephemeral"}},
        {"type": "tool_call"},
        {"type": "tool_call_response", "id": "1", "response": "x", "seen": 3},
        {"type": "opaque", "data": 1, "more": 2},
        {},
        7,
        None,
        ["text"],
    ],
)
def test_a_block_of_no_kind_of_ours_is_kept_whole(block: Any) -> None:
    found = conversation_of([{"role": "user", "parts": [block]}])
    assert found is not None
    assert found.messages == (Message("user", (Opaque(block),)),)


def test_what_stands_beside_is_kept() -> None:
    found = conversation_of(
        [
            {"role": "assistant", "content": "Yes.", "refusal": "none", "audio": None},
            {"role": "system", "content": "Stop now."},
        ]
    )
    assert found is not None
    assert found.messages == (
        Message("assistant", (Text("Yes."), Opaque({"type": "extra", "refusal": "none"}))),
        Message("user", (Opaque({"role": "system", "content": "Stop now."}),)),
    )


@pytest.mark.parametrize(
    "value",
    [None, {}, "x", [1], [{}], [{"role": 3}], [{"role": "user", "content": 3}], [[]]],
)
def test_no_conversation(value: Any) -> None:
    assert conversation_of(value) is None


def test_arguments_that_are_no_json_stay_as_text() -> None:
    call = {"id": "c", "function": {"name": "look", "arguments": '{"a": '}}
    found = conversation_of([{"role": "assistant", "tool_calls": [call]}])
    assert found is not None
    assert found.messages[0].parts == (Asked("look", '{"a": ', "c"),)


def test_tools_of_both_spellings() -> None:
    tool = ToolSpec("look", "Looks.", {"type": "object"})
    nested: Any = {"type": "function", "function": {"name": "look", "description": "Looks."}}
    assert tools_of([tool_spelled(tool)]) == (tool,)
    assert tools_of([nested]) == (ToolSpec("look", "Looks.", None),)
    blocks: Any = [{"name": "look", "input_schema": {}}]
    assert tools_of(blocks) == (ToolSpec("look", "", {}),)
    wrong: list[Any] = [None, [1], [{"name": 1}], [{"name": "x", "parameters": []}]]
    assert [tools_of(value) for value in wrong] == [None] * 4


def test_results_alone_have_the_role_of_a_tool() -> None:
    given = Given("1", "look", "x")
    assert spelled(Message("user", (given,)))["role"] == "tool"
    assert spelled(Message("user", (given, Text("y"))))["role"] == "user"
