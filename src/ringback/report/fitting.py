"""Text made to fit the columns of a terminal: measured, broken where it has joints, or cut."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

__all__ = ["LEAST", "broken", "cut", "narrowed", "size"]

LEAST = 12
"""Columns below which nothing can be read."""

_JOINT = re.compile(r"(?<=[|\]\s])|(?=\[)")
"""Where a cell may be broken: task ids are long, with bars and brackets in them."""


def size(text: str) -> int:
    """Columns of a terminal that the text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def broken(cell: str, width: int, hang: int = 0) -> Iterator[str]:
    """The cell in lines of at most `width`, broken at a joint where there is one.

    Lines after the first are indented by `hang`, within the width.
    """
    start, line = "", ""
    for piece in _JOINT.split(cell):
        if line and size(start) + size(line) + size(piece.rstrip()) > width:
            yield f"{start}{line}".rstrip()
            start, line = " " * hang, ""
        line += piece
        while size(start) + size(line.rstrip()) > width:
            head, line = _parted(line, width - len(start))
            yield f"{start}{head}"
            start = " " * hang
    yield f"{start}{line}".rstrip()


def narrowed(widths: Sequence[int], room: int) -> list[int]:
    """The widths, the widest of them made less until all fit, but none less than `LEAST`."""
    narrow = list(widths)
    while (excess := sum(narrow) - room) > 0 and max(narrow, default=0) > LEAST:
        place = narrow.index(max(narrow))
        narrow[place] = max(LEAST, narrow[place] - excess)
    return narrow


def cut(cell: str, width: int) -> str:
    """The cell, or as much of its beginning as fits with an ellipsis."""
    return cell if size(cell) <= width else f"{_parted(cell, width - 1)[0]}…"


def _parted(text: str, width: int) -> tuple[str, str]:
    """As much of the text as fits, one character at least, and the rest."""
    if text.isascii():
        return text[:width], text[width:]
    from rich.cells import chop_cells

    head = chop_cells(text, width)[0] or text[0]
    return head, text[len(head) :]
