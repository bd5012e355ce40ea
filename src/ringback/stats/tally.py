"""What is compared: one task's, or one cluster's, pairs."""

from __future__ import annotations

from msgspec import Struct

__all__ = ["Tally"]


class Tally(Struct, frozen=True):
    """A task's pairs: how many, in how many only the arm solved it, in how many only the other.

    Raises `ValueError` for a negative count, no pairs, or more changes than pairs.
    """

    pairs: int
    better: int
    worse: int

    def __post_init__(self) -> None:
        changed = self.better + self.worse
        if min(self.better, self.worse) < 0 or self.pairs < max(1, changed):
            raise ValueError(f"not a tally of pairs: {self}")
