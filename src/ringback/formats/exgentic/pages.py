"""The pages of a Parquet column, by their own headers: what a reader will unpack, before it does.

A file's footer says of each column how much it holds, and may say anything. What is unpacked is
what the headers of the pages say, which stand among the data (parquet.thrift, PageHeader).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from msgspec import Struct
from msgspec.structs import replace

from ringback.formats.exgentic.footer import Chunk
from ringback.formats.exgentic.thrift import inner, number, structure

__all__ = ["DATA", "DATA_V2", "DICTIONARY", "Page", "pages"]

DATA, DICTIONARY, DATA_V2 = 0, 2, 3
"""Kinds of page."""

_FIRST = 256  # bytes in which a header is looked for; statistics may make it longer
_LONGEST = 16 << 20
_MOST_PAGES = 100_000


class Page(Struct, frozen=True):
    """A page: its kind, its bytes packed and unpacked, how many values, and how they are spelled.

    `at` is where in the file its bytes begin. Of the first form of data pages `spelled` says how
    repetition and definition levels are, 3 in runs. Of the second `levels` are their bytes, which
    stand first and are never packed; None of any other. `packed`: whether the rest is.
    """

    kind: int
    at: int
    size: int
    unpacked: int
    values: int
    encoding: int
    spelled: tuple[int, int] = (3, 3)
    levels: tuple[int, int] | None = None
    packed: bool = True


def pages(file: BinaryIO, chunk: Chunk) -> Iterator[Page]:
    """The pages of a column in a row group, in order.

    Raises `ValueError` where they are not as they are said to be.
    """
    at, end = chunk.at, chunk.at + chunk.size
    values = count = 0
    while at < end and values < chunk.values:
        page = _page(file, at, end)
        count += 1
        if count > _MOST_PAGES:
            raise ValueError(f"a column has more than {_MOST_PAGES:,} pages")
        if page.kind in (DATA, DATA_V2):
            values += page.values
        at = page.at + page.size
        yield page
    if values != chunk.values:
        raise ValueError(f"a column holds {values:,} values, not the {chunk.values:,} it says")


def _page(file: BinaryIO, at: int, end: int) -> Page:
    length = _FIRST
    while True:
        file.seek(at)
        data = file.read(min(length, end - at))
        try:
            fields, size = structure(data)
            break
        except ValueError as problem:
            raise ValueError(f"the header of a page cannot be read: {problem}") from None
        except IndexError:
            if len(data) < length or length >= _LONGEST:
                raise ValueError("the header of a page is cut off") from None
            length *= 16
    kind, unpacked, packed = (number(fields, name) for name in (1, 2, 3))
    page = Page(kind, at + size, packed, unpacked, 0, 0)
    if page.at + packed > end:
        raise ValueError("a page goes on beyond its column")
    match kind:
        case 0:  # DATA
            said = inner(fields, 5)
            spelled = number(said, 4), number(said, 3)
            found = replace(page, values=number(said, 1), encoding=number(said, 2))
            return replace(found, spelled=spelled)
        case 2:  # DICTIONARY
            said = inner(fields, 7)
            return replace(page, values=number(said, 1), encoding=number(said, 2))
        case 3:  # DATA_V2
            said = inner(fields, 8)
            levels = number(said, 6), number(said, 5)
            if sum(levels) > min(packed, unpacked):
                raise ValueError("the levels of a page are longer than it is")
            found = replace(page, values=number(said, 1), encoding=number(said, 4))
            return replace(found, levels=levels, packed=said.get(7, 1) == 1)
        case _:
            return page
