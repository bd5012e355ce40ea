"""How much of a Parquet file would stand in memory, before it does: a footer may say anything.

A text that a column chunk holds once, in its dictionary, may stand in any number of its cells, and
a run of equal numbers takes up a few bytes: neither the file's size nor what it says of its
unpacked size bounds what its rows hold. So texts are read as Arrow's dictionaries, and measured.
That takes several times what the column holds, so that the largest columns are read as they are,
once the lengths of their texts have been added up. And what a footer says of a column has to be
what the headers of its pages say.
"""

# pyarrow has no types of its own
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false

from __future__ import annotations

from collections.abc import Collection, Sequence
from importlib import import_module
from typing import Any, BinaryIO

from ringback.formats.exgentic.footer import Group
from ringback.formats.exgentic.lengths import add_up
from ringback.formats.exgentic.pages import DICTIONARY, Page, pages

__all__ = ["MOST_FIXED", "fixed", "long_texts", "texts", "weight"]

MOST_FIXED = 256 << 20
"""Bytes that the numbers of a row group, and the numbers of its texts, may take up."""

_WIDTHS = {"BOOLEAN": 1, "INT32": 4, "INT96": 12}
_MOST_TEXTS = 64 << 20  # bytes of the columns that are read as dictionaries
_MOST_PAGE = 256 << 20  # bytes that a page may unpack to
_MOST_DICTIONARIES = 256 << 20  # bytes of dictionaries in memory at once, each twice
_MOST_MORE = 16 << 20  # bytes that a row group may hold beyond what its footer says
_MOST_VALUES = 4_000_000  # texts of a row group that are looked at one by one
_BY_PREFIXES = 7  # a page in which a text says how much it has in common with the one before
_VALUE = 64  # bytes that a value takes up beside its text


def texts(schema: Any, groups: Sequence[Group]) -> list[str]:
    """The paths of the columns with texts that are to be read as dictionaries, the smaller ones."""
    sizes = sorted(
        (max((group.chunks[index].unpacked for group in groups), default=0), column.path)
        for index, column in enumerate(schema)
        if column.physical_type == "BYTE_ARRAY" and column.logical_type.type in ("STRING", "NONE")
    )
    found: list[str] = []
    total = 0
    for size, path in sizes:
        total += size
        if total > _MOST_TEXTS:
            break
        found.append(path)
    return found


def fixed(schema: Any, group: Group) -> int:
    """The bytes that the values of a row group take up beside what its texts say."""
    found = 0
    for column, chunk in zip(schema, group.chunks, strict=True):
        width = max(column.length or 0, _WIDTHS.get(column.physical_type, 8))
        found += max(chunk.values, group.rows) * width
    return found


def long_texts(
    file: BinaryIO,
    schema: Any,
    group: Group,
    columns: Collection[str] | None,
    short: Collection[str],
) -> list[int]:
    """For each row of a group how many bytes its texts hold in the columns that are not `short`.

    Of these columns alone, by their paths; all where None is given. Raises `ValueError` where
    reading them would take more memory than we have for a file, or where their pages are not what
    the footer says.
    """
    sizes = [0] * group.rows
    more = dictionaries = values = 0
    for column, chunk in zip(schema, group.chunks, strict=True):
        if columns is not None and column.path not in columns:
            continue
        found = list(pages(file, chunk))
        for page in found:
            _refuse(page, text=column.physical_type == "BYTE_ARRAY")
        more += max(0, sum(page.unpacked for page in found) - chunk.unpacked)
        if more > _MOST_MORE:
            raise ValueError("their pages hold more than the file says")
        if column.physical_type == "BYTE_ARRAY" and column.path not in short:
            dictionaries += sum(page.unpacked for page in found if page.kind == DICTIONARY)
            values += sum(page.values for page in found)
            if dictionaries > _MOST_DICTIONARIES:
                raise ValueError(f"their dictionaries hold {dictionaries:,} bytes, too much")
            if values > _MOST_VALUES:
                raise ValueError(f"they hold {values:,} texts, which is too much")
            add_up(file, column, chunk.codec, found, sizes)
    return sizes


def _refuse(page: Page, *, text: bool) -> None:
    if page.unpacked > _MOST_PAGE:
        raise ValueError(f"a page of them unpacks to {page.unpacked:,} bytes, which is too much")
    if text and page.encoding == _BY_PREFIXES and page.unpacked * page.values > _MOST_TEXTS:
        raise ValueError("their texts are spelled by prefixes and may unpack to any size")


def weight(array: Any) -> int:
    """About how many bytes the values of an Arrow array take up as Python's."""
    from pyarrow import types

    kind = array.type
    if types.is_struct(kind):
        return _VALUE * len(array) + sum(
            weight(array.field(index)) for index in range(kind.num_fields)
        )
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return _VALUE * len(array) + weight(array.flatten())
    if types.is_dictionary(kind) and _is_text(kind.value_type):
        compute: Any = import_module("pyarrow.compute")
        lengths = compute.binary_length(array.dictionary).cast("int64")
        return _VALUE * len(array) + (compute.sum(lengths.take(array.indices)).as_py() or 0)
    return _VALUE * len(array) + array.nbytes


def _is_text(kind: Any) -> bool:
    from pyarrow import types

    return bool(
        types.is_string(kind)
        or types.is_large_string(kind)
        or types.is_binary(kind)
        or types.is_large_binary(kind)
    )
