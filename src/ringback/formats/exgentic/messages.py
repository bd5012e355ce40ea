"""Recorded messages and tool definitions as ours, and back, without loss.

What is theirs and has no place in ours is returned beside it, as the difference that the way back
needs (`ringback.formats.patch`). Without loss means: the same JSON value, not the same
spaces.

`ringback.formats.messages` reads the conversations of other programs. It takes more spellings, and
keeps what stands beside a part in the part, because there nothing is kept beside. So the two share
what they write and not what they read: read as there, a call of a trace would be another request.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias, cast

import msgspec
from msgspec import Struct

from ringback.canonical import Json
from ringback.episode.wire import Asked, Given, Message, Opaque, Part, Text, Thought, ToolSpec
from ringback.formats.members import key_words, repeated_within
from ringback.formats.messages import (
    Schemas,
    part_spelled,
    role_spelled,
    schemas_of,
    tool_spelled,
)
from ringback.formats.patch import apply, difference

__all__ = [
    "Mapped",
    "Mapper",
    "Tools",
    "message_back",
    "tools_back",
    "tools_of",
]

_Object: TypeAlias = dict[str, Json]
_DEEPEST = 200
"""Levels of nesting that are read; every later step must be able to go as deep."""


class Mapped(Struct, frozen=True):
    """A message as ours, and what the way back needs beside it."""

    message: Message
    rest: Json = None


class Tools(Struct, frozen=True):
    """The tools of a call as ours, what the way back needs, and how many have schemas."""

    specs: tuple[ToolSpec, ...]
    rest: Json
    schemas: Schemas
    with_schema: int


class Mapper:
    """Reads the messages of one run.

    Calls repeat the conversation so far, so each message and each list of tools is read once.
    """

    def __init__(self) -> None:
        self._messages: dict[bytes, Mapped] = {}
        self._tools: dict[str, Tools] = {}
        self._called: dict[str, str] = {}  # a call's id to its tool

    def messages(self, raw: str) -> tuple[Mapped, ...]:
        """A JSON array of messages; `ValueError` if the text is none, or nested too deeply."""
        found: list[Mapped] = []
        try:
            for item in msgspec.json.decode(raw, type=list[msgspec.Raw]):
                text = bytes(item)
                mapped = self._messages.get(text)
                if mapped is None or not self._fits(mapped.message):
                    if twice := repeated_within(text):
                        raise ValueError(f"a message has {key_words(twice)}")
                    mapped = self._message(_shallow(msgspec.json.decode(text)))
                    self._messages[text] = mapped
                found.append(mapped)
                for part in mapped.message.parts:
                    if isinstance(part, Asked):
                        self._called[part.id] = part.tool
        except RecursionError:
            raise ValueError("it is nested too deeply") from None
        except msgspec.MsgspecError as problem:
            raise ValueError(f"the messages are no JSON messages ({problem})") from None
        return tuple(found)

    def tools(self, raw: str) -> Tools:
        """A JSON array of tool definitions; `ValueError` if the text is none."""
        found = self._tools.get(raw)
        if found is None:
            found = self._tools[raw] = tools_of(raw)
        return found

    def _fits(self, message: Message) -> bool:
        """Whether the results in a message still answer calls of the tools they are said to."""
        return all(
            self._called.get(part.id, "") == part.tool
            for part in message.parts
            if isinstance(part, Given)
        )

    def _message(self, value: Json) -> Mapped:
        if not isinstance(value, dict) or not isinstance(value.get("parts"), list):
            raise ValueError("a message has no parts")
        theirs = cast("list[Json]", value["parts"])
        parts = tuple(self._part(part) for part in theirs)
        role = "assistant" if value.get("role") == "assistant" else "user"
        message = Message(role, parts)
        rest: _Object = {}
        differing = {
            str(index): found
            for index, (part, was) in enumerate(zip(parts, theirs, strict=True))
            if (found := _part_difference(part, was)) is not None
        }
        if differing:
            rest["parts"] = cast("Json", differing)
        made: _Object = {"role": role_spelled(message)}
        if found := difference(made, {key: item for key, item in value.items() if key != "parts"}):
            rest["message"] = found
        return Mapped(message, rest or None)

    def _part(self, value: Json) -> Part:
        match value:
            case {"type": "text", "content": str(text)}:
                return Text(text)
            case {"type": "thinking", "thinking": str(text)}:
                return Thought(text)
            case {"type": "reasoning", "content": str(text)}:
                return Thought(text)
            case {"type": "tool_call", "name": str(name)}:
                return Asked(name, _arguments(value.get("arguments")), _text(value.get("id")))
            case {"type": "tool_call_response"} if "result" in value or "response" in value:
                result = value["result"] if "result" in value else value["response"]
                text = result if isinstance(result, str) else msgspec.json.encode(result).decode()
                name = _text(value.get("id"))
                return Given(name, self._called.get(name, ""), text)
            case _:
                return Opaque(value)


def message_back(message: Message, rest: Json) -> _Object:
    """A message as it was recorded, from ours and what stands beside it."""
    found = cast("dict[str, Any]", rest) if isinstance(rest, dict) else {}
    made = apply({"role": role_spelled(message)}, found.get("message"))
    differing: dict[str, Json] = found.get("parts", {})
    parts: list[Json] = [
        part.data if isinstance(part, Opaque) else apply(_back(part), differing.get(str(index)))
        for index, part in enumerate(message.parts)
    ]
    return {**made, "parts": parts}


def tools_back(specs: Sequence[ToolSpec], rest: Json) -> list[Json]:
    """Tool definitions as they were recorded."""
    differing = cast("dict[str, Any]", rest) if isinstance(rest, dict) else {}
    return [
        apply(tool_spelled(spec), differing.get(str(index))) for index, spec in enumerate(specs)
    ]


def _part_difference(part: Part, was: Json) -> Json:
    if isinstance(part, Opaque):
        return None
    return difference(_back(part), cast("_Object", was))


def _back(part: Part) -> _Object:
    match part:
        case Thought(text):
            return {"type": "thinking", "thinking": text}
        case Given():
            return {"type": "tool_call_response", "id": part.id, "result": part.text}
        case _:
            return part_spelled(part)


def _arguments(value: Json) -> Json:
    """An object as it is, also where it was spelled as text; otherwise the text as it came."""
    if value is None:
        return {}
    if isinstance(value, str):
        try:
            found: Json = msgspec.json.decode(value)
        except msgspec.MsgspecError:
            return value
        whole = isinstance(found, dict) and not repeated_within(value.encode())
        return found if whole else value
    return value if isinstance(value, dict) else msgspec.json.encode(value).decode()


def _shallow(value: Json) -> Json:
    """The value; `ValueError` where it is nested too deeply for us."""
    level: list[Json] = [value]
    for _ in range(_DEEPEST):
        inner: list[Json] = []
        for item in level:
            if isinstance(item, dict):
                inner += item.values()
            elif isinstance(item, list):
                inner += item
        if not inner:
            return value
        level = inner
    raise ValueError("it is nested too deeply")


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""


def tools_of(raw: str) -> Tools:
    """A JSON array of tool definitions; `ValueError` if the text is none."""
    try:
        values = _shallow(msgspec.json.decode(raw))
    except (msgspec.MsgspecError, RecursionError):
        raise ValueError("the tool definitions are no JSON") from None
    if twice := repeated_within(raw.encode()):
        raise ValueError(f"the tool definitions have {key_words(twice)}")
    if not isinstance(values, list):
        raise ValueError("the tool definitions are no list")
    specs: list[ToolSpec] = []
    differing: _Object = {}
    for index, value in enumerate(values):
        inner = value.get("function", value) if isinstance(value, dict) else None
        if not isinstance(value, dict) or not isinstance(inner, dict):
            raise ValueError("a tool definition is no object")
        name, about = inner.get("name"), inner.get("description")
        if not isinstance(name, str):
            raise ValueError("a tool definition has no name")
        schema = inner.get("parameters")
        spec = ToolSpec(name, _text(about), schema if isinstance(schema, dict) else None)
        specs.append(spec)
        if found := difference(tool_spelled(spec), value):
            differing[str(index)] = found
    known = sum(spec.parameters is not None for spec in specs)
    return Tools(tuple(specs), differing or None, schemas_of(specs), known)
