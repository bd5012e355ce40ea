"""Parquet files of the form, read a few rows at a time: never a whole row group, never all columns.

A row group of the published shards decodes to more than a gigabyte. So columns are read through
small buffers, in batches of a few rows, and what the caller has no use for stays on the disk.
"""

# pyarrow has no types of its own
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

from ringback.errors import InputError
from ringback.formats.exgentic.columns import COLUMNS, FIGURES, SCHEMA, wrong
from ringback.formats.exgentic.paths import Shard, shards
from ringback.formats.exgentic.sizes import MOST_FIXED, fixed, texts, weight
from ringback.formats.folders import is_file
from ringback.formats.recording import SURPRISES, Skipped

__all__ = ["Chosen", "Progress", "Row", "Seen", "rows"]

Progress: TypeAlias = Callable[[int, int], None]
"""Told now and then how many rows are done, and of how many."""

_BUFFER = 1 << 20  # bytes of a column read at once
_BATCH = 8  # rows decoded at once, with their conversations
_BATCH_FIGURES = 32
_HEAVY = 4 << 20  # bytes a row from which rows are decoded one by one
_HUGE = 128 << 20  # bytes a row, on average, that are not decoded at all
_OTHER = "it is of another benchmark or harness than was asked for"
_LONGEST = 40  # characters of a schema's version
_MOST = 1000  # versions that are told apart
_REST = ("further files", "others")
_NESTED = 64  # levels of a schema; the form has six


class Chosen(Struct, frozen=True):
    """Which rows are wanted: their benchmark and harness; all where none is named."""

    benchmarks: tuple[str, ...] = ()
    harnesses: tuple[str, ...] = ()

    def takes(self, benchmark: str | None, harness: str | None) -> bool:
        """Whether a row of these is wanted."""
        return (not self.benchmarks or benchmark in self.benchmarks) and (
            not self.harnesses or harness in self.harnesses
        )


class Row(Struct, frozen=True):
    """One run as recorded: the file's name, its number there from 0, its columns and its spans.

    `cells` has what the file has, None where a cell is empty. `spans` is None where that cell is; a
    span may be None. Where only figures were asked for, a span has only what those need.
    """

    source: str
    place: int
    cells: dict[str, Any]
    spans: tuple[dict[str, Any] | None, ...] | None


class Seen(Struct):
    """What was met on the way.

    `stated` are the rows that the files say they hold, `rows` those that were met, by benchmark and
    harness in `kinds`, and `chosen` those wanted. `unread` rows, which are wanted or may be, could
    not be read. `missing` are columns that a file lacks, `extra` those beyond the form, by the
    file's name. `files` could be read, at least in part; as many as `unopened` could not at all.
    `kept` is by a file's name what it is called in what is made of its rows.
    `versions` counts the wanted rows of another version of the form, by file and version.
    """

    files: list[str] = []
    unopened: int = 0
    stated: int = 0
    rows: int = 0
    chosen: int = 0
    unread: int = 0
    kinds: Counter[tuple[str | None, str | None]] = msgspec.field(
        default_factory=lambda: Counter[tuple[str | None, str | None]]()
    )
    missing: dict[str, tuple[str, ...]] = {}
    extra: dict[str, tuple[str, ...]] = {}
    kept: dict[str, str] = {}
    versions: Counter[tuple[str, str]] = msgspec.field(
        default_factory=lambda: Counter[tuple[str, str]]()
    )

    def note_version(self, source: str, version: str | None) -> None:
        """Count a row of another version than ours; one that does not say is taken for ours."""
        if version is not None and version != SCHEMA:
            key = source, version[:_LONGEST]
            self.versions[key if key in self.versions or len(self.versions) < _MOST else _REST] += 1

    def remarks(self) -> Iterator[str]:
        """What is to be said of the files with such rows, a sentence each."""
        files: dict[str, list[str]] = {}
        for source, version in self.versions:
            files.setdefault(source, []).append(version)
        for source, names in files.items():
            count = sum(self.versions[source, name] for name in names)
            said = ", ".join(map(repr, names[:3])) + (" and others" if len(names) > 3 else "")
            yield (
                f"{source}: schema_version is not {SCHEMA} in {count:,} of its rows but {said}; "
                f"such rows are read as {SCHEMA}."
            )


