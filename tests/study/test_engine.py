"""Playing cells with models: whose time it is, who is stopped by what, and what stays recorded."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from ringback.canonical import Json
from ringback.domains import load
from ringback.episode.events import Limits, ModelCall, decode, encode
from ringback.episode.protocol import ProtocolError
from ringback.episode.wire import Answer, Message, Price, Request, Text, Usage
from ringback.errors import InputError, RingbackError, StoreError
from ringback.models import BudgetSpent, Model, ModelEntry, Models
from ringback.sessions import SessionRow, Store, parse_selection
from ringback.study import engine
from ringback.study.engine import Engine, Played
from ringback.study.plan import Plan, plan_run
from ringback.study.run import run_plan
from ringback.testing import ChaosServer, played_by
from tests.study.test_run import TASKS, begin

SIX = [task.id for task in load("telecom").tasks("small")[:6]]
BYE = "I cannot help you with that. Goodbye. ###STOP###"

Ask = Callable[[int], Awaitable[str]]
"""What the n-th call of all answers, counted from 1."""


class Ours:
    """A model that is a function of how many calls there were."""

    name = "script:ours"
    holds_form = False

    def __init__(self, ask: Ask, seconds: float = 0.01) -> None:
        self.asked, self.seconds = 0, seconds
        self._ask = ask

    @property
    def identity(self) -> dict[str, Json]:
        return {"model": self.name}

    async def ask(self, request: Request, *, seconds: float) -> Answer:
        self.asked += 1
        message = Message("assistant", (Text(await self._ask(self.asked)),))
        return Answer(message, "ours", self.seconds, Usage(), Price(0.0, "ours"))


class Own(Models):
    """One model, under any name."""

    def __init__(self, model: Model) -> None:
        super().__init__({})
        self._own = model

    def open(self, name: str) -> Model:
        return self._own


def plan(models: Models, tasks: Any = TASKS, **limits: Any) -> Plan:
    return plan_run(
        tasks=tasks, agent="script:ours", user="rules", limits=Limits(**limits), opener=models.open
    )


def run(what: Plan, store: Path, models: Models, jobs: int = 8) -> list[Played]:
    done: list[Played] = []
    run_plan(what, store, jobs=jobs, done=done.append, models=models)
    return done


def rows(store: Path) -> list[SessionRow]:
    with Store.open(store, write=False) as opened:
        return list(opened.rows(parse_selection([])))


def calls(store: Path) -> list[ModelCall]:
    with Store.open(store, write=False) as opened:
        which = [row.id for row in opened.rows(parse_selection([]))]
        return [call for _, call in opened.model_calls(which)]


# --- whose time it is


def served(server: ChaosServer, **entry: Any) -> Models:
    settings = entry.pop("settings", {})
    return Models(
        {"agent": ModelEntry("openai:x", base_url=server.base_url, settings=settings, **entry)}
    )


def over_http(models: Models, tasks: Any = SIX, **limits: Any) -> Plan:
    limit = Limits(**limits)
    return plan_run(tasks=tasks, agent="agent", user="rules", limits=limit, opener=models.open)


def test_how_many_jobs_there_are_changes_no_ending(tmp_path: Path) -> None:
    """Six episodes share one place at the model: they wait for longer than an episode may take."""
    with ChaosServer(played_by("reference"), delay=0.15) as server:
        models = served(server, concurrency=1)
        began = time.monotonic()
        done = run(over_http(models, seconds=3.5), tmp_path / "s.db", models, jobs=6)
        assert time.monotonic() - began > 3.5
    assert Counter(played.ending for played in done) == {"user_stop": 6}
    active = [row.seconds or 0.0 for row in rows(tmp_path / "s.db")]
    assert max(active) < 3.5
    waited = [call.answer.waited or 0.0 for call in calls(tmp_path / "s.db")]
    assert sum(waited) > 3.5


def test_being_told_to_wait_ends_no_episode(tmp_path: Path) -> None:
    faults: dict[Any, float] = {"rate_limit": 0.4}
    with ChaosServer(played_by("reference"), faults=faults, seed=2, retry_after=1.0) as server:
        models = served(server, settings={"max_retries": 20})
        done = run(over_http(models, SIX[:2], seconds=2.0), tmp_path / "s.db", models)
    assert Counter(played.ending for played in done) == {"user_stop": 2}
    assert any(entry.fault for entry in server.log)


def test_a_model_that_never_answers_is_recorded_and_played_again(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    with ChaosServer(played_by("reference"), faults={"hang": 1.0}) as server:
        models = served(server)
        what = over_http(models, SIX[:2], seconds=1.0)
        began = time.monotonic()
        done = run(what, store, models)
        assert time.monotonic() - began < 10
        assert Counter(played.ending for played in done) == {"infrastructure_error": 2}
        assert [row.graded for row in rows(store)] == [False, False]
        with Store.open(store, write=False) as opened:
            ends = [opened.events(row.id)[-1] for row in opened.rows(parse_selection([]))]
        assert [getattr(end, "rule", None) for end in ends] == ["no_answer"] * 2
        recorded = calls(store)
        assert len(recorded) == len(server.log) == 2
        for call in recorded:
            assert call.answer.failure == "infrastructure"
            assert [attempt.charged for attempt in call.answer.attempts] == [True]
        server.faults = {}
        again = run(over_http(models, SIX[:2], seconds=60.0), tmp_path / "t.db", models)
        assert all(played.solved for played in again)
    assert decode(encode(recorded[0])) == recorded[0]


def test_a_model_that_answers_too_slowly_is_out_of_time(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    with ChaosServer(played_by("reference"), delay=0.25) as server:
        models = served(server)
        done = run(over_http(models, SIX[:2], seconds=1.2), store, models)
        asked = len(server.log)
    assert Counter(played.ending for played in done) == {"timeout": 2}
    recorded = calls(store)
    assert len(recorded) == asked
    assert {call.answer.failure for call in recorded} <= {None, "infrastructure"}


def test_through_faults_under_a_short_limit_every_call_is_accounted_for(tmp_path: Path) -> None:
    """Hangs run into the limit here, and no fault of the server's makes an agent's timeout."""
    store = tmp_path / "s.db"
    faults: dict[Any, float] = {"hang": 0.1, "cut": 0.05, "server_error": 0.05}
    with ChaosServer(played_by("reference"), faults=faults, seed=4) as server:
        models = served(server, settings={"max_retries": 1})
        done = run(over_http(models, seconds=2.5), store, models, jobs=6)
        log = list(server.log)
    endings = Counter(played.ending for played in done)
    assert endings.keys() <= {"user_stop", "infrastructure_error"}
    assert endings["infrastructure_error"] > 0
    recorded = calls(store)
    assert sum(call.answer.failure is None for call in recorded) == sum(
        entry.answered for entry in log
    )
    failed = sum(len(call.answer.attempts) for call in recorded)
    assert failed == sum(not entry.answered for entry in log)


# --- who is stopped by what


class Meeting:
    """Two calls in flight at once: `first` waits for the second, which waits for `raised`."""

    def __init__(self, first: RingbackError, then: Callable[[int], str]) -> None:
        self.first, self.then = first, then
        self.both, self.raised = asyncio.Event(), asyncio.Event()

    async def __call__(self, number: int) -> str:
        if number == 1:
            await self.both.wait()
            self.raised.set()
            raise self.first
        self.both.set()
        await self.raised.wait()
        await asyncio.sleep(0.05)
        return self.then(number)


def goodbye(number: int) -> str:
    """Three calls to an end, the first of all being another's."""
    return BYE if number >= 4 else f"One moment please, {number}."


