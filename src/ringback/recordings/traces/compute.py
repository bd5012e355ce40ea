"""From runs to results: which model each counts under, rates with intervals, costs, steps."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

import msgspec
from msgspec import Struct

import ringback
from ringback.formats.exgentic.names import plain, undated
from ringback.formats.exgentic.shards import Seen
from ringback.recordings.traces.facts import Run, no_spans, no_tools
from ringback.recordings.traces.model import (
    Count,
    Disagreement,
    Dropped,
    FileFacts,
    Kind,
    Label,
    ModelFigures,
    Slice,
    Steps,
    TraceResults,
)
from ringback.recordings.traces.words import headline, limits
from ringback.stats import wilson

__all__ = ["UNNAMED", "compute"]

UNNAMED = "(no model named)"
"""Where runs are counted of which neither a call nor a label names a model."""

_C = TypeVar("_C", bound=Struct)


def compute(
    runs: Sequence[Run],
    seen: Seen,
    dropped: Sequence[Dropped],
    *,
    benchmarks: tuple[str, ...] = (),
    harnesses: tuple[str, ...] = (),
    card_rows: int | None = None,
    card_spans: int | None = None,
    command: str = "",
) -> TraceResults:
    """The results of these runs; the other arguments are what was met and what was asked for."""
    named = _names(runs)
    groups: dict[tuple[str | None, str | None], list[Run]] = {}
    for run in runs:
        groups.setdefault((run.benchmark, run.harness), []).append(run)
    slices = tuple(_slice(*kind, groups[kind], named) for kind in sorted(groups, key=_order))
    files = FileFacts(
        files=tuple(seen.files),
        unopened=seen.unopened,
        stated=seen.stated,
        rows=seen.rows,
        chosen=seen.chosen,
        unread=seen.unread,
        spans=sum(run.spans.spans for run in runs),
        repeated=_repeated(runs),
        card_rows=card_rows,
        card_spans=card_spans,
        benchmarks=benchmarks,
        harnesses=harnesses,
    )
    found = TraceResults(
        files=files,
        kinds=_kinds(seen),
        slices=slices,
        statuses=_counts(Counter(run.status for run in runs)),
        labels=_labels(runs, named),
        disagreements=tuple(_disagreement(run, named) for run in runs if run.what),
        dropped=tuple(dropped),
        odd=_counts(Counter(name for run in runs for name in run.odd)),
        missing=seen.missing,
        extra=seen.extra,
        headline=(),
        limits=(),
        command=command,
        versions={"ringback": ringback.__version__},
    )
    return msgspec.structs.replace(found, headline=headline(found), limits=limits(found))


def _order(kind: tuple[str | None, str | None]) -> tuple[tuple[bool, str], ...]:
    return tuple((name is None, name or "") for name in kind)


def _key(run: Run, dated: Mapping[str, str]) -> str:
    """One spelling of a run's model, so that all spellings come together."""
    if run.model is None:
        return UNNAMED
    name = plain(run.model)
    return dated.get(name, name)


def _names(runs: Iterable[Run]) -> dict[str, str]:
    """For a name without a date the one with a date that it stands for, if there is exactly one."""
    names = {plain(run.model) for run in runs if run.model is not None}
    releases: dict[str, set[str]] = {}
    for name in names:
        if undated(name) != name:
            releases.setdefault(undated(name), set()).add(name)
    return {bare: min(found) for bare, found in releases.items() if len(found) == 1}


def _slice(
    benchmark: str | None, harness: str | None, runs: list[Run], dated: Mapping[str, str]
) -> Slice:
    groups: dict[str, list[Run]] = {}
    for run in runs:
        groups.setdefault(_key(run, dated), []).append(run)
    models = [_figures(name, found) for name, found in groups.items()]
    models.sort(key=lambda one: (-(one.rate if one.rate is not None else -1.0), one.model))
    return Slice(
        benchmark=benchmark,
        harness=harness,
        models=tuple(models),
        runs=len(runs),
        solved=sum(run.success is True for run in runs),
        unknown=sum(run.success is None for run in runs),
        status_unknown=sum(_is_unknown(run) for run in runs),
        spans=_sum((run.spans for run in runs), no_spans()),
        tools=_sum((run.tools for run in runs), no_tools()),
    )


