"""The rows of a Parquet file, read a few at a time: never a whole row group, never all columns."""

# pyarrow has no types of its own
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import Any, BinaryIO, NamedTuple

from ringback.formats.exgentic.columns import COLUMNS, FIGURES
from ringback.formats.exgentic.footer import Group
from ringback.formats.exgentic.met import Chosen, Progress, Row, Seen
from ringback.formats.exgentic.sizes import MOST_FIXED, fixed, long_texts, weight
from ringback.formats.recording import SURPRISES, Skipped

__all__ = ["ERRORS", "Opened", "read", "words"]

_BATCH = 8  # rows decoded at once, with their conversations
_BATCH_FIGURES = 32
_HEAVY = 4 << 20  # bytes a row from which rows are decoded one by one
_HUGE = 128 << 20  # bytes a row that are not decoded at all
_KINDS = ["benchmark", "harness"]
_OTHER = "it is of another benchmark or harness than was asked for"

ERRORS = (
    OSError,
    ValueError,
    TypeError,
    LookupError,
    NotImplementedError,
    RuntimeError,
    *SURPRISES,
)
"""What pyarrow raises for a file that is not as it should be; its own errors are among them."""


class Opened(NamedTuple):
    """A file that is open: its name, how pyarrow reads it, its bytes, and what is in it.

    `short` are the columns that are read as dictionaries, by their paths; `left` closes the file.
    """

    name: str
    file: Any
    raw: BinaryIO
    groups: tuple[Group, ...]
    columns: tuple[Any, ...]
    short: frozenset[str]
    left: ExitStack

    def long_texts(self, group: int, columns: list[str] | None) -> list[int]:
        """For each row of a group how much its texts hold in the other columns."""
        return long_texts(self.raw, self.columns, self.groups[group], columns, self.short)

    def close(self) -> None:
        """Close it."""
        self.left.close()


def read(
    opened: Opened,
    chosen: Chosen,
    seen: Seen,
    whole: bool,
    done: int,
    progress: Progress | None,
) -> Iterator[Row | Skipped]:
    """The wanted rows of a file, and what could not be read of them; see `shards.rows`.

    `done` rows were read before, of other files.
    """
    columns = None if whole else _figure_columns(opened.columns)
    first = 0
    for group, held in enumerate(opened.groups):
        # Told out here, so that what goes wrong in telling is not laid to the file.
        for reached, entry in _group(opened, group, first, columns, chosen, seen):
            if entry is not None:
                yield entry
            if progress is not None:
                progress(done + reached, seen.stated)
        first += held.rows
        if progress is not None:
            progress(done + first, seen.stated)


def _group(
    opened: Opened,
    group: int,
    first: int,
    columns: list[str] | None,
    chosen: Chosen,
    seen: Seen,
) -> Iterator[tuple[int, Row | Skipped | None]]:
    """The entries of a row group, which begins at row `first`, and up to which row they go."""
    source, held = opened.name, opened.groups[group]
    place, last = first, first + held.rows
    wanted: list[bool] | None = None  # not known; a footer may state any number of rows
    try:
        if (size := fixed(opened.columns, held)) > MOST_FIXED:
            raise ValueError(f"they hold {size:,} bytes beside their texts, which is too much")
        wanted = _wanted(opened, group, chosen, seen)
        if columns is None:
            for index, is_wanted in enumerate(wanted):
                if not is_wanted:
                    yield place, Skipped(source, first + index, _OTHER, False)
        if not any(wanted):
            return
        if held.unpacked > _HUGE * held.rows:
            raise ValueError(f"they hold {held.unpacked:,} bytes, which is too much")
        long = opened.long_texts(group, columns)
        heavy = held.unpacked > _HEAVY * held.rows or max(long) > _HEAVY
        size = 1 if heavy else _BATCH if columns is None else _BATCH_FIGURES
        batches = opened.file.iter_batches(size, [group], columns, use_threads=False)
        while (batch := _next(batches, long, place - first)) is not None:
            if batch.num_rows > last - place:
                raise ValueError("the row group holds more rows than it says")
            light = sum(map(weight, batch.columns)) <= _HUGE
            for index in range(batch.num_rows):
                found = None
                if wanted[place - first]:
                    found = _row(source, place, batch.slice(index, 1), light=light)
                    if isinstance(found, Row):
                        seen.note_version(source, found.cells.get("schema_version"))
                    else:
                        seen.unread += 1
                place += 1
                yield place, found
        if place < last:
            raise ValueError("the row group ends before them")
    except ERRORS as problem:
        seen.unread += last - place if wanted is None else sum(wanted[place - first :])
        why = f"rows {place:,} to {last - 1:,} cannot be read: {words(problem)}"
        yield place, Skipped(source, None, why, True)


