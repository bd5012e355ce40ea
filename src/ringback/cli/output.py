"""How commands speak: tables and text on stdout, one JSON object instead, sentences on stderr.

Colour and boxes appear only in a terminal; NO_COLOR is honoured. rich is imported on first use.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

__all__ = [
    "PIPE_WIDTH",
    "Column",
    "complain",
    "console",
    "print_json",
    "print_lines",
    "print_table",
    "progress_console",
    "shown",
]

PIPE_WIDTH = 100
"""The width for which wrapped text is laid out where there is no terminal."""

Column = tuple[str, str]
"""A table column: its heading and how it is aligned (``left``, ``right``, or ``wrap`` for text)."""


def shown(text: str) -> str:
    """The text as it can safely go to a terminal: other control characters become escapes."""
    from ringback.report.plain import visible

    return visible(text)


def console(width: int | None = None) -> Console:
    """A console on stdout: plain where it is piped. `width` overrides the terminal's."""
    return _console(sys.stdout, width)


def progress_console() -> Console:
    """A console on stderr, for what is in progress and must not mix with results."""
    return _console(sys.stderr, None)


def _console(file: IO[str], width: int | None) -> Console:
    from rich.console import Console

    if width is None and not file.isatty():
        width = PIPE_WIDTH
    return Console(file=file, width=width, highlight=False, markup=False, emoji=False)


def complain(sentence: str) -> None:
    """Write one sentence to stderr, as one line."""
    line = " ".join(sentence.split())
    sys.stderr.write(f"ringback: {shown(line)}\n")
    sys.stderr.flush()


def print_json(value: Any) -> None:
    """Write one JSON object to stdout, indented, keys in the order given."""
    import msgspec

    text = msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
    sys.stdout.write(text + "\n")


def print_lines(lines: Iterable[str]) -> None:
    """Write lines to stdout as they are, made safe for a terminal."""
    for line in lines:
        sys.stdout.write(shown(line) + "\n")


def print_table(columns: Sequence[Column], rows: Iterable[Sequence[RenderableType]]) -> None:
    """Print a table: ruled and fitted in a terminal, whole and unruled in a pipe.

    Cells that are text are shown as they are, without markup.
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    terminal = sys.stdout.isatty()
    table = Table(
        box=box.SIMPLE_HEAD if terminal else None,
        pad_edge=False,
        header_style="bold",
        show_edge=False,
    )
    for heading, kind in columns:
        table.add_column(
            heading,
            justify="right" if kind == "right" else "left",
            no_wrap=kind != "wrap",
            overflow="fold" if kind == "wrap" else "ellipsis",
        )
    for row in rows:
        table.add_row(*(Text(shown(cell)) if isinstance(cell, str) else cell for cell in row))
    out = console() if terminal else console(width=100_000)
    out.print(table, soft_wrap=False)
