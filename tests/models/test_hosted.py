"""Asking over HTTP: what goes out, what comes back, what goes back the next time."""

from __future__ import annotations

import asyncio
import time
import warnings
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import httpx2
import msgspec
import pytest
from pydantic_ai import exceptions as theirs

from ringback.episode.wire import (
    Answer,
    Asked,
    Given,
    Message,
    Opaque,
    Request,
    Text,
    Thought,
    ToolSpec,
    Usage,
)
from ringback.errors import InputError
from ringback.models import Ledger, ModelEntry, Models, PriceEntry, client, open_model
from ringback.models.failures import problem_of
from ringback.models.patience import Fault
from ringback.models.protocol import CallsStopped
from ringback.models.secrecy import Redactor
from ringback.testing import FAULTS, ChaosServer, ChatCall, ChatReply, scripted
from tests.models.backend import USAGE, Backend, Reply, asking, completion
from tests.models.timing import took

QUICK: dict[str, Any] = {"max_retries": 2, "timeout": 0.5}


def ask(
    url: str,
    request: Request,
    *,
    seconds: float = 20.0,
    settings: dict[str, Any] | None = None,
    **entry: Any,
) -> Answer:
    given = ModelEntry("openai:served", base_url=url, settings=settings or {}, **entry)
    return asyncio.run(open_model("mine", {"mine": given}).ask(request, seconds=seconds))


def test_an_answer_says_all() -> None:
    with Backend(completion(usage=USAGE, reasoning_content="They greet me.")) as backend:
        answer = ask(f"{backend.url}/v1", asking(temperature=0.5))
    assert answer.message is not None
    assert answer.message.parts[:2] == (
        Thought("They greet me.", {"id": "reasoning_content"}),
        Text("Hello."),
    )
    assert answer.model == "served"
    assert answer.usage == Usage(input=1000, output=100, cached=400, reasoning=60)
    assert answer.finish == "stop"
    assert answer.sent == {"temperature": 0.5}
    assert answer.label == "typed"
    assert 0 < took(answer) < 10
    (sent,) = backend.sent
    assert sent.path == "/v1/chat/completions"
    assert sent.body["messages"] == [
        {"role": "system", "content": "You help."},
        {"role": "user", "content": "Hello?"},
    ]
    (tool,) = sent.body["tools"]
    assert tool["function"]["parameters"] == {
        "type": "object",
        "properties": {"at": {"type": "string"}},
    }


def test_an_endpoint_gets_schemas_to_the_letter() -> None:
    """Nothing is taken out of them, nor is anything made of them anew for each call."""
    schema: Any = {
        "title": "Look",
        "type": "object",
        "properties": {"at": {"title": "At", "anyOf": [{"$ref": "#/$defs/place"}], "default": "x"}},
        "$defs": {"place": {"title": "Place", "type": "string", "maxLength": 9}},
    }
    request = Request("You help.", asking().messages, (ToolSpec("look", "Looks.", schema),))
    with Backend(completion()) as backend:
        ask(backend.url, request)
    (tool,) = backend.sent[0].body["tools"]
    assert tool["function"]["parameters"] == schema


