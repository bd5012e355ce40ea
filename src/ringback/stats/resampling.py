"""What every bootstrap here shares: one weight matrix, exact sums, and the rank of an end.

Values that are summed are integers below 2^53, so that a floating-point matrix product holds them
exactly in whatever order it adds. Values that are no integers (seconds, dollars) are first put on a
grid of a power of two (`on_grid`), fine enough for twelve figures that count and more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from math import frexp, isfinite, ldexp
from typing import TYPE_CHECKING, TypeAlias

from ringback.stats.draws import resample_counts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

__all__ = ["alpha", "on_grid", "resampled_sums", "tail_rank", "two_ends", "upper_rank"]

_SAFE = 1 << 53  # a float holds every integer up to here
_ON_ONE_CORE = 1 << 18  # products up to here BLAS keeps on one core; its threads cost more
_KEPT = 1 << 21  # cells of a matrix that is kept for the next figure on the same tasks


def alpha(level: float) -> Fraction:
    """1 - level, exactly, for the level as written in decimals.

    Raises `ValueError` unless 0 < level < 1.
    """
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1, not {level}")
    return 1 - Fraction(repr(level))


def tail_rank(resamples: int, level: float) -> int:
    """The rank k = floor((B + 1) (1 - level) / 2) of a two-sided interval's ends.

    Raises `ValueError` where k is 0, that is where there are too few resamples for the level.
    """
    return _rank(resamples, alpha(level) / 2, level)


def upper_rank(resamples: int, level: float) -> int:
    """The rank k = floor((B + 1) (1 - level)), counted from the largest, of a one-sided end.

    Raises `ValueError` as `tail_rank` does.
    """
    return _rank(resamples, alpha(level), level)


def _rank(resamples: int, tail: Fraction, level: float) -> int:
    rank = int((resamples + 1) * tail)
    if rank < 1:
        raise ValueError(f"{resamples} resamples are too few for the level {level}")
    return rank


def on_grid(values: Sequence[float]) -> tuple[list[int], int]:
    """Integers and an exponent e, so that each value is its integer times 2^e.

    Exactly so for integers that leave room to be summed as often as there are values; otherwise
    each value is rounded to a grid whose step is 2^-50 or less of the sum that could come of the
    largest. Raises `ValueError` for what is no finite number.
    """
    if not all(isfinite(value) for value in values):
        raise ValueError("only finite numbers can be summed")
    top = max((abs(value) for value in values), default=0.0)
    room = (_SAFE // 2) // max(1, len(values))
    if top <= room and all(float(value).is_integer() for value in values):
        return [int(value) for value in values], 0
    exponent = frexp(top)[1] - room.bit_length() + 1
    return [round(ldexp(value, -exponent)) for value in values], exponent


def resampled_sums(columns: Sequence[Sequence[int]], *, seed: int, resamples: int) -> Floats:
    """The sum of each column over the tasks of each resample: `resamples` rows, a value a column.

    `columns[c][t]` is a count of task t, all columns over the same tasks. Every call with one seed
    and one number of tasks meets the same resamples. Raises `ValueError` for columns of unequal
    length or without tasks, and for numbers whose sums a float could not hold.
    """
    import numpy as np

    tasks = len(columns[0]) if columns else 0
    if not tasks or any(len(column) != tasks for column in columns):
        raise ValueError("columns must hold one number for each of the same tasks")
    if max(max(column) - min(0, min(column)) for column in columns) * tasks >= _SAFE:
        raise ValueError("these numbers are too large to be summed exactly")
    # One column alone would be a matrix by a vector, which BLAS shares among cores much sooner.
    wide = columns if len(columns) > 1 else [*columns, *columns]
    matrix = np.array(wide, dtype=np.float64).T
    rows = max(1, _ON_ONE_CORE // matrix.size)
    parts = [
        block[start : start + rows] @ matrix
        for block in _weights(seed, tasks, resamples)
        for start in range(0, len(block), rows)
    ]
    return np.concatenate(parts)[:, : len(columns)] + 0.0


def two_ends(values: Floats, rank: int) -> tuple[float, float]:
    """The `rank`-th smallest and the `rank`-th largest of the values; `values` is left in disorder.

    This is B. Efron and R. J. Tibshirani's rule ("An Introduction to the Bootstrap", 1993, section
    12.5): no interpolation, and negated values give the ends negated and exchanged.
    """
    values.partition((rank - 1, values.size - rank))
    return float(values[rank - 1]), float(values[values.size - rank])


def _weights(seed: int, tasks: int, resamples: int) -> Iterator[Floats]:
    """The matrix of resamples in blocks of rows, the last small ones kept."""
    if tasks * resamples <= _KEPT:
        yield _small(seed, tasks, resamples)
        return
    for block in resample_counts(seed, tasks, resamples):
        yield block.astype("float64")


@lru_cache(maxsize=2)
def _small(seed: int, tasks: int, resamples: int) -> Floats:
    import numpy as np

    whole = np.concatenate(list(resample_counts(seed, tasks, resamples))).astype(np.float64)
    whole.setflags(write=False)
    return whole
