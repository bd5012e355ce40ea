"""Which tokens are read again: only what is sure to come out as if nothing had been kept."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ringback.models.local.prefix import CHUNK, Prefixes, shared

MB = 1_000_000


def tokens(*pieces: tuple[int, int]) -> tuple[int, ...]:
    """(token, how often) one after the other."""
    return tuple(token for token, times in pieces for _ in range(times))


@given(
    st.lists(st.integers(0, 2), max_size=4 * CHUNK),
    st.lists(st.integers(0, 2), max_size=CHUNK),
    st.lists(st.integers(0, 2), min_size=1, max_size=CHUNK),
)
def test_what_is_shared_are_whole_chunks_of_both(
    common: list[int], ours: list[int], theirs: list[int]
) -> None:
    prompt, before = (*common, *theirs), (*common, *ours)
    kept = shared(prompt, before)
    assert kept % CHUNK == 0
    assert kept < len(prompt)
    assert prompt[:kept] == before[:kept]
    assert kept >= min(len(common), len(prompt) - 1) // CHUNK * CHUNK


def test_a_call_that_goes_on_keeps_its_place() -> None:
    prefixes = Prefixes(MB)
    first = tokens((1, 5 * CHUNK + 3))
    prefixes.loaded(first)
    plan = prefixes.plan((*first, *tokens((2, 90))))
    assert (plan.keep, plan.save, plan.restore) == (5 * CHUNK, False, None)


def test_another_call_puts_the_first_aside_and_the_first_comes_back() -> None:
    prefixes = Prefixes(MB)
    first, second = tokens((1, 5 * CHUNK)), tokens((2, 5 * CHUNK))
    prefixes.loaded(first)
    assert prefixes.plan(second).save
    name = prefixes.name()
    assert prefixes.saved(name, 1000) == []
    prefixes.loaded(second)
    plan = prefixes.plan((*first, 3))
    assert (plan.keep, plan.save, plan.restore) == (5 * CHUNK, True, name)


def test_what_is_written_down_already_is_not_written_again() -> None:
    prefixes = Prefixes(MB)
    first, second = tokens((1, 5 * CHUNK)), tokens((2, 5 * CHUNK))
    prefixes.loaded(first)
    prefixes.saved(prefixes.name(), 1000)
    assert not prefixes.plan(second).save


def test_a_longer_state_of_a_call_takes_the_place_of_a_shorter() -> None:
    prefixes = Prefixes(MB)
    prefixes.loaded(tokens((1, 5 * CHUNK)))
    short = prefixes.name()
    prefixes.saved(short, 1000)
    prefixes.loaded(tokens((1, 8 * CHUNK)))
    assert prefixes.saved(prefixes.name(), 1500) == [short]


def test_files_keep_to_their_room_and_the_longest_unused_goes() -> None:
    prefixes = Prefixes(2500)
    names: list[str] = []
    gone: list[str] = []
    for call in range(3):
        prefixes.loaded(tokens((call, 5 * CHUNK)))
        names.append(prefixes.name())
        gone += prefixes.saved(names[-1], 1000)
    assert gone == names[:1]


def test_what_is_soon_read_again_is_not_written_down() -> None:
    prefixes = Prefixes(MB)
    prefixes.loaded(tokens((1, 5 * CHUNK)))
    again = (*tokens((1, 4 * CHUNK)), *tokens((2, 40)))
    assert not prefixes.plan(again).save


def test_without_room_nothing_is_written_down() -> None:
    prefixes = Prefixes(0)
    prefixes.loaded(tokens((1, 9 * CHUNK)))
    assert not prefixes.plan(tokens((2, 9 * CHUNK))).save


def test_a_file_that_is_of_no_use_is_forgotten() -> None:
    prefixes = Prefixes(MB)
    prefixes.loaded(tokens((1, 5 * CHUNK)))
    name = prefixes.name()
    prefixes.saved(name, 10)
    prefixes.loaded(())
    prefixes.forget(name)
    assert prefixes.plan(tokens((1, 6 * CHUNK))).keep == 0
