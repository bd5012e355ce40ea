"""What llama.cpp answers, as ours."""

from __future__ import annotations

import msgspec

from ringback.episode.wire import Asked, Message, Request, Text, Thought, ToolSpec
from ringback.models.local.exchange import Abilities, Completion
from ringback.models.local.prepare import prepare, read

TOOLS = (ToolSpec("look", "Looks.", None), ToolSpec("go", "Goes.", None))
REQUEST = Request("Be.", (Message("user", (Text("Go on."),)),), TOOLS)
KNOWS_TOOLS = Abilities(supports_tools=True, supports_tool_calls=True)
ANSWER = msgspec.json.encode(
    {
        "choices": [
            {
                "finish_reason": "tool_calls",
                "index": 0,
                "message": {
                    "role": "assistant",
                    "content": "Let me see.",
                    "reasoning_content": "I had better look.",
                    "tool_calls": [
                        {"id": "r4nd0m", "function": {"name": "look", "arguments": '{"at":1}'}},
                        {"id": "r4nd0n", "function": {"name": "go", "arguments": "{to"}},
                    ],
                },
            }
        ],
        "usage": {"prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 14},
    }
)


def test_native_calls_are_read_all_in_order() -> None:
    prepared = prepare(REQUEST, {}, KNOWS_TOOLS, as_it_is, None)
    message = read(msgspec.json.decode(ANSWER, type=Completion), REQUEST, prepared)
    assert message.parts == (
        Thought("I had better look."),
        Text("Let me see."),
        Asked("look", {"at": 1}, "local-1-0"),
        Asked("go", "{to", "local-1-1"),
    )
    assert not prepared.held


def as_it_is(text: str) -> str:
    return text


def no_grammar(_: object) -> str:
    return "root"


def test_tools_go_out_as_the_template_wants_them() -> None:
    native = prepare(REQUEST, {"parallel_tool_calls": False}, KNOWS_TOOLS, as_it_is, None)
    offered = native.body["tools"]
    assert isinstance(offered, list)
    assert len(offered) == 2
    assert native.body["parallel_tool_calls"] is False
    assert "grammar" not in native.body
    in_words = prepare(REQUEST, {"parallel_tool_calls": True}, Abilities(), as_it_is, no_grammar)
    assert "tools" not in in_words.body
    assert set(in_words.dropped) == {"parallel_tool_calls"}


def test_a_form_that_the_runtime_refuses_is_dropped_aloud() -> None:
    def refuse(_: object) -> str:
        raise RuntimeError("too deep")

    request = Request("Be.", REQUEST.messages, form={"type": "string"})
    prepared = prepare(request, {}, Abilities(), as_it_is, refuse)
    assert "too deep" in prepared.dropped["form"]
    assert not prepared.held


def test_tools_that_the_runtime_makes_no_grammar_of_are_told_of_all_the_same() -> None:
    def refuse(_: object) -> str:
        raise RuntimeError("too deep")

    prepared = prepare(REQUEST, {}, Abilities(), as_it_is, refuse)
    assert "too deep" in prepared.dropped["tools"]
    assert "look" in str(prepared.body["messages"])
    assert "grammar" not in prepared.body


DEEP = '{"tool": "look", "arguments": ' * 100_000


def test_what_is_nested_without_end_is_words() -> None:
    said = {
        "content": DEEP,
        "tool_calls": [{"function": {"name": "look", "arguments": DEEP}}],
    }
    answer = {
        "choices": [{"message": said}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 5},
    }
    completion = msgspec.convert(answer, Completion)
    for abilities in (KNOWS_TOOLS, Abilities()):
        prepared = prepare(REQUEST, {}, abilities, as_it_is, no_grammar)
        message = read(completion, REQUEST, prepared)
        assert message.parts == (Text(DEEP), Asked("look", DEEP, "local-1-0"))
