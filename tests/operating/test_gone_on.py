"""What can stand in the way of going on with an episode, and what is said then."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest
from msgspec.structs import replace

from ringback.episode.events import Start
from ringback.episode.identity import arm_hash, condition_hash
from ringback.errors import InputError, StoreError
from ringback.operating import Desk
from ringback.sessions import Store
from tests.operating.conftest import Shell

OLD = "0123456789abcdef"


def aged(shell: Shell, session: str, part: str) -> None:
    """Move an episode to a new store, as one that was begun with another version of a part."""
    with Store.open(shell.store) as store:
        start, *rest = store.events(session)
        family = store.row(session).family
    assert isinstance(start, Start)
    condition, content = start.condition, start.arm
    if part == "world":
        condition = replace(condition, world="telecom 0")
    elif part == "customer":
        condition = replace(condition, user=replace(condition.user, version="0"))
    elif part == "policy":
        content = replace(content, texts="0" * 32)
    else:
        condition = replace(condition, texts="0" * 32)
    shell.store = shell.store.with_name(f"{part}.db")
    with Store.open(shell.store) as store:
        assert store.add(
            [replace(start, session=OLD, condition=condition, arm=content), *rest],
            family=family,
            cell=f"{1:032x}",
            condition=condition_hash(condition),
            arm=arm_hash(content),
        )


@pytest.mark.parametrize(
    ("part", "why"),
    [
        ("world", "was begun in version telecom 0 of the world telecom, and this is"),
        ("policy", "was begun with another policy or other tools"),
        ("texts", "was begun with other texts for the customer"),
        ("customer", "was begun with version 0 of the customer rules, and this is"),
    ],
)
def test_another_version_of_a_part_says_so_and_nothing_is_recorded(
    shell: Shell, part: str, why: str
) -> None:
    session = shell.seen("start", "2")["session"]
    aged(shell, session, part)
    said = shell.refused("say", "Please check the status bar.")
    assert why in said
    way_out = f"`ringback operate abandon --session {OLD} --store {shell.store}` gives it up."
    assert OLD in said
    assert way_out in said
    assert why in shell.refused("call", "get_customer_by_phone", "phone_number=555")
    looked = shell.operate("look", "--only", "conversation")
    assert looked.code == 0
    assert "customer │ Hello" in looked.out
    stands = shell.operate("look", "--only", "stands").out
    assert "cannot be gone on with here" in stands
    assert why in stands
    assert way_out in stands
    assert "your turn" not in stands
    assert why in shell.seen("look")["stands"]["changed"]
    assert shell.seen("look")["stands"]["steps"] == 1
    given_up = shell.seen("abandon", "Too old.")
    assert given_up["over"]["ending"] == "abandoned"
    assert shell.seen("start", "2")["session"] == session


def test_a_look_at_one_whose_customer_cannot_be_asked_on_shows_what_there_is(shell: Shell) -> None:
    session = shell.seen("start", "2")["session"]
    with Store.open(shell.store) as store:
        start = store.events(session)[:1]
    shell.store = shell.store.with_name("cut.db")
    with Store.open(shell.store) as store:
        store.add(start, family=None, cell=f"{1:032x}", condition="", arm="")
    aged(shell, session, "world")
    looked = shell.operate("look", "--only", "conversation")
    assert looked.code == 2
    assert "greeting │ Hello" in looked.out
    assert "the customer has not answered yet" in looked.out
    assert "was begun in version telecom 0" in looked.err


def test_a_store_that_is_locked_is_said_and_the_turn_can_be_taken_again(tmp_path: Path) -> None:
    path = tmp_path / "calls.db"
    with Store.open(path, patience=0.2) as store:
        desk = Desk(store)
        began = asyncio.run(desk.start("2"))
        raw = sqlite3.connect(path, isolation_level=None)
        raw.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="locked by another process"):
            asyncio.run(desk.say(began.session, "Hello?"))
        raw.execute("ROLLBACK")
        raw.close()
        said = asyncio.run(desk.say(began.session, "Hello?", expect_step=began.steps))
        assert said.steps == began.steps + 2


def test_what_is_over_is_said_to_be_over_whoever_held_it(shell: Shell) -> None:
    session = shell.seen("start", "2")["session"]
    with Store.open(shell.store) as other:
        assert other.claim(session)
        asyncio.run(Desk(other).end(session))
        for words in (("say", "Hello?"), ("transfer",), ("end",), ("abandon",)):
            assert f"{session} is over (agent_stop)" in shell.refused(*words, "--session", session)
    assert shell.operate("look", "--session", session).code == 0


def test_an_episode_that_cannot_be_read_is_given_up_and_stands_in_no_others_way(
    shell: Shell, tmp_path: Path
) -> None:
    lost = shell.seen("start", "2", "--as", "Ada")["session"]
    raw = sqlite3.connect(shell.store)
    with raw:
        raw.execute("update events set body = x'7b7d', coding = 0 where seq = 0")
    raw.close()
    other = shell.seen("start", "2", "--as", "Grace")["session"]
    over = shell.seen("end", "--session", other)["over"]
    assert (over["waits_for"], over["task"]) == (lost, None)
    out = str(tmp_path / "r.json")
    refused = shell("record", "-o", out)
    assert refused.code == 2
    way_out = f"`ringback operate abandon --session {lost} --store {shell.store}`"
    assert f"{way_out}, nor is 1 other." in refused.err
    assert "is open and cannot be read, so nobody can say whose it is" in refused.err
    given_up = shell.operate("abandon", "--session", lost)
    assert given_up.code == 0
    assert f"The events of session {lost}" in given_up.err
    assert f"Episode {lost} is given up all the same" in given_up.out
    assert shell.seen("look", "--session", other)["stands"]["over"]["task"]
    assert shell("record", "-o", out).code == 0
    assert f"{lost} is over (abandoned)" in shell.refused("abandon", "--session", lost)
    assert shell.seen("start", "2", "--as", "Ada")["session"] != lost


def test_only_what_cannot_be_read_is_closed_unread(tmp_path: Path) -> None:
    with Store.open(tmp_path / "calls.db") as store:
        desk = Desk(store)
        session = desk.begin("2")
        with pytest.raises(InputError, match="can be read"):
            asyncio.run(desk.close_unread(session))
        assert desk.seen(session).over is None


def test_who_has_the_case_open_is_told_how_it_is_given_up_in_this_store(shell: Shell) -> None:
    session = shell.seen("start", "2")["session"]
    said = shell.refused("start", "2")
    assert f"open as episode {session}" in said
    assert f"`ringback operate abandon --session {session} --store {shell.store}`" in said
