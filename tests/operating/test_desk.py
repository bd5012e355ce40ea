"""The desk: an operated episode is an episode like any other, and tells an agent's side alone."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec

import msgspec
import pytest

from ringback.domains import load
from ringback.episode.events import Limits, Turn
from ringback.errors import InputError
from ringback.operating import CustomerAway, Desk, NoneLeft, NotOne, Taken, Terms, named_case
from ringback.operating.cases import number_of
from ringback.sessions import Store

P = ParamSpec("P")


def played(test: Callable[P, Awaitable[None]]) -> Callable[P, None]:
    @wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        async def whole() -> None:
            await test(*args, **kwargs)

        asyncio.run(whole())

    return run


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "s.db") as opened:
        yield opened


def desk(store: Store) -> Desk:
    return Desk(store, door="test")


@played
async def test_each_turn_is_answered_with_what_an_agent_would_get(store: Store) -> None:
    began = await desk(store).start("2", Terms(called="Ada"))
    assert [item.kind for item in began.news] == ["greeting", "customer"]
    assert (began.state, began.steps, began.steps_left) == ("yours", 1, 99)
    found = await desk(store).call(
        began.session, [("get_customer_by_phone", {"phone_number": "555-123-2002"})]
    )
    assert [(item.kind, item.error) for item in found.news] == [("result", False)]
    assert found.steps == 3
    said = await desk(store).say(began.session, "Please check the status bar.")
    assert [item.kind for item in said.news] == ["customer"]


@played
async def test_an_unknown_tool_is_recorded_and_answered(store: Store) -> None:
    began = await desk(store).start("2")
    wrong = await desk(store).call(began.session, [("no_such_tool", {"x": 1})])
    assert wrong.news[0].error
    assert wrong.errors_left == 9
    turn = store.events(began.session)[-2]
    assert isinstance(turn, Turn)
    assert turn.calls[0].tool == "no_such_tool"


@played
async def test_the_time_that_an_operator_takes_is_in_no_limit(store: Store) -> None:
    began = await desk(store).start("2")
    await asyncio.sleep(0.05)
    await desk(store).say(began.session, "One moment.")
    own = [e for e in store.events(began.session) if isinstance(e, Turn) and e.by == "agent"]
    assert [turn.seconds for turn in own] == [None]
    assert own[0].rule == "test"


@played
async def test_a_stale_command_is_refused(store: Store) -> None:
    began = await desk(store).start("2")
    with pytest.raises(InputError, match="is at step 1, not 5"):
        await desk(store).say(began.session, "Hello?", expect_step=5)
    with pytest.raises(InputError, match="is at step 1, not 0"):
        await desk(store).abandon(began.session, expect_step=0)
    with pytest.raises(InputError, match="is at step 1, not 0"):
        await desk(store).wait(began.session, expect_step=0)
    assert desk(store).seen(began.session) == began


@played
async def test_a_desk_knows_whether_a_command_of_its_own_did_anything(store: Store) -> None:
    mine, other = desk(store), desk(store)
    session = (await mine.start("2")).session
    before = mine.recorded(session)
    await other.say(session, "Hello?")
    with pytest.raises(InputError, match="is at step 3, not 1"):
        await mine.say(session, "Hello?", expect_step=1)
    assert mine.recorded(session) == before
    await mine.say(session, "Hello?", expect_step=3)
    assert mine.recorded(session) > before


@played
async def test_two_commands_at_once_do_not_mix(store: Store, tmp_path: Path) -> None:
    began = await desk(store).start("2")
    with Store.open(tmp_path / "s.db") as other:
        assert other.claim(began.session)
        with pytest.raises(InputError, match="Another command is at episode"):
            await desk(store).say(began.session, "Hello?")
    said = await desk(store).say(began.session, "Hello?")
    assert said.state == "yours"


@played
async def test_transfer_calls_the_tool_and_tells_the_customer(store: Store) -> None:
    began = await desk(store).start("2")
    over = (await desk(store).transfer(began.session, "Cannot be repaired.")).over
    assert over is not None
    assert (over.ending, over.rule) == ("user_stop", "transfer")
    assert over.task == named_case(load("telecom"), "2").id
    assert over.grade is not None
    assert over.grade.reward == 0.0


@played
async def test_what_was_given_up_tells_nothing_and_is_begun_anew(store: Store) -> None:
    began = await desk(store).start("2")
    given_up = await desk(store).abandon(began.session, "Lunch.")
    assert given_up.over is not None
    assert (given_up.over.ending, given_up.over.why) == ("abandoned", "Lunch.")
    assert given_up.over.task is None
    assert given_up.over.grade is None
    again = await desk(store).start("2")
    assert again.session != began.session
    assert [each.ending for each in desk(store).episodes()] == ["abandoned", None]


@played
async def test_a_case_is_played_once_by_an_operator(store: Store) -> None:
    began = await desk(store).start("2", Terms(called="Ada"))
    with pytest.raises(InputError, match="is open as episode"):
        await desk(store).start("2", Terms(called="Ada"))
    await desk(store).end(began.session, "Goodbye.")
    with pytest.raises(InputError, match="was played already"):
        await desk(store).start("2", Terms(called="Ada"))
    with pytest.raises(InputError, match="was played already"):
        await desk(store).start("2", Terms(called=" Ada ", policy="manual"))
    assert (await desk(store).start("2", Terms(called="Bob"))).state == "yours"
    assert (await desk(store).start("2", Terms(called="Ada", trial=1))).state == "yours"


@pytest.mark.parametrize(
    "other",
    [
        {"limits": Limits(steps=50)},
        {"policy": "manual"},
        {"user": "rules", "limits": Limits(errors=3), "policy": "manual"},
    ],
    ids=["limits", "policy", "both"],
)
@played
async def test_other_conditions_make_no_other_case_of_it(
    store: Store, other: dict[str, Any]
) -> None:
    here = desk(store)
    first = await here.start("2", Terms(called="Ada", limits=Limits(steps=2)))
    for more in ({}, other):
        with pytest.raises(Taken) as still_open:
            await here.start("2", Terms(called="Ada", **more))
        assert (still_open.value.session, still_open.value.ending) == (first.session, None)
    await here.say(first.session, "Hello?")
    for more in ({}, other):
        with pytest.raises(Taken) as over:
            await here.start("2", Terms(called="Ada", **more))
        assert (over.value.session, over.value.ending) == (first.session, "max_steps")
    others: list[dict[str, Any]] = [
        {"called": "Bob"},
        {"called": "Ada", "seed": 1},
        {"called": "Ada", "trial": 1},
    ]
    for more in others:
        assert (await here.start("2", Terms(**more, **other))).state == "yours"


@played
async def test_the_next_case_is_none_that_was_played_under_other_conditions(store: Store) -> None:
    here = desk(store)
    first = await here.start(terms=Terms(called="Ada", limits=Limits(steps=50)))
    second = await here.start(terms=Terms(called="Ada"))
    assert second.case != first.case
    await here.abandon(first.session)
    there = await here.start(first.case, Terms(called="Ada", policy="manual"))
    assert there.case == first.case


@played
async def test_nothing_of_the_case_is_told_before_the_end(store: Store) -> None:
    domain = load("telecom")
    task = named_case(domain, "2")
    began = await desk(store).start("2")
    told = msgspec.json.encode([began, desk(store).look(began.session)]).decode()
    for secret in (task.id, *task.faults, *domain.scenario(task).text.splitlines()):
        assert len(secret) < 20 or secret not in told


def test_a_case_is_named_by_its_number_or_its_id() -> None:
    domain = load("telecom")
    tasks = domain.tasks(domain.splits[0])
    assert named_case(domain, "1") is tasks[0]
    assert named_case(domain, f"{domain.splits[0]}:2").id == tasks[1].id
    assert named_case(domain, tasks[3].id).id == tasks[3].id
    with pytest.raises(InputError, match="has 1 to"):
        named_case(domain, "100000")


@played
async def test_a_case_that_was_begun_is_refused_in_a_way_that_doors_can_word(store: Store) -> None:
    began = await desk(store).start("2")
    with pytest.raises(Taken) as still_open:
        await desk(store).start("2")
    assert (still_open.value.session, still_open.value.ending) == (began.session, None)
    await desk(store).end(began.session)
    with pytest.raises(Taken) as over:
        await desk(store).start("2")
    assert (over.value.session, over.value.ending) == (began.session, "agent_stop")


@played
async def test_the_next_case_comes_of_the_split_that_is_named(store: Store) -> None:
    began = await desk(store).start(terms=Terms(split="small"))
    assert began.case in numbered_names("small")
    there = len(load("telecom").tasks("small"))
    for _ in range(there - 1):
        await desk(store).start(terms=Terms(split="small"))
    with pytest.raises(NoneLeft, match="of small were begun"):
        await desk(store).start(terms=Terms(split="small"))


def numbered_names(split: str) -> set[str | None]:
    domain = load("telecom")
    return {number_of(domain, task) for task in domain.tasks(split)}


def test_where_many_are_open_the_last_ones_are_named(store: Store) -> None:
    there = [desk(store).begin(str(number), Terms(called="Ada")) for number in range(1, 8)]
    desk(store).begin("1", Terms(called="Grace"))
    with pytest.raises(NotOne) as refused:
        desk(store).only(None, "Ada")
    assert refused.value.open == tuple(there)
    said = str(refused.value)
    assert said.startswith(f"7 episodes are open, the 5 begun last: {there[2]} (case test:3, ")
    assert said.endswith(f" and {there[6]} (case test:7, step 0); say which with --session.")
    with pytest.raises(NotOne, match="No episode of Bob is open"):
        desk(store).only(None, "Bob")


@played
async def test_a_customer_whose_program_fails_leaves_the_episode_standing_and_tells_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    began = await desk(store).start("2")

    async def fails(*_: object) -> None:
        raise IndexError("airplane_mode_on")

    with monkeypatch.context() as broken:
        broken.setattr("ringback.users.rules.Customer.act", fails)
        with pytest.raises(CustomerAway, match=r"its program rules failed \(IndexError\)") as told:
            await desk(store).say(began.session, "Please check the status bar.")
        assert "airplane" not in str(told.value)
        with pytest.raises(CustomerAway):
            await desk(store).wait(began.session)
        assert desk(store).seen(began.session).state == "customer"
    assert (await desk(store).wait(began.session)).state == "yours"
    kinds = [item.kind for item in desk(store).look(began.session).conversation]
    assert kinds == ["greeting", "customer", "said", "customer"]


@played
async def test_what_a_transfer_says_for_the_operator_is_shown(store: Store) -> None:
    began = await desk(store).start("2")
    over = await desk(store).transfer(began.session, "It is beyond me.")
    assert [item.kind for item in over.news] == ["result", "said", "customer"]