def _next(batches: Iterator[Any], long: list[int], at: int) -> Any:
    """The next batch of a group, which begins with its row `at`; None at the end.

    `ValueError` where that row would take too much memory; none is left out of those that follow.
    """
    if at < len(long) and long[at] > _HUGE:
        raise ValueError(f"the first of them holds {long[at]:,} bytes, which is too much")
    return next(batches, None)


def _wanted(opened: Opened, group: int, chosen: Chosen, seen: Seen) -> list[bool]:
    """For each row of a group whether it is wanted, by two of its columns alone."""
    held = opened.groups[group]
    if (size := sum(opened.long_texts(group, _KINDS))) > _HUGE:
        raise ValueError(f"their benchmarks and harnesses hold {size:,} bytes")
    kinds: list[tuple[str | None, str | None]] = []
    once: dict[tuple[str | None, str | None], tuple[str | None, str | None]] = {}
    for batch in opened.file.iter_batches(1024, [group], _KINDS, use_threads=False):
        if (size := sum(map(weight, batch.columns))) > _HUGE:
            raise ValueError(f"their benchmarks and harnesses hold {size:,} bytes")
        for cells in batch.to_pylist():
            kind = cells["benchmark"], cells["harness"]
            kinds.append(once.setdefault(kind, kind))
    counts = {len(kinds)} | {
        chunk.values
        for column, chunk in zip(opened.columns, held.chunks, strict=True)
        if column.max_repetition_level == 0
    }
    if counts != {held.rows}:
        other = max(counts - {held.rows})
        raise ValueError(f"the row group says that it holds {held.rows:,} rows, not {other:,}")
    seen.kinds.update(kinds)
    seen.rows += len(kinds)
    found = [chosen.takes(*kind) for kind in kinds]
    seen.chosen += sum(found)
    return found


def _figure_columns(columns: Sequence[Any]) -> list[str]:
    """The paths of the columns that the figures need, as this file spells them."""
    found: list[str] = []
    for path in (column.path for column in columns):
        head, _, rest = path.partition(".")
        if head != "spans":
            if head in COLUMNS:
                found.append(path)
        elif any(_ends(rest, name) for name in FIGURES):
            found.append(path)
    return found


def _ends(path: str, name: str) -> bool:
    """Whether ``list.element.status.code`` is the field, or in the field, of this name."""
    inside = path.split(".", 2)[-1]  # after the two levels that every list of Parquet's has
    return inside == name or inside.startswith(f"{name}.")


def _row(source: str, place: int, one: Any, *, light: bool) -> Row | Skipped:
    try:
        if not light and (size := sum(map(weight, one.columns))) > _HUGE:
            why = f"it holds {size:,} bytes, which is too much"
            return Skipped(source, place, why, True)
        cells: dict[str, Any] = one.to_pylist()[0]
    except ERRORS as problem:
        return Skipped(source, place, f"a cell cannot be read: {words(problem)}", True)
    spans: list[dict[str, Any] | None] | None = cells.pop("spans", None)
    return Row(source, place, cells, None if spans is None else tuple(spans))


def words(problem: BaseException) -> str:
    """What an error says, on one line of bounded length and without its full stop."""
    said = " ".join(str(problem).split()) or type(problem).__name__
    return (said if len(said) <= 160 else f"{said[:159]}…").removesuffix(".")
