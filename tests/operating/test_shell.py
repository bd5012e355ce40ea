"""The shell's door: a command a turn, answered with what an agent would get next."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import os
import sqlite3
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from ringback.domains import load
from ringback.episode.events import Results, Turn
from ringback.episode.participants import Reply
from ringback.errors import StoreError
from ringback.operating import Desk, named_case
from ringback.operating.cases import drawn
from ringback.operating.reading import read_episode
from ringback.sessions import Store
from ringback.sessions.sqlite import Database
from tests.cli.test_terminal import in_terminal
from tests.operating.conftest import Shell

PHONE = "phone_number=555-123-2002"


def calls(shell: Shell, session: str) -> list[tuple[str, object]]:
    with Store.open(shell.store, write=False) as store:
        turns = [event for event in store.events(session) if isinstance(event, Turn)]
    return [(call.tool, call.arguments) for turn in turns for call in turn.calls]


def test_a_call_from_the_first_word_to_the_grade(shell: Shell) -> None:
    began = shell.operate("start", "2")
    assert began.code == 0
    assert "case test:2, answered by operator" in began.out
    assert "greeting │ Hello" in began.out
    assert "customer │ Hello, I can't send picture messages" in began.out
    assert "step 1, 99 left · tool errors 0, 10 left · your turn" in began.out

    found = shell.operate("call", "get_customer_by_phone", PHONE)
    assert "    tool │ customer_id: C1001" in found.out
    said = shell.operate("say", "Please check the status bar.")
    assert said.out.startswith("customer │ ")

    looked = shell.operate("look")
    assert looked.code == 0
    for part in ("The policy (workflow)", "Your 13 tools", "refuel_data(customer_id: string"):
        assert part in looked.out
    assert '     you ┊ get_customer_by_phone(phone_number="555-123-2002")' in looked.out
    assert "     you │ Please check the status bar." in looked.out

    ended = shell.operate("transfer", "Cannot be repaired here.")
    assert "The episode is over." in ended.out
    assert "reward    0.0 · not solved" in ended.out
    assert named_case(load("telecom"), "2").id in ended.out
    assert "user_stop, not solved" in shell.operate("list").out


def test_json_is_what_the_other_doors_have(shell: Shell) -> None:
    began = shell.seen("start", "2", "--as", "Ada", "--seed", "3", "--trial", "1")
    assert list(began) == [
        "session",
        "operator",
        "state",
        "steps",
        "steps_left",
        "errors",
        "errors_left",
        "news",
        "over",
        "case",
        "changed",
    ]
    assert (began["operator"], began["state"], began["case"]) == ("Ada", "yours", "test:2")
    assert [item["kind"] for item in began["news"]] == ["greeting", "customer"]
    looked = shell.seen("look")
    assert list(looked) == ["stands", "conversation", "tools", "variant", "policy"]
    assert looked["stands"]["news"] == began["news"]
    narrow = shell.seen("look", "--only", "tools")
    assert list(narrow) == ["stands", "tools"]
    assert [tool["name"] for tool in narrow["tools"]][:1] == ["get_customer_by_phone"]
    (listed,) = shell.seen("list")["episodes"]
    assert (listed["session"], listed["state"], listed["at"]) == (began["session"], "yours", None)
    over = shell.seen("end", "Goodbye.")["over"]
    assert (over["ending"], over["grade"]["reward"]) == ("agent_stop", 0.0)


def test_a_look_is_narrowed(shell: Shell) -> None:
    shell.operate("start", "2")
    policy = shell.operate("look", "--only", "policy").out
    assert policy == "".join(f"{line}\n" for line in _policy())
    assert "greeting" not in shell.operate("look", "--only", "tools").out
    stands = shell.operate("look", "--only", "stands").out
    assert stands == "\nstep 1, 99 left · tool errors 0, 10 left · your turn\n"
    assert "no part 'grade'" in shell.refused("look", "--only", "grade")


def _policy() -> list[str]:
    return load("telecom").policy("workflow").splitlines()


@pytest.mark.parametrize(
    ("words", "arguments"),
    [
        (("refuel_data", "gb_amount=2.0", "line_id=L1002"), {"gb_amount": 2.0, "line_id": "L1002"}),
        (("refuel_data", "gb_amount=2"), {"gb_amount": 2}),
        (("refuel_data", "gb_amount=plenty"), {"gb_amount": "plenty"}),
        (("get_bills_for_customer", "limit=3", "customer_id=7"), {"limit": 3, "customer_id": "7"}),
        (("get_customer_by_id", 'customer_id={"a": 1}'), {"customer_id": '{"a": 1}'}),
        (("get_customer_by_id", "customer_id=a=b c"), {"customer_id": "a=b c"}),
        (("get_customer_by_id", "customer_id="), {"customer_id": ""}),
        (("none", "x=1", "y=true", "z=[1]", "w=b"), {"x": 1, "y": True, "z": [1], "w": "b"}),
        (("get_customer_by_id", "--args", '{"customer_id": "C1001"}'), {"customer_id": "C1001"}),
        (("get_customer_by_id", "--args", "[1, null]"), [1, None]),
        (("get_customer_by_id",), {}),
    ],
    ids=[
        "number",
        "whole",
        "no-number",
        "digits",
        "text-like-json",
        "equals",
        "empty",
        "unknown",
        "json",
        "list",
        "none",
    ],
)  # fmt: skip
def test_arguments_are_read_by_the_tools_schema(
    shell: Shell, words: tuple[str, ...], arguments: object
) -> None:
    session = shell.seen("start", "2")["session"]
    seen = shell.seen("call", *words)
    assert [item["kind"] for item in seen["news"]] == ["result"]
    assert calls(shell, session) == [(words[0], arguments)]


def test_a_tool_that_is_not_there_is_recorded_and_answered_as_for_any_agent(shell: Shell) -> None:
    session = shell.seen("start", "2")["session"]
    wrong = shell.operate("call", "grant_everything", "now=true")
    assert wrong.code == 0
    assert "    tool │ Error" in wrong.out
    assert "tool errors 1, 9 left" in wrong.out
    with Store.open(shell.store, write=False) as store:
        turn, results = store.events(session)[-2:]
    assert isinstance(turn, Turn)
    assert isinstance(results, Results)
    assert (turn.rule, results.results[0].error) == ("shell", True)


def test_what_is_typed_wrong_is_no_turn(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    shell.operate("start", "2")
    assert "takes one text and got 2 words" in shell.refused("say", "Hello", "there")
    assert "needs a TEXT" in shell.refused("say")
    assert "nothing to say" in shell.refused("say", "  ")
    assert "has no option '--sesion=ab'" in shell.refused("say", "--sesion=ab")
    assert "has no option '--bogus'" in shell.refused("say", "hi", "--bogus")
    assert "has no option '-x'" in shell.refused("say", "hi", "there", "-x")
    assert "'x' is not KEY=VALUE" in shell.refused("call", "refuel_data", "x")
    assert "given twice" in shell.refused("call", "refuel_data", "a=1", "a=2")
    assert "--args is no JSON" in shell.refused("call", "refuel_data", "--args", "{a: 1}")
    assert "leave KEY=VALUE" in shell.refused("call", "refuel_data", "a=1", "--args", "{}")
    assert "is at step 1, not 7" in shell.refused("say", "Hello?", "--expect-step", "7")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\xff")))
    assert "is not UTF-8" in shell.refused("say", "-")
    assert shell.seen("look")["stands"]["steps"] == 1


def test_a_text_comes_from_standard_input_to_the_letter(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = shell.seen("start", "2")["session"]
    text = "First, please:\n\n  - check the *status bar*; it's $4 \x1b[31m\u202e\n" + "x" * 5000
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode() + b"\n")))
    assert shell.operate("say", "-").code == 0
    with Store.open(shell.store, write=False) as store:
        own = [e for e in store.events(session) if isinstance(e, Turn) and e.by == "agent"]
    assert [turn.text for turn in own] == [text]
    looked = shell.operate("look", "--only", "conversation").out
    assert "\\x1b[31m\\u202e" in looked
    assert not {"\x1b", "\u202e"} & set(looked)
    assert all("│" in line or "┊" in line for line in looked.splitlines()[2:-2])


def test_bytes_that_are_no_utf8_are_refused_wherever_they_are_typed(shell: Shell) -> None:
    shell.seen("start", "2")
    typed = os.fsdecode(b"lone\xed\xa0\x80sur")
    for words in (
        ("say", typed),
        ("end", typed),
        ("transfer", typed),
        ("abandon", typed),
        ("call", typed),
        ("call", "get_details_by_id", f"id={typed}"),
        ("call", "get_details_by_id", f"{typed}=1"),
        ("call", "get_details_by_id", "--args", f'{{"id": "{typed}"}}'),
        ("call", "get_details_by_id", "--args", typed),
    ):
        assert "is not UTF-8" in shell.refused(*words)
    for words in (("start", typed), ("start", "2", "--as", typed), ("look", "--session", typed)):
        shell.refused(*words)
    assert shell.seen("look")["stands"]["steps"] == 1


def test_where_several_are_open_one_is_named(shell: Shell) -> None:
    one = shell.seen("start", "2")["session"]
    two = shell.seen("start", "3")["session"]
    several = shell.refused("say", "Hello?")
    these = f"{one} (case test:2, step 1) and {two} (case test:3, step 1)"
    assert f"2 episodes are open: {these}; say which with --session." in several
    assert shell.seen("look", "--session", one[:10])["stands"]["session"] == one
    assert shell.seen("end", "--session", two)["over"] is not None
    assert shell.seen("look")["stands"]["session"] == one
    assert f"{two} is over (agent_stop)" in shell.refused("say", "Hm?", "--session", two)
    assert "is no episode" in shell.refused("look", "--session", "../../etc")
    assert "no session 00" in shell.refused("look", "--session", "00")
    assert [each["ending"] for each in shell.seen("list")["episodes"]] == [None, "agent_stop"]
    assert [each["session"] for each in shell.seen("list", "--open")["episodes"]] == [one]


def test_the_next_case_is_one_not_played_in_an_order_that_all_share(shell: Shell) -> None:
    order = [name for name, _ in drawn(load("telecom"), "test", 0)]
    assert sorted(order) == sorted(f"test:{number}" for number in range(1, 41))
    assert order != sorted(order, key=lambda name: int(name.partition(":")[2]))
    first = shell.seen("start")
    shell.operate("abandon", "--session", first["session"])
    second = shell.seen("start")
    ada = shell.seen("start", "--as", "Ada")
    assert [first["case"], second["case"], ada["case"]] == [order[0], order[1], order[0]]
    for name in order[2:]:
        shell.operate("start", name)
    again = shell.seen("start")
    assert again["case"] == order[0]
    assert again["session"] != first["session"]
    done = shell.refused("start")
    assert "All 40 cases of test were begun by operator, 40 of them are open" in done
    assert "--trial 1" in done


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("2", "--seed", "-1"), "The seed -1 is not usable"),
        (("2", "--seed", str(2**63)), "is not usable"),
        (("2", "--trial", "-1"), "There is no trial -1"),
        (("2", "--trial", str(10**9)), "There is no trial"),
        (("2", "--steps", "0"), "limit below 1"),
        (("2", "--seconds", "nan"), "limit below 1"),
        (("2", "--seconds", "inf"), "limits an episode to inf seconds"),
        (("9999999999",), "test has 1 to 40"),
        (("base:" + "1" * 5000,), "base has 1 to 114"),
        (("41",), "test has 1 to 40"),
        (("base:0",), "base has 1 to 114"),
        (("nowhere:1",), "nowhere"),
        (("2", "--as", "a\nb"), "has U+000A in it"),
        (("2", "--as", ""), "cannot be empty"),
        (("2", "--policy", "poem"), "poem"),
        (("2", "--user", "nobody"), "no user simulator"),
        (("2", "--user", "script:/no/such/file"), "cannot be read"),
        (("2", "--domain", "banking"), "banking"),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(value)[:24],
)
def test_what_cannot_be_begun_is_refused_and_nothing_recorded(
    shell: Shell, words: tuple[str, ...], why: str
) -> None:
    assert why in shell.refused("start", *words)
    assert shell.seen("list")["episodes"] == []


def test_without_a_store_nothing_is_made(shell: Shell) -> None:
    for words in (("list",), ("look",), ("say", "Hello?"), ("abandon",)):
        shell.refused(*words)
    assert not shell.store.exists()


def test_a_case_is_played_once_and_can_be_begun_anew_where_it_was_given_up(shell: Shell) -> None:
    first = shell.seen("start", "2")["session"]
    assert f"is open as episode {first}" in shell.refused("start", "test:2")
    given_up = shell.operate("abandon", "Lunch.")
    assert "abandoned (Lunch.)" in given_up.out
    assert f"`ringback operate start test:2 --store {shell.store}`" in given_up.out
    assert shell.operate("look", "--session", first).code == 0
    second = shell.seen("start", "2")["session"]
    shell.operate("end")
    assert f"was played already, as episode {second}" in shell.refused("start", "2")
    assert "is over (abandoned)" in shell.refused("abandon", "--session", first)


def test_two_shells_at_once_do_not_mix(shell: Shell) -> None:
    session = shell.seen("start", "2")["session"]
    with Store.open(shell.store) as other:
        assert other.claim(session)
        said = shell.refused("say", "Hello?")
        assert f"Another command is at episode {session} (process " in said
        assert "is at it" in shell.operate("list").out
        assert shell.operate("look").code == 0
    assert shell.operate("say", "Hello?").code == 0


def test_what_only_reads_needs_no_lock_and_writes_nothing(shell: Shell) -> None:
    over = shell.seen("start", "3")["session"]
    shell.operate("end")
    session = shell.seen("start", "2")["session"]
    with contextlib.closing(sqlite3.connect(shell.store, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        began = time.monotonic()
        assert shell.seen("look", "--session", session)["stands"]["state"] == "yours"
        assert shell.seen("look", "--session", over)["stands"]["over"]["task"]
        assert len(shell.seen("list")["episodes"]) == 2
        assert time.monotonic() - began < 10
        other.execute("ROLLBACK")


def test_a_store_that_cannot_be_written_is_read(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A read-only mount and a full disk, in which SQLite writes nothing."""
    session = shell.seen("start", "2")["session"]
    waiting = shell.seen("start", "3", "--user", "rules")["session"]
    cut_short(shell.store, waiting)
    before = shell.store.read_bytes()

    def nothing(*_: object, **__: object) -> None:
        raise StoreError("The session store cannot be written.")

    monkeypatch.setattr(Database, "writing", nothing)
    monkeypatch.setattr(Database, "_try_to_write", nothing)
    assert shell.seen("look", "--session", session)["stands"]["state"] == "yours"
    listed = shell.seen("list")["episodes"]
    assert [each["state"] for each in listed] == ["yours", "customer"]
    looked = shell.operate("look", "--session", waiting)
    assert looked.code == 3
    assert "the customer has not answered yet" in looked.out
    assert "cannot be written" in looked.err
    assert shell.store.read_bytes() == before
    monkeypatch.undo()
    assert shell.seen("look", "--session", waiting)["stands"]["state"] == "yours"


