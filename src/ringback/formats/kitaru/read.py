"""Kitaru's session JSONL, read line by line: what we wrote as it was, what others did as theirs."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, cast

import msgspec

from ringback.errors import InputError
from ringback.formats.kitaru.foreign import adopted
from ringback.formats.kitaru.ours import Changed, restored
from ringback.formats.recording import Recording, Skipped

__all__ = ["MOST", "read"]

MOST = 256 * 2**20
"""Bytes that a line may have; a longer one is left out, so that no file fills the memory."""

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


def read(path: Path) -> Iterator[Recording | Skipped]:
    """The sessions of a file, one line in memory at a time; ``.gz`` too.

    A line that cannot be read is said and left out. Raises `InputError` if the file cannot be
    opened.
    """
    try:
        raw = path.open("rb")
    except OSError as problem:
        raise InputError(f"Cannot read {path}: {problem.strerror or problem}.") from problem
    with raw:
        zipped = raw.read(2) == b"\x1f\x8b"
        raw.seek(0)
        lines = cast("IO[bytes]", gzip.GzipFile(fileobj=raw)) if zipped else raw
        place = 0
        empty = True
        try:
            while data := lines.readline(MOST + 1):
                empty = False
                if len(data) > MOST:
                    while data and not data.endswith(b"\n"):
                        data = lines.readline(MOST)
                    why = f"its line is longer than {MOST // 2**20} MB"
                    yield Skipped(path.name, place, why, broken=True)
                elif data.strip():
                    yield _line(data, path.name, place)
                place += 1
        except (OSError, EOFError, zlib.error) as problem:
            why = f"the file cannot be read further ({problem})"
            yield Skipped(path.name, place, why, broken=True)
            return
        if empty:
            yield Skipped(path.name, None, "the file is empty", broken=True)


def _line(data: bytes, source: str, place: int) -> Recording | Skipped:
    def broken(why: str) -> Skipped:
        return Skipped(source, place, why, broken=True)

    try:
        record = msgspec.json.decode(data)
        if why := _wrong(record):
            return broken(why)
        return restored(record) or adopted(record, source, place)
    except Changed as problem:
        return broken(f"it was written by Ringback, but {problem}")
    except (msgspec.DecodeError, UnicodeDecodeError) as problem:
        return broken(f"its line is no JSON ({problem})")
    except RecursionError:
        return broken("its line is nested too deep")
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
