"""How long what an operator says may be, at every door, and what is said for them."""

from __future__ import annotations

import json
from collections.abc import Iterable

from ringback.canonical import Json
from ringback.errors import InputError

__all__ = ["HANDED_OVER", "LONGEST", "refuse_long", "refuse_long_calls"]

LONGEST = 100_000
"""Characters of a text, or of what a tool is called with; what models may say at once, too."""

HANDED_OVER = "The customer's problem is handed over to a colleague."
"""The summary of a transfer whose operator wrote none."""


def refuse_long(*texts: str | None) -> None:
    """Raise `InputError` for a text that is too long."""
    for text in texts:
        if text is not None and len(text) > LONGEST:
            raise InputError(f"That is {len(text):,} characters long; {LONGEST:,} are the most.")


def refuse_long_calls(calls: Iterable[tuple[str, Json]]) -> None:
    """Raise `InputError` where the name of a tool or what it is called with is too long."""
    for tool, arguments in calls:
        refuse_long(tool, arguments if isinstance(arguments, str) else _spelled(arguments))


def _spelled(arguments: Json) -> str:
    """Arguments as text; nothing of what no JSON can hold, which the record spells in its way."""
    try:
        return json.dumps(arguments)
    except (ValueError, RecursionError):
        return ""
