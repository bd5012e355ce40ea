"""How texts are compared, and cut into sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

__all__ = ["bounded", "plain", "sentences", "spoken", "straight"]

_LONG = 4000
_SPACE = re.compile(r"\s+")
_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "\u00a0": " "})
_SENTENCE = re.compile(r"(?<=[.!?;\n])\s+|\n+| - | but | although | however ", re.IGNORECASE)


def bounded(text: str) -> str:
    """What is read of a text without end: its beginning, and its end where a marker would stand."""
    return text if len(text) <= 2 * _LONG else f"{text[:_LONG]} {text[-_LONG:]}"


def straight(text: str) -> str:
    """The text with straight quotes."""
    return text if text.isascii() else text.translate(_QUOTES)


def plain(text: str) -> str:
    """Lower case, straight quotes, single spaces: how texts are compared."""
    return _SPACE.sub(" ", straight(text)).strip().lower()


def sentences(text: str | None) -> Iterator[str]:
    """The sentences of a text, compared plainly; a line break ends one."""
    return iter(_sentences(text or ""))


@lru_cache(maxsize=4)  # several rules read each text in turn
def _sentences(text: str) -> tuple[str, ...]:
    lines = "\n".join(plain(line) for line in text.splitlines())
    return tuple(each.strip() for each in _SENTENCE.split(lines) if each.strip())


def spoken(text: str) -> str:
    """What of a recorded text was meant to be heard: not the reasoning that ends in a tag.

    Of a text without end only what is `bounded`.
    """
    return bounded(text.rpartition("</think>")[2].strip())
