"""What single nodes and sessions of a Kitaru file state, read without guessing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import msgspec
from msgspec import UNSET

from ringback.canonical import Json
from ringback.episode.wire import Message, Price, Request, Usage
from ringback.formats.messages import conversation_of, tools_of
from ringback.formats.values import count, instant, text, usd

__all__ = [
    "SOURCE",
    "answer_of",
    "price",
    "request_of",
    "seconds",
    "selected",
    "shown",
    "text_of",
    "usage",
]

_Object = dict[str, Any]

SOURCE = "stated by Kitaru"
"""Where a price comes from that a node states."""


def text_of(node: _Object, name: str) -> str | None:
    """A field that is a text and not empty."""
    return text(node.get(name))


def seconds(node: _Object) -> float | None:
    """How long a node took; None unless both its times are known."""
    began, ended = instant(node.get("started_at")), instant(node.get("ended_at"))
    return None if began is None or ended is None else max(ended - began, 0.0)


def usage(node: _Object) -> Usage:
    """The tokens that a node states."""
    tokens: Any = node.get("tokens")
    counts = cast("_Object", tokens) if isinstance(tokens, dict) else {}

    return Usage(
        input=count(counts.get("input_tokens")),
        output=count(counts.get("output_tokens")),
        cached=count(counts.get("cached_input_tokens")),
        reasoning=count(counts.get("reasoning_tokens")),
    )


def price(node: _Object) -> Price:
    """The cost that a node states, in USD; unknown if it states none that is one."""
    found = usd(node.get("cost"))
    return Price(None, "not stated") if found is None else Price(found, SOURCE)


def request_of(node: _Object) -> Request | None:
    """The request of a model call, if its inputs are messages in a form that we know."""
    inputs: Any = node["inputs"]
    given = cast("_Object", inputs) if isinstance(inputs, dict) else {"messages": inputs}
    found = conversation_of(given.get("messages"))
    tools = tools_of(given.get("tools") or [])
    system = given.get("system", "" if found is None else found.system) or ""
    if found is None or tools is None or not isinstance(system, str):
        return None
    if "system" in given and found.system is not None:
        return None  # instructions in two places
    params = node.get("model_params")
    settings = cast("dict[str, Json]", params) if isinstance(params, dict) else {}
    return Request(system, found.messages, tools, settings, given.get("form"))


def answer_of(node: _Object) -> tuple[Message | None, str | None]:
    """The reply of a model call, and why it ended; None where the outputs are no message."""
    for value in _candidates(node["outputs"]):
        found = conversation_of([value])
        if found is not None and found.messages and found.messages[0].role == "assistant":
            finish = cast("_Object", value).get("finish_reason")
            return found.messages[0], finish if isinstance(finish, str) else None
    if isinstance(node["outputs"], str):
        found = conversation_of([{"role": "assistant", "content": node["outputs"]}])
        return (found.messages[0] if found else None), None
    return None, None


def _candidates(outputs: object) -> Iterator[object]:
    if isinstance(outputs, list):
        yield from cast("list[Any]", outputs)[-1:]
    elif isinstance(outputs, dict):
        given = cast("_Object", outputs)
        yield given
        yield given.get("message")
        for name in ("choices", "messages", "output"):
            inner = given.get(name)
            if isinstance(inner, list) and inner:
                last: Any = cast("list[Any]", inner)[-1]
                yield last
                if isinstance(last, dict):
                    choice = cast("_Object", last)
                    message: Any = choice.get("message")
                    if isinstance(message, dict):
                        yield {"finish_reason": choice.get("finish_reason"), **message}


def selected(record: _Object, which: str) -> str | None:
    """The text of a session's inputs or outputs that its selector names, or that they are."""
    value: Any = record[f"{which}s"]
    pointer = record.get(f"{which}_text_selector")
    if isinstance(pointer, str) and pointer.startswith("/"):
        for token in pointer[1:].split("/"):
            value = _inside(value, token.replace("~1", "/").replace("~0", "~"))
    return value if isinstance(value, str) and value.strip() else None


def _inside(value: object, token: str) -> object:
    if isinstance(value, dict):
        return cast("_Object", value).get(token, UNSET)
    if isinstance(value, list) and token.isdecimal() and len(token) < 10:
        items = cast("list[Any]", value)
        return items[int(token)] if int(token) < len(items) else UNSET
    return UNSET


def shown(node: _Object) -> str:
    """A tool's answer as text."""
    outputs = node["outputs"]
    if isinstance(outputs, str):
        return outputs
    if outputs is None:
        return text_of(node, "error") or ""

    return msgspec.json.encode(outputs).decode()