def test_a_spent_budget_begins_nothing_and_lets_those_go_on_that_can(tmp_path: Path) -> None:
    model = Ours(Meeting(BudgetSpent("It is spent."), goodbye))
    models = Own(model)
    with pytest.raises(BudgetSpent):
        run(plan(models, SIX), tmp_path / "s.db", models, jobs=2)
    found = rows(tmp_path / "s.db")
    assert Counter(row.ending for row in found) == {None: 1, "agent_stop": 1}
    assert Counter(row.graded for row in found) == {None: 1, True: 1}
    assert model.asked == 4


def test_any_other_problem_lets_nothing_go_on(tmp_path: Path) -> None:
    """What was in flight is recorded, and its episode left there."""
    model = Ours(Meeting(InputError("The key is refused."), goodbye))
    models = Own(model)
    with pytest.raises(InputError, match="refused"):
        run(plan(models, SIX), tmp_path / "s.db", models, jobs=2)
    assert [row.ending for row in rows(tmp_path / "s.db")] == [None, None]
    assert model.asked == 2
    assert len(calls(tmp_path / "s.db")) == 1


@pytest.mark.parametrize(
    "problems",
    [
        (BudgetSpent("It is spent."), InputError("The key is refused.")),
        (InputError("The key is refused."), BudgetSpent("It is spent.")),
        (BudgetSpent("It is spent."), StoreError("The disk is full.")),
    ],
)
def test_a_spent_budget_hides_no_other_problem(
    tmp_path: Path, problems: tuple[RingbackError, RingbackError]
) -> None:
    first, second = problems

    def then(_: int) -> str:
        raise second

    models = Own(Ours(Meeting(first, then)))
    with pytest.raises(RingbackError) as raised:
        run(plan(models, SIX), tmp_path / "s.db", models, jobs=2)
    assert not isinstance(raised.value, BudgetSpent)


def test_of_two_problems_the_first_is_told(tmp_path: Path) -> None:
    def then(_: int) -> str:
        raise InputError("Another one.")

    models = Own(Ours(Meeting(InputError("The first one."), then)))
    with pytest.raises(InputError, match="The first one"):
        run(plan(models, SIX), tmp_path / "s.db", models, jobs=2)


