"""Our messages as pydantic-ai's, and its responses as ours, both ways without loss.

What a provider needs back and our schema has no field for travels in ``data``: of a thought or a
call its id, signature and details, at the end of a reply one `Opaque` with what belongs to the
reply and to its texts, and each part that we do not read as an `Opaque` of its own.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, cast

import msgspec
import pydantic
import pydantic_core
from pydantic_ai import messages as theirs
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.tools import ToolDefinition

from ringback.canonical import Json
from ringback.episode.intake import as_json
from ringback.episode.wire import (
    Asked,
    Given,
    Message,
    Opaque,
    Part,
    Request,
    Text,
    Thought,
    ToolSpec,
    Usage,
)
from ringback.models.secrecy import Redactor
from ringback.models.thinking import parted

__all__ = [
    "begun_in_thought",
    "details_of",
    "message_of",
    "messages_of",
    "parameters_of",
    "usage_of",
]

_ERRORS_APART = ("anthropic", "bedrock")
"""Providers whose results have a flag for errors; elsewhere the text says it."""

_ANY_PART: pydantic.TypeAdapter[theirs.ModelResponsePart] = pydantic.TypeAdapter(
    theirs.ModelResponsePart
)
_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)  # never sent; spares a look at the clock for each
_MOST_TOKENS = 10**12
_EXTRAS = ("id", "signature", "provider_details")
_REPLY = ("canonical_system", "provider_url", "provider_response_id", "provider_details")


def messages_of(request: Request, provider: str) -> list[theirs.ModelMessage]:
    """The request's messages for the provider of this name.

    Reasoning and blocks that another provider wrote are left out: it alone can read them, and to
    another model they would be words that nobody said.
    """
    found: list[theirs.ModelMessage] = []
    for message in request.messages:
        if message.role == "user":
            if parts := [_said(part, provider) for part in message.parts]:
                found.append(theirs.ModelRequest(parts=parts))
        elif (reply := _reply(message, provider)).parts:
            found.append(reply)
    return found


def parameters_of(request: Request) -> ModelRequestParameters:
    """The request's tools and instructions.

    Schemas go out as they are: not being strict, they are not rewritten for one provider and not
    for another.
    """
    return ModelRequestParameters(
        function_tools=[_tool(tool) for tool in request.tools],
        instruction_parts=[theirs.InstructionPart(content=request.system)]
        if request.system
        else [],
    )


def _tool(tool: ToolSpec) -> ToolDefinition:
    return ToolDefinition(
        name=tool.name,
        description=tool.description,
        parameters_json_schema=tool.parameters or {"type": "object", "properties": {}},
        strict=False,
    )


def _said(part: Part, provider: str) -> theirs.ModelRequestPart:
    match part:
        case Text(text):
            return theirs.UserPromptPart(content=text, timestamp=_LONG_AGO)
        case Given():
            apart = part.error and provider in _ERRORS_APART
            return theirs.ToolReturnPart(
                tool_name=part.tool,
                content=part.text,
                tool_call_id=part.id,
                timestamp=_LONG_AGO,
                outcome="failed" if apart else "success",
            )
        case _:
            raise TypeError(f"a {type(part).__name__} cannot stand in a user's message")


def _reply(message: Message, provider: str) -> theirs.ModelResponse:
    own = message.provider == provider
    about = _about(message) if own else {}
    texts = cast("dict[str, dict[str, Any]]", about.get("texts") or {})
    parts: list[theirs.ModelResponsePart] = []
    written = False
    for index, part in enumerate(message.parts):
        match part:
            case Text(text):
                extras = _filled(texts.get(str(index)), provider)
                _write(parts, theirs.TextPart(content=text, **extras), joined=written)
                written = False
            case Thought(text, data) if own and (tags := _tags(data)) is not None:
                content = f"{tags[0]}{text}{tags[1]}"
                _write(parts, theirs.TextPart(content=content), joined=True)
                written = True
            case Thought(text, data) if own:
                parts.append(theirs.ThinkingPart(content=text, **_filled(data, provider)))
            case Asked():
                extras = _filled(part.data if own else None, provider)
                parts.append(
                    theirs.ToolCallPart(
                        tool_name=part.tool,
                        args=cast("dict[str, Any] | str", part.arguments),
                        tool_call_id=part.id,
                        **extras,
                    )
                )
            case Opaque(data) if own and isinstance(data, dict) and "part" in data:
                with contextlib.suppress(pydantic.ValidationError):  # as text, it cannot go back
                    parts.append(_ANY_PART.validate_python(data["part"]))
            case Given():
                raise TypeError("a result cannot stand in an assistant's message")
            case _:
                pass
    envelope: dict[str, Any] = {
        name: about[name] for name in _REPLY if _fits(name, about.get(name))
    }
    return theirs.ModelResponse(
        parts=parts, timestamp=_LONG_AGO, provider_name=message.provider, **envelope
    )


def _write(parts: list[theirs.ModelResponsePart], part: theirs.TextPart, *, joined: bool) -> None:
    """Add a text, to the one before where both were one when they came."""
    last = parts[-1] if joined and parts else None
    if isinstance(last, theirs.TextPart):
        parts[-1] = dataclasses.replace(last, content=last.content + part.content)
    else:
        parts.append(part)


def _tags(data: Json) -> tuple[str, str] | None:
    """The tags that reasoning was written in, in the midst of the words; None for a part apart."""
    match data:
        case {"tags": [str(opened), str(closed)]}:
            return opened, closed
        case {"id": "content"}:
            return "<think>\n", "\n</think>\n\n"
        case _:
            return None


def _about(message: Message) -> dict[str, Json]:
    last = message.parts[-1] if message.parts else None
    if isinstance(last, Opaque) and isinstance(last.data, dict):
        about = last.data.get("reply")
        if isinstance(about, dict):
            return about
    return {}


def _filled(data: Json, provider: str) -> dict[str, Any]:
    if not isinstance(data, dict):
        return {}
    given = {name: value for name, value in data.items() if _fits(name, value)}
    return {"provider_name": provider, **given}


def _fits(name: str, value: Json) -> bool:
    """Whether it can go back: details that no JSON holds stand in the record as text alone."""
    return isinstance(value, dict if name == "provider_details" else str)


def begun_in_thought(request: Request, provider: str) -> bool:
    """Whether this provider's replies have begun in the midst of reasoning, without a tag.

    Its template opens the tag then, and a reply that is cut off before the closing one is reasoning
    from end to end.
    """
    return any(
        isinstance(part, Thought) and (tags := _tags(part.data)) is not None and not tags[0]
        for message in request.messages
        if message.provider == provider
        for part in message.parts[:1]
    )


def message_of(
    response: theirs.ModelResponse, redactor: Redactor, *, begun: bool = False
) -> Message:
    """The response as our message, its provider named, with no key in it.

    Reasoning that stands between tags in a text becomes a `Thought` with its tags. `begun` says
    that the reply begins in the midst of reasoning (`begun_in_thought`). What would not be JSON,
    such as half of a surrogate pair, is replaced by the sign for that.
    """
    cut = begun and response.finish_reason == "length"
    provider = response.provider_name
    parts: list[Part] = []
    texts: dict[str, Json] = {}
    for part in response.parts:
        match part:
            case theirs.TextPart():
                if extras := _extras(part, provider):
                    texts[str(len(parts))] = extras
                    parts.append(Text(part.content))
                else:
                    parts += _told_apart(part.content, cut)
            case theirs.ThinkingPart():
                parts.append(Thought(part.content, _extras(part, provider)))
            case theirs.ToolCallPart():
                arguments = _arguments(part.args)
                data = _extras(part, provider)
                parts.append(Asked(part.tool_name, arguments, part.tool_call_id, data))
            case _:
                parts.append(Opaque({"part": _plain(_ANY_PART.dump_python(part, mode="json"))}))
    about = {name: _plain(value) for name in _REPLY if (value := getattr(response, name, None))}
    if texts:
        about["texts"] = texts
    if parts and about:
        parts.append(Opaque({"reply": about}))
    return _clean(Message("assistant", tuple(parts), provider), redactor)


def _told_apart(text: str, cut: bool) -> list[Part]:
    pieces = parted(text)
    if cut and not any(piece.thought for piece in pieces):
        return [Thought(text, {"tags": ["", ""]})]
    return [
        Thought(piece.text, {"tags": [piece.opened, piece.closed]})
        if piece.thought
        else Text(piece.text)
        for piece in pieces
    ]


def _extras(
    part: theirs.TextPart | theirs.ThinkingPart | theirs.ToolCallPart, provider: str | None
) -> Json:
    extras = {name: _plain(value) for name in _EXTRAS if (value := getattr(part, name, None))}
    if extras and part.provider_name not in (provider, None):
        extras["provider_name"] = part.provider_name
    return extras or None


def _arguments(raw: str | Mapping[str, Any] | None) -> Json:
    if not raw:
        return {}
    if not isinstance(raw, str):
        return _plain(raw)
    try:
        return msgspec.json.decode(raw, type=dict[str, Json])
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return raw


def _plain(value: object) -> Json:
    """The value as a record can hold it: as JSON, or as text where JSON cannot."""
    try:
        return as_json(pydantic_core.to_jsonable_python(value, fallback=str))
    except (ValueError, RecursionError):
        return str(value)[:10_000]


def _clean(message: Message, redactor: Redactor) -> Message:
    try:
        text = msgspec.json.encode(message).decode()
    except UnicodeEncodeError:
        message = msgspec.convert(_mended(msgspec.to_builtins(message)), Message)
        text = msgspec.json.encode(message).decode()
    if any(key in text for key in redactor.keys):
        return msgspec.convert(_redacted(msgspec.to_builtins(message), redactor), Message)
    return message


def _redacted(value: Any, redactor: Redactor) -> Any:
    """Every text in it without the keys; in the JSON around them they are spelled otherwise."""
    match value:
        case str():
            return redactor.text(value)
        case dict():
            found = cast("dict[str, Any]", value)
            return {redactor.text(k): _redacted(v, redactor) for k, v in found.items()}
        case list() | tuple():
            return [_redacted(item, redactor) for item in cast("Sequence[Any]", value)]
        case _:
            return value


def _mended(value: Any) -> Any:
    match value:
        case str():
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        case dict():
            return {_mended(k): _mended(v) for k, v in cast("dict[Any, Any]", value).items()}
        case list() | tuple():
            return [_mended(item) for item in cast("Sequence[Any]", value)]
        case _:
            return value


def details_of(response: theirs.ModelResponse) -> dict[str, str]:
    """What else the provider said of the call in words, such as its tier of service."""
    details = response.provider_details or {}
    return {name: value for name, value in details.items() if isinstance(value, str)}


def usage_of(response: theirs.ModelResponse) -> Usage:
    """The tokens as the provider counted them, None for what it did not say or cannot be."""
    usage = response.usage
    if usage.unmeasured_requests:
        return Usage()
    said = vars(usage)  # the class has 0 for what was not said, the instance only what was
    return Usage(
        input=_count(said.get("input_tokens")),
        output=_count(said.get("output_tokens")),
        cached=_count(said.get("cache_read_tokens")),
        written=_count(said.get("cache_write_tokens")),
        reasoning=_count(said.get("output_reasoning_tokens")),
    )


def _count(said: Any) -> int | None:
    """A number of tokens, None for what is none."""
    whole = isinstance(said, int) and not isinstance(said, bool)
    return said if whole and 0 <= said <= _MOST_TOKENS else None
