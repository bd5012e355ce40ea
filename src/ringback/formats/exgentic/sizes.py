"""How much of a Parquet file would stand in memory, before it does: a footer may say anything.

A text that a column chunk holds once, in its dictionary, may stand in any number of its cells, and
a run of equal numbers takes up a few bytes: neither the file's size nor what it says of its
unpacked size bounds what its rows hold. So texts are read as Arrow's dictionaries, and measured.
That takes several times what the column holds, so that the largest columns are read as they are:
of a file that says it unpacks to so much, a row is measured only once it is there.
"""

# pyarrow has no types of its own
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["MOST_FIXED", "fixed", "texts", "weight"]

MOST_FIXED = 512 << 20
"""Bytes that the numbers of a row group, and the numbers of its texts, may take up."""

_WIDTHS = {"BOOLEAN": 1, "INT32": 4, "INT96": 12}
_MOST_TEXTS = 64 << 20  # bytes of the columns that are read as dictionaries
_VALUE = 64  # bytes that a value takes up beside its text


def texts(metadata: Any) -> list[str]:
    """The paths of the columns with texts that are to be read as dictionaries, the smaller ones."""
    columns = ((index, metadata.schema.column(index)) for index in range(metadata.num_columns))
    groups = [metadata.row_group(group) for group in range(metadata.num_row_groups)]
    sizes = sorted(
        (
            max((held.column(index).total_uncompressed_size for held in groups), default=0),
            column.path,
        )
        for index, column in columns
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


def fixed(metadata: Any, group: int) -> int:
    """The bytes that the values of a row group take up beside what its texts say."""
    held = metadata.row_group(group)
    found = 0
    for index in range(held.num_columns):
        column = metadata.schema.column(index)
        width = max(column.length or 0, _WIDTHS.get(column.physical_type, 8))
        found += max(held.column(index).num_values, held.num_rows) * width
    return found


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
