"""A measured figure, with the limit it is held to."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

__all__ = ["Row"]


class Row(Struct, frozen=True):
    """One line of the table: a figure, its unit and, where one is promised, its limit."""

    name: str
    value: float
    unit: str
    limit: float | None = None
    better: Literal["lower", "higher"] = "lower"
    note: str = ""

    @property
    def held(self) -> bool | None:
        """Whether the limit is kept; None where none is set."""
        if self.limit is None:
            return None
        return self.value <= self.limit if self.better == "lower" else self.value >= self.limit
