"""``ringback recordings``: what other people's recordings come to."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from cyclopts import Parameter

from ringback.cli.importing import Benchmarks, Harnesses, Paths
from ringback.cli.options import AsJson, Whole, named_path

if TYPE_CHECKING:
    from ringback.cli.importing import PassedOver
    from ringback.recordings.traces.model import ModelFigures, TraceResults

__all__ = ["report"]

_Card: TypeAlias = Annotated[Whole | None, Parameter(metavar="N", show_default=False)]


def report(
    paths: Paths,
    /,
    *,
    out: Annotated[
        Path,
        Parameter(
            help="Folder for the report: a page, a summary, results.",
            converter=named_path,
            metavar="DIR",
        ),
    ] = Path("report"),
    benchmark: Benchmarks = (),
    harness: Harnesses = (),
    card_rows: Annotated[_Card, Parameter(help="Rows that the data's card states.")] = None,
    card_spans: Annotated[_Card, Parameter(help="Spans that the data's card states.")] = None,
    json: AsJson = False,
) -> int:
    """Count Exgentic's traces and write a report: solve rates, costs, labels, what is missing."""
    from ringback.cli.counting import Counting
    from ringback.cli.importing import PassedOver, unreadable
    from ringback.cli.output import print_json, print_lines, print_paragraphs
    from ringback.errors import InputError
    from ringback.formats import Skipped
    from ringback.formats.exgentic import Chosen
    from ringback.recordings.traces import trace_results, write_traces
    from ringback.recordings.traces.words import of_rows, place
    from ringback.report.folder import refuse_foreign

    for name, value in (("--card-rows", card_rows), ("--card-spans", card_spans)):
        if value is not None and value < 0:
            raise InputError(f"{name} {value} is no count; give 0 or more.")
    refuse_foreign(out, "traces")
    passed = PassedOver()
    with Counting("rows read") as counting:
        found = trace_results(
            paths,
            Chosen(benchmark, harness),
            card_rows=card_rows,
            card_spans=card_spans,
            command=_command(paths, benchmark, harness, card_rows, card_spans),
            progress=counting.reach,
            passed=passed.note,
        )
    broken = [Skipped(each.source, each.place, each.why, True) for each in found.dropped]
    if (benchmark or harness) and not found.files.chosen:
        unreadable(broken, len(broken))
        raise InputError(" ".join(found.headline[:1]))
    written = write_traces(found, out)
    if json:
        print_json(_object(found, written, passed))
    else:
        for each in found.slices:
            _print(each.models, place(each))
        print_paragraphs(
            [_KEY, "", *found.headline, "", *of_rows(found), *_labels(found), *passed.lines()]
        )
        print_lines(["", f"The report is {written}."])
    unreadable(broken, len(broken))
    return 2 if broken else 0


def _command(
    paths: Sequence[Path],
    benchmarks: Sequence[str],
    harnesses: Sequence[str],
    card_rows: int | None,
    card_spans: int | None,
) -> str:
    """The line that makes the report again, which is passed on: of an absolute path the name."""
    words = ["ringback", "recordings", "report"]
    words += [path.name if path.is_absolute() else str(path) for path in paths]
    words += [word for name in benchmarks for word in ("--benchmark", name)]
    words += [word for name in harnesses for word in ("--harness", name)]
    words += [] if card_rows is None else ["--card-rows", str(card_rows)]
    words += [] if card_spans is None else ["--card-spans", str(card_spans)]
    return shlex.join(words)


def _print(models: Sequence[ModelFigures], title: str) -> None:
    """Three tables, so that none is too wide for a terminal: rates, costs, what is missing."""
    from ringback.cli.output import console, print_lines, print_table
    from ringback.formats.values import clipped
    from ringback.recordings.traces.words import cost_text, per_solved
    from ringback.report import wording
    from ringback.report.plain import one_line

    print_lines([one_line(title, console().width)])
    print_table(
        [
            ("model", "wrap"),
            ("runs", "right"),
            ("solved", "right"),
            ("rate", "right"),
            ("95% interval", "left"),
        ],
        (
            [
                clipped(model.model, _MOST_NAME),
                f"{model.runs:,}",
                f"{model.solved:,}",
                wording.percent(model.rate),
                wording.percent_interval(model.interval),
            ]
            for model in models
        ),
    )
    print_lines([""])
    print_table(
        [("model", "wrap"), ("agent cost", "wrap"), ("per solved", "right"), ("steps", "right")],
        (
            [
                clipped(model.model, _MOST_NAME),
                cost_text(model),
                per_solved(model),
                wording.UNKNOWN if model.steps is None else f"{model.steps.median:g}",
            ]
            for model in models
        ),
    )
    print_lines([""])
    print_table(
        [
            ("model", "wrap"),
            ("status?", "right"),
            ("outcome?", "right"),
            ("calls", "right"),
            ("failed", "right"),
        ],
        (
            [
                clipped(model.model, _MOST_NAME),
                f"{model.status_unknown:,}",
                f"{model.unknown:,}",
                f"{model.spans.calls:,}",
                f"{model.spans.failed:,}",
            ]
            for model in models
        ),
    )
    print_lines([""])


_MOST_NAME = 120
"""Characters of a model's name in a table: whole names are on the page and in the JSON."""

_KEY = (
    "steps: the median. status?, outcome?: runs whose status, or whose success, is not known. "
    "calls, failed: model calls, and those that failed."
)


def _labels(found: TraceResults) -> list[str]:
    from ringback.report.wording import plural

    if not found.disagreements:
        return ["Labels, configurations and calls name the same model in every run."]
    runs = plural(len(found.disagreements), "run")
    return [f"In {runs} label, configuration and calls do not name one model; they are listed."]


def _object(found: TraceResults, written: Path, passed: PassedOver) -> dict[str, Any]:
    return {"report": str(written), "results": found, "passed_over": passed.objects()}
