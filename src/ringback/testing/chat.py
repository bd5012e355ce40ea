"""A model's replies as OpenAI's chat completions spell them."""

from __future__ import annotations

import json
from typing import Any

from msgspec import Struct

from ringback.canonical import Json
from ringback.episode.wire import Usage

__all__ = ["ChatCall", "ChatReply", "completion", "counted", "failure"]

_CHARACTERS_PER_TOKEN = 4


class ChatCall(Struct, frozen=True):
    """A tool call; `arguments` as text goes out as it is, valid JSON or not."""

    tool: str
    arguments: Json
    id: str | None = None


class ChatReply(Struct, frozen=True):
    """What the model answers: words, calls, or both; `refusal` in place of them.

    `usage` None counts a token for every four characters, all of the request's but its last
    message as cached; one that knows nothing is not sent, as where a server counts none.
    """

    text: str | None = None
    calls: tuple[ChatCall, ...] = ()
    reasoning: str | None = None
    refusal: str | None = None
    usage: Usage | None = None


def completion(reply: ChatReply, usage: Usage, number: int, model: str) -> dict[str, Any]:
    """The body of a whole answer, to the server's `number`-th request."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.text}
    if reply.reasoning is not None:
        message["reasoning_content"] = reply.reasoning
    if reply.refusal is not None:
        message["refusal"] = reply.refusal
    if reply.calls:
        message["tool_calls"] = [
            {
                "id": call.id or f"call_{number}_{index}",
                "type": "function",
                "function": {"name": call.tool, "arguments": _spelled(call.arguments)},
            }
            for index, call in enumerate(reply.calls)
        ]
    finish = "content_filter" if reply.refusal else "tool_calls" if reply.calls else "stop"
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}],
        "usage": _usage(usage) or None,
    }


def failure(status: int, message: str, kind: str, code: str | None) -> tuple[int, dict[str, Any]]:
    """A status and the body that goes with it."""
    return status, {"error": {"message": message, "type": kind, "param": None, "code": code}}


def _spelled(arguments: Json) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


def counted(reply: ChatReply, request: dict[str, Any], size: int) -> Usage:
    """Tokens by length; `size` is the request's in bytes."""
    last = _tokens(json.dumps((request.get("messages") or [None])[-1], ensure_ascii=False))
    spoken = [reply.text or "", *(_spelled(call.arguments) for call in reply.calls)]
    reasoning = _tokens(reply.reasoning or "")
    whole = max(-(-size // _CHARACTERS_PER_TOKEN), last)
    return Usage(
        input=whole,
        output=sum(map(_tokens, spoken)) + reasoning,
        cached=whole - last,
        reasoning=reasoning,
    )


def _tokens(text: str) -> int:
    return -(-len(text) // _CHARACTERS_PER_TOKEN)


def _usage(usage: Usage) -> dict[str, Any]:
    known: dict[str, Any] = {}
    if usage.input is not None:
        known["prompt_tokens"] = usage.input
    if usage.output is not None:
        known["completion_tokens"] = usage.output
    if usage.input is not None and usage.output is not None:
        known["total_tokens"] = usage.input + usage.output
    if usage.cached is not None:
        known["prompt_tokens_details"] = {"cached_tokens": usage.cached}
    if usage.reasoning is not None:
        known["completion_tokens_details"] = {"reasoning_tokens": usage.reasoning}
    return known
