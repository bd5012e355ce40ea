"""The Wilson score interval for a single rate.

Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference",
JASA 22 (1927) 209-212; chosen over others for small samples after L. D. Brown, T. T. Cai and
A. DasGupta, "Interval estimation for a binomial proportion", Statistical Science 16 (2001) 101-133.
"""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

from ringback.stats.interval import Interval

__all__ = ["critical_value", "wilson", "wilson_of"]

# Written out, since the library's last digit may depend on the machine's logarithm.
_CRITICAL = {0.9: 1.6448536269514722, 0.95: 1.9599639845400543, 0.99: 2.5758293035489004}


def critical_value(level: float) -> float:
    """The z with this probability between -z and z under the standard normal.

    Raises `ValueError` unless 0 < level < 1.
    """
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1, not {level}")
    return _CRITICAL.get(level) or NormalDist().inv_cdf((1 + level) / 2)


def wilson(successes: int, total: int, level: float = 0.95) -> Interval | None:
    """The Wilson score interval for `successes` of `total`, without continuity correction.

    It holds every rate p for which (successes/total - p)^2 <= z^2 p (1-p) / total: with
    p' = successes/total, its ends are (p' + z^2/2n -+ z sqrt(p'(1-p')/n + z^2/4n^2)) / (1 + z^2/n).
    The ends are exactly 0 with no success and exactly 1 with nothing but successes. None with a
    total of 0, where the rate is unknown.

    Raises `ValueError` unless 0 <= successes <= total.
    """
    return wilson_of(successes, total, total, level)


def wilson_of(successes: int, total: int, size: float, level: float = 0.95) -> Interval | None:
    """The same for the rate successes / total as if it came of `size` independent episodes.

    Episodes that hang together are worth fewer than there are (`ringback.stats.rates`). Raises
    `ValueError` unless 0 <= successes <= total and 0 < size <= total.
    """
    if not 0 <= successes <= total:
        raise ValueError(f"{successes} successes of {total} is not a count")
    if total == 0:
        return None
    if not 0 < size <= total:
        raise ValueError(f"{total} episodes cannot be worth {size}")
    z = critical_value(level)
    rate = successes / total
    center = rate + z * z / (2 * size)
    half = z * sqrt(rate * (1 - rate) / size + z * z / (4 * size * size))
    scale = 1 + z * z / size
    return Interval(
        low=(center - half) / scale if successes else 0.0,
        high=(center + half) / scale if successes < total else 1.0,
        level=level,
        method="wilson",
    )
