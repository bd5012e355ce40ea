from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from ringback.agents.llm import LlmAgent
from ringback.episode.wire import Answer, Asked, Given, Message, Request, Text, Thought
from ringback.errors import InputError
from ringback.models import Model, ScriptCall, ScriptModel, ScriptReply, open_model
from ringback.models.protocol import is_steady
from ringback.users.llm.customer import LlmUser
from tests.models.backend import asking

OPENING = Message("user", (Text("Hello?"),))


def ask(model: Model, *messages: Message) -> Answer:
    return asyncio.run(model.ask(asking(*messages), seconds=5))


def said(model: Model, *messages: Message) -> Message:
    message = ask(model, *messages).message
    assert message is not None
    return message


def test_a_list_is_played_in_order_without_memory() -> None:
    model = ScriptModel(["one", ScriptReply("two", (ScriptCall("look", {"at": "x"}),), "hm")])
    first = said(model, OPENING)
    assert first == Message("assistant", (Text("one"),), "script")
    second = said(model, OPENING, first, OPENING)
    assert second.parts == (
        Thought("hm"),
        Text("two"),
        Asked("look", {"at": "x"}, "script-1-0"),
    )
    assert said(model, OPENING, first, OPENING) == second
    result = Message("user", (Given("script-1-0", "look", "x"),))
    over = ask(model, OPENING, first, OPENING, second, result)
    assert (over.failure, over.message) == ("rejected", None)


def test_a_function_sees_the_request() -> None:
    def reply(request: Request) -> Message:
        return Message("assistant", (Text(f"{len(request.messages)} so far"),))

    answer = ask(ScriptModel(reply), OPENING, OPENING)
    assert answer.message == Message("assistant", (Text("2 so far"),), "script")


def test_it_can_fail() -> None:
    answer = ask(ScriptModel([ScriptReply(failure="infrastructure")]), OPENING)
    assert answer.failure == "infrastructure"
    assert len(answer.attempts) == 1


def test_it_costs_nothing_and_takes_no_settings() -> None:
    answer = asyncio.run(ScriptModel(["x"]).ask(asking(temperature=1.0), seconds=5))
    assert answer.price.usd == 0.0
    assert answer.usage.input is None
    assert set(answer.dropped) == {"temperature"}


def test_it_is_opened_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "talk.json"
    path.write_text('["Hi.", {"calls": [{"tool": "look", "arguments": "{bad"}]}]', encoding="utf-8")
    model = open_model(f"script:{path}")
    first = said(model, OPENING)
    assert first.parts == (Text("Hi."),)
    assert said(model, OPENING, first, OPENING).parts == (Asked("look", "{bad", "script-1-0"),)


def test_its_identity_is_what_it_says(tmp_path: Path) -> None:
    path = tmp_path / "talk.json"
    seen: set[str] = set()
    for text in ('["a"]', '["b"]', '[{"text": "b"}]'):
        path.write_text(text, encoding="utf-8")
        seen.add(str(open_model(f"script:{path}").identity["script"]))
    assert len(seen) == 3


@pytest.mark.parametrize("text", ["", "{}", "[1]", '[{"txet": "x"}]', "\xff"])
def test_a_file_that_is_no_script_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "talk.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match="is no list of replies"):
        open_model(f"script:{path}")
    with pytest.raises(InputError, match="cannot be read"):
        open_model(f"script:{tmp_path / 'none.json'}")


def test_only_a_list_is_known_to_repeat_itself() -> None:
    listed, function = ScriptModel(["Hello."]), ScriptModel(lambda _: "Hello.")
    assert (is_steady(listed), is_steady(function)) == (True, False)
    assert LlmAgent(listed, {}).deterministic
    assert not LlmAgent(function, {}).deterministic
    assert LlmUser(listed, {}).deterministic
    assert not LlmUser(function, {}).deterministic
