"""A customer who takes long, a client that does not wait, a model that goes wrong."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable, Iterator
from pathlib import Path

import anyio
import pytest
from mcp import Client
from mcp.types import CallToolResult
from msgspec.structs import replace

from ringback.canonical import Json
from ringback.domains import load
from ringback.episode.wire import Answer, Request
from ringback.errors import InputError
from ringback.models import BudgetSpent, CredentialError, ScriptModel, ScriptReply
from ringback.operating import Desk, Terms, named_case
from ringback.sessions import Store
from ringback.web.mcp.door import Door
from ringback.web.mcp.host import Host
from ringback.web.mcp.server import server
from tests.operating.secrets import leaks
from tests.web.mcp.clients import in_loop, text

CASE = "test:17"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "s.db") as opened:
        yield opened


class Slow:
    """A customer's model that answers when it is let, and counts how often it was asked."""

    name = "script:slow"
    holds_form = False

    def __init__(self) -> None:
        self.let = asyncio.Event()
        self.asked = 0
        self.problem: Callable[[Request], Exception] | None = None
        self.failure: Callable[[Request], str] | None = None

    @property
    def identity(self) -> dict[str, Json]:
        return {"model": self.name}

    async def ask(self, request: Request, *, seconds: float) -> Answer:
        self.asked += 1
        number = self.asked
        await self.let.wait()
        if self.problem is not None:
            raise self.problem(request)
        said = ScriptReply(f"This is my sentence number {number}, and my phone is in my hand.")
        if self.failure is not None:
            said = ScriptReply(failure="infrastructure")
        answer = await ScriptModel(lambda _: said, self.name).ask(request, seconds=seconds)
        return answer if self.failure is None else replace(answer, why=self.failure(request))


@contextlib.asynccontextmanager
async def served(store: Store, model: Slow) -> AsyncGenerator[tuple[Client, Door]]:
    host = Host(cases=(CASE,), user=model.name, user_settings={"guard": "off"})
    door = Door(Desk(store, lambda _: model, door="mcp"), host, every=0.05)
    try:
        async with Client(server(door, host)) as client:
            yield client, door
    finally:
        await door.close()


def stands(answer: CallToolResult) -> tuple[str, int]:
    assert answer.structured_content is not None, text(answer)
    return answer.structured_content["state"], answer.structured_content["steps"]


@in_loop
async def test_the_client_hears_that_the_customer_is_awaited(store: Store) -> None:
    model, told = Slow(), list[tuple[float, str | None]]()

    async def heard(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, message))
        if len(told) == 3:
            model.let.set()

    async with served(store, model) as (client, _):
        answer = await client.call_tool("start", progress_callback=heard)
    assert stands(answer) == ("yours", 1)
    assert [done for done, _ in told] == sorted({done for done, _ in told})
    assert "has not answered" in (told[0][1] or "")


@in_loop
async def test_a_client_that_gives_up_gets_the_answer_later_and_nothing_is_asked_twice(
    store: Store,
) -> None:
    model = Slow()
    async with served(store, model) as (client, _):
        with anyio.move_on_after(0.3):
            await client.call_tool("start")
        looked = await client.call_tool("look", {"part": "conversation"})
        assert looked.structured_content is not None
        assert looked.structured_content["stands"]["state"] == "customer"
        refused = await client.call_tool("say", {"text": "Are you there?"})
        assert refused.is_error
        assert "its answer has not come; wait brings it" in text(refused)
        model.let.set()
        answer = await client.call_tool("wait")
        assert stands(answer) == ("yours", 1)
        assert "sentence number 1" in text(answer)
        again = await client.call_tool("wait")
        assert again.structured_content == answer.structured_content
    assert model.asked == 1


@in_loop
async def test_what_was_said_stands_though_the_client_gave_up(store: Store) -> None:
    model = Slow()
    model.let.set()
    async with served(store, model) as (client, _):
        await client.call_tool("start")
        model.let.clear()
        with anyio.move_on_after(0.3):
            await client.call_tool("say", {"text": "Please look at the screen."})
        model.let.set()
        answer = await client.call_tool("wait")
        assert stands(answer) == ("yours", 3)
        looked = await client.call_tool("look", {"part": "conversation"})
    assert text(looked).count("Please look at the screen.") == 1


