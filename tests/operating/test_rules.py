"""The rules of an operated case: what counts, what may be begun again, what is kept of it."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from ringback.canonical import Json
from ringback.domain import Transfer
from ringback.domains import load
from ringback.episode.episode import Episode
from ringback.episode.events import AnyEvent, Limits, Origin, Results, Start, Turn
from ringback.episode.identity import arm_hash, condition_hash, imported_ids
from ringback.episode.markers import STOP
from ringback.episode.participants import Reply
from ringback.episode.wire import Answer, Request
from ringback.errors import InputError
from ringback.models import ScriptModel, ScriptReply
from ringback.operating import Desk, NoneLeft, Seen, Taken, Terms
from ringback.sessions import Store
from tests.operating.conftest import Shell
from tests.operating.test_desk import played

OLD = "0123456789abcdef"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "s.db") as opened:
        yield opened


class Away:
    """A customer's model whose way is broken for longer than an episode lasts."""

    name = "script:away"
    holds_form = False

    @property
    def identity(self) -> dict[str, Json]:
        return {"model": self.name}

    async def ask(self, request: Request, *, seconds: float) -> Answer:
        broken = ScriptModel(lambda _: ScriptReply(failure="infrastructure"), self.name)
        return replace(await broken.ask(request, seconds=seconds), seconds=5.0)


def begun_attempt(store: Store, session: str) -> int:
    start = store.events(session)[0]
    assert isinstance(start, Start)
    return start.attempt


async def broken_off(store: Store, case: str | None, split: str | None = None) -> Seen:
    """An episode that ended since the customer's model could not be reached."""
    there = Desk(store, lambda _: Away(), door="test")
    session = there.begin(
        case, Terms(split=split, user="script:away", user_settings={"guard": "off"}, limits=BRIEF)
    )
    return await there.wait(session)


BRIEF = Limits(seconds=1.0)


@played
async def test_of_a_call_that_broke_off_nothing_is_told_and_it_can_be_begun_again(
    store: Store,
) -> None:
    seen = await broken_off(store, "2")
    assert seen.over is not None
    assert seen.over.ending == "infrastructure_error"
    assert (seen.over.task, seen.over.grade) == (None, None)
    here = Desk(store, door="test")
    assert here.look(seen.session).stands.over == seen.over
    assert [each.solved for each in here.episodes()] == [None]
    again = await here.start("2")
    assert again.state == "yours"
    assert again.session != seen.session
    await here.end(again.session)
    with pytest.raises(Taken) as over:
        await here.start("2")
    assert (over.value.session, over.value.ending) == (again.session, "agent_stop")


@played
async def test_cases_that_broke_off_or_were_given_up_come_again_once_no_other_is_left(
    store: Store,
) -> None:
    here = Desk(store, door="test")
    broken = await broken_off(store, None, split="small")
    given_up = await here.start(terms=Terms(split="small"))
    await here.abandon(given_up.session)
    rest = [
        (await here.start(terms=Terms(split="small"))).case
        for _ in load("telecom").tasks("small")[2:]
    ]
    assert not {broken.case, given_up.case} & {*rest}
    again = {
        seen.case: seen for seen in [await here.start(terms=Terms(split="small")) for _ in range(2)]
    }
    assert again.keys() == {broken.case, given_up.case}
    await here.end(again[broken.case].session)
    with pytest.raises(
        NoneLeft, match=rf" of small were begun .*, {len(rest) + 1} of them are open"
    ):
        await here.start(terms=Terms(split="small"))


@played
async def test_attempts_at_a_case_are_counted_from_0_and_all_stay(store: Store) -> None:
    here = Desk(store, door="test")
    sessions: list[str] = []
    for _ in range(3):
        sessions.append((await here.start("2")).session)
        await here.abandon(sessions[-1])
    last = await here.start("2")
    assert len({*sessions, last.session}) == 4
    assert [begun_attempt(store, each) for each in (*sessions, last.session)] == [0, 1, 2, 3]
    assert [store.row(each).attempt for each in (*sessions, last.session)] == [0, 1, 2, 3]
    assert len(here.episodes()) == 4


def test_an_operated_episode_is_among_what_was_run_outside_a_study(shell: Shell) -> None:
    session = shell.seen("start", "2")["session"]
    for chosen in ("study=", "arm=operator"):
        done = shell("sessions", "list", chosen, "--json")
        assert done.code == 0, done
        assert [row["id"] for row in json.loads(done.out)["sessions"]] == [session]


