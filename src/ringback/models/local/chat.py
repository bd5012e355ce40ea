"""Our requests as chat messages that a local model's template takes, and its replies as ours.

Many small models know no tools. Those are told in their instructions what tools there are and to
write a call as one line of JSON, ``{"tool": NAME, "arguments": {...}}``; results come back to them
as words. A grammar then lets them write either plain words or such a line, valid to the last brace.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import msgspec

from ringback.canonical import Json
from ringback.episode.wire import Asked, Given, Message, Part, Request, Text, Thought, ToolSpec
from ringback.models.local.forms import grammar, unheld

__all__ = [
    "PROVIDER",
    "called_in_words",
    "chat",
    "reply_parts",
    "tool_grammar",
    "tools_in_words",
    "unspecial",
]

PROVIDER = "local"
"""Whose the messages of local models are."""

_INTRO = """You can use tools. To use one, reply with nothing but one line of JSON:
{"tool": "NAME", "arguments": {...}}
You then get its result. Otherwise reply in plain words.

Tools:"""


def unspecial(controls: Sequence[str]) -> Callable[[str], str]:
    """A function that takes away the meaning of a model's control tokens in a text.

    What one side of a call says would otherwise be able to end its message and begin another in
    a different role. A space goes in after the first character.
    """
    if not controls:
        return lambda text: text
    longest_first = sorted(controls, key=len, reverse=True)
    found = re.compile("|".join(re.escape(token) for token in longest_first))
    return lambda text: found.sub(lambda hit: f"{hit[0][0]} {hit[0][1:]}", text)


def chat(
    request: Request,
    tools: Sequence[ToolSpec],
    *,
    native: bool,
    system: bool,
    clean: Callable[[str], str],
) -> list[dict[str, Json]]:
    """The messages of a request, which is to know of these tools.

    `native`: the template knows tools. `system`: it knows instructions; where it does not they
    stand before the first words. Consecutive messages of one role become one.
    """
    instructions = request.system
    if tools and not native:
        instructions = f"{instructions}\n\n{tools_in_words(tools)}".strip()
    found: list[dict[str, Json]] = []
    if instructions:
        found.append({"role": "system", "content": clean(instructions)})
    for message in request.messages:
        for each in _messages(message, native, clean):
            _join(found, each)
    if not system and instructions:
        first = str(found.pop(0)["content"])
        if found and found[0]["role"] == "user":
            first = f"{first}\n\n{found.pop(0)['content']}"
        found.insert(0, {"role": "user", "content": first})
    return found


def tools_in_words(tools: Sequence[ToolSpec]) -> str:
    """What a model that knows no tools is told of them."""
    lines = [_INTRO]
    for tool in tools:
        lines.append(f"- {tool.name}: {tool.description}")
        properties = (tool.parameters or {}).get("properties")
        if properties:
            lines.append(f"  arguments: {msgspec.json.encode(properties).decode()}")
    return "\n".join(lines)


def tool_grammar(tools: Sequence[ToolSpec], convert: Any, *, required: bool = False) -> str | None:
    """A grammar of plain words or a call of one of these tools; None where there can be none.

    With `required` plain words will not do.
    `convert` is ``xllamacpp.json_schema_to_grammar``; only runtimes built with llguidance take it.
    """
    calls: list[Json] = []
    for tool in tools:
        arguments: Json = tool.parameters or {"type": "object", "additionalProperties": False}
        if unheld(arguments) or "$ref" in msgspec.json.encode(arguments).decode():
            return None
        calls.append(
            {
                "type": "object",
                "properties": {"tool": {"const": tool.name}, "arguments": arguments},
                "required": ["tool", "arguments"],
                "additionalProperties": False,
            }
        )
    made = grammar({"anyOf": calls}, convert)
    head, start, schema = made.partition("start: %json ")
    if not start or not head.startswith("%llguidance"):
        return None
    if required:
        return made
    return f"{head}start: call | words\ncall: %json {schema.strip()}\nwords: /[^{{\\s](.|\\n)*/\n"


def reply_parts(
    content: str | None, thought: str | None, calls: Sequence[tuple[str, Json]], place: int
) -> tuple[Part, ...]:
    """The parts of a reply. Calls are numbered by `place`, so that equal replies are equal."""
    parts: list[Part] = []
    if thought:
        parts.append(Thought(thought))
    if content:
        parts.append(Text(content))
    for at, (tool, arguments) in enumerate(calls):
        parts.append(Asked(tool, _arguments(arguments), f"local-{place}-{at}"))
    return tuple(parts)


def called_in_words(text: str | None) -> tuple[str, Json] | None:
    """The call that a reply is, where it was written as a line of JSON."""
    if not text or not text.lstrip().startswith("{"):
        return None
    try:
        found = msgspec.json.decode(text.strip().encode(errors="replace"))
    except (msgspec.DecodeError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    call = cast("dict[str, Json]", found)
    tool = call.get("tool")
    return (tool, call.get("arguments", {})) if isinstance(tool, str) else None


def _arguments(arguments: Json) -> Json:
    """An object, or the text as it came."""
    if isinstance(arguments, dict):
        return arguments
    if not isinstance(arguments, str):
        return msgspec.json.encode(arguments).decode()
    if not arguments.strip():
        return {}
    try:
        found = msgspec.json.decode(arguments.encode(errors="replace"))
    except (msgspec.DecodeError, RecursionError):
        return arguments
    return cast("Json", found) if isinstance(found, dict) else arguments


def _join(found: list[dict[str, Json]], message: dict[str, Json]) -> None:
    """Add a message; words after words of the same role go into one."""
    last = found[-1] if found else None
    plain = {"role", "content"}
    if last and last["role"] == message["role"] and set(last) == set(message) == plain:
        last["content"] = f"{last['content']}\n\n{message['content']}".strip()
    else:
        found.append(message)


def _messages(message: Message, native: bool, clean: Callable[[str], str]) -> list[dict[str, Json]]:
    words = "\n\n".join(
        clean(part.text) for part in message.parts if isinstance(part, Text) and part.text
    )
    if message.role == "user":
        results = [
            _result(part, native, clean) for part in message.parts if isinstance(part, Given)
        ]
        return [*results, *([{"role": "user", "content": words}] if words else [])]
    asked = [part for part in message.parts if isinstance(part, Asked)]
    if not native:
        lines = [words, *(_call_in_words(part, clean) for part in asked)]
        content = "\n".join(line for line in lines if line)
        return [{"role": "assistant", "content": content}] if content else []
    if not words and not asked:
        return []
    said: dict[str, Json] = {"role": "assistant", "content": words}
    thoughts = [part.text for part in message.parts if isinstance(part, Thought) and part.text]
    if message.provider != PROVIDER:
        thoughts = []  # another's reasoning would be words that nobody said
    if thoughts:
        said["reasoning_content"] = clean("\n".join(thoughts))
    if asked:
        said["tool_calls"] = [
            {
                "id": part.id,
                "type": "function",
                "function": {"name": part.tool, "arguments": clean(_object_text(part.arguments))},
            }
            for part in asked
        ]
    return [said]


def _result(part: Given, native: bool, clean: Callable[[str], str]) -> dict[str, Json]:
    if native:
        return {
            "role": "tool",
            "tool_call_id": part.id,
            "name": part.tool,
            "content": clean(part.text),
        }
    return {"role": "user", "content": f"Result of {clean(part.tool)}: {clean(part.text)}"}


def _object_text(arguments: Json) -> str:
    """Arguments as the text of an object: templates read them, and some stumble over less."""
    kept: Mapping[str, Json] = (
        arguments if isinstance(arguments, dict) else {"malformed": arguments}
    )
    return msgspec.json.encode(kept).decode()


def _call_in_words(part: Asked, clean: Callable[[str], str]) -> str:
    line = {"tool": part.tool, "arguments": part.arguments}
    return clean(msgspec.json.format(msgspec.json.encode(line), indent=0).decode())
