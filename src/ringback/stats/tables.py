"""Rows of CSV, JSON and JSONL files that anyone may hand in, one at a time, with where they stand.

The form goes by the file's ending (.csv, .tsv, .json, .jsonl, .ndjson), else by its first sign.
Whatever is wrong is an `InputError` that names the file and the line.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, NoReturn, cast

from ringback.errors import InputError

__all__ = ["Row", "rows"]

_MARK = b"\xef\xbb\xbf"
_LONGEST = 1 << 20  # bytes in a line
_LARGEST = 256 << 20  # bytes of a JSON file, which is read whole
_DELIMITERS = (",", ";", "\t")


class Row(NamedTuple):
    """A row's values by column, and where it stands: ``a.csv, line 3`` or ``a.json, item 3``.

    Values of a CSV file are text; those of JSON are what they are there.
    """

    where: str
    values: dict[str, Any]


def rows(path: Path, needed: tuple[str, ...]) -> Iterator[Row]:
    """The rows of a file whose header, or whose objects, should have the `needed` columns.

    A CSV file's cells are parted by comma, semicolon or tab: by the first under which its header
    has the needed columns. Every row of it has as many cells as the header, and no column has the
    name of another. Raises `InputError`, and `OSError` for a file that cannot be opened.
    """
    if path.is_dir():
        raise InputError(f"{str(path)!r} is a folder; give the files in it.")
    with path.open("rb") as file:
        match _form(path, file.peek(64)):
            case "json":
                yield from _json(path.name, file)
            case "jsonl":
                yield from _jsonl(path.name, file)
            case _:
                yield from _csv(path.name, file, needed)


def _form(path: Path, begins: bytes) -> str:
    if begins.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(f"{path.name} is UTF-16; save it as UTF-8.")
    match path.suffix.lower():
        case ".json":
            return "json"
        case ".jsonl" | ".ndjson":
            return "jsonl"
        case ".csv" | ".tsv":
            return "csv"
        case _:
            first = begins.removeprefix(_MARK).lstrip()[:1]
            return {b"[": "json", b"{": "jsonl"}.get(first, "csv")


def _lines(name: str, file: BinaryIO) -> Iterator[str]:
    """The lines, decoded, without a byte order mark."""
    number = 0
    while line := file.readline(_LONGEST + 1):
        number += 1
        if len(line) > _LONGEST:
            raise InputError(f"{name}, line {number}: is longer than {_LONGEST:,} bytes.")
        if number == 1:
            line = line.removeprefix(_MARK)
        if b"\0" in line:
            raise InputError(f"{name}, line {number}: holds a NUL, so this is no text file.")
        try:
            yield line.decode()
        except UnicodeDecodeError:
            raise InputError(f"{name}, line {number}: is not UTF-8; save the file so.") from None


def _csv(name: str, file: BinaryIO, needed: tuple[str, ...]) -> Iterator[Row]:
    lines = _lines(name, file)
    first, above = next(lines, ""), 1
    while first and not first.strip():
        first, above = next(lines, ""), above + 1
    if not first:
        raise InputError(f"{name} is empty; its first line should name the columns.")
    delimiter, header = _header(f"{name}, line {above}", first, needed)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        line = above + reader.line_num + 1  # where the next row begins
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise InputError(f"{name}, line {line}: is no CSV ({error}).") from None
        if cells is None:
            return
        if not cells or (len(cells) == 1 and not cells[0].strip() and len(header) > 1):
            continue
        if len(cells) != len(header):
            raise InputError(
                f"{name}, line {line}: has another number of cells ({len(cells)}) than the "
                f"header ({len(header)})."
            )
        yield Row(f"{name}, line {line}", dict(zip(header, cells, strict=True)))


def _header(where: str, first: str, needed: tuple[str, ...]) -> tuple[str, list[str]]:
    """The delimiter and the columns' names."""
    found: dict[str, list[str]] = {}
    for delimiter in _DELIMITERS:
        try:
            for cells in csv.reader([first], delimiter=delimiter, strict=True):
                found[delimiter] = [cell.strip() for cell in cells]
        except csv.Error as error:
            raise InputError(f"{where}: is no CSV ({error}).") from None
    delimiter = next(
        (each for each in _DELIMITERS if set(needed) <= set(found[each])),
        max(_DELIMITERS, key=lambda each: len(found[each])),
    )
    header = found[delimiter]
    missing(where, needed, header)
    twice = next((each for each in header if header.count(each) > 1 and each), None)
    if twice is not None:
        raise InputError(f"{where}: has two columns named {twice!r}.")
    return delimiter, header


def missing(where: str, needed: tuple[str, ...], there: list[str]) -> None:
    """Raise `InputError` for the first needed column that is not there."""
    for column in needed:
        if column not in there:
            shown = ", ".join(repr(each) for each in there[:8]) or "none"
            more = ", ..." if len(there) > 8 else ""
            raise InputError(f"{where}: has no column {column!r}; it has {shown}{more}.")


def _jsonl(name: str, file: BinaryIO) -> Iterator[Row]:
    empty = True
    for number, line in enumerate(_lines(name, file), 1):
        if line.strip():
            empty = False
            where = f"{name}, line {number}"
            yield Row(where, _object(where, _parsed(where, line)))
    if empty:
        raise InputError(f"{name} is empty; it should hold one JSON object a line.")


def _json(name: str, file: BinaryIO) -> Iterator[Row]:
    data = file.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise InputError(f"{name} is larger than {_LARGEST:,} bytes; make it JSONL or CSV.")
    if not data.removeprefix(_MARK).strip():
        raise InputError(f"{name} is empty; it should hold a list of objects.")
    try:
        text = data.removeprefix(_MARK).decode()
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise InputError(f"{name}, line {line}: is not UTF-8; save the file so.") from None
    found = _parsed(name, text)
    if not isinstance(found, list):
        raise InputError(f"{name} should hold a list of objects, not {_kind(found)}.")
    items = cast("list[Any]", found)
    if not items:
        raise InputError(f"{name} is empty; it should hold a list of objects.")
    for number, item in enumerate(items, 1):
        where = f"{name}, item {number}"
        yield Row(where, _object(where, item))


def _object(where: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"{where}: should be an object, not {_kind(value)}.")
    return cast("dict[str, Any]", value)


def _kind(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "a truth value"
        case int() | float():
            return "a number"
        case str():
            return "text"
        case list():
            return "a list"
        case _:
            return "an object"


def _parsed(where: str, text: str) -> Any:
    """The JSON value; refuses names that occur twice and what JSON has no word for."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise InputError(f"{where}: an object has {twice!r} twice.")
        return found

    def refuse(word: str) -> NoReturn:
        raise InputError(f"{where}: {word} is no JSON; leave an unknown value out or null.")

    try:
        return json.loads(text, object_pairs_hook=once, parse_constant=refuse)
    except json.JSONDecodeError as error:
        line = f", line {error.lineno}" if "line" not in where else ""
        raise InputError(f"{where}{line}: is no JSON ({error.msg}).") from None
    except RecursionError:
        raise InputError(f"{where}: is nested too deeply.") from None
    except ValueError:
        raise InputError(f"{where}: holds a number of too many digits.") from None
