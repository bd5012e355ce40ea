"""Parquet files of the form, read a few rows at a time: never a whole row group, never all columns.

A row group of the published shards decodes to more than a gigabyte. So columns are read through
small buffers, in batches of a few rows, and what the caller has no use for stays on the disk.
"""

# pyarrow has no types of its own
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from ringback.errors import InputError
from ringback.formats.exgentic.columns import COLUMNS, wrong
from ringback.formats.exgentic.footer import groups
from ringback.formats.exgentic.groups import ERRORS, Opened, read, words
from ringback.formats.exgentic.met import Chosen, Progress, Row, Seen
from ringback.formats.exgentic.paths import Shard, shards
from ringback.formats.exgentic.sizes import texts
from ringback.formats.folders import is_file
from ringback.formats.recording import Skipped

__all__ = ["Chosen", "Progress", "Row", "Seen", "rows"]

_BUFFER = 1 << 20  # bytes of a column read at once
_NESTED = 64  # levels of a schema; the form has six


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
            opened = _open(shard)
        except ERRORS as problem:  # it was there a moment ago
            seen.unopened += 1
            seen.unread += held
            yield _no_parquet(shard, problem)
        else:
            seen.files.append(shard.name)
            seen.kept[shard.name] = shard.kept
            try:
                yield from read(opened, chosen, seen, whole, done, progress)
            finally:
                opened.close()
        done += held
    if progress is not None:
        progress(done, seen.stated)


def _looked_at(shard: Shard, seen: Seen) -> int | Skipped:
    """How many rows a file says it holds, or why it is none of ours."""
    try:
        opened = _open(shard)
    except ERRORS as problem:
        return _no_parquet(shard, problem)
    try:
        if (found := _misfit(opened.file)) is not None:
            return Skipped(shard.name, None, f"it is not of this form: {found}", True)
        _note_columns(shard.name, opened.file, seen)
        return opened.file.metadata.num_rows
    finally:
        opened.close()


def _no_parquet(shard: Shard, problem: BaseException) -> Skipped:
    return Skipped(shard.name, None, f"it cannot be read as Parquet: {words(problem)}", True)


def _library() -> None:
    try:
        import pyarrow.parquet as _parquet
    except ImportError as problem:
        raise InputError(
            "Reading Parquet files needs pyarrow, which is not installed; install it with "
            "`pip install 'ringback[parquet]'`."
        ) from problem
    del _parquet


def _open(shard: Shard) -> Opened:
    """The file, with each text of its smaller columns once in memory, however often it stands."""
    import pyarrow.parquet as parquet

    path = shard.path
    if not is_file(path):
        raise OSError("it is no file" if path.exists() else "there is no such file")
    with ExitStack() as left:
        raw = left.enter_context(path.open("rb"))
        found = groups(raw)
        # pyarrow does not take a name that is no UTF-8, but it does an open file
        source = path if _is_text(path) else left.enter_context(path.open("rb"))
        metadata = parquet.read_metadata(source)
        columns = tuple(metadata.schema.column(index) for index in range(metadata.num_columns))
        if any(len(group.chunks) != len(columns) for group in found):
            raise ValueError("a row group has other columns than the file")
        short = texts(columns, found)
        file = parquet.ParquetFile(
            source,
            metadata=metadata,
            read_dictionary=short,
            buffer_size=_BUFFER,
            pre_buffer=False,
            schema_depth_limit=_NESTED,
            arrow_extensions_enabled=False,
        )
        left.callback(file.close, force=True)
        return Opened(shard.name, file, raw, found, columns, frozenset(short), left.pop_all())


def _is_text(path: Path) -> bool:
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return False
    return True


def _misfit(file: Any) -> str | None:
    try:
        return wrong(file.schema_arrow)
    except ERRORS as problem:
        return f"its columns cannot be read: {words(problem)}"


def _note_columns(name: str, file: Any, seen: Seen) -> None:
    there = file.schema_arrow.names
    if missing := tuple(column for column in COLUMNS if column not in there):
        seen.missing[name] = missing
    if extra := tuple(column for column in there if column not in COLUMNS):
        seen.extra[name] = extra
