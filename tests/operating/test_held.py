"""One command at an episode at a time: here, in other processes, on other machines."""

from __future__ import annotations

import asyncio
import contextlib
import platform
import selectors
import sqlite3
import time
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from ringback.canonical import Json
from ringback.domains import load
from ringback.episode.episode import Episode
from ringback.episode.wire import Answer, Request
from ringback.errors import InputError
from ringback.models import ScriptModel, ScriptReply
from ringback.operating import Desk, Terms
from ringback.sessions import Locked, Store
from tests.operating.test_desk import played


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "s.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with Store.open(path) as opened:
        yield opened


class Thinking:
    """A customer's model that does something of the test's while it is asked."""

    name = "script:thinking"
    holds_form = False

    def __init__(self) -> None:
        self.meanwhile: Callable[[], Awaitable[None]] | None = None

    @property
    def identity(self) -> dict[str, Json]:
        return {"model": self.name}

    async def ask(self, request: Request, *, seconds: float) -> Answer:
        if self.meanwhile is not None:
            await self.meanwhile()
        said = ScriptReply("My phone is in my hand, and the status bar is empty.")
        return await ScriptModel(lambda _: said, self.name).ask(request, seconds=seconds)


def desk(store: Store, model: Thinking) -> Desk:
    return Desk(store, lambda _: model, door="test")


async def begun(here: Desk) -> str:
    settings: dict[str, Json] = {"guard": "off", "structured": False}
    return (await here.start("2", Terms(user=Thinking.name, user_settings=settings))).session


@pytest.mark.parametrize("same", [True, False], ids=["desk", "store"])
@played
async def test_while_a_customer_is_asked_every_other_command_of_this_process_is_refused(
    store: Store, same: bool
) -> None:
    model = Thinking()
    here = desk(store, model)
    second = here if same else desk(store, model)
    session = await begun(here)
    asked, let = asyncio.Event(), asyncio.Event()

    async def waiting() -> None:
        asked.set()
        await let.wait()

    model.meanwhile = waiting
    assert here.at(session) is None
    said = asyncio.create_task(here.say(session, "What does the status bar show?"))
    await asked.wait()
    assert second.at(session) == "this process"
    before = store.events(session)
    others: list[Coroutine[Any, Any, Any]] = [
        second.say(session, "Hello?"),
        second.call(session, [("get_details_by_id", {"id": "L1002"})]),
        second.transfer(session, "It is beyond me."),
        second.end(session),
        second.abandon(session),
        second.wait(session),
    ]
    for other in others:
        with pytest.raises(InputError) as refused:
            await other
        sentence = (
            f"Another command is at episode {session} (this process); wait for it, then look."
        )
        assert str(refused.value) == sentence
    assert store.events(session) == before
    assert second.seen(session).state == "customer"
    let.set()
    assert (await said).state == "yours"
    assert here.at(session) is second.at(session) is None
    assert (await second.end(session)).state == "over"


@played
async def test_what_was_begun_is_held_by_nobody_until_somebody_goes_on(
    store: Store, path: Path
) -> None:
    session = Desk(store).begin("2")
    with Store.open(path) as other:
        there = Desk(other)
        assert there.at(session) is None
        assert (await there.wait(session)).state == "yours"
        assert (await there.say(session, "Hello?")).state == "yours"


@played
async def test_what_another_command_recorded_meanwhile_is_said_and_nothing_mixed_in(
    store: Store, path: Path
) -> None:
    model = Thinking()
    here = desk(store, model)
    session = await begun(here)

    async def overtaken() -> None:
        with Store.open(path) as other:
            episode = Episode.from_events(other.events(session), load("telecom"))
            other.append(session, episode.finish("abandoned", "operator", "Lunch.", at=1.0))

    model.meanwhile = overtaken
    with pytest.raises(InputError) as refused:
        await here.say(session, "What does the status bar show?")
    sentence = f"Another command went on with episode {session} meanwhile; look at it first."
    assert str(refused.value) == sentence
    over = here.seen(session).over
    assert over is not None
    assert (over.ending, over.why) == ("abandoned", "Lunch.")
    with pytest.raises(InputError, match="is over"):
        await here.say(session, "Hello?")


class Clock:
    """A loop's clock that jumps to whatever is awaited next, and the world's time with it."""

    def __init__(self) -> None:
        self.passed = 0.0

    def loop(self) -> asyncio.AbstractEventLoop:
        clock = self

        class Jumping(selectors.DefaultSelector):
            def select(self, timeout: float | None = None) -> Any:
                ready = super().select(0 if timeout else timeout)
                if not ready and timeout:
                    clock.passed += timeout
                return ready

        class Loop(asyncio.SelectorEventLoop):
            def time(self) -> float:
                return clock.passed

        return Loop(Jumping())


