"""Long lists, written as they are read: rows under headings, or one JSON object.

Unlike a table they are never whole in memory, however much a store holds.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from ringback.cli.output import Column, cell
from ringback.report.fitting import broken, cut, narrowed, size

__all__ = ["print_json_list", "print_listing"]

_BATCH = 500
_GAP = "  "
_WIDEST = 40
"""Columns that a cell before the last may take; names longer than this are not names."""
_ROOMY = 48
"""Columns of a terminal that the last cell needs, to stand beside the others."""


def print_listing(columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> None:
    """Print rows under headings, wide enough for the first few hundred of them, or for later ones.

    In a pipe a row is a line. In a terminal the last cell is broken where it must be and indented;
    where too little room is left for it, it stands on lines of its own. Any other cell is cut there
    where it is longer than names are, and in a pipe it pushes only its own row aside.
    """
    layout = _Layout([heading for heading, _ in columns], [kind for _, kind in columns])
    left = iter(rows)
    while batch := [[cell(each) for each in row] for row in islice(left, _BATCH)]:
        layout.widen(batch)
        sys.stdout.writelines(f"{line}\n" for row in batch for line in layout.lines(row))


def print_json_list(name: str, items: Iterable[Any]) -> None:
    """Write one JSON object to stdout: the items under `name`, then their count."""
    from ringback.report.plain import json_bytes

    count = 0
    sys.stdout.write(f'{{\n  "{name}": [')
    for item in items:
        text = json_bytes(item, indent=2).decode()
        sys.stdout.write(("," if count else "") + "\n    " + text.replace("\n", "\n    "))
        count += 1
    sys.stdout.write(("\n  " if count else "") + f'],\n  "count": {count}\n}}\n')


class _Layout:
    """How wide the columns are by now, and where the last cell goes."""

    def __init__(self, headings: list[str], kinds: list[str]) -> None:
        self._kinds = kinds
        self._headings: list[str] | None = headings
        self._widths = [size(heading) for heading in headings]
        self._terminal = sys.stdout.isatty()
        self._width = shutil.get_terminal_size().columns if self._terminal else 0

    def widen(self, rows: Sequence[Sequence[str]]) -> None:
        for place in range(len(self._widths)):
            width = max(self._widths[place], max(size(row[place]) for row in rows))
            last = place == len(self._widths) - 1
            self._widths[place] = width if last else min(width, _WIDEST)

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
        widths = self._widths[:-1]
        if self._terminal:
            widths = narrowed(widths, self._width - len(_GAP) * (len(widths) - 1))
            cells = [cut(cell, width) for cell, width in zip(cells, widths, strict=True)]
        start = _GAP.join(
            _padded(cell, width, kind)
            for cell, width, kind in zip(cells, widths, self._kinds, strict=False)
        )
        margin = sum(widths) + len(_GAP) * len(cells)
        if not self._terminal or margin + self._widths[-1] <= self._width:
            yield f"{start}{_GAP}{last}".rstrip()
        elif self._width - margin >= _ROOMY:
            for line in broken(last, self._width - margin):
                yield f"{start}{_GAP}{line}"
                start = " " * (margin - len(_GAP))
        else:
            yield start.rstrip()
            for number, line in enumerate(broken(last, max(self._width - 4, 20))):
                yield f"{_GAP if number == 0 else 2 * _GAP}{line}"


def _padded(cell: str, width: int, kind: str) -> str:
    space = " " * (width - size(cell))
    return space + cell if kind == "right" else cell + space
