"""What a model call costs this program in processor time, and how many it can have in flight."""

from __future__ import annotations

import asyncio
import json
import statistics
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import msgspec

from benchmarks.rows import Row
from ringback.episode.wire import Answer, Asked, Given, Message, Request, Text, ToolSpec

__all__ = ["rows"]

_CALLS = 60
_POLICY = "A rule of the policy, worded as policies are worded. " * 1600  # 20,000 tokens or so


def rows() -> Iterator[Row]:
    """A call late in a long session, 100 steps behind it; then many at once."""
    from ringback.models import ModelEntry, Models
    from ringback.testing import ChaosServer, ChatReply

    request = _long()
    yield Row("our CPU per model call, 100 steps in", asyncio.run(_ours(request)) * 1e3, "ms", 2.0)
    yield Row("  the client library's, the same call", asyncio.run(_theirs(request)) * 1e3, "ms")
    with ChaosServer(lambda _: ChatReply("One moment, please."), delay=0.25) as server:
        models = Models({"m": ModelEntry("openai:m", base_url=server.base_url)})
        small = msgspec.structs.replace(request, system="Be brief.", messages=request.messages[:1])
        took = asyncio.run(_many(lambda: models.open("m").ask(small, seconds=60)))
    yield Row("64 at once, replies after 250 ms, 4 each", took, "s", note="ideal 1.0 s")


def _long() -> Request:
    messages: list[Message] = []
    for step in range(50):
        call = Asked("get_details_by_id", {"id": f"L{1000 + step}"}, f"call_{step}")
        result = Given(
            f"call_{step}", "get_details_by_id", json.dumps({"line": step, "x": "y" * 400})
        )
        messages += [
            Message("user", (result if step else Text("My data is slow."),)),
            Message("assistant", (Text("Let me look at that."), call), "openai-compatible"),
        ]
    messages.append(Message("user", (Given("call_49", "get_details_by_id", "{}"),)))
    schema: dict[str, Any] = {"type": "object", "properties": {"id": {"type": "string"}}}
    tools = tuple(ToolSpec(f"tool_{n}", "Does a thing. " * 10, schema) for n in range(13))
    return Request(_POLICY, tuple(messages), tools, {"temperature": 0.0, "seed": 1})


async def _ours(request: Request) -> float:
    """Median CPU seconds of a call whose client library answers at once."""
    from pydantic_ai.messages import ModelResponse, TextPart
    from pydantic_ai.usage import RequestUsage

    from ringback.models import ModelEntry, client, open_model

    async def at_once(*_: object, **__: object) -> ModelResponse:
        return ModelResponse(
            parts=[TextPart(content="One moment, please.")],
            usage=RequestUsage(input_tokens=30_000, output_tokens=5),
            model_name="gpt-5.2",
            provider_name="openai-compatible",
        )

    entry = ModelEntry("openai:gpt-5.2", base_url="https://api.openai.com/v1")  # for its price
    model = open_model("m", {"m": entry})
    real, client.model_request = client.model_request, at_once
    try:
        return await _median(lambda: model.ask(request, seconds=60))
    finally:
        client.model_request = real


async def _theirs(request: Request) -> float:
    """Median CPU seconds of the client library for the same call, over a transport in memory."""
    import httpx2
    from pydantic_ai.direct import model_request

    from ringback.models.client import Target, build
    from ringback.models.convert import messages_of, parameters_of

    reply = {
        "id": "c",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": "One moment, please."},
            }
        ],
        "usage": {"prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 14},
    }
    transport = httpx2.MockTransport(lambda _: httpx2.Response(200, json=reply))
    async with httpx2.AsyncClient(transport=transport) as http:
        address = "http://127.0.0.1:9/v1"
        target = Target("m", "openai:m", base_url=address, named=True, key_env=None)
        model = build(target, http)
        messages, parameters = messages_of(request, model.system), parameters_of(request)
        return await _median(
            lambda: model_request(model, messages, model_request_parameters=parameters)
        )


async def _median(ask: Callable[[], Awaitable[object]]) -> float:
    await ask()
    spent: list[float] = []
    for _ in range(_CALLS):
        began = time.process_time()
        await ask()
        spent.append(time.process_time() - began)
    return statistics.median(spent)


async def _many(ask: Callable[[], Awaitable[Answer]]) -> float:
    """Seconds that 64 conversations of four calls each take side by side."""

    async def four() -> None:
        for _ in range(4):
            answer = await ask()
            assert answer.failure is None, answer.why

    await ask()
    began = time.perf_counter()

    await asyncio.gather(*(four() for _ in range(64)))
    return time.perf_counter() - began
