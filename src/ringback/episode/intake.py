"""What a participant answered, made fit for the record. Nothing is dropped without a word."""

from __future__ import annotations

import json
import math
from typing import Any, cast

from ringback.canonical import Json
from ringback.episode.events import Call
from ringback.episode.participants import Reply

__all__ = ["as_json", "take_in"]

_MAX_INT = 2**63 - 1
_DEPTH = 100


def take_in(reply: Reply) -> tuple[Reply, tuple[str, ...]]:
    """The reply as it can be stored, and what had to be changed.

    Half a surrogate pair, which no UTF-8 holds, becomes U+FFFD. Arguments with what JSON cannot
    hold (NaN, infinities, integers over 64 bits, nesting over 100 levels) are kept as text, which
    the tool then refuses.
    """
    changed: list[str] = []
    text = None if reply.text is None else _text(reply.text, "the text", changed)
    rule = None if reply.rule is None else _text(reply.rule, "the rule", changed)
    calls = tuple(_call(call, changed) for call in reply.calls)
    return Reply(text, calls, rule), tuple(changed)


def as_json(value: Any) -> Json:
    """The value as it can be stored: itself, or spelled as text where no JSON can hold it.

    Half a surrogate pair is replaced within it, and lists stand for tuples.
    """
    try:
        return _json(value, [], 0)
    except ValueError:
        return _text(_spelled(value), "it", [])


def _text(text: str, where: str, changed: list[str]) -> str:
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        changed.append(f"{where} held half a surrogate pair")
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _call(call: Call, changed: list[str]) -> Call:
    tool = _text(call.tool, "a tool's name", changed)
    name = None if call.id is None else _text(call.id, "a call's id", changed)
    try:
        arguments = _json(call.arguments, changed, 0)
    except ValueError as problem:
        changed.append(f"the arguments of {tool} held {problem}")
        arguments = _spelled(call.arguments)
    return Call(tool, arguments, name)


def _json(value: Any, changed: list[str], depth: int) -> Json:
    if depth > _DEPTH:
        raise ValueError(f"more than {_DEPTH} levels of nesting")
    match value:
        case str():
            return _text(value, "an argument", changed)
        case bool() | None:
            return value
        case int():
            if abs(value) > _MAX_INT:
                raise ValueError("an integer over 64 bits")
            return value
        case float():
            if not math.isfinite(value):
                raise ValueError("a number that is not finite")
            return value
        case list() | tuple():
            return [_json(item, changed, depth + 1) for item in cast("list[Any]", value)]
        case dict():
            items = cast("dict[Any, Any]", value).items()
            if not all(isinstance(key, str) for key, _ in items):
                raise ValueError("a name that is not text")
            return {
                _text(key, "an argument's name", changed): _json(item, changed, depth + 1)
                for key, item in items
            }
        case _:
            raise ValueError(f"a {type(value).__name__}")


def _spelled(value: Any) -> str:
    try:
        text = json.dumps(value, default=repr)
    except (ValueError, RecursionError):
        text = "(arguments that cannot be spelled)"
    return text