def engine_of(store: Store, models: Models, **limits: Any) -> tuple[Plan, Engine]:
    what = plan(models, **limits)
    return what, Engine(what, store, models)


async def work(what: Plan, played: Engine) -> list[Played]:
    cells, done = iter(what.cells()), list[Played]()

    async def take() -> Any:
        return next(cells, None)

    await played.run(take, 1, done.append)
    return done


def test_an_episode_that_ends_as_it_is_stopped_is_graded(tmp_path: Path) -> None:
    playing: list[Engine] = []

    async def ask(_: int) -> str:
        playing[0].stop()
        return "One moment."

    models = Own(Ours(ask, seconds=9.0))  # which is beyond the limit: the call is its end
    with Store.open(tmp_path / "s.db") as store:
        what, played = engine_of(store, models, seconds=5.0)
        playing.append(played)
        [done] = asyncio.run(work(what, played))
    assert (done.ending, done.graded, done.solved) == ("timeout", True, False)
    assert [row.graded for row in rows(tmp_path / "s.db")] == [True]


def test_a_stop_leaves_an_episode_after_what_was_in_flight(tmp_path: Path) -> None:
    playing: list[Engine] = []

    async def ask(_: int) -> str:
        playing[0].stop()
        return "One moment."

    models = Own(model := Ours(ask))
    with Store.open(tmp_path / "s.db") as store:
        what, played = engine_of(store, models)
        playing.append(played)
        assert asyncio.run(work(what, played)) == []
    assert [row.ending for row in rows(tmp_path / "s.db")] == [None]
    assert (model.asked, len(calls(tmp_path / "s.db"))) == (1, 1)


@pytest.mark.parametrize("fault", [None, "rate_limit"])
def test_a_stop_sends_no_call_that_was_waiting(tmp_path: Path, fault: Any) -> None:
    """At the gate or between two tries; what is in flight comes home and is recorded."""
    faults: dict[Any, float] = {fault: 1.0} if fault else {}
    with ChaosServer(played_by("reference"), delay=0.5, faults=faults, retry_after=30.0) as server:
        models = served(server, concurrency=None if fault else 1)
        what = over_http(models)
        with Store.open(tmp_path / "s.db") as store:
            played = Engine(what, store, models)
            cells = iter(what.cells())

            async def take() -> Any:
                return next(cells, None)

            async def stopped() -> int:
                running = asyncio.create_task(played.run(take, 10, lambda _: None))
                while len(server.log) < (6 if fault else 3):
                    await asyncio.sleep(0.01)
                await asyncio.sleep(0.1)
                asked = len(server.log)
                assert played.stop() == (0 if fault else 1)
                began = time.monotonic()
                await running
                assert time.monotonic() - began < 5
                return asked

            assert asyncio.run(stopped()) == len(server.log)
    found = calls(tmp_path / "s.db")
    assert len(found) == len(server.answered)
    assert {row.ending for row in rows(tmp_path / "s.db")} == {None}


def test_a_participants_mistake_is_not_taken_for_a_damaged_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def mistaken(*_: Any) -> Any:
        raise ProtocolError("out of turn")

    async def never(_: int) -> str:
        raise AssertionError

    models = Own(Ours(never))
    what = plan(models)
    session = begin(tmp_path / "s.db", what, next(what.cells()), 0)
    monkeypatch.setattr(engine, "play", mistaken)
    with pytest.raises(ProtocolError):
        run(what, tmp_path / "s.db", models, jobs=1)
    assert [row.ending for row in rows(tmp_path / "s.db") if row.id == session] == [None]


def test_a_cell_is_looked_up_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []
    real = Store.latest

    def latest(self: Store, cells: Any) -> Any:
        looked.append(len(cells))
        return real(self, cells)

    async def bye(_: int) -> str:
        return BYE

    monkeypatch.setattr(Store, "latest", latest)
    models = Own(Ours(bye))
    done = run(plan(models), tmp_path / "s.db", models)
    assert looked == [3, 1, 1, 1]
    found = {row.id: row for row in rows(tmp_path / "s.db")}
    for played in done:
        row = found[played.session]
        assert (played.ending, played.graded) == (row.ending, row.graded)
        assert played.solved is row.solved


def test_begun_cells_are_played_first_and_all_that_is_recorded_is_heard(tmp_path: Path) -> None:
    async def bye(_: int) -> str:
        return BYE

    models, store = Own(Ours(bye)), tmp_path / "s.db"
    what = plan(models, SIX)
    session = begin(store, what, list(what.cells())[4], 0)
    done: list[Played] = []
    heard: list[Any] = []
    run_plan(what, store, jobs=1, done=done.append, models=models, heard=heard.extend)
    assert done[0].session == session
    assert len(done) == 6
    with Store.open(store, write=False) as opened:
        kept = sum(len(opened.events(row.id)) for row in opened.rows(parse_selection([])))
    assert len(heard) == kept - 6  # each start was there before
