"""Model conversations as other programs write them, and as our messages.

Written is one spelling, that of OpenTelemetry's GenAI conventions (a role and its parts, with what
they have no word for as further keys), which gives our messages back as they were. Read is that one
and the two in which most programs keep a conversation: chat completions and content blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, cast

import msgspec
from msgspec import Struct

from ringback.canonical import Json
from ringback.episode.wire import (
    Asked,
    Given,
    Message,
    Opaque,
    Part,
    Text,
    Thought,
    ToolSpec,
)
from ringback.formats.members import repeated_within

__all__ = [
    "MESSAGE_KEYS",
    "Conversation",
    "Schemas",
    "conversation_of",
    "part_spelled",
    "role_spelled",
    "schemas_of",
    "spelled",
    "tool_spelled",
    "tools_of",
]

_Object = dict[str, Any]

Schemas: TypeAlias = Literal["all", "some", "none", "no tools"]
"""How many of a call's tools are defined with a schema of their arguments."""

MESSAGE_KEYS = frozenset(
    {
        "role",
        "parts",
        "content",
        "tool_calls",
        "tool_call_id",
        "name",
        "provider",
        "finish_reason",
        "error",
        "is_error",
    }
)
"""The members of a message that we read; what stands beside them is kept in a part of its own."""

_THOUGHT_KEYS = frozenset({"type", "content", "text", "thinking"})
_CALL_KEYS = frozenset({"type", "id", "name", "arguments", "input", "function"})
_RESULT_KEYS = frozenset(
    {
        "type",
        "id",
        "tool_use_id",
        "name",
        "response",
        "result",
        "content",
        "error",
        "is_error",
    }
)


class Conversation(Struct, frozen=True):
    """Messages, and the instructions that stood before them (None where none did)."""

    system: str | None
    messages: tuple[Message, ...]


def spelled(message: Message) -> dict[str, Json]:
    """A message in the conventions' form: its role and its parts.

    A message of tool results alone has the role ``tool``.
    """
    found: dict[str, Json] = {
        "role": role_spelled(message),
        "parts": [part_spelled(part) for part in message.parts],
    }
    if message.provider is not None:
        found["provider"] = message.provider
    return found


def role_spelled(message: Message) -> str:
    """The role of a message in that form: results alone are a tool's."""
    results = message.role == "user" and bool(message.parts)
    results = results and all(isinstance(part, Given) for part in message.parts)
    return "tool" if results else message.role


def part_spelled(part: Part) -> dict[str, Json]:
    """A part of a message in that form."""
    match part:
        case Text():
            return {"type": "text", "content": part.text}
        case Thought():
            found: dict[str, Json] = {"type": "reasoning", "content": part.text}
            return _with_data(found, part.data)
        case Asked():
            found = {"type": "tool_call", "id": part.id, "name": part.tool}
            found["arguments"] = part.arguments
            return _with_data(found, part.data)
        case Given():
            found = {"type": "tool_call_response", "id": part.id, "name": part.tool}
            found["response"] = part.text
            if part.error:
                found["error"] = True
            return found
        case Opaque():
            return {"type": "opaque", "data": part.data}


def _with_data(found: dict[str, Json], data: Json) -> dict[str, Json]:
    if data is not None:
        found["data"] = data
    return found


def tool_spelled(tool: ToolSpec) -> dict[str, Json]:
    """A tool's definition in the conventions' form; without parameters where there are none."""
    found: dict[str, Json] = {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
    }
    if tool.parameters is not None:
        found["parameters"] = tool.parameters
    return found


def schemas_of(tools: Sequence[ToolSpec]) -> Schemas:
    """How many of these tools are defined with a schema of their arguments."""
    known = sum(tool.parameters is not None for tool in tools)
    if not tools:
        return "no tools"
    return "none" if not known else "all" if known == len(tools) else "some"


def tools_of(value: object) -> tuple[ToolSpec, ...] | None:
    """The tools that a list of definitions describes; None if it is none."""
    if not isinstance(value, list):
        return None
    found: list[ToolSpec] = []
    for item in cast("list[Any]", value):
        outer = _as_object(item)
        tool = outer and _as_object(outer.get("function", outer))
        if tool is None:
            return None
        name, about = tool.get("name"), tool.get("description")
        given = tool.get("parameters", tool.get("input_schema"))
        parameters = _as_object(given)
        if not isinstance(name, str) or (parameters is None and given is not None):
            return None
        found.append(ToolSpec(name, about if isinstance(about, str) else "", parameters))
    return tuple(found)


def _as_object(value: object) -> _Object | None:
    return cast("_Object", value) if isinstance(value, dict) else None


