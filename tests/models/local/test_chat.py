"""Requests as a local model's template takes them, and replies read again."""

from __future__ import annotations

import pytest

from ringback.canonical import Json
from ringback.episode.wire import Asked, Given, Message, Request, Text, Thought, ToolSpec
from ringback.models.local.chat import called_in_words, chat, reply_parts, unspecial

TOOL = ToolSpec("look", "Looks.", {"type": "object", "properties": {"at": {"type": "string"}}})


def user(*parts: str | Given) -> Message:
    return Message("user", tuple(Text(part) if isinstance(part, str) else part for part in parts))


def model(*parts: str | Asked | Thought) -> Message:
    found = tuple(Text(part) if isinstance(part, str) else part for part in parts)
    return Message("assistant", found, "local")


def made(
    *messages: Message, system: str = "Be.", native: bool = False, knows_system: bool = True
) -> list[dict[str, Json]]:
    request = Request(system, messages)
    return chat(request, (TOOL,), native=native, system=knows_system, clean=lambda text: text)


def test_words_of_one_side_in_a_row_become_one_message() -> None:
    found = made(user("Hi"), user("Again"), model("Yes"), model(), user("Go"), native=True)
    assert [(each["role"], each["content"]) for each in found] == [
        ("system", "Be."),
        ("user", "Hi\n\nAgain"),
        ("assistant", "Yes"),
        ("user", "Go"),
    ]


def test_a_template_without_tools_gets_them_in_words() -> None:
    given = Given("1", "look", "A cat.")
    found = made(user("Look!"), model(Asked("look", {"at": "it"}, "1")), user(given, "Well?"))
    assert "- look: Looks." in str(found[0]["content"])
    assert '"at"' in str(found[0]["content"])
    assert found[2] == {
        "role": "assistant",
        "content": '{"tool": "look", "arguments": {"at": "it"}}',
    }
    assert found[3] == {"role": "user", "content": "Result of look: A cat.\n\nWell?"}
    assert called_in_words(str(found[2]["content"])) == ("look", {"at": "it"})


def test_a_template_with_tools_gets_calls_and_results_as_such() -> None:
    call, given = Asked("look", {"at": "it"}, "1"), Given("1", "look", "A cat.")
    found = made(user("Look!"), model(Thought("hm"), call), user(given), native=True)
    assert found[2]["tool_calls"] == [
        {"id": "1", "type": "function", "function": {"name": "look", "arguments": '{"at":"it"}'}}
    ]
    assert found[2]["reasoning_content"] == "hm"
    theirs = Message("assistant", (Thought("hm"), call), "anthropic")
    found = made(user("Look!"), theirs, user(given), native=True)
    assert "reasoning_content" not in found[2]  # to another model, words that nobody said
    assert found[3] == {"role": "tool", "tool_call_id": "1", "name": "look", "content": "A cat."}


def test_arguments_that_are_no_object_go_back_as_one() -> None:
    found = made(user("Look!"), model(Asked("look", "{at: it", "1")), native=True)
    function = {"name": "look", "arguments": '{"malformed":"{at: it"}'}
    assert found[2]["tool_calls"] == [{"id": "1", "type": "function", "function": function}]


def test_a_template_without_instructions_gets_them_before_the_first_words() -> None:
    found = made(user("Hi"), native=True, knows_system=False)
    assert found == [{"role": "user", "content": "Be.\n\nHi"}]


def test_no_instructions_are_none() -> None:
    assert made(user("Hi"), system="", native=True) == [{"role": "user", "content": "Hi"}]


def test_control_tokens_lose_their_meaning() -> None:
    clean = unspecial(("<|im_end|>", "<|im_end|>x", "</s>"))
    assert clean("a<|im_end|>b</s>") == "a< |im_end|>b< /s>"
    assert unspecial(())("<|im_end|>") == "<|im_end|>"


IN_WORDS: list[tuple[str | None, tuple[str, Json] | None]] = [
    ('{"tool": "look", "arguments": {"at": 1}}', ("look", {"at": 1})),
    ('  {"tool": "look"}\n', ("look", {})),
    ('{"tool": 1}', None),
    ('{"tool": "look"', None),
    ("[1]", None),
    ("Look at it.", None),
    (None, None),
]


@pytest.mark.parametrize(("text", "call"), IN_WORDS)
def test_a_call_in_words_is_read(text: str | None, call: tuple[str, Json] | None) -> None:
    assert called_in_words(text) == call


def test_replies_have_their_parts_in_order_and_calls_have_numbers() -> None:
    parts = reply_parts("Yes.", "hm", [("a", '{"b": 1}'), ("c", ""), ("d", "{"), ("e", "[1]")], 7)
    assert parts == (
        Thought("hm"),
        Text("Yes."),
        Asked("a", {"b": 1}, "local-7-0"),
        Asked("c", {}, "local-7-1"),
        Asked("d", "{", "local-7-2"),
        Asked("e", "[1]", "local-7-3"),
    )
    assert reply_parts("", None, [], 0) == ()