def rows(
    paths: Sequence[Path],
    chosen: Chosen,
    seen: Seen,
    *,
    whole: bool,
    progress: Progress | None = None,
) -> Iterator[Row | Skipped]:
    """The wanted rows of these files in order, and what could not be read of them.

    `whole`: with the conversations, and each row that is not wanted as passed over; otherwise only
    what the figures need, and nothing of such rows. `seen` is filled on the
    way. A file that is broken in one place gives what it has before and after. One file is open at
    a time. Raises `InputError` where pyarrow is not installed.
    """
    _library()
    fitting: list[tuple[Shard, int]] = []
    for shard in shards(paths):
        found = shard if isinstance(shard, Skipped) else _looked_at(shard, seen)
        if isinstance(found, Skipped):
            seen.unopened += found.broken
            yield found
        elif isinstance(shard, Shard):
            fitting.append((shard, found))
            seen.stated += found
    done = 0
    for shard, held in fitting:
        try:
            file = _open(shard.path)
        except _ERRORS as problem:  # it was there a moment ago
            seen.unopened += 1
            seen.unread += held
            yield _no_parquet(shard, problem)
        else:
            seen.files.append(shard.name)
            seen.kept[shard.name] = shard.kept
            try:
                yield from _rows(shard.name, file, chosen, seen, whole, done, progress)
            finally:
                file.close(force=True)
        done += held
    if progress is not None:
        progress(done, seen.stated)


def _looked_at(shard: Shard, seen: Seen) -> int | Skipped:
    """How many rows a file says it holds, or why it is none of ours."""
    try:
        file = _open(shard.path)
    except _ERRORS as problem:
        return _no_parquet(shard, problem)
    try:
        if (found := _misfit(file)) is not None:
            return Skipped(shard.name, None, f"it is not of this form: {found}", True)
        _note_columns(shard.name, file, seen)
        return file.metadata.num_rows
    finally:
        file.close(force=True)


def _no_parquet(shard: Shard, problem: BaseException) -> Skipped:
    return Skipped(shard.name, None, f"it cannot be read as Parquet: {_said(problem)}", True)


_ERRORS = (
    OSError,
    ValueError,
    TypeError,
    KeyError,
    NotImplementedError,
    RuntimeError,
    *SURPRISES,
)
"""What pyarrow raises for a file that is not as it should be; its own errors are among them."""


def _library() -> None:
    try:
        import pyarrow.parquet as _parquet
    except ImportError as problem:
        raise InputError(
            "Reading Parquet files needs pyarrow, which is not installed; install it with "
            "`pip install 'ringback[parquet]'`."
        ) from problem
    del _parquet


def _open(path: Path) -> Any:
    if not is_file(path):
        raise OSError("it is no file" if path.exists() else "there is no such file")
    how: dict[str, Any] = {
        "buffer_size": _BUFFER,
        "pre_buffer": False,
        "schema_depth_limit": _NESTED,
        "arrow_extensions_enabled": False,
    }
    try:
        str(path).encode()
    except UnicodeEncodeError:  # pyarrow does not take such a name, but it does an open file
        opened = path.open("rb")
        try:
            return _as_dictionaries(opened, how)
        except BaseException:
            opened.close()
            raise
    return _as_dictionaries(path, how)


def _as_dictionaries(source: Any, how: dict[str, Any]) -> Any:
    """The file with each text of a column chunk once in memory, however often it stands there."""
    import pyarrow.parquet as parquet

    metadata = parquet.read_metadata(source)
    return parquet.ParquetFile(source, metadata=metadata, read_dictionary=texts(metadata), **how)


def _misfit(file: Any) -> str | None:
    try:
        return wrong(file.schema_arrow)
    except _ERRORS as problem:
        return f"its columns cannot be read: {_said(problem)}"


def _note_columns(name: str, file: Any, seen: Seen) -> None:
    there = file.schema_arrow.names
    if missing := tuple(column for column in COLUMNS if column not in there):
        seen.missing[name] = missing
    if extra := tuple(column for column in there if column not in COLUMNS):
        seen.extra[name] = extra


