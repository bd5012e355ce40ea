"""Short words for what stands in a call: lists, amounts, quoted text of others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

__all__ = ["amount", "counted", "dollars", "listed", "quoted", "sentence", "times"]

_LONGEST = 110


def listed(parts: Sequence[str]) -> str:
    """A, B and C."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def times(count: int) -> str:
    """How often, as after a verb: nothing for once."""
    return {1: "", 2: " twice"}.get(count, f" {count} times")


def counted(parts: Iterable[str]) -> list[str]:
    """The parts in their order; of equal ones in a row one, with how often."""
    return [f"{part}{times(len(list(same)))}" for part, same in groupby(parts)]


def amount(value: float) -> str:
    """A number without the zeros that say nothing: 2, 15.1."""
    return f"{value:.10g}"


def dollars(value: float) -> str:
    """USD: $4, $65.50."""
    return f"${value:.2f}".removesuffix(".00")


def quoted(text: str, limit: int = _LONGEST) -> str:
    """Text of others in quotes, on one line, cut to `limit` characters and without hidden ones."""
    words = " ".join(text[: 4 * limit].split()).replace('"', "'")
    line = "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in words)
    if len(line) > limit or len(text) > 4 * limit:
        cut = line[: limit - 3]
        whole, space, _ = cut.rpartition(" ")
        line = f"{whole if space and len(whole) > limit // 2 else cut}..."
    return f'"{line}"'


def sentence(text: str) -> str:
    """The text as a sentence: a capital letter at its beginning, a full stop at its end."""
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?", '."', '?"', '!"')) else f"{text}."
