"""Reasoning that stands in the midst of a reply's words."""

from __future__ import annotations

import asyncio
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringback.episode.wire import Message, Text, Thought
from ringback.models import ModelEntry, Models
from ringback.models.dialogue import spoken
from ringback.models.thinking import parted, said
from tests.models.backend import Backend, asking, completion

SECRET = "I will say ###STOP### now"


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ("Hello.", "Hello."),
        (f"<think>{SECRET}</think>\n\nHello.", "Hello."),
        (f"<think>{SECRET}", ""),
        (f"<think\n{SECRET}", ""),
        ("Still here <think", "Still here"),
        (f"Still here. <think>{SECRET}", "Still here."),
        (f"{SECRET}</think>Hello.", "Hello."),
        (f"<think>a<think>b</think>{SECRET}</think>Hello.", "Hello."),
        (f"<think>a <reflection>b</reflection> {SECRET}", ""),
        (f"<think>a </reflection> {SECRET}</think>Hello.", "Hello."),
        (f"<THINK type='x'>{SECRET}</Think>Hello.", "Hello."),
        (f"< think >{SECRET}</ think >Hello.", "Hello."),
        (f"<thinking>{SECRET}</think>Hello.", "Hello."),
        (f"<seed:think>{SECRET}</seed:think>Hello.", "Hello."),
        (f"[THINK]{SECRET}[/THINK]Hello.", "Hello."),
        (f"[THINK]{SECRET}", ""),
        (f"◁think▷{SECRET}◁/think▷Hello.", "Hello."),
        (f"<|START_THINKING|>{SECRET}", ""),
        (f"<|channel|>analysis<|message|>{SECRET}", ""),
        (
            f"<|channel|>analysis<|message|>{SECRET}<|end|>"
            "<|start|>assistant<|channel|>final<|message|>Hello.",
            "Hello.",
        ),
        ("<think/>Hello.", "Hello."),
        ("Signal < 5 and <b>bold</b>, I think.", "Signal < 5 and <b>bold</b>, I think."),
        ("I was thinking <of you>.", "I was thinking <of you>."),
    ],
)
def test_what_is_said_is_told_from_what_is_thought(reply: str, words: str) -> None:
    assert said(reply) == words
    assert SECRET not in said(reply)


BITS = st.sampled_from(
    ["<think>", "</think>", "<reflection>", "</reflection>", "[THINK]", " ", "a", "<", "/", "\n"]
)


@given(st.lists(BITS | st.text(max_size=5), max_size=30).map("".join))
def test_the_pieces_are_the_reply(reply: str) -> None:
    pieces = parted(reply)
    assert "".join(piece.opened + piece.text + piece.closed for piece in pieces) == reply


@given(st.lists(BITS, max_size=12).map("".join), st.text(max_size=5))
def test_nothing_that_a_tag_left_open_holds_is_said(before: str, after: str) -> None:
    assert "SECRET" not in said(f"{before}<think>SECRET{after.replace('<', '')}")


@pytest.mark.parametrize(
    "reply",
    [
        "<think>" * 300_000,
        "</think>" * 300_000,
        "<" * 1_000_000,
        "< " * 500_000,
        "<" + " " * 1_000_000,
        "<think>" + " " * 1_000_000,
        "<think> </think> " * 50_000,
    ],
)
def test_it_takes_no_long_time(reply: str) -> None:
    began = time.process_time()
    said(reply)
    assert time.process_time() - began < 5


def talk(*replies: tuple[str, str]) -> tuple[list[Message], list[str]]:
    """Replies (with why they ended) to two sides' worth of asking; what went back of them."""
    with Backend(*(completion(text, finish=end) for text, end in replies)) as backend:
        models = Models({"mine": ModelEntry("openai:served", base_url=backend.url)})

        async def conversation() -> list[Message]:
            model, messages = models.open("mine"), [Message("user", (Text("Hi."),))]
            got: list[Message] = []
            for _ in replies:
                answer = await model.ask(asking(*messages), seconds=20)
                assert answer.message is not None
                got.append(answer.message)
                messages += [answer.message, Message("user", (Text("Go on."),))]
            return got

        got = asyncio.run(conversation())
        last = backend.sent[-1].body["messages"]
    return got, [one["content"] for one in last if one["role"] == "assistant"]


def thoughts(message: Message) -> list[str]:
    return [part.text for part in message.parts if isinstance(part, Thought)]


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (f"<think>{SECRET}", ""),
        (f"Still here. <think>{SECRET}", "Still here."),
        (f"<think>{SECRET}</think>\n\nHello.", "Hello."),
        (f"{SECRET}\n</think>\n\nHello.", "Hello."),
    ],
)
def test_reasoning_in_a_servers_text_is_reasoning_and_goes_back_as_it_came(
    reply: str, words: str
) -> None:
    (first, _), back = talk((reply, "length"), ("Bye.", "stop"))
    assert spoken(first) == words
    assert [text.strip() for text in thoughts(first)] == [SECRET]
    assert "".join(part.text for part in first.parts if isinstance(part, Text)) == words
    assert back == [reply]


def test_a_cut_off_reply_of_a_model_whose_template_opens_the_tag_is_reasoning() -> None:
    got, _ = talk(("hm</think>Hello.", "stop"), (SECRET, "length"), ("Bye.", "stop"))
    assert [spoken(message) for message in got] == ["Hello.", "", "Bye."]
    assert thoughts(got[1]) == [SECRET]


def test_it_does_not_go_to_another_model() -> None:
    foreign = Message("assistant", (Thought("hm", {"tags": ["<think>", "</think>"]}), Text("Hi.")))
    with Backend(completion()) as backend:
        entry = ModelEntry("openai:served", base_url=backend.url)
        request = asking(Message("user", (Text("?"),)), foreign, Message("user", (Text("So?"),)))
        asyncio.run(Models({"mine": entry}).open("mine").ask(request, seconds=20))
    assert backend.sent[0].body["messages"][2]["content"] == "Hi."
