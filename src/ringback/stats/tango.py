"""Tango's score interval for the difference of two paired proportions.

Source: T. Tango, "Equivalence test and confidence interval for the difference in proportions for
the paired-sample design", Statistics in Medicine 17 (1998) 891-908. It holds every difference that
the score test does not reject, so it has width where nothing changed, and never leaves -1 to 1.
"""

from __future__ import annotations

from math import sqrt

from ringback.stats.interval import Interval
from ringback.stats.wilson import critical_value

__all__ = ["tango"]


def tango(better: int, worse: int, pairs: int, level: float = 0.95) -> Interval:
    """The score interval for (better - worse) / pairs, from independent pairs.

    With n pairs, b better and c worse, the score of a difference d is
    (b - c - n d) / sqrt(n (2 q + d (1 - d))), where q, the likeliest probability of a change for
    the worse under d, is (sqrt(B^2 - 8 n C) - B) / 4n with B = (2n - b + c) d - b - c and
    C = -c d (1 - d). The ends are where the score is -+z, found by halving to the last digit.
    With b = c = 0 they are -+z^2 / (n + z^2), as for the Wilson interval of none of n.

    Raises `ValueError` for a negative count, no pairs, or more changes than pairs.
    """
    if min(better, worse) < 0 or pairs < max(1, better + worse):
        raise ValueError(f"not counts of pairs: {better} better, {worse} worse of {pairs}")
    z = critical_value(level)
    return Interval(
        low=-_upper(worse, better, pairs, z),
        high=_upper(better, worse, pairs, z),
        level=level,
        method="tango score",
    )


def _upper(better: int, worse: int, pairs: int, z: float) -> float:
    """The largest difference that the score test keeps."""
    if better == pairs:
        return 1.0
    if not better and not worse:
        return z * z / (pairs + z * z)
    low, high = (better - worse) / pairs, 1.0
    while True:
        middle = (low + high) / 2
        if not low < middle < high:
            return middle
        if _rejected(middle, better, worse, pairs, z):
            high = middle
        else:
            low = middle


def _rejected(d: float, better: int, worse: int, pairs: int, z: float) -> bool:
    """Whether the score of the difference d, above the observed one, lies below -z."""
    b = (2 * pairs - better + worse) * d - better - worse
    c = -worse * d * (1 - d)
    q = (sqrt(b * b - 8 * pairs * c) - b) / (4 * pairs)
    variance = pairs * (2 * q + d * (1 - d))
    return pairs * d - (better - worse) > z * sqrt(max(variance, 0.0))
