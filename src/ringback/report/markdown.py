"""Recorded text made harmless in Markdown, as it is shown by pull requests and README pages."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ringback.report.plain import one_line

__all__ = ["code", "table", "text"]

_ACTS = re.compile(r"[\\`*_\[\]<>|~$]")  # characters that start or end something within a line
_FIRST = re.compile(r"^(?:[-+=]|\d+[.)])")  # a list or a rule, at the start of a line or an item
_BREAK = "&#8203;"  # no width: keeps a name from being notified, a number or address from linking


def text(value: str, limit: int = 500) -> str:
    """The value on one line, as nothing but text: no markup, HTML, link, mention or new cell."""
    line = one_line(value, limit).replace("&", "&amp;")
    line = _ACTS.sub(lambda found: _entity(found[0]), line)
    line = _FIRST.sub(lambda found: found[0][:-1] + "\\" + found[0][-1], line)
    line = re.sub(r"([@#])(?=\w)", rf"\1{_BREAK}", line.replace("#", "\\#"))
    return re.sub(r"(?i)\b(www(?=\.)|[a-z][a-z0-9+]*:(?=//)|mailto:)", rf"\1{_BREAK}", line)


def _entity(character: str) -> str:
    return {"<": "&lt;", ">": "&gt;"}.get(character, f"\\{character}")


def code(value: str, limit: int = 500) -> str:
    """The value as a code span, whatever backticks it holds. Not for a table's cell."""
    line = one_line(value, limit)
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", line)), default=0))
    pad = " " if not line or line[0] == "`" or line[-1] == "`" else ""
    return f"{fence}{pad}{line or ' '}{pad}{fence}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool]) -> list[str]:
    """The lines of a table of cells that are escaped already; `right` says which columns align."""
    rule = ["---:" if each else "---" for each in right]
    return [f"| {' | '.join(cells)} |" for cells in (head, rule, *rows)]
