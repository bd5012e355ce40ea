"""How long the texts of a Parquet column are, row by row, without making one of them.

One text that the dictionary of a column holds once may stand in any number of its cells, and a page
of a few kilobytes unpacks to gigabytes. So before a row is decoded its texts are added up: pages
are unpacked one at a time, and of the texts only the lengths are looked at.
"""

# pyarrow has no types of its own
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from struct import Struct, error
from typing import Any, BinaryIO, cast

from ringback.formats.exgentic.pages import DATA, DATA_V2, DICTIONARY, Page

__all__ = ["add_up"]

_PLAIN, _RUNS, _BY_DICTIONARY = 0, 3, (2, 8)
_CODECS = {
    "SNAPPY": "snappy",
    "GZIP": "gzip",
    "BROTLI": "brotli",
    "ZSTD": "zstd",
    "LZ4": "lz4_raw",
    "LZ4_RAW": "lz4_raw",
}
_LENGTH = Struct("<I")


def add_up(file: BinaryIO, column: Any, codec: str, found: list[Page], sizes: list[int]) -> None:
    """Add to each row's size the bytes of its texts in a column, whose pages these are.

    Raises `ValueError` where they are not as they should be, and what pyarrow raises for packed
    bytes that cannot be unpacked.
    """
    known: list[int] = []  # the lengths of the dictionary's texts
    row = -1
    try:
        for page in found:
            if page.kind == DICTIONARY:
                known = list(islice(_plain(_whole(file, page, codec)), page.values))
            elif page.kind in (DATA, DATA_V2):
                row = _page(file, column, codec, page, known, sizes, row)
    except (IndexError, StopIteration, error):
        raise ValueError("a page of them ends before it should") from None
    if row != len(sizes) - 1:
        raise ValueError(f"a column of them holds {row + 1:,} rows, not {len(sizes):,}")


def _page(
    file: BinaryIO,
    column: Any,
    codec: str,
    page: Page,
    known: list[int],
    sizes: list[int],
    row: int,
) -> int:
    """Add up a page, which goes on with a row or begins the next; the row it ends in."""
    repeats, defined = column.max_repetition_level, column.max_definition_level
    data = _whole(file, page, codec)
    at = 0
    levels: list[Iterator[int] | None] = []
    for place, most in enumerate((repeats, defined)):
        if page.levels is not None:
            length = page.levels[place]
        elif most:
            if page.spelled[place] != _RUNS:
                raise ValueError("the levels of a page are spelled in a way that is not known here")
            (length,) = _LENGTH.unpack_from(data, at)
            at += 4
        else:
            length = 0
        if at + length > len(data):
            raise ValueError("the levels of a page are longer than it is")
        levels.append(_hybrid(data[at : at + length], most.bit_length()) if most else None)
        at += length
    lengths = _texts(page, data[at:], known)
    again, there = levels
    for _ in range(page.values):
        if again is None or next(again) == 0:
            row += 1
        if there is None or next(there) == defined:
            if not 0 <= row < len(sizes):
                raise ValueError("a column of them holds more rows than there are")
            sizes[row] += next(lengths)
    return row


def _texts(page: Page, data: memoryview, known: list[int]) -> Iterator[int]:
    """The lengths of the texts of a page, in order."""
    if page.encoding == _PLAIN:
        return _plain(data)
    if page.encoding in _BY_DICTIONARY:
        width = data[0] if len(data) else 0
        return (known[index] for index in _hybrid(data[1:], width))
    raise ValueError(f"a page of them is spelled in a way that is not known here ({page.encoding})")


def _plain(data: memoryview) -> Iterator[int]:
    at, end = 0, len(data)
    while at < end:
        (length,) = _LENGTH.unpack_from(data, at)
        at += 4 + length
        if at > end:
            break
        yield length
    if at != end:
        raise ValueError("a text in a page is longer than it")


def _hybrid(data: memoryview, width: int) -> Iterator[int]:
    """Numbers of so many bits in runs, and packed in groups of eight, without an end."""
    if width > 32:
        raise ValueError("a page has numbers of more than 32 bits")
    at, size = 0, (width + 7) // 8
    mask = (1 << width) - 1
    while at < len(data) or not width:
        head = shift = 0
        while True:
            byte = data[at]
            at += 1
            head |= (byte & 127) << shift
            if byte < 128:
                break
            shift += 7
            if shift > 35:
                raise ValueError("a page has a run without an end")
        if head & 1:
            for _ in range(head >> 1):
                group = int.from_bytes(data[at : at + width], "little")
                at += width
                for _ in range(8):
                    yield group & mask
                    group >>= width
                if width and at >= len(data):
                    break
        else:
            value = int.from_bytes(data[at : at + size], "little")
            at += size
            for _ in range(head >> 1):
                yield value


def _whole(file: BinaryIO, page: Page, codec: str) -> memoryview:
    """A page's bytes, unpacked; the levels before them are never packed."""
    import pyarrow as arrow

    file.seek(page.at)
    data = file.read(page.size)
    if len(data) != page.size:
        raise ValueError("a page of them is cut off")
    if codec == "UNCOMPRESSED" or not page.packed:
        return memoryview(data)
    if codec not in _CODECS:
        raise ValueError(f"they are packed in a way that is not known here ({codec[:20]})")
    first = sum(page.levels or ())
    unpacked = cast(
        "bytes",
        arrow.decompress(
            memoryview(data)[first:],
            decompressed_size=page.unpacked - first,
            codec=_CODECS[codec],
            asbytes=True,
        ),
    )
    if len(unpacked) != page.unpacked - first:
        raise ValueError("a page of them unpacks to other than it says")
    return memoryview(data[:first] + unpacked if first else unpacked)
