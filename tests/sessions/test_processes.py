"""Several processes at one store: nobody loses a turn, nobody plays another's session."""

from __future__ import annotations

import os
import signal
import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from ringback.episode.episode import Episode
from ringback.episode.events import End, Results, Turn
from ringback.errors import StoreError
from ringback.sessions import Conflict, Store, lease
from tests.lamp import LAMP
from tests.sessions.made import begun, ended, python, start, turn

WRITER = """
from tests.sessions.made import *
path, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
with Store.open(path) as store:
    for trial in range(first, first + count):
        episode = begun(store, trial)
        for _ in range(5):
            turn(store, episode)
        turn(store, episode, STOP)
"""

BEGINNER = """
from tests.sessions.made import *
with Store.open(sys.argv[1]) as store:
    print("ready", flush=True)
    sys.stdin.readline()
    won = 0
    for trial in range(60):
        opened, hashes = start(trial)
        won += store.begin(opened, **hashes)
    print(won)
"""

ENDLESS = """
from tests.sessions.made import *
with Store.open(sys.argv[1]) as store:
    opened, hashes = start(steps=2000)
    if not store.begin(opened, **hashes):
        assert store.claim(opened.session)
    episode = Episode.from_events(store.events(opened.session), LAMP)
    while episode.end is None:
        turn(store, episode)
        print(len(episode.events), flush=True)
"""

HOLDING = """
from tests.sessions.made import *
with Store.open(sys.argv[1]) as store:
    begun(store)
    print("ready", flush=True)
    sys.stdin.readline()
"""


def test_four_processes_write_into_a_store_that_none_of_them_found(path: Path) -> None:
    writers = [python(WRITER, path, 20 * number, 20) for number in range(4)]
    for writer in writers:
        writer.rest()
    with Store.open(path, write=False) as store:
        rows = list(store.rows())
        assert {row.trial for row in rows} == set(range(80))
        for row in rows:
            assert (row.ending, row.steps) == ("user_stop", 11)
            assert len(store.events(row.id)) == 13


def test_of_two_processes_that_begin_the_same_cells_one_gets_each(path: Path) -> None:
    Store.open(path).close()
    both = [python(BEGINNER, path) for _ in range(2)]
    for process in both:
        assert process.line() == "ready\n"
    for process in both:
        process.go()
    assert sum(int(process.rest()) for process in both) == 60


def test_killed_again_and_again_it_keeps_whole_turns_and_goes_on(path: Path) -> None:
    opened, _ = start(steps=2000)
    told = 1
    for more in (1, 10, 50, 250):
        process = python(ENDLESS, path)
        for _ in range(more):
            told = int(process.line())
        process.signal(signal.SIGKILL)
        process.rest(-signal.SIGKILL)
        with Store.open(path) as store:
            events = store.events(opened.session)
        assert len(events) >= told  # what was said to be recorded is there
        assert len(events) % 2 == 1  # the start, and turns with their results
        assert all(isinstance(event, Turn) for event in events[1::2])
        assert all(isinstance(event, Results) for event in events[2::2])
    python(ENDLESS, path).rest()
    with Store.open(path) as store:
        episode = Episode.from_events(store.events(opened.session), LAMP)
        assert isinstance(episode.events[-1], End)
        row = store.row(opened.session)
        assert (row.ending, row.steps) == ("max_steps", 2000)


def test_a_session_that_a_living_process_plays_is_left_to_it(path: Path) -> None:
    opened, _ = start()
    process = python(HOLDING, path)
    assert process.line() == "ready\n"
    with Store.open(path) as store:
        assert not store.claim(opened.session)
        assert store.holder(opened.session) == f"process {process.pid} on this machine"
        process.signal(signal.SIGKILL)
        time.sleep(0.1)  # dead, and not yet buried by us, its parent
        assert store.holder(opened.session) is None
        assert store.claim(opened.session)
        assert store.claim(opened.session)  # ours already
        assert store.holder(opened.session) == f"process {os.getpid()} on this machine"
    process.rest(-signal.SIGKILL)


def test_a_session_let_go_or_ended_is_nobodys(path: Path) -> None:
    with Store.open(path) as one, Store.open(path) as other:
        episode = begun(one)
        session = episode.start.session
        assert not other.claim(session)
        one.release(session)
        assert other.claim(session)
        assert not one.claim(session)
        turn(other, episode)
        other.close()
        assert one.claim(session)
        over = ended(one, trial=1).start.session
        assert not one.claim(over)
        assert one.holder(over) is None


