"""Kitaru's session JSONL, read line by line: what we wrote as it was, what others did as theirs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import msgspec
from msgspec.structs import replace

from ringback.formats.files import Unreadable, chunks
from ringback.formats.folders import (
    COMPANION,
    EMPTY,
    Link,
    is_companion,
    is_file,
    is_folder,
    name_of,
    walk,
)
from ringback.formats.kitaru.foreign import adopted
from ringback.formats.kitaru.ours import Changed, OtherForm, restored
from ringback.formats.members import key_words, repeated_within
from ringback.formats.recording import SURPRISES, Recording, Skipped, bounded, surprise

__all__ = ["MOST", "read"]

MOST = 256 * 2**20
"""Bytes that a line may have; a longer one is left out, so that no file fills the memory."""

_ENDS = (".jsonl", ".jsonl.gz")
_TYPES = ("llm_call", "tool_call", "subagent_call", "span")
_STATES = ("in_progress", "completed", "failed")
_SESSION = {
    "status",
    "name",
    "input_text_selector",
    "output_text_selector",
    "inputs",
    "outputs",
    "error",
    "started_at",
    "ended_at",
    "external_id",
    "metadata",
    "framework",
    "nodes",
}
_NODE = {
    "index",
    "parent_index",
    "links",
    "external_id",
    "trace_id",
    "node_type",
    "name",
    "status",
    "error",
    "started_at",
    "ended_at",
    "input_text_selector",
    "output_text_selector",
    "system_prompt_selector",
    "reasoning_selectors",
    "inputs",
    "outputs",
    "requested_model",
    "model",
    "model_provider",
    "tokens",
    "cost",
    "model_params",
    "tool_name",
    "subagent_id",
    "attributes",
    "metadata",
}
_Object = dict[str, Any]


def read(path: Path | str) -> Iterator[Recording | Skipped]:
    """The sessions of a file, or of the files in a folder, in order; ``.gz`` too.

    Never raises for what is in them: a line or a file that cannot be read is a `Skipped`. Memory:
    one line.
    """
    path = Path(path)
    if not is_folder(path):
        name = name_of(path)
        yield from bounded(name, _file(path, name))
        return
    none = True
    for found in walk(path):
        none = False
        inside = found.path if isinstance(found, Link) else found
        name = name_of(inside, path)
        if is_companion(inside):
            yield Skipped(name, None, COMPANION, broken=False)
        elif not name.lower().endswith(_ENDS) and is_file(inside):
            yield Skipped(name, None, "it is not a .jsonl or .jsonl.gz file", broken=False)
        elif isinstance(found, Link):
            yield Skipped(name, None, found.why, broken=found.lost)
        else:
            yield from bounded(name, _file(inside, name))
    if none:
        yield Skipped(name_of(path), None, EMPTY, broken=False)


def _file(path: Path, name: str) -> Iterator[Recording | Skipped]:
    place = 0
    try:
        for data in _lines(path):
            if data is None:
                why = f"its line is longer than {MOST // 2**20} MB"
                yield Skipped(name, place, why, broken=True)
            elif data.strip():
                yield _line(data, name, place)
            place += 1
    except Unreadable as problem:
        yield Skipped(name, place or None, f"it {problem}", broken=True)


def _lines(path: Path) -> Iterator[bytes | None]:
    """The lines of a file, None for one that is longer than `MOST`; raises `Unreadable`."""
    parts: list[bytes] = []
    size = 0
    for chunk in chunks(path):
        for number, piece in enumerate(chunk.split(b"\n")):
            if number:
                yield b"".join(parts) if size <= MOST else None
                parts, size = [], 0
            size += len(piece)
            if size <= MOST:
                parts.append(piece)
            else:
                parts = []
    if size:
        yield b"".join(parts) if size <= MOST else None


def _line(data: bytes, source: str, place: int) -> Recording | Skipped:
    def broken(why: str) -> Skipped:
        return Skipped(source, place, why, broken=True)

    try:
        record = msgspec.json.decode(data)
        if why := _wrong(record):
            return broken(why)
        if twice := repeated_within(data):
            return broken(f"it has {key_words(twice)}, and which holds is unknown")
        ours = restored(record)
        return replace(ours, line=(source, place)) if ours else adopted(record, source, place)
    except Changed as problem:
        return broken(f"it was written by Ringback, but {problem}")
    except OtherForm as problem:
        return broken(str(problem))
    except (msgspec.DecodeError, UnicodeDecodeError) as problem:
        return broken(f"its line is no JSON ({problem})")
    except SURPRISES as problem:
        return broken(f"it cannot be read ({surprise(problem)})")
    except (ValueError, TypeError) as problem:
        return broken(f"it cannot be kept as a session ({problem})")


def _wrong(record: Any) -> str | None:
    """What keeps a value from being a Kitaru session, in a sentence."""
    if not isinstance(record, dict):
        return "its line is no JSON object"
    given = cast("_Object", record)
    if missing := {"status", "inputs", "outputs", "external_id", "nodes"} - given.keys():
        return f"it is no Kitaru session: it has no {min(missing)}"
    if unknown := given.keys() - _SESSION:
        return f"it is no Kitaru session: it has an unknown field {min(unknown)!r}"
    if given["status"] not in _STATES or not isinstance(given["external_id"], str):
        return "it is no Kitaru session: its status or its external_id is none"
    if not isinstance(given.get("name"), str | None):
        return "it is no Kitaru session: its name is no text"
    if not isinstance(given["nodes"], list):
        return "it is no Kitaru session: its nodes are no list"
    seen: set[int] = set()
    for number, item in enumerate(cast("list[Any]", given["nodes"])):
        if why := _wrong_node(item, seen):
            return f"its node {number} {why}"
    return None


def _wrong_node(item: Any, seen: set[int]) -> str | None:
    if not isinstance(item, dict):
        return "is no object"
    node = cast("_Object", item)
    needed = {"index", "node_type", "name", "status", "inputs", "outputs", "attributes"}
    if missing := needed - node.keys():
        return f"has no {min(missing)}"
    if unknown := node.keys() - _NODE:
        return f"has an unknown field {min(unknown)!r}"
    index = node["index"]
    if not isinstance(index, int) or isinstance(index, bool) or index in seen:
        return "has no index of its own"
    seen.add(index)
    if node["node_type"] not in _TYPES or node["status"] not in _STATES:
        return "has a type or a status that is none"
    return None if isinstance(node["name"], str) else "has a name that is no text"
