"""The page of a report over recorded traces, in the look of a study's."""

from __future__ import annotations

import re

from msgspec import Struct

from ringback.recordings.traces import words
from ringback.recordings.traces.model import (
    Count,
    Disagreement,
    ModelFigures,
    Slice,
    Spans,
    ToolCounts,
    TraceResults,
)
from ringback.report import wording
from ringback.report.charts import Mark, rate_chart
from ringback.report.plain import one_line
from ringback.report.rendering import both, render

__all__ = ["page"]

_MOST_LISTED = 200
_MOST_CHARTS = 6


class _Line(Struct, frozen=True, kw_only=True):
    """A model's row in the tables."""

    model: str
    spelled: str
    runs: str
    solved: str
    known: str
    percent: str
    interval: str
    unknown: str
    status: str
    status_solved: str
    cost: str
    cost_more: str
    per_solved: str
    steps: str
    steps_range: str
    spans: Spans
    tools: ToolCounts
    basis: str


class _Part(Struct, frozen=True):
    """A slice: its words, its lines, and whether it has a drawing."""

    number: int
    place: str
    runs: str
    lines: tuple[_Line, ...]
    spans: Spans
    tools: ToolCounts


class _Wrong(Struct, frozen=True):
    """A run of which not everything names one model."""

    session: str
    where: str
    what: str
    label: str
    config: str
    named: str
    counted: str


def page(results: TraceResults) -> bytes:
    """The page as UTF-8; whatever was recorded is escaped in it."""
    charts = {
        index: both(
            rate_chart, f"rates-{index}", f"Solve rates, {words.place(found)}", _marks(found)
        )
        for index, found in enumerate(results.slices[:_MOST_CHARTS])
        if found.models
    }
    harnesses = sorted(
        {item.name for kind in results.kinds for item in kind.harnesses},
        key=lambda name: (name is None, name or ""),
    )
    files = results.files
    return render(
        "traces",
        sheet="page",
        package="ringback.recordings.traces",
        results=results,
        charts=charts,
        title=_title(results),
        parts=tuple(_part(index, found) for index, found in enumerate(results.slices)),
        strip=(
            (f"{files.rows:,}", "rows read"),
            (f"{files.chosen:,}", "asked for"),
            (f"{sum(found.runs for found in results.slices):,}", "runs counted"),
            (f"{files.unread:,}", "rows not read"),
            (f"{len(results.disagreements):,}", "runs whose names disagree"),
        ),
        rows=tuple(words.of_rows(results)),
        statuses=words.counts(results.statuses),
        harnesses=[words.name(harness) for harness in harnesses],
        kinds=[
            (
                words.name(kind.benchmark),
                [_of(kind.harnesses, harness) for harness in harnesses],
                f"{kind.rows:,}",
            )
            for kind in results.kinds
        ],
        labels=[
            (
                f"{words.name(each.benchmark)} with {words.name(each.harness)}",
                words.name(each.label),
                each.counted,
                f"{each.runs:,}",
            )
            for each in results.labels[:_MOST_LISTED]
        ],
        more_labels=max(len(results.labels) - _MOST_LISTED, 0),
        wrong=[_wrong(each) for each in results.disagreements[:_MOST_LISTED]],
        more_wrong=max(len(results.disagreements) - _MOST_LISTED, 0),
        dropped=results.dropped[:_MOST_LISTED],
        more_dropped=max(len(results.dropped) - _MOST_LISTED, 0),
    )


def _title(results: TraceResults) -> str:
    if len(results.slices) == 1:
        return f"Recorded traces: {one_line(words.place(results.slices[0]), 120)}"
    return "Recorded traces"


def _marks(found: Slice) -> list[Mark]:
    return [
        Mark(
            label=one_line(re.sub(r".*/", "", model.model), 60),
            text=f"{model.solved:,} of {model.runs - model.unknown:,} · "
            f"{wording.percent(model.rate)}",
            value=model.rate,
            low=None if model.interval is None else model.interval.low,
            high=None if model.interval is None else model.interval.high,
        )
        for model in found.models
    ]


def _part(number: int, found: Slice) -> _Part:
    lines = tuple(_line(model) for model in found.models)
    runs = wording.plural(found.runs, "run")
    return _Part(number, words.place(found), runs, lines, found.spans, found.tools)


def _line(model: ModelFigures) -> _Line:
    steps = model.steps
    others = [item for item in model.spelled if item.name != model.model]
    return _Line(
        model=model.model,
        spelled=f"also {words.counts(tuple(others))}" if others else "",
        runs=f"{model.runs:,}",
        solved=f"{model.solved:,}",
        known=f"{model.runs - model.unknown:,}",
        percent=wording.percent(model.rate),
        interval="" if model.interval is None else wording.percent_interval(model.interval),
        unknown=f"{model.unknown:,}",
        status=f"{model.status_unknown:,}",
        status_solved=f"{model.status_unknown_solved:,}",
        cost=wording.usd(model.cost),
        cost_more=words.cost_known(model),
        per_solved=words.per_solved(model),
        steps=wording.UNKNOWN if steps is None else f"{steps.median:g}",
        steps_range="" if steps is None else f"{steps.least:,} to {steps.most:,}",
        spans=model.spans,
        tools=model.tools,
        basis=", ".join(
            f"{_BASIS[item.name or '']} {item.count:,}" for item in model.basis if item.name
        ),
    )


_BASIS = {
    "calls": "all calls name it",
    "several": "most of several named",
    "label": "label alone",
    "nothing": "nothing names one",
}


def _wrong(each: Disagreement) -> _Wrong:
    return _Wrong(
        session=each.session or "(no id)",
        where=f"{each.source}, row {each.place:,}",
        what=", ".join(each.what),
        label=words.name(each.label),
        config=words.name(each.config),
        named=words.counts(each.named),
        counted=each.counted,
    )


def _of(items: tuple[Count, ...], harness: str | None) -> str:
    return next((f"{item.count:,}" for item in items if item.name == harness), "")
