"""The lean client sends what the SDK's own sends."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from openai import AsyncOpenAI

from ringback.models.lean import lean_client
from tests.models.backend import Backend, Reply, completion

CALL = {"id": "c0", "type": "function", "function": {"name": "look", "arguments": '{"a":1}'}}
TOOL = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}
MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": "Help."},
    {"role": "user", "content": "Hi"},
    {"role": "assistant", "content": None, "tool_calls": [CALL], "reasoning_content": "hm"},
    {"role": "tool", "tool_call_id": "c0", "content": "found"},
    {"role": "user", "content": [{"type": "text", "text": "and?"}]},
]


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"tools": [TOOL], "tool_choice": "auto", "parallel_tool_calls": False},
        {"temperature": 0.5, "top_p": 0.9, "seed": 3, "stop": ["x"], "max_completion_tokens": 9},
        {"extra_body": {"top_k": 4}, "extra_headers": {"X-Run": "1"}, "timeout": 5.0},
        {"response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": {}}}},
        {"stream": False, "logit_bias": {"5": 1}, "reasoning_effort": "low", "user": "u"},
    ],
)
def test_it_sends_the_same(more: dict[str, Any]) -> None:
    with Backend(completion()) as backend:

        async def both() -> list[Any]:
            found: list[Any] = []
            for client in (
                AsyncOpenAI(base_url=backend.url, api_key="k-123456"),
                lean_client(backend.url, "k-123456", None),
            ):
                async with client:
                    create: Any = client.with_options(max_retries=0).chat.completions.create
                    found.append(await create(model="m", messages=MESSAGES, **more))
            return found

        first, second = asyncio.run(both())
    assert first == second
    theirs, ours = backend.sent
    assert theirs.path == ours.path
    assert theirs.body == ours.body
    assert theirs.headers == ours.headers


def test_it_fails_the_same() -> None:
    with Backend(Reply({"error": {"message": "no", "code": "x"}}, 400)) as backend:

        async def fail() -> None:
            async with lean_client(backend.url, None, None) as client:
                await client.chat.completions.create(model="m", messages=[])

        with pytest.raises(Exception, match="no") as caught:
            asyncio.run(fail())
    assert type(caught.value).__name__ == "BadRequestError"
