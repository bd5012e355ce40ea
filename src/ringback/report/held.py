"""How often intervals such as a report's hold the truth: the simulated tables, to be shown with it.

``coverage.md`` beside this file is the section "How often it is right" of docs/statistics.md, word
for word, so that whoever reads a report has the tables without a network and without the docs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib import resources
from itertools import groupby

from msgspec import Struct

__all__ = ["HELD", "HeldPart", "HeldTable", "held", "held_of_differences"]

HELD = "How good these intervals are"
"""The title under which a report shows the tables."""

_OVER_TRIALS = "Paired differences over trials"
_SINGLE = "Paired differences"


class HeldTable(Struct, frozen=True):
    """A table: its heads, and its rows with what was simulated first."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class HeldPart(Struct, frozen=True):
    """What was simulated of one kind of figure, in the order of the docs; the first has no title.

    `blocks` are paragraphs, as plain text, and tables.
    """

    title: str
    blocks: tuple[str | HeldTable, ...]


@cache
def held() -> tuple[HeldPart, ...]:
    """All the tables with what is said of them."""
    source = (resources.files("ringback.report") / "coverage.md").read_text("utf-8")
    lead, *parts = re.split(r"^### ", source, flags=re.MULTILINE)
    return (
        HeldPart("", tuple(_blocks(lead))),
        *(
            HeldPart(title, tuple(_blocks(body)))
            for title, _, body in (part.partition("\n") for part in parts)
        ),
    )


def held_of_differences(trials: int) -> HeldPart:
    """The part on paired differences of a study with so many trials of each task."""
    title = _SINGLE if trials == 1 else _OVER_TRIALS
    return next(part for part in held() if part.title == title)


def _blocks(source: str) -> Iterator[str | HeldTable]:
    for empty, lines in groupby(source.splitlines(), lambda line: not line.strip()):
        if empty:
            continue
        block = list(lines)
        if block[0].startswith("|"):
            heads, _, *rows = (
                tuple(cell.strip() for cell in line.strip("| ").split(" | ")) for line in block
            )
            yield HeldTable(heads, tuple(rows))
        else:
            yield re.sub(r"[*`]", "", " ".join(block))
