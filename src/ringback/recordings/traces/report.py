"""A report over recorded traces: read a few rows at a time, counted, and written into a folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from ringback.canonical import canonical
from ringback.errors import InputError
from ringback.formats.exgentic import Chosen, Progress, Seen, rows
from ringback.formats.recording import SURPRISES, Skipped, surprise
from ringback.recordings.traces.compute import compute
from ringback.recordings.traces.facts import Run, run_of
from ringback.recordings.traces.model import Dropped, TraceResults
from ringback.recordings.traces.page import page
from ringback.recordings.traces.summary import summary
from ringback.report.folder import replace_files, writing
from ringback.report.plain import json_bytes

__all__ = ["trace_results", "write_traces"]


def trace_results(
    paths: Sequence[Path],
    chosen: Chosen | None = None,
    *,
    card_rows: int | None = None,
    card_spans: int | None = None,
    command: str = "",
    progress: Progress | None = None,
    passed: Callable[[Skipped], object] | None = None,
) -> TraceResults:
    """The figures of the wanted rows in these files and folders.

    Nothing is kept of a row but its figures. `card_rows` and `card_spans` are what the data's card
    states, to be held against what is read. `passed` is told what a folder has beside such files.
    Raises `InputError` where no file could be read, and where a folder has none.
    """
    chosen = chosen or Chosen()
    seen = Seen()
    runs: list[Run] = []
    dropped: list[Dropped] = []
    for row in rows(paths, chosen, seen, whole=False, progress=progress):
        if isinstance(row, Skipped):
            if row.broken:
                dropped.append(Dropped(row.source, row.place, row.why))
            elif passed is not None:
                passed(row)
        else:
            try:
                runs.append(run_of(row))
            except SURPRISES as problem:
                seen.unread += 1
                why = f"it cannot be read ({surprise(problem)})"
                dropped.append(Dropped(row.source, row.place, why))
    if not seen.files:
        first = dropped[0]
        more = f" ({len(dropped) - 1:,} more files cannot be read)" if len(dropped) > 1 else ""
        raise InputError(
            f"There is nothing to report on: {first.source}: {first.why}{more}; name Parquet files "
            "of Exgentic's traces, or folders of them."
        )
    return compute(
        runs,
        seen,
        dropped,
        benchmarks=chosen.benchmarks,
        harnesses=chosen.harnesses,
        card_rows=card_rows,
        card_spans=card_spans,
        command=command,
    )


def write_traces(results: TraceResults, out: Path) -> Path:
    """Write ``results.json``, ``summary.md`` and ``index.html``; returns the page's path.

    The page comes last, each file whole or not at all. Raises `InputError` if the folder cannot be
    written, or holds what another program has written under one of these names.
    """
    with writing(out, "traces"):
        out.mkdir(parents=True, exist_ok=True)
        files = {
            "results.json": json_bytes(canonical(results), indent=1) + b"\n",
            "summary.md": summary(results).encode(),
            "index.html": page(results),
        }
        replace_files(out, files)
    return out / "index.html"