def test_everything_goes_back_as_it_came() -> None:
    first = completion(
        "Let me see.",
        calls=[("look", '{"at": "the line"}'), ("look", '{"at": '), ("look", "")],
        reasoning_content="I should look.",
    )
    with Backend(first, completion()) as backend:
        models = Models({"mine": ModelEntry("openai:served", base_url=backend.url)})

        async def talk() -> Message:
            model = models.open("mine")
            opening = Message("user", (Text("It is slow."),))
            answer = await model.ask(asking(opening), seconds=20)
            assert answer.message is not None
            calls = [part for part in answer.message.parts if isinstance(part, Asked)]
            results = Message("user", tuple(Given(c.id, c.tool, f"of {c.id}") for c in calls))
            stored = msgspec.json.decode(msgspec.json.encode(answer.message), type=Message)
            await model.ask(asking(opening, stored, results), seconds=20)
            return answer.message

        message = asyncio.run(talk())
    calls = [part.arguments for part in message.parts if isinstance(part, Asked)]
    assert calls == [{"at": "the line"}, '{"at": ', {}]
    system, user, assistant, *results = backend.sent[1].body["messages"]
    assert (system["role"], user["content"]) == ("system", "It is slow.")
    assert assistant["content"] == "Let me see."
    assert assistant["reasoning_content"] == "I should look."
    assert [call["id"] for call in assistant["tool_calls"]] == ["c0", "c1", "c2"]
    assert assistant["tool_calls"][0]["function"]["arguments"] == '{"at":"the line"}'
    assert '{\\"at\\": ' in assistant["tool_calls"][1]["function"]["arguments"]
    assert [(r["role"], r["tool_call_id"], r["content"]) for r in results] == [
        ("tool", "c0", "of c0"),
        ("tool", "c1", "of c1"),
        ("tool", "c2", "of c2"),
    ]


def test_an_error_result_reads_as_the_tool_said_it() -> None:
    call = Message("assistant", (Asked("look", {}, "c0"),))
    result = Message("user", (Given("c0", "look", "Error: no such place", error=True),))
    with Backend(completion()) as backend:
        ask(backend.url, asking(Message("user", (Text("Hi"),)), call, result))
    assert backend.sent[0].body["messages"][-1]["content"] == "Error: no such place"


@pytest.mark.parametrize(("provider", "goes"), [("anthropic", 0), ("openai-compatible", 1)])
def test_a_block_goes_back_to_the_provider_that_wrote_it_and_to_no_other(
    provider: str, goes: int
) -> None:
    block = Opaque({"part": {"part_kind": "text", "content": "opaque words"}})
    said = Message("assistant", (Text("Hi."), block), provider)
    with Backend(completion()) as backend:
        ask(
            backend.url,
            asking(Message("user", (Text("Hi"),)), said, Message("user", (Text("?"),))),
        )
    assert str(backend.sent[0].body).count("opaque words") == goes


def test_anothers_reasoning_is_not_sent() -> None:
    foreign = Message(
        "assistant", (Thought("secret", {"signature": "s"}), Text("Hi.")), "anthropic"
    )
    with Backend(completion()) as backend:
        ask(
            backend.url,
            asking(Message("user", (Text("Hi"),)), foreign, Message("user", (Text("?"),))),
        )
    assert "secret" not in str(backend.sent[0].body)
    assert backend.sent[0].body["messages"][2] == {"role": "assistant", "content": "Hi."}


def test_settings_that_are_not_sent_are_said() -> None:
    settings = {"temperature": 0.0, "top_k": 5, "repeat_penalty": 1.0, "tool_choice": "auto"}
    with Backend(completion()) as backend:
        answer = ask(backend.url, asking(seed=7), settings=settings)
    assert answer.sent == {"temperature": 0.0, "tool_choice": "auto", "seed": 7}
    assert set(answer.dropped) == {"top_k", "repeat_penalty"}
    body = backend.sent[0].body
    assert (body["temperature"], body["seed"], body["tool_choice"]) == (0.0, 7, "auto")
    assert len(backend.sent) == 1  # finding out sends nothing


def test_a_providers_setting_that_it_has_not_is_refused_before_anything_is_sent() -> None:
    with (
        Backend(completion()) as backend,
        pytest.raises(InputError, match=r"\[models.mine\] \(did you mean openai_reasoning_effort"),
    ):
        ask(backend.url, asking(), settings={"openai_reasoning_efort": "low"})
    assert backend.sent == []


