"""Other protocols than chat completions: signed blocks come back where they belong."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import msgspec
import pytest

from ringback.episode.wire import Answer, Asked, Given, Message, Opaque, Request, Text, Thought
from ringback.models import ModelEntry, Models
from tests.models.backend import Backend, Reply, asking

CLAUDE: dict[str, Any] = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-haiku-4-5",
    "content": [
        {"type": "thinking", "thinking": "Look first.", "signature": "c2lnbmVk"},
        {"type": "redacted_thinking", "data": "aGlkZGVu"},
        {"type": "text", "text": "One moment."},
        {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"at": "line"}},
    ],
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": {
        "input_tokens": 100,
        "cache_read_input_tokens": 900,
        "cache_creation_input_tokens": 50,
        "output_tokens": 40,
    },
}

RESPONSE: dict[str, Any] = {
    "id": "resp_1",
    "object": "response",
    "created_at": 1_700_000_000,
    "model": "gpt-5.2",
    "status": "completed",
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
    "output": [
        {
            "type": "reasoning",
            "id": "rs_1",
            "summary": [{"type": "summary_text", "text": "Look first."}],
            "encrypted_content": "ZW5jcnlwdGVk",
        },
        {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": "One moment.", "annotations": []}],
        },
        {
            "type": "function_call",
            "id": "fc_1",
            "call_id": "call_1",
            "name": "look",
            "arguments": '{"at":"line"}',
            "status": "completed",
        },
    ],
    "usage": {
        "input_tokens": 1050,
        "input_tokens_details": {"cached_tokens": 900},
        "output_tokens": 40,
        "output_tokens_details": {"reasoning_tokens": 25},
        "total_tokens": 1090,
    },
}

GEMINI: dict[str, Any] = {
    "candidates": [
        {
            "content": {
                "role": "model",
                "parts": [
                    {"text": "Look first.", "thought": True},
                    {
                        "functionCall": {"name": "look", "args": {"at": "line"}},
                        "thoughtSignature": "c2lnbmVk",
                    },
                ],
            },
            "finishReason": "STOP",
            "index": 0,
        }
    ],
    "modelVersion": "gemini-3-flash",
    "responseId": "r1",
    "usageMetadata": {
        "promptTokenCount": 1050,
        "cachedContentTokenCount": 900,
        "candidatesTokenCount": 15,
        "thoughtsTokenCount": 25,
        "totalTokenCount": 1090,
    },
}


def twice(backend: Backend, model: str, path: str = "", **settings: Any) -> tuple[Answer, Request]:
    """Ask, store the answer, give a result, ask again; the first answer and the second request."""
    entry = ModelEntry(model, base_url=backend.url + path, key_env="THE_KEY", settings=settings)
    models = Models({"mine": entry})
    opening = Message("user", (Text("It is slow."),))

    async def talk() -> tuple[Answer, Request]:
        answer = await models.open("mine").ask(asking(opening), seconds=20)
        assert answer.message is not None, answer.why
        stored = msgspec.json.decode(msgspec.json.encode(answer.message), type=Message)
        (call,) = [part for part in stored.parts if isinstance(part, Asked)]
        result = Message("user", (Given(call.id, call.tool, "Error: no", error=True),))
        second = asking(opening, stored, result)
        await models.open("mine").ask(second, seconds=20)
        return answer, second

    return asyncio.run(talk())


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THE_KEY", "sk-test-0123456789")


def test_anthropic() -> None:
    with Backend(CLAUDE) as backend:
        answer, _ = twice(
            backend, "anthropic:claude-haiku-4-5", temperature=0.2, seed=1, max_tokens=900
        )
    assert answer.message is not None
    shown = [part for part in answer.message.parts if not isinstance(part, Opaque)]
    assert shown == [
        Thought("Look first.", {"signature": "c2lnbmVk"}),
        Thought("", {"id": "redacted_thinking", "signature": "aGlkZGVu"}),
        Text("One moment."),
        Asked("look", {"at": "line"}, "toolu_1"),
    ]
    assert answer.usage == msgspec.structs.replace(
        answer.usage, input=1050, output=40, cached=900, written=50
    )
    assert set(answer.dropped) == {"seed"}
    assert answer.sent["cache"] is True
    second = backend.sent[1].body
    assert second["temperature"] == 0.2
    _, assistant, result = second["messages"]
    sent = [{k: v for k, v in b.items() if k != "cache_control"} for b in assistant["content"]]
    assert sent == CLAUDE["content"]
    (block,) = result["content"]
    assert (block["tool_use_id"], block["is_error"]) == ("toolu_1", True)
    assert "no" in str(block["content"])
    assert "error" not in str(block["content"]).replace("Error: no", "")


def events(*found: dict[str, Any]) -> Reply:
    lines = [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in found]
    return Reply("".join(lines).encode(), 200, {"Content-Type": "text/event-stream"})


def test_anthropic_where_a_reply_may_be_long() -> None:
    """Without max_tokens the library asks for all that the model has, as a stream."""
    begun: dict[str, Any] = {**CLAUDE, "content": [], "stop_reason": None}
    done = {"stop_reason": "tool_use", "stop_sequence": None}
    empty: dict[str, Any] = {**CLAUDE["content"][3], "input": {}}
    stream = events(
        {"type": "message_start", "message": begun},
        {"type": "content_block_start", "index": 0, "content_block": empty},
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "input_json_delta", "partial_json": '{"at": "line"}'},
        },
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": done, "usage": {"output_tokens": 40}},
        {"type": "message_stop"},
    )
    with Backend(stream) as backend:
        answer, _ = twice(backend, "anthropic:claude-haiku-4-5")
        assert backend.sent[0].body["stream"] is True
    assert answer.message is not None
    assert answer.message.parts[0] == Asked("look", {"at": "line"}, "toolu_1")
    assert (answer.usage.input, answer.usage.cached, answer.usage.output) == (1050, 900, 40)


def test_openai_responses() -> None:
    with Backend(RESPONSE) as backend:
        answer, _ = twice(backend, "openai-responses:gpt-5.2", "/v1", stop_sequences=["x"])
    assert answer.message is not None
    assert backend.sent[0].path == "/v1/responses"
    kinds = [type(part) for part in answer.message.parts]
    assert kinds == [Thought, Text, Asked, Opaque]
    assert (answer.usage.input, answer.usage.cached) == (1050, 900)
    assert (answer.usage.output, answer.usage.reasoning) == (40, 25)
    assert set(answer.dropped) == {"stop_sequences"}
    sent = {item.get("type", "message"): item for item in backend.sent[1].body["input"]}
    assert sent["reasoning"]["encrypted_content"] == "ZW5jcnlwdGVk"
    assert sent["reasoning"]["id"] == "rs_1"
    assert sent["function_call"]["call_id"] == "call_1"
    assert sent["function_call"]["id"] == "fc_1"
    assert sent["function_call_output"]["output"] == "Error: no"
    said = [item for item in backend.sent[1].body["input"] if item.get("role") == "assistant"]
    assert [item.get("id") for item in said] == ["msg_1"]


def test_google() -> None:
    pytest.importorskip("google.genai")
    with Backend(GEMINI) as backend:
        answer, _ = twice(backend, "google:gemini-3-flash", parallel_tool_calls=False, top_k=4)
    assert answer.message is not None
    assert Thought("Look first.") in answer.message.parts
    assert (answer.usage.input, answer.usage.cached) == (1050, 900)
    assert (answer.usage.output, answer.usage.reasoning) == (40, 25)
    assert set(answer.dropped) == {"parallel_tool_calls"}
    model = backend.sent[1].body["contents"][1]
    assert model["role"] == "model"
    assert "c2lnbmVk" in str(model["parts"]).replace("_", "/")


def test_an_overloaded_provider_is_asked_again() -> None:
    busy = Reply({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}, 529)
    with Backend(busy, CLAUDE) as backend:
        answer, _ = twice(backend, "anthropic:claude-haiku-4-5", max_tokens=900)
        assert len(backend.sent) == 3
    assert [attempt.failure for attempt in answer.attempts] == ["infrastructure"]
