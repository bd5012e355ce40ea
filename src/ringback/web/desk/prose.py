"""The policy as blocks of text: headings, lists and paragraphs, and nothing else of Markdown.

No HTML and no links come of it: whatever else stands in the text is shown as it is written.
"""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from msgspec import Struct

__all__ = ["Block", "Run", "blocks"]

_HEADING = re.compile(r"(#{1,6})\s+(.*)")
_ITEM = re.compile(r"(\s*)([-*+]|\d{1,3}[.)])\s+(.*)")
_RUN = re.compile(r"`([^`]+)`|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*")
_INDENT = 2

Style: TypeAlias = Literal["plain", "code", "strong", "em"]


class Run(Struct, frozen=True):
    """A stretch of text in one style."""

    style: Style
    text: str


class Block(Struct, frozen=True):
    """A heading (`level` 2 to 6), an item of a list (`level` from 0, its `mark`), a paragraph."""

    kind: Literal["heading", "item", "paragraph"]
    level: int
    mark: str
    runs: tuple[Run, ...]


def blocks(text: str) -> tuple[Block, ...]:
    """The blocks of a text in their order; lines that belong together are one."""
    found: list[tuple[Literal["heading", "item", "paragraph"], int, str, list[str]]] = []
    apart = True
    for line in text.splitlines():
        if not line.strip():
            apart = True
        elif heading := _HEADING.fullmatch(line):
            found.append(("heading", min(len(heading[1]) + 1, 6), "", [heading[2]]))
            apart = True
        elif item := _ITEM.fullmatch(line):
            mark = "•" if item[2] in "-*+" else item[2]
            found.append(("item", len(item[1].expandtabs(4)) // _INDENT, mark, [item[3]]))
            apart = False
        elif apart or not found:
            found.append(("paragraph", 0, "", [line.strip()]))
            apart = False
        else:
            found[-1][3].append(line.strip())
    return tuple(
        Block(kind, level, mark, _runs(" ".join(lines))) for kind, level, mark, lines in found
    )


def _runs(text: str) -> tuple[Run, ...]:
    found: list[Run] = []
    place = 0
    for match in _RUN.finditer(text):
        if match.start() > place:
            found.append(Run("plain", text[place : match.start()]))
        for style, words in zip(("code", "strong", "em"), match.groups(), strict=True):
            if words is not None:
                found.append(Run(style, words))
        place = match.end()
    if place < len(text):
        found.append(Run("plain", text[place:]))
    return tuple(found)