def conversation_of(value: object) -> Conversation | None:
    """The conversation that a list of messages is; None if it is none.

    A block that no part of ours stands for is kept whole (`Opaque`), as is a system message that is
    not the first.
    """
    if not isinstance(value, list):
        return None
    system: str | None = None
    messages: list[Message] = []
    names: dict[str, str] = {}  # tools by the id of the call, for results that leave it out
    for place, item in enumerate(cast("list[Any]", value)):
        if not isinstance(item, dict) or not isinstance(item.get("role"), str):  # pyright: ignore[reportUnknownMemberType]
            return None
        entry = cast("_Object", item)
        if entry["role"] in ("system", "developer") and place == 0:
            system = _plain(entry.get("parts", entry.get("content")))
            if system is not None:
                continue
        message = _message(entry, names)
        if message is None:
            return None
        messages.append(message)
    return Conversation(system, tuple(messages))


def _plain(value: object) -> str | None:
    """The text of a message that holds nothing else."""
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        return None
    texts = [_text_in(item) for item in cast("list[Any]", value)]
    return "\n".join(t for t in texts if t is not None) if None not in texts else None


def _text_in(item: object) -> str | None:
    if not isinstance(item, dict):
        return None
    block = cast("_Object", item)
    text = block.get("content", block.get("text")) if block.get("type") == "text" else None
    return text if isinstance(text, str) else None


def _message(entry: _Object, names: dict[str, str]) -> Message | None:
    role = entry["role"]
    parts: list[Part] = []
    if role == "tool" and "tool_call_id" in entry:
        parts.append(_result(entry, "tool_call_id", entry.get("content"), names))
    elif role in ("user", "assistant", "tool"):
        content = entry.get("parts", entry.get("content"))
        if isinstance(content, str):
            parts.append(Text(content))
        elif isinstance(content, list):
            parts += [_part(item, names) for item in cast("list[Any]", content)]
        elif content is not None:
            return None
        calls = entry.get("tool_calls")
        if isinstance(calls, list):
            parts += [_called(call, names) for call in cast("list[Any]", calls)]
    else:
        return Message("user", (Opaque(entry),))
    if extra := _beside(entry, MESSAGE_KEYS):
        parts.append(Opaque({"type": "extra", **extra}))
    provider = entry.get("provider")
    return Message(
        "assistant" if role == "assistant" else "user",
        tuple(parts),
        provider if isinstance(provider, str) else None,
    )


def _part(item: object, names: dict[str, str]) -> Part:
    if not isinstance(item, dict):
        return Opaque(cast("Json", item))
    block = cast("_Object", item)
    words = block.get("content", block.get("text", block.get("thinking")))
    match block.get("type"):
        case "text" if isinstance(words, str) and len(block) == 2:
            return Text(words)
        case "reasoning" | "thinking" if isinstance(words, str):
            return Thought(words, _data(block, _THOUGHT_KEYS))
        case "tool_call" | "tool_use":
            return _called(block, names)
        case "tool_call_response" if not _beside(block, _RESULT_KEYS):
            return _result(block, "id", block.get("response", block.get("result")), names)
        case "tool_result" if not _beside(block, _RESULT_KEYS):
            return _result(block, "tool_use_id", block.get("content"), names)
        case "opaque" if block.keys() == {"type", "data"}:
            return Opaque(block["data"])
        case _:
            return Opaque(cast("Json", block))


def _called(item: object, names: dict[str, str]) -> Part:
    block = cast("_Object", item) if isinstance(item, dict) else {}
    inner = block.get("function")
    call = cast("_Object", inner) if isinstance(inner, dict) else block
    name, arguments = call.get("name"), call.get("arguments", call.get("input"))
    if not isinstance(name, str):
        return Opaque(cast("Json", item))
    if inner is not None and isinstance(arguments, str):
        arguments = _object(arguments)
    found = block.get("id")
    id_ = found if isinstance(found, str) else ""
    names[id_] = name
    return Asked(name, arguments, id_, _data(block, _CALL_KEYS))


def _beside(block: _Object, known: frozenset[str]) -> dict[str, Json]:
    """What a block says beside what we read of it."""
    return {name: value for name, value in block.items() if name not in known and value is not None}


def _data(block: _Object, known: frozenset[str]) -> Json:
    """What a part keeps for its provider: its data, or all that it says beside what we read."""
    extra = _beside(block, known)
    return extra["data"] if extra.keys() == {"data"} else extra or None


def _object(text: str) -> Json:
    try:
        value: Json = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return text
    return value if isinstance(value, dict) and not repeated_within(text.encode()) else text


def _result(block: _Object, key: str, value: object, names: dict[str, str]) -> Part:
    found, tool = block.get(key), block.get("name")
    id_ = found if isinstance(found, str) else ""
    text = value if isinstance(value, str) else _plain(value)
    if text is None:
        text = msgspec.json.encode(value).decode()
    # What went wrong may be said in words. Empty ones, and False, say that nothing did.
    error = bool(block.get("error")) or bool(block.get("is_error"))
    return Given(id_, tool if isinstance(tool, str) else names.get(id_, ""), text, error)