def cut_short(store: Path, session: str) -> None:
    """Say something, and be killed before the customer answers."""
    with Store.open(store) as opened:
        episode = read_episode(opened, session)
        assert opened.claim(session)
        opened.append(session, episode.take(Reply("Hello?"), seconds=None, at=time.time()))


def test_giving_up_is_refused_like_any_command_where_the_episode_has_gone_on(shell: Shell) -> None:
    shell.seen("start", "2")
    assert shell.operate("say", "Hello?").code == 0
    assert "is at step 3, not 1" in shell.refused("abandon", "--expect-step", "1")
    assert shell.operate("abandon", "--expect-step", "3").code == 0


def test_one_that_cannot_be_read_hides_no_other(shell: Shell) -> None:
    broken = shell.seen("start", "2")["session"]
    whole = shell.seen("start", "3")["session"]
    with closing(sqlite3.connect(shell.store)) as raw, raw:
        raw.execute(
            "update events set body = x'7b7d', coding = 0 where session = "
            "(select number from sessions where id = ?) and seq = 1",
            (broken,),
        )
    raw.close()
    done = shell.operate("list")
    assert done.code == 0
    assert "cannot be read" in done.out
    assert whole in done.out
    assert f"The events of session {broken}" in done.err
    found = json.loads(shell.operate("list", "--json").out)["episodes"]
    assert [each["problem"] is None for each in found] == [False, True]
    assert shell.seen("look")["stands"]["session"] == whole
    assert "cannot be read" in shell.refused("say", "Hm?", "--session", broken)


