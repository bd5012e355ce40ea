"""Long lists, written as they are read: rows under headings, or one JSON object.

Unlike a table they are never whole in memory, however much a store holds.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from ringback.cli.output import Column, shown

__all__ = ["print_json_list", "print_listing"]

_BATCH = 500
_GAP = "  "
_ROOMY = 48
"""Columns of a terminal that the last cell needs, to stand beside the others."""
_JOINT = re.compile(r"(?<=[|\]\s])|(?=\[)")
"""Where a cell may be broken: task ids are long, with bars and brackets in them."""


def print_listing(columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> None:
    """Print rows under headings, wide enough for the first few hundred of them, or for later ones.

    In a pipe a row is a line. In a terminal the last cell is broken where it must be and indented;
    where too little room is left for it, it stands on lines of its own.
    """
    layout = _Layout([heading for heading, _ in columns], [kind for _, kind in columns])
    left = iter(rows)
    while batch := [[shown(cell) for cell in row] for row in islice(left, _BATCH)]:
        layout.widen(batch)
        sys.stdout.writelines(f"{line}\n" for row in batch for line in layout.lines(row))


def print_json_list(name: str, items: Iterable[Any]) -> None:
    """Write one JSON object to stdout: the items under `name`, then their count."""
    import msgspec

    count = 0
    sys.stdout.write(f'{{\n  "{name}": [')
    for item in items:
        text = msgspec.json.format(msgspec.json.encode(item), indent=2).decode()
        sys.stdout.write(("," if count else "") + "\n    " + text.replace("\n", "\n    "))
        count += 1
    sys.stdout.write(("\n  " if count else "") + f'],\n  "count": {count}\n}}\n')


class _Layout:
    """How wide the columns are by now, and where the last cell goes."""

    def __init__(self, headings: list[str], kinds: list[str]) -> None:
        self._kinds = kinds
        self._headings: list[str] | None = headings
        self._widths = [_size(heading) for heading in headings]
        self._terminal = sys.stdout.isatty()
        self._width = shutil.get_terminal_size().columns if self._terminal else 0

    def widen(self, rows: Sequence[Sequence[str]]) -> None:
        for place in range(len(self._widths)):
            self._widths[place] = max(self._widths[place], max(_size(row[place]) for row in rows))

    def lines(self, row: Sequence[str]) -> Iterator[str]:
        if self._headings is not None:
            headings, self._headings = self._headings, None
            for line in self._laid(headings):
                yield f"\x1b[1m{line}\x1b[0m" if self._bold else line
        yield from self._laid(row)

    @property
    def _bold(self) -> bool:
        return self._terminal and not os.environ.get("NO_COLOR")

    def _laid(self, row: Sequence[str]) -> Iterator[str]:
        *cells, last = row
        start = _GAP.join(
            _padded(cell, width, kind)
            for cell, width, kind in zip(cells, self._widths, self._kinds, strict=False)
        )
        margin = sum(self._widths[:-1]) + len(_GAP) * len(cells)
        if not self._terminal or margin + self._widths[-1] <= self._width:
            yield f"{start}{_GAP}{last}".rstrip()
        elif self._width - margin >= _ROOMY:
            for line in _broken(last, self._width - margin):
                yield f"{start}{_GAP}{line}"
                start = " " * (margin - len(_GAP))
        else:
            yield start.rstrip()
            for number, line in enumerate(_broken(last, max(self._width - 4, 20))):
                yield f"{_GAP if number == 0 else 2 * _GAP}{line}"


def _broken(cell: str, width: int) -> Iterator[str]:
    """The cell in lines of at most `width`, broken at a joint where there is one."""
    line = ""
    for piece in _JOINT.split(cell):
        if line and _size(line) + _size(piece.rstrip()) > width:
            yield line.rstrip()
            line = ""
        line += piece
        while _size(line.rstrip()) > width:
            yield line[:width]
            line = line[width:]
    yield line.rstrip()


def _padded(cell: str, width: int, kind: str) -> str:
    space = " " * (width - _size(cell))
    return space + cell if kind == "right" else cell + space


def _size(text: str) -> int:
    """Columns of a terminal that the text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)