def _figures(name: str, runs: list[Run]) -> ModelFigures:
    spelled: Counter[str | None] = Counter(run.model for run in runs if run.model is not None)
    solved = sum(run.success is True for run in runs)
    unknown = sum(run.success is None for run in runs)
    known = len(runs) - unknown
    costs = [run.cost for run in runs if run.cost is not None]
    priced = math.fsum(costs)
    cost = priced if len(costs) == len(runs) else None
    counts = _counts(spelled)
    return ModelFigures(
        model=(counts[0].name if counts else None) or name,
        spelled=counts,
        runs=len(runs),
        solved=solved,
        unknown=unknown,
        rate=solved / known if known else None,
        interval=wilson(solved, known),
        status_unknown=sum(_is_unknown(run) for run in runs),
        status_unknown_solved=sum(_is_unknown(run) and run.success is True for run in runs),
        cost=cost,
        priced=priced,
        unpriced=len(runs) - len(costs),
        cost_per_solved=None if cost is None or not solved else cost / solved,
        steps=_steps(runs),
        basis=_counts(Counter(run.basis for run in runs)),
        spans=_sum((run.spans for run in runs), no_spans()),
        tools=_sum((run.tools for run in runs), no_tools()),
    )


def _is_unknown(run: Run) -> bool:
    return run.status is None or run.status == "unknown"


def _steps(runs: list[Run]) -> Steps | None:
    known = [run.steps for run in runs if run.steps is not None]
    if not known:
        return None
    return Steps(statistics.median(known), min(known), max(known), len(runs) - len(known))


def _sum(parts: Iterable[_C], nothing: _C) -> _C:
    """The counts of all together, field by field."""
    names = nothing.__struct_fields__
    totals = [0] * len(names)
    for part in parts:
        for index, name in enumerate(names):
            totals[index] += getattr(part, name)
    return type(nothing)(*totals)


def _counts(found: Counter[str] | Counter[str | None]) -> tuple[Count, ...]:
    """The commonest first, equals by name."""
    items: list[tuple[str | None, int]] = list(found.items())
    items.sort(key=lambda item: (-item[1], item[0] is None, item[0] or ""))
    return tuple(Count(name, count) for name, count in items)


def _repeated(runs: Iterable[Run]) -> int:
    """How many runs have ids that an earlier one has; runs without ids have none to repeat."""
    found = Counter(run.ids for run in runs if run.ids[1] is not None)
    return sum(count - 1 for count in found.values())


def _kinds(seen: Seen) -> tuple[Kind, ...]:
    found: dict[str | None, Counter[str | None]] = {}
    for (benchmark, harness), count in seen.kinds.items():
        found.setdefault(benchmark, Counter())[harness] += count
    ordered = sorted(found, key=lambda name: (name is None, name or ""))
    return tuple(Kind(name, _counts(found[name]), found[name].total()) for name in ordered)


def _labels(runs: Iterable[Run], dated: Mapping[str, str]) -> tuple[Label, ...]:
    found = Counter((run.benchmark, run.harness, run.label, _key(run, dated)) for run in runs)
    labels = [Label(*key, count) for key, count in found.items()]
    labels.sort(
        key=lambda each: (
            _order((each.benchmark, each.harness)),
            each.label is None,
            each.label or "",
            -each.runs,
            each.counted,
        )
    )
    return tuple(labels)


def _disagreement(run: Run, dated: Mapping[str, str]) -> Disagreement:
    return Disagreement(
        source=run.source,
        place=run.place,
        session=run.ids[1],
        benchmark=run.benchmark,
        harness=run.harness,
        label=run.label,
        config=run.config,
        named=_counts(Counter(run.spelled)),
        counted=_key(run, dated),
        basis=run.basis,
        what=run.what,
    )
