"""Exgentic's public traces of agents: Parquet shards, one row a run, its model calls as spans.

`read` makes sessions of them, `rows` gives them as recorded; `step_calls` finds in a session the
calls that can be asked again, and `row_back` makes its row of it again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ringback.formats.exgentic.back import row_back
from ringback.formats.exgentic.calls import Excluded, Replayable, step_calls
from ringback.formats.exgentic.session import FORM, recording
from ringback.formats.exgentic.shards import Chosen, Progress, Row, Seen, rows
from ringback.formats.recording import SURPRISES, Recording, Skipped, surprise

__all__ = [
    "FORM",
    "Chosen",
    "Excluded",
    "Replayable",
    "Row",
    "Seen",
    "read",
    "recording",
    "row_back",
    "rows",
    "step_calls",
]


def read(
    paths: Sequence[Path],
    chosen: Chosen | None = None,
    seen: Seen | None = None,
    progress: Progress | None = None,
) -> Iterator[Recording | Skipped]:
    """The wanted runs of these files and folders as sessions, and what could not be read.

    A few rows are in memory at a time. `seen` is filled on the way, `progress` told now and then.
    """
    seen = Seen() if seen is None else seen
    for row in rows(paths, chosen or Chosen(), seen, whole=True, progress=progress):
        if isinstance(row, Skipped):
            yield row
            continue
        try:
            yield recording(row)
        except ValueError as problem:
            seen.unread += 1
            yield Skipped(row.source, row.place, str(problem), True)
        except SURPRISES as problem:
            seen.unread += 1
            why = f"it cannot be read ({surprise(problem)})"
            yield Skipped(row.source, row.place, why, True)