def _rows(
    name: str,
    file: Any,
    chosen: Chosen,
    seen: Seen,
    whole: bool,
    done: int,
    progress: Progress | None,
) -> Iterator[Row | Skipped]:
    columns = None if whole else _figure_columns(file)
    first = 0
    for group in range(file.metadata.num_row_groups):
        # Told out here, so that what goes wrong in telling is not laid to the file.
        for reached, entry in _group(name, file, group, first, columns, chosen, seen):
            if entry is not None:
                yield entry
            if progress is not None:
                progress(done + reached, seen.stated)
        first += file.metadata.row_group(group).num_rows
        if progress is not None:
            progress(done + first, seen.stated)


def _group(
    source: str,
    file: Any,
    group: int,
    first: int,
    columns: list[str] | None,
    chosen: Chosen,
    seen: Seen,
) -> Iterator[tuple[int, Row | Skipped | None]]:
    """The entries of a row group, which begins at row `first`, and up to which row they go."""
    held = file.metadata.row_group(group)
    place, last = first, first + held.num_rows
    wanted: list[bool] | None = None  # not known; a footer may state any number of rows
    try:
        if (size := fixed(file.metadata, group)) > MOST_FIXED:
            raise ValueError(f"they hold {size:,} bytes beside their texts, which is too much")
        wanted = _wanted(file, group, chosen, seen)
        if columns is None:
            for index, is_wanted in enumerate(wanted):
                if not is_wanted:
                    yield place, Skipped(source, first + index, _OTHER, False)
        if not any(wanted):
            return
        if held.total_byte_size > _HUGE * held.num_rows:
            raise ValueError(f"they hold {held.total_byte_size:,} bytes, which is too much")
        heavy = held.total_byte_size > _HEAVY * held.num_rows
        size = 1 if heavy else _BATCH if columns is None else _BATCH_FIGURES
        for batch in file.iter_batches(size, [group], columns, use_threads=False):
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
    except _ERRORS as problem:
        seen.unread += last - place if wanted is None else sum(wanted[place - first :])
        why = f"rows {place:,} to {last - 1:,} cannot be read: {_said(problem)}"
        yield place, Skipped(source, None, why, True)


def _wanted(file: Any, group: int, chosen: Chosen, seen: Seen) -> list[bool]:
    """For each row of a group whether it is wanted, by two of its columns alone."""
    kinds: list[tuple[str | None, str | None]] = []
    once: dict[tuple[str | None, str | None], tuple[str | None, str | None]] = {}
    for batch in file.iter_batches(1024, [group], ["benchmark", "harness"], use_threads=False):
        if (size := sum(map(weight, batch.columns))) > _HUGE:
            raise ValueError(f"their benchmarks and harnesses hold {size:,} bytes")
        for cells in batch.to_pylist():
            kind = cells["benchmark"], cells["harness"]
            kinds.append(once.setdefault(kind, kind))
    held = file.metadata.row_group(group)
    counts = {len(kinds)} | {
        held.column(index).num_values
        for index in range(held.num_columns)
        if file.metadata.schema.column(index).max_repetition_level == 0
    }
    if counts != {held.num_rows}:
        other = max(counts - {held.num_rows})
        raise ValueError(f"the row group says that it holds {held.num_rows:,} rows, not {other:,}")
    seen.kinds.update(kinds)
    seen.rows += len(kinds)
    found = [chosen.takes(*kind) for kind in kinds]
    seen.chosen += sum(found)
    return found


def _figure_columns(file: Any) -> list[str]:
    """The paths of the columns that the figures need, as this file spells them."""
    found: list[str] = []
    schema = file.metadata.schema
    for index in range(file.metadata.num_columns):
        path = schema.column(index).path
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
    except _ERRORS as problem:
        return Skipped(source, place, f"a cell cannot be read: {_said(problem)}", True)
    spans: list[dict[str, Any] | None] | None = cells.pop("spans", None)
    return Row(source, place, cells, None if spans is None else tuple(spans))


def _said(problem: BaseException) -> str:
    words = " ".join(str(problem).split()) or type(problem).__name__
    return (words if len(words) <= 160 else f"{words[:159]}…").removesuffix(".")
