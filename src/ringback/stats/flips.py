"""The sign-flip test over tasks, and Holm's adjustment for several arms.

If an arm does not differ from the baseline, each task's difference is as likely to be its negative.
So the p of an arm is the share of all choices of signs whose sum lies as far from zero as the one
seen (R. A. Fisher, "The Design of Experiments", 1935, section 21). With one trial a task that is
McNemar's exact test. The share is counted exactly, by multiplying out the sums' generating function
(M. Pagano and D. Tritchler, "On obtaining permutation distributions in polynomial time", JASA 78
(1983) 435-440); only where that is too large signs are drawn, and the choice seen is counted among
the drawn ones, so that p is never 0 (B. Phipson and G. K. Smyth, "Permutation p-values should never
be zero", Statistical Applications in Genetics and Molecular Biology 9 (2010), article 39).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd
from typing import Literal, TypeAlias

from msgspec import Struct

from ringback.stats.resampling import alpha
from ringback.stats.sign import sign_test
from ringback.stats.tally import Tally

__all__ = ["ArmTest", "TestName", "arm_tests", "holm", "sign_flip_test"]

TestName: TypeAlias = Literal["exact McNemar", "exact sign flip", "Monte Carlo sign flip"]

_MOST = 1 << 25  # bits of the polynomial that are still multiplied out


class ArmTest(Struct, frozen=True, kw_only=True):
    """Whether an arm differs from the baseline, alone and as one of several arms.

    `p` is two-sided, `adjusted` Holm's for all arms tested together; `distinguishable` says whether
    `adjusted` is at most 1 - level.
    """

    test: TestName
    p: float
    adjusted: float
    distinguishable: bool


def arm_tests(
    arms: Sequence[Sequence[Tally]], *, seed: int, draws: int = 10_000, level: float = 0.95
) -> tuple[ArmTest, ...]:
    """One test for each arm, on its tallies against the baseline, and Holm's adjustment over them.

    McNemar's exact test where every task of the arm has one pair, else the sign-flip test over
    tasks. Leave out what is no candidate (noise, floors): it would cost the others power. `seed`
    and `draws` matter only for a study too large to be counted out.
    """
    names: list[TestName] = []
    values: list[Fraction] = []
    for tallies in arms:
        gains = [each.better - each.worse for each in tallies]
        if all(each.pairs == 1 for each in tallies):
            names.append("exact McNemar")
            values.append(sign_test(gains.count(1), gains.count(-1)))
        else:
            exact = _countable(gains)
            names.append("exact sign flip" if exact else "Monte Carlo sign flip")
            values.append(sign_flip_test(gains, draws=None if exact else draws, seed=seed))
    most = alpha(level)
    return tuple(
        ArmTest(test=name, p=float(p), adjusted=float(adjusted), distinguishable=adjusted <= most)
        for name, p, adjusted in zip(names, values, holm(values), strict=True)
    )


def holm(values: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """The p-values adjusted so that all hold at once, in the order given.

    The smallest of m is multiplied by m, the next by m - 1 and so on, none below the one before and
    none above 1 (S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian
    Journal of Statistics 6 (1979) 65-70).
    """
    found = [Fraction(1)] * len(values)
    before = Fraction(0)
    for rank, place in enumerate(sorted(range(len(values)), key=lambda each: values[each])):
        before = max(before, min(Fraction(1), (len(values) - rank) * values[place]))
        found[place] = before
    return tuple(found)


def sign_flip_test(gains: Sequence[int], *, draws: int | None = None, seed: int = 0) -> Fraction:
    """The two-sided p of the sum of these differences, one a task, under flips of their signs.

    Exact where `draws` is None; else (1 + as far from zero) / (1 + draws) over signs that are the
    bits of PCG64's raw output, the lowest first. 1 where no task differs. Raises `ValueError` for
    fewer than one draw.
    """
    sizes = [abs(gain) for gain in gains if gain]
    if draws is not None and draws < 1:
        raise ValueError(f"{draws} draws are too few")
    if not sizes:
        return Fraction(1)
    seen = abs(sum(gains))
    return _counted(sizes, seen) if draws is None else _drawn(sizes, seen, draws, seed)


def _countable(gains: Sequence[int]) -> bool:
    return (sum(map(abs, gains)) + 1) * (len(gains) + 1) <= _MOST


def _counted(sizes: Sequence[int], seen: int) -> Fraction:
    """The share of the 2^m choices of signs with |sum| >= seen.

    Coefficient j of the polynomial prod (1 + x^size) counts the choices whose negative terms add
    up to j, so that their sum is total - 2 j. All coefficients stand in one integer, `width` bits
    each.
    """
    unit = gcd(*sizes)
    sizes, seen = [size // unit for size in sizes], seen // unit
    total, width = sum(sizes), len(sizes) + 1
    packed = 1
    for size in sizes:
        packed += packed << (size * width)
    # The choices with j <= (total - seen) / 2, and as many again by symmetry.
    reach = (total - seen) // 2
    mask = (1 << width) - 1
    tail = sum((packed >> (j * width)) & mask for j in range(reach + 1))
    return min(Fraction(2 * tail, 2 ** len(sizes)), Fraction(1))


def _drawn(sizes: Sequence[int], seen: int, draws: int, seed: int) -> Fraction:
    """The add-one share among drawn choices of signs; the sums are whole, so ties are exact."""
    import numpy as np
    from numpy.random import PCG64

    words = (len(sizes) + 63) // 64
    amounts = np.array(sizes, dtype=np.int64)
    bits = PCG64(seed)
    as_far = 0
    for start in range(0, draws, 4096):
        rows = min(4096, draws - start)
        raw = np.asarray(bits.random_raw(rows * words), dtype="<u8").reshape(rows, words)
        signs = np.unpackbits(raw.view(np.uint8), axis=1, bitorder="little")[:, : len(sizes)]
        sums = amounts.sum() - 2 * (signs.astype(np.int64) @ amounts)
        as_far += int((np.abs(sums) >= seen).sum())
    return Fraction(1 + as_far, 1 + draws)
