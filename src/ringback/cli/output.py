"""How commands speak: tables and text on stdout, one JSON object instead, sentences on stderr.

Colour and boxes appear only in a terminal; NO_COLOR is honoured. rich is imported on first use.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import IO, TYPE_CHECKING, Any

from ringback.report.fitting import broken, size

if TYPE_CHECKING:
    from rich.console import Console

__all__ = [
    "PIPE_WIDTH",
    "Column",
    "beside_waiting",
    "cell",
    "complain",
    "console",
    "folded",
    "print_json",
    "print_json_line",
    "print_lines",
    "print_paragraphs",
    "print_table",
    "progress_console",
    "shown",
]

PIPE_WIDTH = 100
"""The width for which wrapped text is laid out where there is no terminal."""

_NARROW = 18  # columns of a cell that wraps
_SPACES = re.compile(r"\s{2,}")
_TRAILING = re.compile(r"\s+((?:\x1b\[[\d;]*m)*)\Z")
_JOINT = re.compile(r"(?<=[|\s])(?!\s)")
_ITEM = re.compile(r"\s*(?:[-*]|\d+[.)])?\s+")

Column = tuple[str, str]
"""A table column: its heading and how it is aligned (``left``, ``right``, or ``wrap`` for text)."""


def shown(text: str) -> str:
    """The text as it can safely go to a terminal, on one line: what would act becomes an escape.

    Everything that commands print goes through it, a line at a time. So no name that a recording
    holds can begin a line of its own.
    """
    from ringback.report.plain import single_line

    return single_line(text)


def cell(text: str) -> str:
    """A cell of a table as `shown`, and without gaps, which would look like the next columns."""
    return _SPACES.sub(" ", shown(text))


def console(width: int | None = None) -> Console:
    """A console on stdout: plain where it is piped. `width` overrides the terminal's."""
    return _console(sys.stdout, width)


def progress_console() -> Console:
    """A console on stderr, for what is in progress and must not mix with results."""
    return _console(sys.stderr, None)


def _console(file: IO[str], width: int | None) -> Console:
    from rich.console import Console

    class Out(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # for `main`; rich would end the program itself

    if width is None and not file.isatty():
        width = PIPE_WIDTH
    return Out(file=file, width=width, highlight=False, markup=False, emoji=False)


def complain(sentence: str) -> None:
    """Write one sentence to stderr: one line in a pipe, wrapped between words in a terminal."""
    line = f"ringback: {shown(' '.join(sentence.split()))}"
    if sys.stderr.isatty():
        width = shutil.get_terminal_size().columns
        line = textwrap.fill(line, width, break_long_words=False, break_on_hyphens=False)
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def beside_waiting() -> Callable[[str], None] | None:
    """What says a sentence to who waits at a terminal; None where nobody does: in a pipe."""
    return complain if sys.stderr.isatty() else None


def print_json(value: Any) -> None:
    """Write one JSON object to stdout, indented, keys in the order given."""
    from ringback.report.plain import json_bytes

    sys.stdout.write(json_bytes(value, indent=2).decode() + "\n")


def print_json_line(value: Any) -> None:
    """Write one JSON value to stdout as a line, of many that are made one after the other."""
    from ringback.report.plain import json_bytes

    sys.stdout.write(json_bytes(value).decode() + "\n")


def print_lines(lines: Iterable[str]) -> None:
    """Write lines to stdout, each as one line whatever stands in it."""
    for line in lines:
        sys.stdout.write(shown(line) + "\n")


def print_paragraphs(paragraphs: Iterable[str]) -> None:
    """Write paragraphs: wrapped in a terminal, a line each in a pipe, whatever stands in them."""
    lines = map(shown, paragraphs)
    if sys.stdout.isatty():
        width = min(shutil.get_terminal_size().columns, PIPE_WIDTH)
        lines = (part for line in lines for part in _wrapped(line, width))
    sys.stdout.writelines(f"{line}\n" for line in lines)


def _wrapped(line: str, width: int) -> Iterator[str]:
    """One line as several: the later ones under the text of a list's item, or of what is indented.

    Broken between words and within a task's id; any other word that is too long stays whole.
    """
    mark = _ITEM.match(line)
    start = mark[0] if mark else ""
    indent = " " * (len(start) + (2 if start.isspace() else 0))
    head, text = start, ""
    for piece in _JOINT.split(line[len(start) :]):
        if text and size(head) + size(text) + size(piece.rstrip()) > width:
            yield f"{head}{text}".rstrip()
            head, text = indent, ""
        text += piece if text else piece.lstrip()
    yield f"{head}{text}".rstrip()


def folded(line: str, indent: str) -> list[str]:
    """One long line as several that are no wider than the terminal, or than `PIPE_WIDTH`."""
    width = PIPE_WIDTH
    if sys.stdout.isatty() or "COLUMNS" in os.environ:
        width = min(shutil.get_terminal_size().columns, PIPE_WIDTH)
    return textwrap.wrap(
        line, max(width, 40), subsequent_indent=indent, break_long_words=False
    ) or [line]


def print_table(
    columns: Sequence[Column], rows: Iterable[Sequence[str]], *, fit: bool = True
) -> None:
    """Print a table: with a rule under the headings in a terminal, bare and whole in a pipe.

    A pipe that states COLUMNS has its wrapping columns wrapped so far as that takes; no other is
    ever cut there. Unless it is to fit, a long last cell runs on, so that an id can be copied from
    a terminal too.
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    terminal = sys.stdout.isatty()
    texts = [[cell(each) for each in row] for row in rows]
    least = _least(columns, texts)
    width = 100_000
    if terminal and fit:
        width = console().width
    elif not terminal and "COLUMNS" in os.environ:
        width = max(shutil.get_terminal_size().columns, least)
    if columns[0][1] == "wrap":
        # Rich would begin a line with what is left of it, as if it were another row.
        narrow = max(_NARROW, width - least + _NARROW)
        texts = [["\n".join(broken(row[0], narrow, hang=2)), *row[1:]] for row in texts]
    table = Table(
        box=box.SIMPLE_HEAD if terminal and fit else None,
        padding=(0, 1, 0, 0) if terminal and fit else (0, 2, 0, 0),
        pad_edge=False,
        header_style="bold",
        show_edge=False,
    )
    for place, (heading, kind) in enumerate(columns):
        table.add_column(
            heading,
            justify="right" if kind == "right" else "left",
            no_wrap=kind != "wrap" or place == 0,
            overflow="fold" if kind == "wrap" else "ellipsis",
        )
    for row in texts:
        table.add_row(*map(Text, row))
    out = console(width=width)
    with out.capture() as captured:
        out.print(table)
    lines = (_TRAILING.sub(r"\1", line) for line in captured.get().splitlines())
    sys.stdout.writelines(f"{line}\n" for line in lines)


def _least(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> int:
    """How wide a table is whose wrapping columns are as narrow as can be read."""
    widths = [
        max([len(heading), *(size(row[place]) for row in rows)])
        for place, (heading, _) in enumerate(columns)
    ]
    kinds = [kind for _, kind in columns]
    narrow = [
        min(width, _NARROW) if kind == "wrap" else width
        for width, kind in zip(widths, kinds, strict=True)
    ]
    return sum(narrow) + 2 * len(columns)
