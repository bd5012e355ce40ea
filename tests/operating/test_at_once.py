"""Several processes that begin in the same instant: an operator plays a draw once all the same."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Generator, Iterable
from pathlib import Path

import pytest

from ringback.operating import Desk, Terms
from ringback.sessions import SessionRow, Store

BEGINNER = """
import sys
from ringback.episode.events import Limits
from ringback.operating import Desk, Taken, Terms
from ringback.sessions import Store

path, case, steps, called = sys.argv[1:]
waited = False

def ready():
    global waited
    if not waited:
        waited = True
        print("looked", flush=True)
        sys.stdin.readline()

with Store.open(path) as store:
    try:
        terms = Terms(called=called, limits=Limits(steps=int(steps)))
        print("begun", Desk(store, ready=ready).begin(case or None, terms))
    except Taken as taken:
        print("taken", taken.session)
"""
"""It has made sure that nothing stands in its way, and begins when it is told to."""


@contextlib.contextmanager
def beginners(path: Path, *words: tuple[str, str, str]) -> Generator[list[subprocess.Popen[str]]]:
    """Processes that are all about to begin."""
    made = [
        subprocess.Popen(
            [sys.executable, "-c", BEGINNER, str(path), *each],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for each in words
    ]
    try:
        for process in made:
            assert process.stdout is not None
            assert process.stdout.readline() == "looked\n"
        yield made
    finally:
        for process in made:
            process.kill()
            process.communicate()


def let_go(processes: list[subprocess.Popen[str]]) -> list[tuple[str, str]]:
    """What all of them came to, in the order in which they were let go, at the same time."""
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    said = [process.communicate(timeout=60)[0].split() for process in processes]
    return [(word, session) for word, session in said]


@pytest.mark.parametrize("steps", [("50", "60", "70"), ("50", "50", "50")], ids=["other", "same"])
def test_one_of_several_begins_a_draw_whatever_the_limits(
    tmp_path: Path, steps: tuple[str, ...]
) -> None:
    path = tmp_path / "s.db"
    Store.open(path).close()
    with beginners(path, *(("2", each, "Ada") for each in steps)) as processes:
        told = let_go(processes)
    assert sorted(word for word, _ in told) == ["begun", "taken", "taken"]
    assert len({session for _, session in told}) == 1
    with Store.open(path) as store:
        assert [each.session for each in Desk(store).episodes()] == [told[0][1]]
        assert Desk(store).at(told[0][1]) is None


def test_each_of_several_that_take_the_next_gets_a_case_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    Store.open(path).close()
    with beginners(path, *(("", str(steps), "Ada") for steps in (50, 60, 50))) as processes:
        told = let_go(processes)
    assert [word for word, _ in told] == ["begun"] * 3
    with Store.open(path) as store:
        assert len({each.case for each in Desk(store).episodes()}) == 3


class Overtaken(Store):
    """A store in which another process begins the very next case, once, while one looks for it."""

    other: Path | None = None

    def latest(self, cells: Iterable[str]) -> dict[str, SessionRow]:
        if (path := self.other) is not None:
            self.other = None
            with Store.open(path) as store:
                Desk(store).begin(None, Terms(called="Ada"))
        return super().latest(cells)


def test_the_next_case_is_another_where_it_was_begun_while_one_looked(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with Overtaken.open(path) as store:
        store.other = path
        Desk(store).begin(None, Terms(called="Ada"))
        assert store.other is None
        assert len({each.case for each in Desk(store).episodes()}) == 2


def test_operators_of_other_names_are_not_in_each_others_way(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    Store.open(path).close()
    with beginners(path, ("2", "50", "Ada"), ("2", "60", "Grace")) as processes:
        told = let_go(processes)
    assert [word for word, _ in told] == ["begun", "begun"]
    assert len({session for _, session in told}) == 2
