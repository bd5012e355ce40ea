"""The draws, against PCG64 and the mapping written out in plain Python."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import PCG64
from scipy import stats as scipy_stats

from ringback.stats.draws import Indices, resample_counts

MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645
MASK64, MASK128 = (1 << 64) - 1, (1 << 128) - 1


def pcg64(state: int, increment: int) -> Iterator[int]:
    """PCG XSL RR 128/64 as its author states it: step, fold to 64 bits, rotate by the top six."""
    while True:
        state = (state * MULTIPLIER + increment) & MASK128
        folded, turn = (state >> 64) ^ (state & MASK64), state >> 122
        yield (folded >> turn | folded << (-turn & 63)) & MASK64


def numbers(words: Iterator[int], below: int) -> Iterator[int]:
    for word in words:
        for half in (word & 0xFFFFFFFF, word >> 32):
            product = half * below
            if product % 2**32 >= 2**32 % below:
                yield product // 2**32


@pytest.mark.parametrize("seed", [0, 1, 20261130, 2**70])
@pytest.mark.parametrize("below", [1, 2, 3, 40, 114, 2285, 2**31 + 1, 2**32 - 1])
def test_same_as_written_out(seed: int, below: int) -> None:
    start = PCG64(seed).state["state"]
    expected = list(islice(numbers(pcg64(start["state"], start["inc"]), below), 500))
    assert Indices(seed, below).take(500).tolist() == expected


def test_pinned() -> None:
    # Committed figures: whoever changes these changes every published interval.
    assert Indices(0, 40).take(12).tolist() == PINNED_40
    assert Indices(7, 114).take(12).tolist() == PINNED_114


PINNED_40 = [34, 25, 20, 10, 12, 1, 3, 0, 7, 32, 25, 36]
PINNED_114 = [107, 71, 77, 102, 65, 88, 95, 25, 6, 34, 32, 99]


@given(st.integers(0, 2**64), st.integers(1, 2**32 - 1), st.lists(st.integers(0, 40), max_size=8))
def test_cutting_the_sequence_changes_nothing(seed: int, below: int, sizes: list[int]) -> None:
    pieces, whole = Indices(seed, below), Indices(seed, below)
    taken = [number for size in sizes for number in pieces.take(size).tolist()]
    assert taken == whole.take(sum(sizes)).tolist()
    assert all(0 <= number < below for number in taken)


@pytest.mark.parametrize("below", [3, 40, 114])
def test_every_number_is_equally_likely(below: int) -> None:
    counts = np.bincount(Indices(5, below).take(200_000), minlength=below)
    assert float(scipy_stats.chisquare(counts).pvalue) > 1e-3


@pytest.mark.parametrize(("tasks", "resamples"), [(1, 10), (40, 10_000), (2285, 2000)])
def test_counts_are_the_draws_counted(tasks: int, resamples: int) -> None:
    matrix = np.concatenate(list(resample_counts(3, tasks, resamples)))
    assert matrix.shape == (resamples, tasks)
    assert (matrix.sum(axis=1) == tasks).all()
    draws = Indices(3, tasks).take(resamples * tasks).reshape(resamples, tasks)
    for row in (0, resamples // 2, resamples - 1):
        assert matrix[row].tolist() == np.bincount(draws[row], minlength=tasks).tolist()


def test_fewer_resamples_are_a_prefix() -> None:
    few = np.concatenate(list(resample_counts(9, 114, 100)))
    many = np.concatenate(list(resample_counts(9, 114, 1000)))
    assert (many[:100] == few).all()


@pytest.mark.parametrize("below", [0, -1, 2**32])
def test_refuses_a_range_it_cannot_draw_from(below: int) -> None:
    with pytest.raises(ValueError, match="below must be"):
        Indices(0, below)


def test_refuses_a_negative_seed() -> None:
    with pytest.raises(ValueError, match="must not be negative"):
        Indices(-1, 4)
