"""A plan of very many episodes: what was recorded of it is held, not what was planned."""

from __future__ import annotations

import tracemalloc
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ringback.sessions import Store
from ringback.study.engine import Played
from ringback.study.plan import Plan, plan_run
from ringback.study.run import run_plan, stock

MEGABYTE = 2**20


@pytest.fixture(scope="module")
def large() -> Plan:
    return plan_run(tasks="base", agent="do-nothing", user="rules", trials=500)


@contextmanager
def within(megabytes: int) -> Generator[None]:
    tracemalloc.start()
    try:
        yield
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < megabytes * MEGABYTE, f"{peak / MEGABYTE:.1f} MB"


def test_tens_of_thousands_of_planned_episodes_are_looked_up_and_played_in_little_memory(
    large: Plan, tmp_path: Path
) -> None:
    ended: list[Played] = []

    def done(played: Played) -> None:
        ended.append(played)
        if len(ended) == 12:
            raise KeyboardInterrupt

    assert large.episodes == 57_000
    store = tmp_path / "s.db"
    # All cells and rows at a time would be 30 MB and more.
    with within(24), pytest.raises(KeyboardInterrupt):
        run_plan(large, store, jobs=2, done=done)
    with Store.open(store, write=False) as opened, within(10):
        found = stock(large, opened)
    assert (found.planned, found.there, found.missing) == (57_000, 12, 56_988)
    assert [state.cell.trial for state in found.states[:3]] == [0, 1, 2]
    assert found.unfinished <= 2
