"""Sentences of agents and customers, written before the rules that judge them were mended.

Half of each list, by a hash of its words, was looked at while the rules were mended (`MENDED_ON`);
the other half (`KEPT`) only by how many it holds wrongly. Those of `later` (`LATER`) were written
when the rules stood.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from typing import TypeVar

__all__ = ["KEPT", "LATER", "MENDED_ON", "half"]

MENDED_ON, KEPT, LATER = "mended_on", "kept", "later"
_T = TypeVar("_T")


def half(items: Iterable[_T], which: str, words: Callable[[_T], str]) -> list[_T]:
    """The items of one half, in their order."""
    return [item for item in items if _half(words(item)) == which]


def _half(words: str) -> str:
    return KEPT if hashlib.sha256(words.encode()).digest()[0] % 2 else MENDED_ON