@in_loop
async def test_a_server_that_ends_leaves_an_episode_to_be_gone_on_with(store: Store) -> None:
    model = Slow()
    async with served(store, model) as (client, door):
        asking = asyncio.create_task(client.call_tool("start"))
        while model.asked == 0:
            await asyncio.sleep(0.01)
        await door.close()
        cut = await asking
        assert cut.is_error
        assert "wait asks the customer on" in text(cut)
        late = await client.call_tool("look")
        assert "is ending" in text(late)
    model.let.set()
    async with served(store, model) as (client, _):
        assert stands(await client.call_tool("wait")) == ("yours", 1)
    assert model.asked == 2


@in_loop
async def test_an_episode_can_be_given_up_while_its_customer_is_awaited(store: Store) -> None:
    async with served(store, Slow()) as (client, _):
        with anyio.move_on_after(0.2):
            await client.call_tool("start")
        answer = await client.call_tool("abandon", {"why": "They do not answer."})
    assert answer.structured_content is not None
    assert answer.structured_content["over"]["ending"] == "abandoned"


def quoted(request: Request) -> str:
    """A failure that quotes all that was sent, as some servers do."""
    return f"400: cannot make anything of {request}"


@in_loop
async def test_the_words_of_a_models_failure_reach_nobody(
    store: Store, capfd: pytest.CaptureFixture[str]
) -> None:
    model = Slow()
    model.let.set()
    answers: list[CallToolResult] = []
    problems: dict[str, Callable[[Request], Exception]] = {
        "credential is missing": lambda request: CredentialError(quoted(request), "refused"),
        "may cost no more": lambda request: BudgetSpent(quoted(request)),
    }
    async with served(store, model) as (client, _):
        model.failure = quoted
        answers.append(await client.call_tool("start"))
        assert "wait asks again" in text(answers[-1])
        model.failure = None
        for told, model.problem in problems.items():
            answers.append(await client.call_tool("wait"))
            assert told in text(answers[-1])
            answers.append(await client.call_tool("look", {"part": "conversation"}))
    assert [answer.is_error for answer in answers] == [True, True, False, True, False]
    out = "\n".join([capfd.readouterr().err, *(each.model_dump_json() for each in answers)])
    assert leaks(out, named_case(load("telecom"), CASE)) == []


@in_loop
async def test_what_broke_off_after_it_was_recorded_is_not_called_refused(store: Store) -> None:
    model = Slow()
    model.let.set()
    model.failure = quoted
    async with served(store, model) as (client, _):
        begun = (await client.call_tool("start")).structured_content
        assert begun is not None
        assert set(begun) == {"away", "session", "steps"}
        assert (begun["session"], begun["steps"]) == (store.row(begun["session"]).id, 0)
        model.failure = None
        await client.call_tool("wait")
        model.failure = quoted
        said = await client.call_tool("say", {"text": "Hello?"})
        assert said.is_error
        assert said.structured_content is not None
        assert (said.structured_content["session"], said.structured_content["steps"]) == (
            begun["session"],
            2,
        )
        assert "do not repeat it" in text(said)
        again = (await client.call_tool("say", {"text": "Hello?"})).structured_content
        assert again is not None
        assert list(again) == ["refused"]
        model.failure = None
        assert stands(await client.call_tool("wait")) == ("yours", 3)


@in_loop
async def test_what_goes_wrong_inside_is_told_without_its_words(
    store: Store, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(desk: Desk, session: str) -> None:
        raise LookupError("You are John Smith and your SIM card is not in place.")

    async with served(store, Slow()) as (client, _):
        monkeypatch.setattr(Desk, "wait", broken)
        answer = await client.call_tool("start")
    assert "This went wrong inside (LookupError)" in text(answer)
    told = capfd.readouterr().err
    assert "LookupError in broken, line" in told
    assert "John" not in told + text(answer)


@in_loop
async def test_two_desks_over_one_store_do_not_mix(store: Store) -> None:
    model = Slow()
    one, other = (Desk(store, lambda _: model) for _ in range(2))
    session = one.begin(CASE, Terms(user=model.name, user_settings={"guard": "off"}))
    first = asyncio.create_task(one.wait(session))
    while model.asked == 0:
        await asyncio.sleep(0.01)
    assert other.at(session) == "this process"
    with pytest.raises(InputError, match="Another command is at episode"):
        await other.wait(session)
    model.let.set()
    assert (await first).state == "yours"
    assert model.asked == 1
