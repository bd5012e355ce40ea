"""The exact sign test, which for paired outcomes is McNemar's exact test."""

from __future__ import annotations

from fractions import Fraction
from math import comb

__all__ = ["sign_test"]


def sign_test(better: int, worse: int) -> Fraction:
    """The two-sided p of this many changes for the better and for the worse, exactly.

    Each change is as likely to go one way as the other if nothing differs; twice the smaller tail
    of the binomial distribution, at most 1 (W. J. Conover, "Practical Nonparametric Statistics",
    3rd edition 1999, section 3.4). 1 where nothing changed. Raises `ValueError` below 0.
    """
    if min(better, worse) < 0:
        raise ValueError(f"not counts of changes: {better}, {worse}")
    changes = better + worse
    tail = sum(comb(changes, count) for count in range(min(better, worse) + 1))
    return min(Fraction(2 * tail, 2**changes), Fraction(1))
