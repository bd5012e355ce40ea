"""The structured turn: a JSON object that is a sentence or one call, and nothing else.

A model that is held to the schema cannot name a tool that is not there or leave out an argument.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, cast

import msgspec

from ringback.canonical import Json
from ringback.domain import Tool
from ringback.episode.events import Call
from ringback.users.guard.known import Candidate

__all__ = ["KEYS", "form_of", "listed", "read_form"]

KEYS = {"say": "say", "call": "call", "arguments": "arguments"}
"""The keys of a structured turn, as `ringback.models.dialogue.conversation` wants them."""

_CUT = re.compile(r'\A\s*\{\s*"say"\s*:\s*"((?:[^"\\]|\\.)*)', re.DOTALL)


def form_of(tools: Sequence[Tool]) -> Json:
    """The JSON Schema of a turn over these tools. Tools without arguments share one branch."""
    bare = [tool.name for tool in tools if not tool.parameters.get("properties")]
    rest = [tool for tool in tools if tool.parameters.get("properties")]
    nothing: dict[str, Json] = {"type": "object", "properties": {}, "additionalProperties": False}
    branches: list[Json] = [_object({"say": {"type": "string", "minLength": 1}})]
    if bare:
        branches.append(_object({"call": {"enum": [*bare]}, "arguments": nothing}))
    branches += [
        _object({"call": {"const": tool.name}, "arguments": cast("Json", dict(tool.parameters))})
        for tool in rest
    ]
    return {"anyOf": branches}


def _object(properties: dict[str, Json]) -> Json:
    return {
        "type": "object",
        "properties": properties,
        "required": [*properties],
        "additionalProperties": False,
    }


def listed(tools: Sequence[Tool]) -> str:
    """The tools in words, for the instructions of a model that is held to the form."""
    return "\n".join(
        f"- {tool.name}({', '.join(tool.parameters.get('properties', {}))}): {tool.description}"
        for tool in tools
    )


def read_form(text: str) -> Candidate:
    """The turn in a structured reply.

    A reply that is not of the form is taken as a sentence, of one that was cut off what is there;
    `Candidate.broken` says so.
    """
    try:
        value: Any = msgspec.json.decode(text)
    except msgspec.DecodeError:
        return Candidate(_rescued(text), broken=True)
    if not isinstance(value, dict):
        return Candidate(text, broken=True)
    form = cast("dict[str, Any]", value)
    match form:
        case {"say": str(words), **rest} if not rest:
            return Candidate(words.strip())
        case {"call": str(tool), "arguments": {}, **rest} if not rest:
            return Candidate(None, (Call(tool, form["arguments"]),))
        case _:
            return Candidate(text, broken=True)


def _rescued(text: str) -> str:
    found = _CUT.match(text)
    if found is None:
        return text
    try:
        return msgspec.json.decode(f'"{found[1]}"'.encode("utf-8", "replace"), type=str).strip()
    except msgspec.DecodeError:
        return found[1].strip()