@contextlib.contextmanager
def of_another_machine(path: Path, patch: pytest.MonkeyPatch) -> Generator[Store]:
    with patch.context() as elsewhere:
        elsewhere.setattr(platform, "node", lambda: "another-machine")
        with Store.open(path) as opened:
            yield opened


def test_however_long_a_customer_takes_no_other_machine_comes_between(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, now, model = Clock(), time.time(), Thinking()
    monkeypatch.setattr(time, "time", lambda: now + clock.passed)
    here = desk(store, model)
    tried: list[bool] = []

    async def slowly() -> None:
        for _ in range(20):
            await asyncio.sleep(30)
            with of_another_machine(path, monkeypatch) as other:
                tried.append(other.claim(session))

    with asyncio.Runner(loop_factory=clock.loop) as runner:
        session = runner.run(begun(here))
        model.meanwhile = slowly
        seen = runner.run(here.say(session, "What does the status bar show?"))
    assert clock.passed >= 600
    assert tried == [False] * 20
    assert seen.state == "yours"
    with of_another_machine(path, monkeypatch) as other:
        assert other.claim(session), "it was let go of once it was answered"


@contextlib.contextmanager
def locked(path: Path) -> Generator[Callable[[], None]]:
    """The store, locked as by another process until the function that is given is called."""
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield lambda: other.execute("ROLLBACK").close()
    finally:
        other.close()


@played
async def test_a_lock_on_the_store_while_a_customer_answers_holds_up_nothing_else(
    path: Path,
) -> None:
    with Store.open(path, paid=True, patience=0.2) as store, contextlib.ExitStack() as stack:
        model = Thinking()
        here = desk(store, model)
        session = await begun(here)
        free: list[Callable[[], None]] = []

        async def lock() -> None:
            model.meanwhile = None
            free.append(stack.enter_context(locked(path)))

        model.meanwhile = lock
        said = asyncio.create_task(here.say(session, "What does the status bar show?"))
        longest, ticks, last = 0.0, 0, time.monotonic()
        while ticks < 60:  # longer than the store's patience
            await asyncio.sleep(0.02)
            now = time.monotonic()
            longest, last, ticks = max(longest, now - last), now, ticks + 1
            here.look(session)
        assert free, "the model was asked"
        assert not said.done()
        assert longest < 1
        with pytest.raises(InputError, match="this process"):
            await here.end(session)
        free[0]()
        assert [item.kind for item in (await said).news] == ["customer"]
        assert len([*store.model_calls([session])]) == 2
        assert here.at(session) is None


@played
async def test_a_turn_that_waits_for_a_lock_is_refused_after_the_stores_patience(
    path: Path,
) -> None:
    with Store.open(path, paid=True, patience=0.4) as store:
        here = desk(store, Thinking())
        one = await begun(here)
        with locked(path) as free:
            began = time.monotonic()
            turn = asyncio.create_task(here.end(one))
            await asyncio.sleep(0.2)
            assert not turn.done()
            with pytest.raises(Locked, match=r"locked by another process for 0\.4 s"):
                await turn
            assert 0.4 <= time.monotonic() - began < 5
            assert here.seen(one).state == "yours"
            assert here.at(one) is None
            free()
        assert (await here.end(one)).state == "over"


@played
async def test_who_is_asked_to_hurry_waits_for_no_lock(path: Path) -> None:
    with Store.open(path, paid=True) as store:
        here = desk(store, Thinking())
        session = await begun(here)
        with locked(path):
            turn = asyncio.create_task(here.end(session))
            await asyncio.sleep(0.2)
            began = time.monotonic()
            store.hurry()
            with pytest.raises(Locked):
                await turn
            assert time.monotonic() - began < 5


@played
async def test_a_lock_while_an_episode_is_begun_holds_up_nothing_else(path: Path) -> None:
    with Store.open(path, patience=0.5) as store:
        here = desk(store, Thinking())
        there = await begun(here)
        with locked(path) as free:
            beginning = asyncio.create_task(here.start("3"))
            longest, last = 0.0, time.monotonic()
            while not beginning.done():
                await asyncio.sleep(0.02)
                now = time.monotonic()
                longest, last = max(longest, now - last), now
                here.look(there)
            with pytest.raises(Locked, match=r"for 0\.5 s"):
                await beginning
            assert longest < 0.4
            free()
        assert (await here.start("3")).state == "yours"