def test_a_terminal_gets_colour_and_a_pipe_does_not(tmp_path: Path, shell: Shell) -> None:
    assert "\x1b" not in shell.operate("start", "2").out
    code, seen = in_terminal("operate", "start", "2", cwd=tmp_path)
    assert code == 0
    assert "\x1b[32mcustomer │" in seen
    code, seen = in_terminal(
        "operate", "look", "--only", "conversation", cwd=tmp_path, NO_COLOR="1"
    )
    assert "\x1b[3" not in seen


def test_what_was_begun_at_another_door_goes_on_here(shell: Shell) -> None:
    with Store.open(shell.store) as store:
        session = asyncio.run(Desk(store, door="browser").start("2")).session
    step = shell.seen("say", "Please check the status bar.")["steps"]
    with Store.open(shell.store) as store:
        desk = Desk(store, door="mcp")
        asyncio.run(desk.call(session, [("get_details_by_id", {"id": "L1002"})], expect_step=step))
        events = store.events(session)
    assert shell.seen("look")["stands"]["steps"] == step + 2
    rules = [each.rule for each in events if isinstance(each, Turn) and each.by == "agent"]
    assert rules == ["shell", "mcp"]


def test_a_text_that_is_too_long_is_said_to_be_without_being_counted(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell.operate("start", "2")
    most = "The text on standard input is too long; 100,000 characters are the most."
    for length, said in ((100_001, "That is 100,001 characters long"), (20_000_000, most)):
        typed = io.TextIOWrapper(io.BytesIO(("\u00e9" * length).encode()), encoding="utf-8")
        monkeypatch.setattr(sys, "stdin", typed)
        assert said in shell.refused("say", "-")
    assert shell.seen("look")["stands"]["steps"] == 1


@pytest.mark.parametrize(
    ("words", "how"),
    [
        (("say", "The word is ###STOP###, is it not?"), "###STOP### stands in what you said last"),
        (("end", "Goodbye."), "You ended the call."),
        (("transfer",), "The customer ended the call"),
        (("abandon",), "It was given up."),
    ],
)
def test_how_a_call_ended_is_said(shell: Shell, words: tuple[str, ...], how: str) -> None:
    session = shell.seen("start", "2")["session"]
    said = shell.seen(*words)["over"]["how"]
    assert how in said
    if words[0] != "abandon":
        looked = shell.operate("look", "--only", "stands", "--session", session).out
        assert f"The episode is over. {said}\n" in looked
    assert "###STOP###" in shell.bare("operate", "say", "--help").out


def test_several_calls_make_one_turn(shell: Shell) -> None:
    began = shell.seen("start", "2")
    line, wrong = ("get_details_by_id", "id=L1002"), ("get_data_usage", "line_id=L1002")
    seen = shell.seen("call", *line, "+", *wrong, "+", "none")
    assert seen["steps"] == began["steps"] + 2
    assert [(item["tool"], item.get("error", False)) for item in seen["news"]] == [
        ("get_details_by_id", False),
        ("get_data_usage", True),
        ("none", True),
    ]
    for words in (("x", "+"), ("x", "+", "+", "y"), ("x", "a=1", "+", "y", "b")):
        shell.refused("call", *words)
    assert "--args is for one call" in shell.refused("call", "x", "+", "y", "--args", "{}")


def test_how_to_look_is_said_with_the_store_that_was_named(shell: Shell) -> None:
    assert f"`ringback operate look --store {shell.store}` shows" in shell.operate("start", "2").out
