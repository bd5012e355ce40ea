"""JSON as a person reads it: names with their values, nested as they are nested."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec
from msgspec import Struct

from ringback.canonical import Json
from ringback.report.plain import json_text, value_text

__all__ = ["Node", "known_values", "node", "parsed"]

_DEEPEST = 6


class Node(Struct, frozen=True):
    """A value: a text, or names with values, or a list of values; exactly one of them is there."""

    text: str | None = None
    named: tuple[tuple[str, Node], ...] | None = None
    listed: tuple[Node, ...] | None = None


def node(value: Json, depth: int = 0) -> Node:
    """The value as it is laid out. Lists of bare values are one text; what lies deep stays JSON."""
    if depth > _DEEPEST:
        return Node(_flat(value))
    match value:
        case dict() if value:
            return Node(named=tuple((name, node(each, depth + 1)) for name, each in value.items()))
        case list() if any(isinstance(each, dict | list) for each in value):
            return Node(listed=tuple(node(each, depth + 1) for each in value))
        case list() if value:
            return Node(", ".join(value_text(each) for each in value))
        case dict() | list():
            return Node("none")
        case _:
            return Node(value_text(value))


def _flat(value: Json) -> str:
    try:
        return json_text(value)
    except RecursionError:
        return "(nested too deeply to be shown)"


def parsed(text: str) -> Json:
    """What a tool's answer says if it is a JSON record or list, else the text."""
    if not text.startswith(("{", "[")):
        return text
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return text


def known_values(values: Iterable[Json]) -> dict[str, list[str]]:
    """Values by the name under which they stood in these records, the latest first, each once.

    ``line_ids`` counts as ``line_id``; under ``id`` is whatever was an id of anything.
    """
    found: dict[str, dict[str, None]] = {}
    for value in reversed(list(values)):
        for name, text in _texts(value, 0):
            single = name[:-1] if name.endswith("_ids") else name
            found.setdefault(single, {})[text] = None
            if single.endswith("_id"):
                found.setdefault("id", {})[text] = None
    return {name: list(texts) for name, texts in found.items()}


def _texts(value: Json, depth: int) -> Iterator[tuple[str, str]]:
    if depth > _DEEPEST:
        return
    match value:
        case dict():
            for name, each in value.items():
                if isinstance(each, str):
                    yield name, each
                elif isinstance(each, list):
                    yield from ((name, item) for item in each if isinstance(item, str))
                yield from _texts(each, depth + 1)
        case list():
            for each in value:
                yield from _texts(each, depth + 1)
        case _:
            pass
