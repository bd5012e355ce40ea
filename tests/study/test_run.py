"""Playing a plan: nothing twice, nothing lost, whoever else is at work."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from ringback.domains import load
from ringback.episode.episode import Episode
from ringback.episode.events import End, Turn, encode
from ringback.episode.identity import opening
from ringback.errors import InputError, RingbackError, StoreError
from ringback.sessions import Store, parse_selection
from ringback.study import engine
from ringback.study.engine import Played
from ringback.study.file import read
from ringback.study.plan import Cell, Plan, plan_run, plan_study
from ringback.study.results import results
from ringback.study.run import run_plan, stock

TASKS = ",".join(
    f"[service_issue]{faults}"
    for faults in (
        "airplane_mode_on[PERSONA:None]",
        "unseat_sim_card[PERSONA:Easy]",
        "lock_sim_card_pin[PERSONA:Hard]",
    )
)


def plan(agent: str = "reference", **more: object) -> Plan:
    return plan_run(tasks=TASKS, agent=agent, user="rules", **more)  # pyright: ignore[reportArgumentType]


def run(what: Plan, store: Path, jobs: int = 8, workers: int = 1) -> list[Played]:
    done: list[Played] = []
    run_plan(what, store, jobs=jobs, workers=workers, done=done.append)
    return done


def texts(store: Path) -> dict[str, list[bytes]]:
    """The sessions without what a clock put in."""
    with Store.open(store, write=False) as opened:
        found: dict[str, list[bytes]] = {}
        for row in opened.rows(parse_selection([])):
            events = [replace(event, at=None) for event in opened.events(row.id)]
            found[row.id] = [
                encode(replace(event, seconds=None) if isinstance(event, Turn) else event)
                for event in events
            ]
    return found


def begin(store: Path, what: Plan, cell: Cell, turns: int, world: str | None = None) -> str:
    """Leave a session behind that was begun and not ended, as a killed process does.

    `world`: the digest of a first world that is not today's.
    """
    domain = load(what.domain)
    start = opening(domain, what.condition, cell.arm.arm, cell.arm.name, cell.draw, at=1.0)
    if world is not None:
        start = replace(start, world=world)
    with Store.open(store) as opened:
        assert opened.begin(
            start,
            cell=cell.hash,
            family=cell.task.family,
            condition=what.condition_hash,
            arm=cell.arm.hash,
        )
        if turns:
            with Store.open(store.parent / "whole.db") as whole:
                events = whole.events(start.session)[1 : 1 + turns]
            opened.append(start.session, events)
    return start.session


def test_every_cell_is_reported_once_and_graded(tmp_path: Path) -> None:
    what = plan(trials=2)
    done = run(what, tmp_path / "s.db")
    assert sorted(p.cell for p in done) == sorted(cell.hash for cell in what.cells())
    assert all(p.solved and p.graded and not p.reused for p in done)


def test_the_second_time_everything_is_there(tmp_path: Path) -> None:
    first = run(plan(), tmp_path / "s.db")
    again = run(plan(), tmp_path / "s.db")
    assert all(p.reused for p in again)
    assert {p.session for p in again} == {p.session for p in first}


@pytest.mark.parametrize("more", [{"jobs": 1}, {"jobs": 16}, {"workers": 2}])
def test_jobs_and_workers_change_nothing_that_is_recorded(
    tmp_path: Path, more: dict[str, int]
) -> None:
    run(plan("careless", trials=3), tmp_path / "one.db")
    run(plan("careless", trials=3), tmp_path / "two.db", **more)
    assert texts(tmp_path / "one.db") == texts(tmp_path / "two.db")


@pytest.mark.parametrize("turns", [0, 1, 3, 6])
def test_a_session_left_behind_is_taken_up_where_it_was(tmp_path: Path, turns: int) -> None:
    what = plan()
    run(what, tmp_path / "whole.db")
    session = begin(tmp_path / "cut.db", what, next(what.cells()), turns)
    done = run(what, tmp_path / "cut.db")
    assert session in {p.session for p in done}
    assert texts(tmp_path / "cut.db") == texts(tmp_path / "whole.db")


def test_an_end_without_a_grade_is_graded(tmp_path: Path) -> None:
    what = plan()
    run(what, tmp_path / "whole.db")
    session = begin(tmp_path / "cut.db", what, next(what.cells()), 1000)
    done = run(what, tmp_path / "cut.db")
    assert [p.solved for p in done if p.session == session] == [True]


def test_an_infrastructure_error_is_played_again_as_the_next_attempt(tmp_path: Path) -> None:
    what, store = plan(), tmp_path / "cut.db"
    run(what, tmp_path / "whole.db")
    first = begin(store, what, next(what.cells()), 2)
    with Store.open(store) as opened:
        assert opened.claim(first)
        seq = len(opened.events(first))
        opened.append(first, [End(seq=seq, ending="infrastructure_error", rule="failure")])
    with Store.open(store) as opened:
        assert stock(what, opened).missing == 3
    done = run(what, store)
    with Store.open(store, write=False) as opened:
        attempts = [row.attempt for row in opened.rows(parse_selection([]))]
        assert stock(what, opened).missing == 0
    assert sorted(attempts) == [0, 0, 0, 1]
    assert first not in {p.session for p in done}


def test_a_session_that_another_process_plays_is_waited_for(tmp_path: Path) -> None:
    what, store = plan(), tmp_path / "cut.db"
    run(what, tmp_path / "whole.db")
    session = begin(store, what, next(what.cells()), 3)
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            textwrap.dedent(f"""
                import sys, time
                from ringback.sessions import Store
                with Store.open({str(store)!r}) as store:
                    assert store.claim({session!r})
                    print("held", flush=True)
                    time.sleep(60)
            """),
        ],
        stdout=subprocess.PIPE,
        env=dict(os.environ),
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        done: list[Played] = []

        def note(played: Played) -> None:
            done.append(played)
            if len(done) == 2:
                time.sleep(0.5)
                holder.kill()
                holder.wait()

        run_plan(what, store, done=note)
    finally:
        holder.kill()
        holder.wait()
        assert holder.stdout is not None
        holder.stdout.close()
    assert done[-1].session == session
    assert texts(store) == texts(tmp_path / "whole.db")


def test_two_processes_at_one_study_share_the_work(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    code = textwrap.dedent(f"""
        from pathlib import Path
        from ringback.study.plan import plan_run
        from ringback.study.run import run_plan
        done = []
        plan = plan_run(tasks="small", agent="careless", user="rules", trials=3)
        run_plan(plan, Path({str(store)!r}), done=done.append)
        print(len(done))
    """)
    both = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) for _ in range(2)
    ]
    assert [child.communicate(timeout=120)[0] for child in both] == [b"60\n", b"60\n"]
    run(plan_run(tasks="small", agent="careless", user="rules", trials=3), tmp_path / "one.db")
    assert texts(store) == texts(tmp_path / "one.db")


@pytest.mark.parametrize("more", [{"jobs": 0}, {"workers": -1}])
def test_no_jobs_or_workers_is_refused(tmp_path: Path, more: dict[str, int]) -> None:
    with pytest.raises(InputError, match="ask for 1 or more"):
        run(plan(), tmp_path / "s.db", **more)


def test_sessions_hold_what_moved_the_score(tmp_path: Path) -> None:
    run(plan("careless"), tmp_path / "s.db")
    with Store.open(tmp_path / "s.db", write=False) as opened:
        row = next(iter(opened.rows(parse_selection([]))))
        start = Episode.from_events(opened.events(row.id), load("telecom")).start
    assert start.arm.agent.settings["skip"] == 0.15
    assert start.condition.user.name == "rules"
    assert {"ringback", "python"} <= start.versions.keys()
    assert start.user_seed
    assert start.agent_seed


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("turns", [0, 3])
def test_a_session_that_does_not_come_out_as_recorded_is_set_aside(
    tmp_path: Path, turns: int, workers: int
) -> None:
    what, store = plan(), tmp_path / "cut.db"
    run(what, tmp_path / "whole.db")
    session = begin(store, what, next(what.cells()), turns, world="0" * 32)
    done = run(what, store, workers=workers)
    assert len(done) == 3
    with Store.open(store, write=False) as opened:
        [first] = [row for row in opened.rows() if row.id == session]
        assert first.ending == "infrastructure_error"
        end = opened.events(session)[-1]
        assert isinstance(end, End)
        assert end.rule == "diverged"
        assert end.why
        assert sorted(row.attempt for row in opened.rows()) == [0, 0, 0, 1]
        assert stock(what, opened).missing == 0
    again = run(what, store, workers=workers)
    assert all(p.reused for p in again)


@pytest.mark.parametrize("turns", [3, 1000])
@pytest.mark.parametrize("body", ["{}", "\udcff", '{"kind":"turn","seq":1,"by":"agent"}'])
def test_a_session_that_cannot_be_read_is_played_again(
    tmp_path: Path, turns: int, body: str
) -> None:
    """Whether it had ended or not; what it was stays in the store."""
    what, store = plan(), tmp_path / "cut.db"
    run(what, tmp_path / "whole.db")
    session = begin(store, what, next(what.cells()), turns)
    with closing(sqlite3.connect(store)) as raw:
        raw.execute(
            "UPDATE events SET body = ? WHERE seq = 1", (body.encode("utf-8", "surrogateescape"),)
        )
        raw.commit()
    done = run(what, store)
    assert len(done) == 3
    assert session not in {p.session for p in done}
    assert all(p.solved for p in done)
    with Store.open(store, write=False) as opened:
        assert sorted(row.attempt for row in opened.rows()) == [0, 0, 0, 1]


@pytest.mark.parametrize("hands", [1, 2])
def test_what_a_dead_process_left_is_taken_up_side_by_side(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hands: int
) -> None:
    """What another process had is played by as many lanes as there are, not one after another."""
    what, store = plan("do-nothing"), tmp_path / "s.db"
    for cell in what.cells():
        begin(store, what, cell, 0)
    claims: list[str] = []
    claim = Store.claim

    def held_at_first(self: Store, session: str) -> bool:
        claims.append(session)
        return claims.count(session) > 1 and claim(self, session)

    flying = most = 0
    real = engine.play

    async def watched(*arguments: Any) -> End:
        nonlocal flying, most
        flying, most = flying + 1, max(most, flying + 1)
        await asyncio.sleep(0.5)
        flying -= 1
        return await real(*arguments)

    monkeypatch.setattr(Store, "claim", held_at_first)
    monkeypatch.setattr(engine, "play", watched)
    assert len(run(what, store, jobs=hands)) == 3
    assert most == hands


@pytest.mark.parametrize("first", [True, False])
def test_a_bug_beside_a_full_disk_is_not_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: bool
) -> None:
    count = 0

    async def failing(*_: Any) -> End:
        nonlocal count
        count += 1
        if count == (1 if first else 3):
            raise ZeroDivisionError("a bug")
        raise StoreError("The disk is full.")

    monkeypatch.setattr(engine, "play", failing)
    with pytest.raises(ZeroDivisionError):
        asyncio.run(_all_at_once(tmp_path))


async def _all_at_once(tmp_path: Path) -> None:
    what = plan()
    cells = iter(what.cells())
    gate = asyncio.Event()

    async def take() -> Cell | None:
        cell = next(cells, None)
        if cell is None or cell.task.id.endswith("Hard]"):
            gate.set()
        await gate.wait()
        return cell

    with Store.open(tmp_path / "s.db") as store:
        await engine.Engine(what, store).run(take, 3, lambda _: None)


def test_a_run_that_played_less_than_planned_does_not_look_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def cancelled(*_: Any) -> End:
        raise asyncio.CancelledError

    monkeypatch.setattr(engine, "play", cancelled)
    with pytest.raises(RingbackError, match="3 of 3 episodes were not played to an end"):
        run(plan(), tmp_path / "s.db")


@pytest.mark.parametrize("replaced", [True, False])
def test_a_store_that_is_taken_away_is_noticed_at_the_next_turn(
    tmp_path: Path, replaced: bool
) -> None:
    store = tmp_path / "s.db"
    told: list[Played] = []

    def take_away(outcome: Played) -> None:
        told.append(outcome)
        store.rename(tmp_path / "away.db")
        if replaced:
            store.write_bytes(b"")

    with pytest.raises(StoreError, match="moved, deleted or replaced"):
        run_plan(plan(), store, jobs=1, done=take_away)
    assert len(told) == 1


def test_ctrl_c_does_not_break_into_the_closing_of_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[bool] = []
    real = Store.close

    def close(self: Store) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)
        real(self)
        closed.append(True)

    monkeypatch.setattr(Store, "close", close)
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        run(plan(), tmp_path / "s.db")
    assert closed == [True]
    assert signal.getsignal(signal.SIGINT) is before


def test_a_grade_and_a_mark_that_no_ringback_wrote_are_said(tmp_path: Path) -> None:
    store = tmp_path / "whole.db"
    run(plan(), store)
    with closing(sqlite3.connect(store)) as raw:
        raw.execute("UPDATE grades SET body = '{'")
        raw.commit()
    with Store.open(store) as opened, pytest.raises(StoreError, match="cannot be read"):
        results(plan(), opened, "")
    session = begin(tmp_path / "t.db", plan(), next(plan().cells()), 0)
    with closing(sqlite3.connect(tmp_path / "t.db")) as raw:
        raw.execute("UPDATE sessions SET owner = 'who:knows', lease_until = 0")
        raw.commit()
    with Store.open(tmp_path / "t.db") as opened:
        assert opened.claim(session)


def test_what_an_earlier_form_of_a_study_left_is_told_with_the_reason(tmp_path: Path) -> None:
    def asked(text: str) -> Plan:
        file = tmp_path / "study.toml"
        file.write_text(f'name = "x"\n{text}\n[baseline]\nagent = "do-nothing"\n')
        return plan_study(read(file))

    few = f'tasks = ["{TASKS.split(",")[0]}"]'
    first = asked(few)
    with_arm = replace(first, arms=(first.arms[0], replace(first.arms[0], name="gone")))
    run(with_arm, tmp_path / "s.db")
    changed = replace(first.arms[0], arm=plan("hasty").arms[0].arm, hash=plan("hasty").arms[0].hash)
    with Store.open(tmp_path / "s.db") as store:
        assert stock(with_arm, store).earlier == ()
        [gone] = stock(first, store).earlier
        assert (gone.why, gone.arms, gone.cells) == ("arm", ("gone",), 1)
        both = stock(replace(first, arms=(changed,)), store).earlier
        assert [item.why for item in both] == ["arm", "content"]
        seeded = stock(asked(f"{few}\nseed = 5"), store).earlier
        assert [item.why for item in seeded] == ["arm", "draw"]
        [other] = stock(asked(f"{few}\nlimits = {{steps = 12}}"), store).earlier
    assert (other.why, other.arms, other.cells) == ("condition", ("baseline", "gone"), 2)
    assert other.changes == {"limits.steps": (100, 12)}
