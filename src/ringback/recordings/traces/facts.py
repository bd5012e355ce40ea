"""What the figures need of a run, taken from its row; the rest of the row is let go of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from msgspec import Struct

from ringback.formats.exgentic.columns import SCHEMA, TOOLS
from ringback.formats.exgentic.messages import tools_of
from ringback.formats.exgentic.names import Basis, agree, config_agrees, config_model, who
from ringback.formats.exgentic.shards import Row
from ringback.formats.exgentic.spans import attribute, failed, is_call
from ringback.formats.values import usd
from ringback.recordings.traces.model import Mismatch, Spans, ToolCounts

__all__ = ["Run", "no_spans", "no_tools", "run_of"]

_SHORT = 1 << 20  # characters of tool definitions that are remembered


class Run(Struct, frozen=True, kw_only=True):
    """A run as the figures see it. `odd` names cells whose figure is none."""

    source: str
    place: int
    ids: tuple[str | None, str | None]
    benchmark: str | None
    harness: str | None
    label: str | None
    config: str | None
    model: str | None
    basis: Basis
    spelled: dict[str, int]
    what: tuple[Mismatch, ...]
    success: bool | None
    status: str | None
    cost: float | None
    steps: int | None
    odd: tuple[str, ...]
    spans: Spans
    tools: ToolCounts


def run_of(row: Row) -> Run:
    """The run of a row that was read for its figures, or whole."""
    cells = row.cells
    models = cells.get("models")
    label = models[0] if models else None
    config = cells.get("config_path")
    named = who(row.spans or (), label)
    odd: list[str] = []
    cost: float | None = cells.get("agent_cost")
    if cost is not None and usd(cost) is None:
        odd.append("agent_cost")
        cost = None
    steps: int | None = cells.get("steps")
    if steps is not None and steps < 0:
        odd.append("steps")
        steps = None
    if models and len(models) > 1:
        odd.append("models")
    if cells.get("schema_version") not in (None, SCHEMA):
        odd.append("schema_version")
    return Run(
        source=row.source,
        place=row.place,
        ids=(cells.get("run_id"), cells.get("session_id")),
        benchmark=cells.get("benchmark"),
        harness=cells.get("harness"),
        label=label,
        config=config_model(config),
        model=named.model,
        basis=named.basis,
        spelled=named.spelled,
        what=tuple(_mismatches(label, config, named.model, named.basis)),
        success=cells.get("success"),
        status=cells.get("status"),
        cost=cost,
        steps=steps,
        odd=tuple(odd),
        spans=_spans(row),
        tools=_tools(row),
    )


def no_spans() -> Spans:
    """The counts of nothing."""
    return Spans(0, 0, 0, 0, 0, 0, 0, 0, 0)


def no_tools() -> ToolCounts:
    """The counts of nothing."""
    return ToolCounts(0, 0, 0, 0, 0, 0, 0)


def _mismatches(
    label: str | None, config: str | None, model: str | None, basis: Basis
) -> Iterator[Mismatch]:
    heard = basis in ("calls", "several")
    if heard and label is not None and model is not None and not agree(label, model):
        yield "label"
    if heard and config and model is not None and not config_agrees(config, model):
        yield "config"
    if config and label is not None and not config_agrees(config, label):
        yield "label and config"
    if basis == "several":
        yield "several models"
    if not heard:
        yield "no model named"


def _calls(row: Row) -> Iterator[Mapping[str, Any]]:
    return (span for span in row.spans or () if span is not None and is_call(span))


def _spans(row: Row) -> Spans:
    calls = broken = renamed = silent = came = went = 0
    for span in _calls(row):
        calls += 1
        bad = failed(span)
        broken += bad
        asked = attribute(span, "gen_ai.request.model")
        answered = attribute(span, "gen_ai.response.model")
        renamed += bool(asked and answered and not agree(asked, answered))
        given = attribute(span, "gen_ai.usage.input_tokens")
        got = attribute(span, "gen_ai.usage.output_tokens")
        silent += given is None and got is None and not bad
        came += max(given or 0, 0)
        went += max(got or 0, 0)
    count = len(row.spans or ())
    return Spans(count, calls, broken, count - calls, renamed, silent, came, went, not count)


def _tools(row: Row) -> ToolCounts:
    calls: Counter[str] = Counter()
    definitions = with_schema = 0
    for span in _calls(row):
        raw: str | None = attribute(span, TOOLS)
        kind, many, known = ("no tools", 0, 0) if raw is None else _defined(raw)
        calls[kind] += 1
        definitions += many
        with_schema += known
    return ToolCounts(
        calls["all"],
        calls["some"],
        calls["none"],
        calls["no tools"],
        calls["unreadable"],
        definitions,
        with_schema,
    )


def _defined(raw: str) -> tuple[str, int, int]:
    return _remembered(raw) if len(raw) <= _SHORT else _read(raw)


@lru_cache(maxsize=128)
def _remembered(raw: str) -> tuple[str, int, int]:
    return _read(raw)


def _read(raw: str) -> tuple[str, int, int]:
    """How many tools have schemas, in a word; how many there are; how many have one."""
    try:
        found = tools_of(raw)
    except ValueError:
        return "unreadable", 0, 0
    return found.schemas, len(found.specs), found.with_schema
