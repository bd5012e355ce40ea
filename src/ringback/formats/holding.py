"""Whether what was made of another program's value gives it back, so that it need not be kept.

A member that our form has no place for, or that could not be read, is given back by nothing; what
held it is then kept as it stands. A null says nothing. Between spellings of the same thing (chat
completions, content blocks, parts; JSON as value or as text) there is no difference here.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any, cast

import msgspec

from ringback.canonical import Json
from ringback.episode.wire import Asked, Given, Message, Opaque, Part, Text, Thought, ToolSpec
from ringback.formats.messages import MESSAGE_KEYS, Conversation
from ringback.formats.patch import same

__all__ = [
    "conversation_rest",
    "holds_instant",
    "holds_message",
    "holds_number",
    "tools_rest",
]

_Object = Mapping[str, Any]


def conversation_rest(raw: object, found: Conversation) -> dict[str, Json]:
    """The messages of a list, by their place in it, that its conversation does not give back."""
    items = cast("list[dict[str, Json]]", raw)
    skipped = len(items) - len(found.messages)  # instructions that stand first
    rest: dict[str, Json] = {}
    for place, item in enumerate(items):
        if place < skipped:
            held = _holds_system(found.system, item)
        else:
            held = holds_message(found.messages[place - skipped], item)
        if not held:
            rest[str(place)] = item
    return rest


def tools_rest(raw: object, specs: tuple[ToolSpec, ...]) -> dict[str, Json]:
    """The definitions of a list, by their place in it, that the tools do not give back."""
    items = cast("list[dict[str, Json]]", raw)
    return {
        str(place): item
        for place, (item, spec) in enumerate(zip(items, specs, strict=True))
        if not _holds_tool(spec, item)
    }


def holds_instant(at: float | None, value: object) -> bool:
    """Whether Unix seconds give a date back, to its zone and its last digit."""
    if at is None or not isinstance(value, str):
        return False
    moment = datetime.fromtimestamp(at, UTC)
    spellings = [moment.isoformat(timespec=how) for how in ("seconds", "milliseconds", "auto")]
    return value.replace("Z", "+00:00") in (*spellings, moment.isoformat(timespec="microseconds"))


def holds_number(number: float | None, value: object) -> bool:
    """Whether a number gives another one back that is a number or one in text."""
    if number is None or isinstance(value, bool) or not isinstance(value, int | float | str):
        return False
    try:
        return Decimal(repr(number)) == Decimal(value if isinstance(value, str) else repr(value))
    except InvalidOperation:
        return False


def holds_message(message: Message, raw: _Object) -> bool:
    """Whether a message gives back what it was read from."""
    parts = list(message.parts)
    if parts == [Opaque(cast("Json", raw))]:
        return True
    if any(value is not None for name, value in raw.items() if name not in MESSAGE_KEYS):
        parts.pop()  # it holds just these
    if raw.get("role") == "tool" and "tool_call_id" in raw:
        return _holds_result(parts[0], raw, message)
    body = "parts" if "parts" in raw else "content"
    content = raw.get(body)
    length = 1 if isinstance(content, str) else len(content or ())
    for name, value in raw.items():
        if value is None or name not in MESSAGE_KEYS:
            continue
        match name:
            case "role":
                held = value == message.role or (value == "tool" and _are_results(message))
            case "parts" | "content" if name == body:
                held = _hold_blocks(parts[:length], value)
            case "tool_calls" if isinstance(value, list):
                calls = cast("list[Any]", value)
                held = all(map(_holds_block, parts[length:], calls))
            case "provider":
                held = value == message.provider
            case _:
                held = False
        if not held:
            return False
    return True


def _are_results(message: Message) -> bool:
    return all(isinstance(part, Given) for part in message.parts)


def _holds_system(system: str | None, raw: _Object) -> bool:
    body = "parts" if "parts" in raw else "content"
    if any(value is not None for name, value in raw.items() if name not in ("role", body)):
        return False
    return raw["role"] == "system" and system is not None and _holds_text(system, raw.get(body))


def _hold_blocks(parts: list[Part], value: Any) -> bool:
    if isinstance(value, str):
        return parts == [Text(value)]
    return all(map(_holds_block, parts, cast("list[Any]", value)))


def _holds_block(part: Part, block: Any) -> bool:
    match part:
        case Opaque() | Text():
            return True  # made of nothing but the whole
        case Thought(text):
            words = (block.get(name) for name in ("content", "text", "thinking"))
            return all(each is None or each == text for each in words)
        case Asked():
            return _holds_call(part, block)
        case Given():
            return _holds_result(part, block)


def _holds_call(part: Asked, block: _Object) -> bool:
    inner = block.get("function")
    if inner is not None and not isinstance(inner, dict):
        return False
    call = cast("_Object", inner or {})
    if any(value is not None for name, value in call.items() if name not in ("name", "arguments")):
        return False
    if block.get("id") not in (None, part.id):
        return False
    names = (block.get("name"), call.get("name"))
    if any(name is not None and name != part.tool for name in names):
        return False
    given = (block.get("arguments"), block.get("input"), call.get("arguments"))
    return all(value is None or _same_arguments(value, part.arguments) for value in given)


def _same_arguments(value: Any, arguments: Json) -> bool:
    if same(value, arguments):
        return True
    return isinstance(value, str) and not isinstance(arguments, str) and _reads_as(value, arguments)


def _holds_result(part: Part, block: _Object, message: Message | None = None) -> bool:
    if not isinstance(part, Given):
        return False
    for name, value in block.items():
        if value is None or (message is not None and name not in MESSAGE_KEYS):
            continue
        match name:
            case "type" | "role":
                held = True
            case "id" | "tool_use_id" | "tool_call_id":
                held = value == part.id
            case "name":
                held = value == part.tool
            case "response" | "result" | "content":
                held = _holds_text(part.text, value)
            case "error" | "is_error":
                held = value is part.error
            case "provider":
                held = message is not None and value == message.provider
            case _:
                held = False
        if not held:
            return False
    return True


def _holds_text(text: str, value: Any) -> bool:
    if isinstance(value, str):
        return value == text
    if isinstance(value, list):
        items = cast("list[Any]", value)
        if items in ([{"type": "text", "text": text}], [{"type": "text", "content": text}]):
            return True
    return _reads_as(text, value)


def _holds_tool(spec: ToolSpec, raw: _Object) -> bool:
    inner = cast("_Object", raw.get("function", raw))
    beside = raw.items() if "function" in raw else ()
    if any(value is not None for name, value in beside if name not in ("type", "function")):
        return False
    if raw.get("type") not in (None, "function"):
        return False
    known = {
        "type": "function",
        "name": spec.name,
        "description": spec.description,
        "parameters": spec.parameters,
        "input_schema": spec.parameters,
    }
    return all(
        value is None or (name in known and same(value, cast("Json", known[name])))
        for name, value in inner.items()
    )


def _reads_as(text: str, value: Any) -> bool:
    try:
        return same(msgspec.json.decode(text), value)
    except (msgspec.DecodeError, RecursionError):
        return False
