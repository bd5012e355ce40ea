"""The draw: the same everywhere, larger samples begin with smaller ones, growth disturbs little."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from ringback.errors import InputError
from ringback.stepcheck.sample import draw


class One(Struct, frozen=True):
    session: str
    seq: int


def calls(sessions: int, each: int = 7) -> list[One]:
    return [One(f"{number:016x}", seq) for number in range(sessions) for seq in range(each)]


def test_the_draw_is_fixed() -> None:
    drawn = draw(calls(40), 6, 5)
    assert [(int(one.session, 16), one.seq) for one in drawn] == [
        (19, 4),
        (20, 1),
        (39, 0),
        (3, 6),
        (13, 2),
        (24, 3),
    ]


@given(st.integers(0, 2**63 - 1), st.integers(1, 50), st.randoms())
def test_it_goes_by_seed_and_call_alone(seed: int, count: int, order: random.Random) -> None:
    found = calls(6)
    order.shuffle(found)
    assert draw(found, count, seed) == draw(calls(6), count, seed)
    assert draw(found, count, seed) == draw(found, 50, seed)[:count]


def test_another_seed_is_another_draw() -> None:
    assert {*draw(calls(40), 40, 1)} != {*draw(calls(40), 40, 2)}


def test_a_store_that_grows_moves_no_more_than_its_growth() -> None:
    before, after = draw(calls(50), 100, 3), draw(calls(55), 100, 3)
    kept = [one for one in before if one in after]
    assert [one for one in after if one in kept] == kept
    assert 80 <= len(kept) < 100
    assert all(int(one.session, 16) >= 50 for one in after if one not in kept)


def test_every_call_is_as_likely_as_any_other() -> None:
    drawn = [one for seed in range(400) for one in draw(calls(10, 4), 10, seed)]
    for one in calls(10, 4):
        assert 60 < drawn.count(one) < 145  # 100 expected, standard deviation 8.7


@pytest.mark.parametrize(("count", "seed"), [(0, 0), (-1, 0), (1, -1), (1, 2**63)])
def test_what_cannot_be_drawn(count: int, seed: int) -> None:
    with pytest.raises(InputError):
        draw(calls(1), count, seed)
