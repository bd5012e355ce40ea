"""The error that a caller of a tool can cause, and how it quotes what the caller sent."""

from __future__ import annotations

from ringback.canonical import Json

__all__ = ["ToolError", "quoted", "short"]

_LONGEST = 60
_MOST_BITS = 200


class ToolError(Exception):
    """A tool cannot do what the caller asked.

    The message is a sentence for the caller without its full stop; the world puts it into an error
    outcome and leaves its state as it was.
    """


def short(value: Json) -> str:
    """A value that a caller sent, cut to a length that fits a sentence, with no broken text."""
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        return "of more than 60 digits"
    text = str(value)
    text = text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
    return text.encode(errors="replace").decode()


def quoted(value: Json) -> str:
    """The same in quotation marks."""
    return f'"{short(value)}"'