@pytest.mark.parametrize(("seconds", "taken"), [(-1, True), (60, False)])
def test_the_lease_of_another_machine_counts_until_it_runs_out(
    path: Path, seconds: int, taken: bool
) -> None:
    with Store.open(path) as store:
        session = begun(store).start.session
    with closing(sqlite3.connect(path)) as raw, raw:
        raw.execute(
            "UPDATE sessions SET owner = 'far/boot/1:1:1:abcd', lease_until = ?",
            (time.time() + seconds,),
        )
    raw.close()
    with Store.open(path) as store:
        assert (store.holder(session) is None) == taken
        assert store.claim(session) == taken


@pytest.mark.parametrize(
    ("node", "boot", "free"),
    [(None, "00000000", True), ("far", "00000000", False), ("far", None, False)],
)
def test_what_a_machine_played_before_it_was_started_anew_is_free_at_once(
    node: str | None, boot: str | None, free: bool
) -> None:
    place, _, rest = lease.mark().partition(":")
    here, since, namespace = place.rsplit("/", 2)
    if not since:
        pytest.skip("this machine does not say when it was started")
    owner = f"{node or here}/{boot or since}/{namespace}:{rest}"
    now = time.time()
    assert lease.is_free(owner, now + 60, now) == free
    assert lease.is_free(owner, now - 1, now)


def test_a_lease_can_be_renewed(path: Path) -> None:
    with Store.open(path) as store:
        begun(store)
        with closing(sqlite3.connect(path)) as raw, raw:
            raw.execute("UPDATE sessions SET lease_until = 0")
            raw.commit()
            store.renew()
            [(until,)] = raw.execute("SELECT lease_until FROM sessions").fetchall()
        raw.close()
        assert until > time.time() + 60


def test_who_comes_second_with_the_next_turn_is_told(path: Path) -> None:
    with Store.open(path) as one, Store.open(path) as other:
        episode = begun(one)
        session = episode.start.session
        twin = Episode.from_events(other.events(session), LAMP)
        turn(one, episode)
        with pytest.raises(Conflict, match="another process went on with it"):
            turn(other, twin)
        assert one.events(session) == episode.events
        turn(one, episode)
        fresh = Episode.from_events(other.events(session), LAMP)
        turn(other, fresh)
        assert one.events(session) == fresh.events


def test_a_locked_store_is_waited_for_and_then_said(path: Path) -> None:
    with Store.open(path, patience=0.3) as store:
        episode = begun(store)
        raw = sqlite3.connect(path, isolation_level=None)
        raw.execute("BEGIN IMMEDIATE")
        began = time.monotonic()
        with pytest.raises(StoreError, match=r"locked by another process for 0\.3 s"):
            store.append(episode.start.session, [Turn(seq=1, by="user", text="hello")])
        assert 0.3 <= time.monotonic() - began < 3
        assert len(store.events(episode.start.session)) == 1  # reading needs no lock
        raw.execute("ROLLBACK")
        raw.close()
        store.append(episode.start.session, [Turn(seq=1, by="user", text="hello")])
        assert len(store.events(episode.start.session)) == 2


def test_what_must_not_be_lost_waits_longer_than_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with Store.open(path, patience=0.2) as store:
        episode = begun(store)
        lock = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        lock.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="locked by another process"):
            store.join("", "x", ["a" * 64])
        threading.Timer(0.6, lock.close).start()
        with store.patient(10):
            turn(store, episode)
        assert len(store.events(episode.start.session)) > 1


def test_a_reader_in_the_way_of_a_new_store_is_waited_for(path: Path) -> None:
    path.parent.mkdir()
    raw = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    raw.execute("BEGIN")
    raw.execute("SELECT * FROM sqlite_master").fetchall()
    with pytest.raises(StoreError, match="locked"):
        Store.open(path, patience=0.2)
    leave = threading.Timer(0.4, raw.execute, ["ROLLBACK"])
    leave.start()
    with Store.open(path) as store:
        assert len(ended(store).events) == 5
    leave.join()
    raw.close()


def test_ctrl_c_gets_through_while_a_lock_is_waited_for(path: Path) -> None:
    Store.open(path).close()
    raw = sqlite3.connect(path, isolation_level=None)
    raw.execute("BEGIN IMMEDIATE")
    code = "import sys; from ringback.sessions import Store; print('on', flush=True); "
    process = python(code + "Store.open(sys.argv[1])", path)
    assert process.line() == "on\n"
    time.sleep(0.5)
    process.signal(signal.SIGINT)
    began = time.monotonic()
    output = process.rest(None)
    assert "KeyboardInterrupt" in output
    assert time.monotonic() - began < 1
    raw.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this machine does not fork")
def test_a_store_taken_across_a_fork_is_refused(path: Path) -> None:
    with Store.open(path) as store:
        session = begun(store).start.session
        child = os.fork()
        if child == 0:
            try:
                store.events(session)
            except ValueError as problem:
                os._exit(0 if "across a fork" in str(problem) else 1)
            os._exit(1)
        assert os.waitpid(child, 0)[1] == 0
        assert len(store.events(session)) == 1