@played
async def test_what_was_given_up_is_kept_as_not_graded_whoever_asks(store: Store) -> None:
    here = Desk(store, door="test")
    session = (await here.start("2")).session
    assert store.row(session).graded is None
    await here.abandon(session, "Lunch.")
    row = store.row(session)
    assert (row.ending, row.graded, row.solved, row.reward) == ("abandoned", False, None, None)


def going(store: Store, session: str) -> Episode:
    return Episode.from_events(store.events(session), load("telecom"))


@played
async def test_the_list_grades_what_was_killed_between_its_end_and_its_grade(store: Store) -> None:
    here = Desk(store, door="test")
    cut, other = [(await here.start(case)).session for case in ("2", "3")]
    last = going(store, cut).take(Reply(f"Goodbye. {STOP}", rule="test"), at=time.time())
    store.append(cut, last)
    assert (store.row(cut).ending, store.row(cut).graded) == ("agent_stop", None)
    assert [each.solved for each in here.episodes()] == [False, None]
    assert (store.row(cut).graded, store.row(cut).reward) == (True, 0.0)
    assert store.row(other).graded is None


@played
async def test_a_transfer_whose_call_failed_tells_the_customer_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    domain = load("telecom")

    def wrong(_self: object, _summary: str) -> Transfer:
        return Transfer("transfer_to_human_agents", {"why": 7}, "I have transferred you.")

    here = Desk(store, door="test")
    session = (await here.start("2")).session
    with monkeypatch.context() as patched:
        patched.setattr(type(domain), "transfer", wrong)
        seen = await here.transfer(session, "It is beyond me.")
    assert [(item.kind, item.error) for item in seen.news] == [("result", True)]
    assert (seen.state, seen.over, seen.errors) == ("yours", None, 1)
    turn, results = store.events(session)[-2:]
    assert isinstance(turn, Turn)
    assert isinstance(results, Results)
    assert (turn.text, results.results[0].error) == (None, True)
    over = (await here.transfer(session, "It is beyond me.")).over
    assert over is not None
    assert (over.ending, over.rule) == ("user_stop", "transfer")


def older(store: Store, path: Path, part: str) -> list[AnyEvent]:
    """Put the beginning of an episode, as another version of a part made it, into a new store."""
    session = Desk(store).begin("2")
    start, family = store.events(session)[0], store.row(session).family
    assert isinstance(start, Start)
    condition, content = start.condition, start.arm
    match part:
        case "world":
            condition = replace(condition, world="telecom 0")
        case "policy":
            content = replace(content, texts="0" * 32)
        case _:
            condition = replace(condition, texts="0" * 32)
    events: list[AnyEvent] = [replace(start, session=OLD, condition=condition, arm=content)]
    with Store.open(path) as other:
        assert other.add(
            events,
            family=family,
            cell=f"{1:032x}",
            condition=condition_hash(condition),
            arm=arm_hash(content),
        )
    return events


@pytest.mark.parametrize(
    ("part", "why"),
    [
        ("world", "was begun in version telecom 0 of the world telecom"),
        ("policy", "was begun with another policy or other tools"),
        ("texts", "was begun with other texts for the customer"),
    ],
)
def test_a_customer_is_not_asked_on_with_other_versions_than_the_call_began_with(
    store: Store, tmp_path: Path, part: str, why: str
) -> None:
    events = older(store, tmp_path / "old.db", part)
    with Store.open(tmp_path / "old.db") as old:
        here = Desk(old, door="test")
        with pytest.raises(InputError, match=why):
            asyncio.run(here.wait(OLD))
        assert old.events(OLD) == events
        assert here.at(OLD) is None
        assert here.look(OLD).stands.state == "customer"


@played
async def test_what_another_program_recorded_of_an_operator_of_its_own_is_none_of_ours(
    store: Store,
) -> None:
    here = Desk(store, door="test")
    session = here.begin("2")
    mine = store.events(session)[0]
    assert isinstance(mine, Start)
    await here.end((await here.wait(session)).session)
    origin = Origin(form="tau2", source="results.json", place=0, digest="d", id="theirs")
    name, cell = imported_ids(origin)
    theirs = replace(mine, session=name, origin=origin)
    assert store.add([theirs], family=None, cell=cell, condition="c", arm="a")
    assert [each.session for each in here.episodes()] == [session]
    assert here.open_episodes() == []
    for refused in (here.look, here.seen, here.only):
        with pytest.raises(InputError, match=f"{name} was not operated at this desk"):
            refused(name)
