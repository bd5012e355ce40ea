"""Rows in the form of the public traces, as a Parquet file: for tests, benchmarks and sharing."""

# pyarrow has no types of its own
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ringback.formats.exgentic.columns import ATTRIBUTES, COLUMNS, SPAN

__all__ = ["schema", "write"]

_COMPRESSION = "zstd"


def schema() -> Any:
    """The form's Arrow schema, as the published files have it."""
    import pyarrow as pa

    kinds: dict[str, Any] = {
        "text": pa.string(),
        "texts": pa.list_(pa.string()),
        "number": pa.float64(),
        "whole": pa.int64(),
        "flag": pa.bool_(),
    }
    attributes = pa.struct([(name, kinds[family]) for name, family in ATTRIBUTES.items()])
    span = pa.struct(
        [
            *((name, kinds[family]) for name, family in SPAN.items()),
            ("status", pa.struct([("code", pa.int64()), ("message", pa.string())])),
            ("attributes", attributes),
            ("events", pa.list_(pa.string())),
            ("resource_attributes", pa.struct([("service.name", pa.string())])),
        ]
    )
    kinds["spans"] = pa.list_(span)
    return pa.schema([(name, kinds[family]) for name, family in COLUMNS.items()])


def write(path: Path, rows: Iterable[Mapping[str, Any]], *, group: int = 1000) -> int:
    """Write rows, in row groups of `group`, and return how many; what a row lacks is empty."""
    import pyarrow as pa
    import pyarrow.parquet as parquet

    form, count, batch = schema(), 0, list[Mapping[str, Any]]()
    with parquet.ParquetWriter(path, form, compression=_COMPRESSION) as file:
        for row in rows:
            batch.append(row)
            count += 1
            if len(batch) == group:
                file.write_table(pa.Table.from_pylist(batch, schema=form), row_group_size=group)
                batch.clear()
        if batch:
            file.write_table(pa.Table.from_pylist(batch, schema=form), row_group_size=group)
    return count
