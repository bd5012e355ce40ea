"""Random task numbers that are the same on any machine and under any numpy.

numpy promises the raw stream of its bit generators, and not what its distributions make of it. So
only `PCG64.random_raw` is used, and the way from raw bits to a task number is ours: each 64-bit
output gives two 32-bit halves, the low one first; a half h gives floor(h * n / 2^32), and is passed
over if (h * n) mod 2^32 < 2^32 mod n. Every number below n is then equally likely, exactly.

Sources: M. E. O'Neill, "PCG", Harvey Mudd College report HMC-CS-2014-0905 (the generator);
D. Lemire, "Fast random integer generation in an interval", ACM TOMACS 29 (2019) 3 (the mapping).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Integers: TypeAlias = NDArray[np.int64]

__all__ = ["Indices", "resample_counts"]

_BLOCK = 1 << 21  # draws held at once: keeps a large study's matrix out of memory


class Indices:
    """An endless sequence of numbers in [0, below), each equally likely.

    Taking a and then b of them gives what taking a + b at once would. Raises `ValueError` for a
    negative seed or unless 0 < below < 2^32.
    """

    def __init__(self, seed: int, below: int) -> None:
        from numpy.random import PCG64

        if not 0 < below < 1 << 32:
            raise ValueError(f"below must be between 1 and 2^32 - 1, not {below}")
        if seed < 0:
            raise ValueError(f"the seed must not be negative: {seed}")
        self._bits = PCG64(seed)
        self._below = below
        self._spare: Integers | None = None

    def take(self, count: int) -> Integers:
        """The next `count` numbers."""
        import numpy as np

        parts: list[Integers] = [] if self._spare is None else [self._spare]
        have = sum(part.size for part in parts)
        while have < count:
            part = self._accepted((count - have + 1) // 2)
            parts.append(part)
            have += part.size
        joined = np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)
        self._spare = joined[count:]
        return joined[:count]

    def _accepted(self, raw: int) -> Integers:
        import numpy as np

        words = np.asarray(self._bits.random_raw(raw), dtype=np.uint64)
        low32, shift, below = np.uint64(0xFFFFFFFF), np.uint64(32), np.uint64(self._below)
        halves = np.empty(2 * raw, dtype=np.uint64)
        halves[0::2] = words & low32
        halves[1::2] = words >> shift
        halves *= below
        kept = (halves & low32) >= np.uint64((1 << 32) % self._below)
        return (halves[kept] >> shift).astype(np.int64)


def resample_counts(seed: int, tasks: int, resamples: int) -> Iterator[Integers]:
    """How often each task occurs in each resample, in blocks of rows.

    A resample is `tasks` draws with replacement, so every row sums to `tasks`. The blocks' rows
    together are the `resamples` x `tasks` matrix; where it is cut depends on `tasks` alone. Every
    arm of a study meets the same matrix (common random numbers).
    """
    import numpy as np

    indices = Indices(seed, tasks)
    rows = max(1, _BLOCK // tasks)
    for start in range(0, resamples, rows):
        here = min(rows, resamples - start)
        cells = indices.take(here * tasks).reshape(here, tasks)
        cells = cells + np.arange(here, dtype=np.int64)[:, None] * tasks
        counts = np.bincount(cells.ravel(), minlength=here * tasks)
        yield counts.reshape(here, tasks).astype(np.int64, copy=False)
