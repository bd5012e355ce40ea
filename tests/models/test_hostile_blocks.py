"""What a provider sends beside its words: storable whatever it is, sent back only where it fits."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import msgspec
import pytest

from ringback.agents import open_agent
from ringback.episode.events import End, ModelCall, Turn
from ringback.episode.wire import Answer, Message, Opaque, Text, Thought, Usage
from ringback.models import ModelEntry, Models
from ringback.telecom import domain
from ringback.users import open_user
from tests.models.backend import Backend, Reply, asking, completion
from tests.models_in_process import Counting, begin, model_calls, over_again, play_on, timeless

RULES = open_user("rules")
TASK = domain.tasks("small")[0].id
DEEP: Any = json.loads("[" * 150 + "]" * 150)
HOSTILE: list[Any] = [float("nan"), float("-inf"), 2**80, DEEP, "\ud800", {"\udfff": float("inf")}]


def asked(*bodies: dict[str, Any]) -> tuple[list[Answer], list[dict[str, Any]]]:
    """The answers to these bodies, each asked for with the answers before it in the request."""
    with Backend(*(Reply(json.dumps(body).encode()) for body in bodies)) as backend:
        models = Models({"m": ModelEntry("openai:x", base_url=backend.url)})

        async def talk() -> list[Answer]:
            answers: list[Answer] = []
            said = [Message("user", (Text("Hello?"),))]
            for _ in bodies:
                answers.append(await models.open("m").ask(asking(*said), seconds=20))
                message = answers[-1].message
                assert message is not None, answers[-1].why
                said += [message, Message("user", (Text("And?"),))]
            return answers

        return asyncio.run(talk()), [sent.body for sent in backend.sent]


@pytest.mark.parametrize("value", HOSTILE[:3], ids=["nan", "inf", "big"])
def test_details_that_no_json_holds_are_kept_and_the_call_goes_on(value: Any) -> None:
    body = completion("Yes?")
    body["choices"][0]["logprobs"] = {
        "content": [{"token": "Yes", "logprob": value, "bytes": None, "top_logprobs": []}]
    }
    (first, second), sent = asked(body, completion("Indeed."))
    assert first.message is not None
    stored = msgspec.json.encode(first.message)
    assert msgspec.json.decode(stored, type=Message) == first.message
    assert second.message is not None
    assert [one["content"] for one in sent[1]["messages"][1:]] == ["Hello?", "Yes?", "And?"]


@pytest.mark.parametrize("value", HOSTILE, ids=["nan", "inf", "big", "deep", "half", "name"])
def test_in_every_block_of_a_reply_they_are_stored_and_read_again_alike(value: Any) -> None:
    hostile = Message(
        "assistant",
        (
            Thought("Hm.", {"signature": value}),
            Text("What is your number?"),
            Opaque({"reply": {"provider_details": value}}),
            Opaque(value),
        ),
        "script",
    )

    def agent() -> Any:
        told = iter([hostile, "Goodbye. ###STOP###"])
        model = Counting(lambda _: next(told))
        return open_agent("script:test", None, lambda _: model)

    events = play_on(begin(TASK, agent(), RULES), agent(), RULES)
    end = events[-1]
    assert isinstance(end, End)
    assert end.ending != "agent_error", end.why
    assert any(isinstance(event, Turn) and event.text == "What is your number?" for event in events)
    first = model_calls(events)[0]
    assert isinstance(first, ModelCall)
    upto = events.index(first) + 1
    told = iter(["Goodbye. ###STOP###"])
    again = open_agent("script:test", None, lambda _: Counting(lambda _: next(told)))
    assert timeless(play_on(over_again(events, upto), again, RULES)) == timeless(events)


@pytest.mark.parametrize("count", [-5, 2**70])
def test_counts_of_tokens_that_cannot_be_are_unknown(count: Any) -> None:
    usage = {"prompt_tokens": count, "completion_tokens": 7, "total_tokens": 7}
    (answer,), _ = asked(completion(usage=usage))
    assert answer.usage.input is None
    assert answer.price.usd is None
    assert msgspec.json.decode(msgspec.json.encode(answer.usage), type=Usage) == answer.usage
