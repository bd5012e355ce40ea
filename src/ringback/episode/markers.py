"""The words with which a side ends a call. They count only in a turn of text, never in a call."""

from __future__ import annotations

from typing import Literal, TypeAlias

from ringback.domain import Side

__all__ = ["STOP", "Marker", "marker_in", "without_markers"]

Marker: TypeAlias = Literal["stop", "transfer", "out_of_scope"]

STOP = "###STOP###"
"""Either side's word for the end of the call."""

_WORDS: dict[Marker, str] = {
    "stop": STOP,
    "transfer": "###TRANSFER###",
    "out_of_scope": "###OUT-OF-SCOPE###",
}
_ALLOWED: dict[Side, tuple[Marker, ...]] = {
    "user": ("stop", "transfer", "out_of_scope"),
    "agent": ("stop",),
}


def marker_in(text: str, side: Side) -> Marker | None:
    """The marker with which `side` ends the call in this text; the first in the text wins."""
    if "###" not in text:
        return None
    found: list[Marker] = [name for name in _ALLOWED[side] if _WORDS[name] in text]
    return min(found, key=lambda name: text.find(_WORDS[name]), default=None)


def without_markers(text: str, side: Side) -> str:
    """The text that is delivered before the call ends: the side's own markers are taken out."""
    for name in _ALLOWED[side]:
        text = text.replace(_WORDS[name], "")
    return text.strip()