def test_sampling_that_a_reasoning_model_refuses_is_said() -> None:
    entry = ModelEntry("openai:gpt-5", settings={"temperature": 0.3, "max_tokens": 500})
    with Backend(completion()) as backend:
        entry = msgspec.structs.replace(entry, base_url=backend.url)
        answer = asyncio.run(open_model("m", {"m": entry}).ask(asking(), seconds=20))
    assert answer.sent == {"max_tokens": 500}
    assert "temperature" in answer.dropped
    assert "temperature" not in backend.sent[0].body


def test_a_form_is_not_held_and_said() -> None:
    with Backend(completion()) as backend:
        request = msgspec.structs.replace(asking(), form={"type": "object"})
        answer = ask(backend.url, request)
    assert not answer.form_held
    assert "form" in answer.dropped


@pytest.mark.parametrize(
    ("usage", "found"),
    [
        (None, Usage()),
        ({"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}, Usage(5, 2)),
    ],
)
def test_what_is_not_counted_is_unknown(usage: dict[str, int] | None, found: Usage) -> None:
    with Backend(completion(usage=usage)) as backend:
        answer = ask(backend.url, asking())
    assert answer.usage == found
    assert answer.price.usd is None


def test_the_users_own_price_and_cached_tokens() -> None:
    with Backend(completion(usage=USAGE)) as backend:
        answer = ask(backend.url, asking(), price=PriceEntry(input=2.0, output=10.0, cached=0.5))
    assert answer.price.usd == pytest.approx((600 * 2.0 + 400 * 0.5 + 100 * 10.0) / 1e6)


@pytest.mark.parametrize("fault", FAULTS)
def test_every_way_of_going_wrong_is_an_answer(fault: Any) -> None:
    brain = scripted([ChatReply("Hello.", calls=(ChatCall("look", {"at": "x"}),))])
    with ChaosServer(brain, faults={fault: 1.0}) as server:
        answer = ask(server.base_url, asking(), seconds=8.0, settings=QUICK)
    assert (answer.message is None) == (answer.failure is not None)
    final = {"context_overflow": "context_overflow", "refusal": "refusal"}
    broken = ("rate_limit", "server_error", "hang", "cut", "malformed_json")
    expected = "infrastructure" if fault in broken else final.get(fault)
    assert answer.failure == expected
    assert len(answer.attempts) == (3 if fault in broken else 1 if fault in final else 0)
    assert len(server.log) == (3 if fault in broken else 1)
    msgspec.json.encode(answer)


def test_failed_tries_are_kept_beside_the_answer() -> None:
    refused = Reply({"error": {"message": "busy"}}, 503, {"Retry-After": "0"})
    with Backend(refused, refused, completion()) as backend:
        answer = ask(backend.url, asking())
    assert answer.failure is None
    assert [(a.failure, "503" in a.why) for a in answer.attempts] == [("infrastructure", True)] * 2
    assert answer.waited is not None
    assert answer.waited > took(answer)  # which is the time of the try that answered


def test_the_server_is_waited_for_as_long_as_it_asks() -> None:
    refused = Reply({"error": {"message": "slow down"}}, 429, {"Retry-After": "1"})
    with Backend(refused, completion()) as backend:
        began = time.monotonic()
        answer = ask(backend.url, asking())
    assert answer.failure is None
    assert time.monotonic() - began >= 1.0


def test_a_server_that_wants_an_hour_is_not_waited_for() -> None:
    refused = Reply({"error": {"message": "slow down"}}, 429, {"Retry-After": "3600"})
    with Backend(refused) as backend:
        began = time.monotonic()
        answer = ask(backend.url, asking(), seconds=10.0)
    assert answer.failure == "infrastructure"
    assert len(backend.sent) == 1
    assert time.monotonic() - began < 5.0


def test_being_told_to_wait_takes_none_of_the_models_time() -> None:
    refused = Reply({"error": {"message": "slow down"}}, 429, {"Retry-After": "1"})
    with Backend(refused, completion()) as backend:
        answer = ask(backend.url, asking(), seconds=0.5)
    assert answer.failure is None
    assert took(answer) < 0.5
    assert answer.waited is not None
    assert answer.waited >= 1.0


@pytest.mark.parametrize("problem", [TimeoutError("read"), asyncio.CancelledError(), OSError(110)])
def test_what_a_library_lets_out_is_the_infrastructures(
    problem: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, tried = client.model_request, list[int]()

    async def breaks_at_first(*arguments: Any, **more: Any) -> Any:
        tried.append(1)
        if len(tried) == 1:
            raise problem
        return await real(*arguments, **more)

    monkeypatch.setattr(client, "model_request", breaks_at_first)
    with Backend(completion()) as backend:
        answer = ask(backend.url, asking())
    assert answer.failure is None
    assert [attempt.failure for attempt in answer.attempts] == ["infrastructure"]


def test_a_call_that_hangs_to_the_end_of_its_time_is_an_answer() -> None:
    with ChaosServer(scripted([]), faults={"hang": 1.0}) as server:
        began = time.monotonic()
        answer = ask(server.base_url, asking(), seconds=0.5)
    assert time.monotonic() - began < 5.0
    assert answer.failure == "infrastructure"
    [attempt] = answer.attempts
    assert attempt.seconds == took(answer) >= 0.5
    assert answer.price.usd is None


def test_a_server_that_went_away_charges_nothing() -> None:
    ledger = Ledger()
    with Backend(Reply(completion(), headers={"Connection": "close"})) as server:
        entry = ModelEntry("openai:x", base_url=server.url, settings={"max_retries": 1})
        model = open_model("m", {"m": entry}, ledger=ledger)

        async def twice() -> Answer:
            await model.ask(asking(), seconds=20)
            server.__exit__(None, None, None)
            return await model.ask(asking(), seconds=20)

        answer = asyncio.run(twice())
    assert (answer.failure, len(answer.attempts), ledger.lost) == ("infrastructure", 2, 0)


def test_a_server_that_was_never_there_is_named_at_once() -> None:
    with Backend(completion()) as gone:
        pass
    entry = ModelEntry("openai:x", base_url=gone.url, settings={"max_retries": 1})
    model = open_model("m", {"m": entry})
    with pytest.raises(InputError, match=r"m cannot be reached: cannot connect to 127\.0\.0\.1:"):
        asyncio.run(model.ask(asking(), seconds=20))


def test_that_it_is_tried_again_is_said_once_and_not_after_an_answer() -> None:
    with Backend(completion()) as gone:
        pass
    said: list[str] = []
    entry = ModelEntry("openai:x", base_url=gone.url, settings={"max_retries": 2})
    with pytest.raises(InputError, match="cannot be reached"):
        asyncio.run(Models({"m": entry}, say=said.append).open("m").ask(asking(), seconds=20))
    (sentence,) = said
    assert sentence.startswith("No answer from m yet: cannot connect to 127.0.0.1:")
    assert sentence.endswith("; trying again.")

    said.clear()
    with ChaosServer(scripted(["Hello."] * 2)) as server:
        entry = ModelEntry("openai:x", base_url=server.base_url, settings={"max_retries": 1})
        model = Models({"m": entry}, say=said.append).open("m")

        async def twice() -> Answer:
            await model.ask(asking(), seconds=20)
            server.faults = {"server_error": 1.0}
            return await model.ask(asking(), seconds=20)

        assert len(asyncio.run(twice()).attempts) == 2
    assert said == []


def test_one_that_cuts_its_reply_off_may() -> None:
    ledger = Ledger()
    with ChaosServer(scripted([]), faults={"cut": 1.0}) as server:
        entry = ModelEntry("openai:x", base_url=server.base_url, settings={"max_retries": 1})
        model = open_model("m", {"m": entry}, ledger=ledger)
        answer = asyncio.run(model.ask(asking(), seconds=20))
    assert (answer.failure, len(answer.attempts), ledger.lost) == ("infrastructure", 2, 2)


def test_each_request_has_its_own_seed() -> None:
    with Backend(completion()) as backend:
        models = Models({"m": ModelEntry("openai:x", base_url=backend.url)})

        async def three() -> list[Answer]:
            asks = [models.open("m").ask(asking(seed=seed), seconds=20) for seed in (7, 8, 9)]
            answers = [await one for one in asks]
            return [*answers, await models.open("m").ask(asking(), seconds=20)]

        answers = asyncio.run(three())
    assert [sent.body.get("seed") for sent in backend.sent] == [7, 8, 9, None]
    assert [answer.sent.get("seed") for answer in answers] == [7, 8, 9, None]


def test_the_pace_of_an_entry_is_kept() -> None:
    with ChaosServer(scripted(["ok"] * 4)) as server:
        entry = ModelEntry("openai:x", base_url=server.base_url, per_minute=300)
        models = Models({"m": entry})

        async def four() -> None:
            await asyncio.gather(
                *(models.open("m").ask(asking(user=str(n)), seconds=20) for n in range(4))
            )

        asyncio.run(four())
        began = sorted(entry.began for entry in server.log)
    assert all(b - a > 0.1 for a, b in pairwise(began))


def test_waiting_for_a_place_takes_none_of_the_time() -> None:
    with ChaosServer(scripted(["ok"] * 8), delay=0.2) as server:
        entry = ModelEntry("openai:x", base_url=server.base_url, concurrency=1)
        models = Models({"m": entry})

        async def eight() -> list[Answer]:
            asks = [models.open("m").ask(asking(user=str(n)), seconds=0.8) for n in range(8)]
            return list(await asyncio.gather(*asks))

        answers = asyncio.run(eight())
    assert [answer.failure for answer in answers] == [None] * 8
    assert max(map(took, answers)) < 0.8
    waits = sorted(answer.waited or 0.0 for answer in answers)
    assert waits[0] < 0.2
    assert waits[-1] > 1.2


def test_stopped_it_sends_nothing_more_and_waits_for_what_it_sent() -> None:
    with ChaosServer(scripted(["ok"] * 20), delay=0.5) as server:
        entry = ModelEntry("openai:x", base_url=server.base_url, concurrency=2)
        models = Models({"m": entry})

        async def ten() -> list[Answer | BaseException]:
            asks = [
                asyncio.create_task(models.open("m").ask(asking(user=str(n)), seconds=20))
                for n in range(10)
            ]
            while len(server.log) < 2:
                await asyncio.sleep(0.01)
            assert models.stop() == 2
            done = await asyncio.gather(*asks, return_exceptions=True)
            with pytest.raises(CallsStopped):
                await models.open("m").ask(asking(), seconds=20)
            await models.close()
            assert (await models.open("m").ask(asking(), seconds=20)).failure is None
            return done

        done = asyncio.run(ten())
    assert [isinstance(one, CallsStopped) for one in done] == [False] * 2 + [True] * 8
    assert len(server.log) == 3


def test_what_is_opened_after_a_stop_sends_nothing_either() -> None:
    with Backend(completion()) as backend:
        models = Models({"m": ModelEntry("openai:x", base_url=backend.url)})
        assert models.stop() == 0
        with pytest.raises(CallsStopped):
            asyncio.run(models.open("m").ask(asking(), seconds=20))
    assert backend.sent == []


def test_what_cannot_fit_is_not_sent() -> None:
    long = asking(Message("user", (Text("Hello there. " * 1000),)))
    with Backend(completion()) as backend:
        answer = ask(backend.url, long, context=2000)
        assert ask(backend.url, long, context=20_000).failure is None
    assert (answer.failure, answer.attempts, answer.price.usd) == ("context_overflow", (), 0.0)
    assert "2,000" in (answer.why or "")
    assert len(backend.sent) == 1


@pytest.mark.parametrize(("context", "failure"), [(1100, "context_overflow"), (1101, None)])
def test_a_reply_that_no_longer_fits_is_no_answer(context: int, failure: str | None) -> None:
    """By the provider's own count, and paid for all the same."""
    price = PriceEntry(input=2.0, output=10.0)
    with Backend(completion(usage=USAGE, finish="length")) as backend:
        answer = ask(backend.url, asking(), context=context, price=price)
    assert answer.failure == failure
    assert (answer.message is None) == (failure is not None)
    assert answer.price.usd == pytest.approx(0.003)


def test_the_context_is_part_of_the_identity() -> None:
    entry = ModelEntry("openai:x", base_url="http://127.0.0.1:9/v1", context=4096)
    assert open_model("m", {"m": entry}).identity["context"] == 4096


def test_connections_leave_the_process_as_it_was() -> None:
    with Backend(completion()) as backend:
        ask(backend.url, asking())
        before = list(warnings.filters)
        for _ in range(3):
            ask(backend.url, asking())
        assert warnings.filters == before


def test_making_ready_opens_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[httpx2.AsyncHTTPTransport] = []

    class Transport(httpx2.AsyncHTTPTransport):
        def __init__(self, *arguments: Any, **more: Any) -> None:
            made.append(self)
            super().__init__(*arguments, **more)

    monkeypatch.setattr("httpx2._client.AsyncHTTPTransport", Transport)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none-such-key")
    for name in ("openai:gpt-5-mini", "mine"):
        models = Models({"mine": ModelEntry("openai:x", base_url="http://127.0.0.1:9/v1")})
        models.open(name)
        models.ready()
    assert made == []


def test_a_filter_that_leaves_nothing_is_a_refusal() -> None:
    problem = theirs.ContentFilterError("The content filter was triggered.")
    found = problem_of(problem, "m", "KEY", Redactor())
    assert isinstance(found, Fault)
    assert (found.failure, found.again, found.charged) == ("refusal", False, True)


def test_a_request_that_is_refused_is_not_repeated() -> None:
    with Backend(Reply({"error": {"message": "bad tool"}}, 400)) as backend:
        answer = ask(backend.url, asking())
    assert (answer.failure, len(backend.sent)) == ("rejected", 1)
    assert "bad tool" in (answer.why or "")


def test_a_content_policy_error_is_a_refusal() -> None:
    error = {"error": {"message": "not this", "code": "content_policy_violation"}}
    with Backend(Reply(error, 400)) as backend:
        assert ask(backend.url, asking()).failure == "refusal"


@pytest.mark.parametrize(
    "error",
    [
        {
            "code": 403,
            "message": "It requires moderation. Your input was flagged.",
            "metadata": {"reasons": ["violence"], "flagged_input": "..."},
        },
        {"message": "Blocked by our content policy.", "type": "forbidden"},
    ],
)
def test_one_flagged_input_is_a_refusal_and_not_the_keys_fault(error: dict[str, Any]) -> None:
    with Backend(Reply({"error": error}, 403)) as backend:
        answer = ask(backend.url, asking())
    assert (answer.failure, len(backend.sent)) == ("refusal", 1)


def test_a_redirect_is_of_what_lies_between_and_is_tried_again() -> None:
    moved = Reply({"error": {"message": "log in"}}, 302, {"Location": "http://127.0.0.1:9/"})
    with Backend(moved, completion()) as backend:
        answer = ask(backend.url, asking())
    assert answer.failure is None
    assert [attempt.failure for attempt in answer.attempts] == ["infrastructure"]


@pytest.mark.parametrize("status", [401, 403, 402, 404])
def test_what_the_user_has_to_put_right_stops_the_run(status: int) -> None:
    with (
        Backend(Reply({"error": {"message": "no"}}, status)) as backend,
        pytest.raises(InputError, match="mine"),
    ):
        ask(backend.url, asking())


HOSTILE: list[tuple[str, Callable[[], dict[str, Any] | bytes]]] = [
    ("no choices", lambda: {**completion(), "choices": []}),
    ("choices null", lambda: {**completion(), "choices": None}),
    ("a list", lambda: b"[]"),
    ("a number", lambda: b"3"),
    ("empty", lambda: b""),
    ("no message", lambda: {**completion(), "choices": [{"index": 0, "finish_reason": "stop"}]}),
    ("usage of nonsense", lambda: completion(usage={"prompt_tokens": "many"})),
    ("half a pair", lambda: completion("a \ud800 b", calls=[("lo\udfffok", '{"a": "\\ud800"}')])),
    ("deep", lambda: completion(None, calls=[("look", '{"a":' * 5000)])),
    ("huge number", lambda: completion(None, calls=[("look", '{"a": 1e999}')])),
    ("not an object", lambda: completion(None, calls=[("look", '["a"]'), ("look", '"a"')])),
    ("tool without a name", lambda: completion(None, calls=[("", "{}")])),
    ("model is null", lambda: {**completion(), "model": None}),
    ("a finish nobody knows", lambda: completion(finish="tired")),
]


@pytest.mark.parametrize(("name", "body"), HOSTILE, ids=[name for name, _ in HOSTILE])
def test_a_hostile_reply_is_an_answer_that_can_be_stored(
    name: str, body: Callable[[], dict[str, Any] | bytes]
) -> None:
    with Backend(Reply(body())) as backend:
        answer = ask(backend.url, asking(), seconds=5.0, settings=QUICK)
    stored = msgspec.json.decode(msgspec.json.encode(answer), type=Answer)
    assert (stored.message is None) == (stored.failure is not None)
    if answer.failure is not None:
        assert answer.failure in ("malformed", "infrastructure")
        assert len(answer.attempts) == 3


def test_cancelled_it_ends_the_call_in_flight() -> None:
    brain = scripted([ChatReply("late")])
    with ChaosServer(brain, delay=30.0) as server:
        model = open_model("m", {"m": ModelEntry("openai:x", base_url=server.base_url)})

        async def cut() -> float:
            task = asyncio.create_task(model.ask(asking(), seconds=60))
            while not server.log:
                await asyncio.sleep(0.01)
            began = time.monotonic()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return time.monotonic() - began

        assert asyncio.run(cut()) < 1.0


def test_one_model_serves_one_event_loop_after_another() -> None:
    with Backend(completion()) as backend:
        model = open_model("m", {"m": ModelEntry("openai:x", base_url=backend.url)})
        for _ in range(2):
            assert asyncio.run(model.ask(asking(), seconds=20)).failure is None


def test_no_more_calls_in_flight_than_allowed() -> None:
    with ChaosServer(scripted([ChatReply("ok")] * 6), delay=0.1) as server:
        entry = ModelEntry("openai:x", base_url=server.base_url, concurrency=2)
        models = Models({"m": entry})

        async def six() -> list[Answer]:
            asks = [models.open("m").ask(asking(user=str(n)), seconds=20) for n in range(6)]
            return list(await asyncio.gather(*asks))

        answers = asyncio.run(six())
        spans = [(entry.began, entry.ended or 0.0) for entry in server.log]
    assert all(answer.failure is None for answer in answers)
    most = max(sum(a <= t < b for a, b in spans) for t, _ in spans)
    assert most == 2
    assert max(map(took, answers)) < 2 * min(map(took, answers)) + 0.3


def test_its_identity_names_endpoint_and_settings_and_no_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MY_KEY", "sk-topsecret")
    entry = ModelEntry(
        "openai:x",
        base_url="http://127.0.0.1:9/v1",
        key_env="MY_KEY",
        settings={"temperature": 0.1, "timeout": 5},
    )
    identity = open_model("m", {"m": entry}).identity
    assert identity == {
        "model": "openai:x",
        "endpoint": "http://127.0.0.1:9/v1",
        "settings": {"temperature": 0.1},
    }
