"""The one model of a report over recorded traces: the page, the summary and the file are of it.

``results.json`` is this model, field for field. It holds no clock time and no path, so the same
files give the same bytes. Unknown is null, never 0.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from ringback.formats.exgentic.names import Basis
from ringback.stats import Interval

__all__ = [
    "FORMAT",
    "Count",
    "Disagreement",
    "Dropped",
    "FileFacts",
    "Kind",
    "Label",
    "Mismatch",
    "ModelFigures",
    "Slice",
    "Spans",
    "Steps",
    "ToolCounts",
    "TraceResults",
]

FORMAT = 1

Mismatch: TypeAlias = Literal[
    "label", "config", "label and config", "several models", "no model named"
]
"""What of a run does not fit together: its label and what its calls name; its configuration's path
and that; the label and the path; its calls among themselves; no call names a model."""


class Count(Struct, frozen=True):
    """A name and how often; None for what is not said."""

    name: str | None
    count: int


class Steps(Struct, frozen=True):
    """Steps as recorded, over the runs that say them; `unknown` runs do not."""

    median: float
    least: int
    most: int
    unknown: int


class ToolCounts(Struct, frozen=True):
    """Model calls by how many of their tools are defined with a schema of their arguments.

    `unreadable` calls have definitions that are no list of tools. `definitions` and `with_schema`
    count the definitions themselves, over all calls.
    """

    all: int
    some: int
    none: int
    no_tools: int
    unreadable: int
    definitions: int
    with_schema: int


class Spans(Struct, frozen=True):
    """Spans of some runs: model calls, those of them that failed, and what is no model call.

    `renamed` calls were answered under another model's name than they asked for. `no_usage` counts
    calls that did not fail and have no tokens recorded. `runs_without` runs have no span at all.
    """

    spans: int
    calls: int
    failed: int
    other: int
    renamed: int
    no_usage: int
    input_tokens: int
    output_tokens: int
    runs_without: int


class ModelFigures(Struct, frozen=True, kw_only=True):
    """One model in one benchmark and harness.

    `model` is the commonest spelling of the name, `spelled` all of them. `rate` is `solved` of the
    runs whose outcome is recorded: runs less `unknown`. `status_unknown` runs have the status
    "unknown", or none, of which `status_unknown_solved` count as solved. `cost` is the sum of the
    recorded agent costs in US dollars, None where any run has none (`unpriced` counts them,
    `priced` is the sum of the rest); `cost_per_solved` is None too where nothing was solved.
    `basis` counts the runs by what their model was taken from.
    """

    model: str
    spelled: tuple[Count, ...]
    runs: int
    solved: int
    unknown: int
    rate: float | None
    interval: Interval | None
    status_unknown: int
    status_unknown_solved: int
    cost: float | None
    priced: float
    unpriced: int
    cost_per_solved: float | None
    steps: Steps | None
    basis: tuple[Count, ...]
    spans: Spans
    tools: ToolCounts


class Slice(Struct, frozen=True):
    """The models of one benchmark in one harness, and all of their runs together."""

    benchmark: str | None
    harness: str | None
    models: tuple[ModelFigures, ...]
    runs: int
    solved: int
    unknown: int
    status_unknown: int
    spans: Spans
    tools: ToolCounts


class Kind(Struct, frozen=True):
    """How many rows of a benchmark each harness has, wanted or not."""

    benchmark: str | None
    harnesses: tuple[Count, ...]
    rows: int


class Label(Struct, frozen=True):
    """Runs with the label `label` that are counted under the model `counted`."""

    benchmark: str | None
    harness: str | None
    label: str | None
    counted: str
    runs: int


class Disagreement(Struct, frozen=True, kw_only=True):
    """A run of which not everything names one model; `counted` is the model it is counted under."""

    source: str
    place: int
    session: str | None
    benchmark: str | None
    harness: str | None
    label: str | None
    config: str | None
    named: tuple[Count, ...]
    counted: str
    basis: Basis
    what: tuple[Mismatch, ...]


class Dropped(Struct, frozen=True):
    """Rows that could not be read, with the reason; `place` is None where many or all are meant."""

    source: str
    place: int | None
    why: str


class FileFacts(Struct, frozen=True):
    """What was read: the files, the rows that they state, that were met, and that were wanted.

    As many files as `unopened` could not be read at all. `spans` counts the spans of the wanted
    rows. `unread` rows were wanted, or may have been, and could not be read. `card_rows` and
    `card_spans` are what the data's card states, as the caller gave it. `repeated` rows have the
    ids of an earlier row, and are counted.
    """

    files: tuple[str, ...]
    unopened: int
    stated: int
    rows: int
    chosen: int
    unread: int
    spans: int
    repeated: int
    card_rows: int | None
    card_spans: int | None
    benchmarks: tuple[str, ...]
    harnesses: tuple[str, ...]


class TraceResults(Struct, frozen=True, kw_only=True):
    """A report over recorded traces.

    `odd` counts figures that are no figures (a cost that is negative or beyond a million USD): they
    are taken for unknown. `missing` names columns that files lack. `command` makes the report
    again.
    """

    format: int = FORMAT
    files: FileFacts
    kinds: tuple[Kind, ...]
    slices: tuple[Slice, ...]
    statuses: tuple[Count, ...]
    labels: tuple[Label, ...]
    disagreements: tuple[Disagreement, ...]
    dropped: tuple[Dropped, ...]
    odd: tuple[Count, ...]
    missing: dict[str, tuple[str, ...]]
    extra: dict[str, tuple[str, ...]]
    headline: tuple[str, ...]
    limits: tuple[tuple[str, str], ...]
    command: str
    versions: dict[str, str]
