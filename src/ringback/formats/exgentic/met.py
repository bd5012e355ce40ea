"""What is wanted of the shards, a row as it is read, and what was met on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

from ringback.formats.exgentic.columns import SCHEMA

__all__ = ["Chosen", "Progress", "Row", "Seen"]

Progress: TypeAlias = Callable[[int, int], None]
"""Told now and then how many rows are done, and of how many."""

_LONGEST = 40  # characters of a schema's version
_MOST = 1000  # versions that are told apart
_REST = ("further files", "others")


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
