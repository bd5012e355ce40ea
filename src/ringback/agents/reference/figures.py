"""Figures out of records. What a record does not state is unknown, and never 0."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["figure", "money", "number"]


def figure(record: Mapping[str, Any] | None, name: str) -> float | None:
    """The number that a record states under this name, None where it states none."""
    value = None if record is None else record.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value)


def number(value: float | None) -> str:
    """A figure in words: ``2``, ``2.5``."""
    return "an unknown amount of" if value is None else f"{value:g}"


def money(value: float | None) -> str:
    """An amount in words, with two decimals."""
    return "an unknown amount" if value is None else f"{value:.2f}"
