"""A Parquet file's footer, as far as it says how much the file holds (its form: FileMetaData).

It is read here too, because pyarrow ends the process where a column's statistics do not fit.
"""

from __future__ import annotations

from typing import BinaryIO

from msgspec import Struct

from ringback.formats.exgentic.thrift import Fields, inner, inners, number, structure

__all__ = ["Chunk", "Group", "groups"]

_MAGIC = b"PAR1"
_END = 8  # bytes of the footer's length and the mark, which stand last
_MOST = 64 << 20
_CODECS = ("UNCOMPRESSED", "SNAPPY", "GZIP", "LZO", "BROTLI", "LZ4", "ZSTD", "LZ4_RAW")


class Chunk(Struct, frozen=True):
    """A column in a row group: where its pages begin, their bytes packed and unpacked, its values.

    `codec` is how they are packed.
    """

    at: int
    size: int
    unpacked: int
    values: int
    codec: str


class Group(Struct, frozen=True):
    """A row group: its rows, the bytes it is said to unpack to, its columns in their order."""

    rows: int
    unpacked: int
    chunks: tuple[Chunk, ...]


def groups(file: BinaryIO) -> tuple[Group, ...]:
    """The row groups of a file; `ValueError` where the footer does not say what they are."""
    size = file.seek(0, 2)
    if not size:
        raise ValueError("it is empty")
    file.seek(0)
    if file.read(len(_MAGIC)) != _MAGIC:
        raise ValueError("it does not begin as such a file does")
    file.seek(max(0, size - _END))
    end = file.read(_END)
    length = int.from_bytes(end[:4], "little")
    if end[4:] != _MAGIC or length + _END > size:
        raise ValueError("it does not end as such a file does")
    if length > _MOST:
        raise ValueError(f"its footer has {length:,} bytes, which is too much")
    file.seek(size - _END - length)
    data = file.read(length)
    try:
        fields, _ = structure(data)
        return tuple(_group(each) for each in inners(fields, 4))
    except IndexError:
        raise ValueError("its footer is cut off") from None
    except ValueError as problem:
        raise ValueError(f"its footer cannot be read: {problem}") from None


def _group(fields: Fields) -> Group:
    chunks = tuple(_chunk(inner(each, 3)) for each in inners(fields, 1))
    return Group(number(fields, 3), number(fields, 2), chunks)


def _chunk(fields: Fields) -> Chunk:
    at, codec = number(fields, 9), number(fields, 4)
    first = fields.get(11)  # of its dictionary
    return Chunk(
        first if isinstance(first, int) and 0 < first < at else at,
        number(fields, 7),
        number(fields, 6),
        number(fields, 5),
        _CODECS[codec] if codec < len(_CODECS) else "unknown",
    )
