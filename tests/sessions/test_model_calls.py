"""Model calls in the store: shared texts once, requests to the letter, costs known or unknown."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest

from ringback.canonical import digest
from ringback.domain import Side
from ringback.episode.episode import Episode
from ringback.episode.events import AnyEvent, ModelCall, Rejected, encode
from ringback.episode.participants import Aside, Reply
from ringback.episode.wire import (
    Answer,
    Attempt,
    Message,
    Price,
    Request,
    Text,
    ToolSpec,
    Usage,
    recorded,
)
from ringback.errors import StoreError
from ringback.sessions import Spent, Store, named_contents, requests, spent
from ringback.sessions.migrations import MIGRATIONS
from ringback.sessions.sqlite import Database
from tests.lamp import LAMP
from tests.sessions.made import begun, ended, start

TOOLS = tuple(
    ToolSpec(f"tool_{n}", "Looks something up. " * 9, {"type": "object", "properties": {}})
    for n in range(13)
)
SYSTEMS: dict[Side, str] = {"agent": "P", "user": "S"}
WORDS = [
    first + last
    for first in ("acc", "bi", "car", "da", "e", "fo", "li", "mo", "net", "pho", "ro", "si")
    for last in ("count", "ll", "rier", "ta", "nd", "r", "ne", "bile", "work", "ming", "gnal")
]


def words(count: int, seed: object) -> str:
    draw = random.Random(str(seed))
    return " ".join(draw.choice(WORDS) for _ in range(count))


class Talk:
    """An episode whose two sides are models, as the loop would record it."""

    def __init__(self, store: Store, episode: Episode, systems: Mapping[Side, str]) -> None:
        self.store, self.episode, self.systems = store, episode, systems
        self.sent: list[Request] = []
        self.last: dict[Side, tuple[int, tuple[Message, ...]]] = {}
        self.heard: dict[Side, list[Message]] = {"agent": [], "user": []}

    def turn(self, text: str, usd: float | None = 0.01, attempts: tuple[Attempt, ...] = ()) -> None:
        side = self.episode.position.next
        assert side in ("agent", "user")
        request = Request(
            self.systems[side], tuple(self.heard[side]), TOOLS, {"temperature": 0.0}, None
        )
        said = Message("assistant", (Text(text),), "made")
        record, contents = recorded(request, self.last.get(side))
        price = Price(usd, "a table, 2026-11-30")
        answer = Answer(said, "made-1", 0.5, Usage(10, 5, 3), price, attempts=attempts)
        seq = self.episode.position.seq
        call = ModelCall(
            seq=seq, cause=seq - 1, by=side, model="made", request=record, answer=answer
        )
        self.add(self.episode.note(Aside((call,), contents), at=1.0), contents)
        self.sent.append(request)
        self.last[side] = (seq, (*request.messages, said))
        self.add(self.episode.take(Reply(text), seconds=0.1, at=1.0))
        self.heard[side].append(said)
        other: Side = "user" if side == "agent" else "agent"
        self.heard[other].append(Message("user", (Text(text),)))

    def add(self, events: list[AnyEvent], contents: Mapping[str, str] | None = None) -> None:
        self.store.append(self.episode.start.session, events, contents or {})


def size(path: Path) -> int:
    with closing(sqlite3.connect(path)) as raw, raw:
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    raw.close()
    return path.stat().st_size


def test_a_hundred_steps_under_a_long_policy_stay_near_their_distinct_content(path: Path) -> None:
    policy = words(12_500, "policy")  # 20,000 tokens of four characters
    assert 78_000 < len(policy) < 90_000
    systems: dict[Side, str] = {"agent": policy, "user": words(600, "scenario")}
    with Store.open(path) as store:
        empty = size(path)
        talk = Talk(store, begun(store), systems)
        for step in range(99):
            talk.turn(words(60, step))
        talk.turn("Bye. ###STOP###" if talk.episode.position.next == "user" else words(60, 99))
        session = talk.episode.start.session
        events = store.events(session)
    assert sum(isinstance(event, ModelCall) for event in events) == 100
    said = sum(len(words(60, step)) for step in range(99))
    tools = len(str(TOOLS))
    distinct = sum(map(len, systems.values())) + said + tools
    assert size(path) - empty < 1.2 * distinct
    everything = sum(len(encode(event)) for event in events)
    assert everything < 3.5 * said + 100 * 1500  # linear, before any compression


def test_every_request_comes_back_as_it_was_sent(store: Store) -> None:
    talk = Talk(store, begun(store), {"agent": "Policy.", "user": "Scenario."})
    for step in range(11):
        talk.turn(f"sentence {step}")
    events = store.events(talk.episode.start.session)
    contents = store.contents(named_contents(events))
    assert [request for _, request in requests(events, contents)] == talk.sent
    with pytest.raises(KeyError):
        list(requests(events, {}))


def test_a_text_is_kept_once_for_all_sessions_and_processes(path: Path) -> None:
    for trial in range(3):
        with Store.open(path) as store, Store.open(path) as other:
            for number, one in enumerate((store, other)):
                talk = Talk(one, begun(one, 10 * trial + number), SYSTEMS)
                talk.turn("Hello")
                talk.turn("Good day")
    raw = sqlite3.connect(path)
    assert raw.execute("SELECT count(*) FROM contents").fetchone() == (3,)  # P, S and the tools
    raw.close()


def test_a_content_is_committed_with_its_event_or_not_at_all(store: Store) -> None:
    talk = Talk(store, begun(store), SYSTEMS)
    session, text = talk.episode.start.session, "never kept"
    turn = talk.episode.take(Reply("Hello"), seconds=0.1, at=1.0)
    store.append(session, turn)
    with pytest.raises(StoreError, match="another process"):
        store.append(session, turn, {digest(text): text})
    with pytest.raises(StoreError, match="missing or damaged"):
        store.contents([digest(text)])
    with pytest.raises(ValueError, match="another digest"):
        store.append(session, talk.episode.take(Reply("Hi")), {digest(text): "something else"})
    assert len(store.events(session)) == 2


def test_a_damaged_content_is_said(path: Path) -> None:
    with Store.open(path) as store:
        talk = Talk(store, begun(store), SYSTEMS)
        talk.turn("Hello")
        name = digest("S")
        assert store.contents([name]) == {name: "S"}
    raw = sqlite3.connect(path)
    raw.execute("UPDATE contents SET body = x'00'")
    raw.commit()
    raw.close()
    with Store.open(path) as store, pytest.raises(StoreError, match=f"content {name} is missing"):
        store.contents([name])


def test_costs_of_the_two_sides_stand_apart_and_unknown_stays_unknown(store: Store) -> None:
    talk = Talk(store, begun(store), SYSTEMS)
    for usd in (0.25, 0.5, 0.125, None, 0.0):  # the user speaks first
        talk.turn("So?", usd)
    cause = talk.episode.position.seq - 2
    talk.turn("Yes.", 0.0)
    seq = talk.episode.position.seq
    fault = Rejected(seq=seq, cause=cause, by="user", rules=("repeated",), text="So?")
    talk.add(talk.episode.note(Aside((fault,)), at=1.0))
    session, scripted = talk.episode.start.session, ended(store, 5).start.session
    found = store.spent([session, scripted, "0" * 16])
    assert found == {session: {"user": Spent(3, 0, 0.375, 1), "agent": Spent(3, 1, 0.5, 0)}}
    assert found[session]["user"].cost == 0.375
    assert found[session]["agent"].cost is None
    calls = list(store.model_calls([session, scripted]))
    assert [call.answer.price.usd for _, call in calls] == [0.25, 0.5, 0.125, None, 0.0, 0.0]
    assert {one for one, _ in calls} == {session}


def test_tries_that_may_have_been_charged_are_counted_apart(store: Store) -> None:
    refused = Attempt("infrastructure", "HTTP 503", 0.1)
    cut = Attempt("infrastructure", "No answer within 1 s.", 1.0, charged=True)
    talk = Talk(store, begun(store), SYSTEMS)
    talk.turn("So?", 0.25, (cut, refused, cut))
    talk.turn("Yes.", 0.5)
    talk.turn("Well?", 0.25, (cut,))
    session = talk.episode.start.session
    found = {"user": Spent(2, 0, 0.5, 0, 3), "agent": Spent(1, 0, 0.5)}
    assert store.spent([session]) == {session: found}
    assert spent(store.events(session)) == found


def test_a_store_from_before_model_calls_is_read_and_gone_on_with(path: Path) -> None:
    opened, hashes = start()
    path.parent.mkdir(parents=True)
    Database(path, create=True, steps=MIGRATIONS[:1]).close()
    with Store.open(path.with_name("new.db")) as store:
        store.begin(opened, **hashes)
    new, old = sqlite3.connect(path.with_name("new.db")), sqlite3.connect(path)
    names = ", ".join(row[1] for row in old.execute("PRAGMA table_info(sessions)"))
    row = new.execute(f"SELECT {names} FROM sessions").fetchone()
    old.execute(f"INSERT INTO sessions ({names}) VALUES ({','.join('?' * len(row))})", row)
    old.execute("UPDATE sessions SET owner = NULL, lease_until = NULL")
    old.execute("INSERT INTO events VALUES (1, 0, 'start', ?)", (encode(opened),))
    old.commit()
    new.close()
    old.close()
    with Store.open(path, write=False) as store:
        assert store.events(opened.session) == [opened]
    with Store.open(path) as store:
        assert store.claim(opened.session)
        talk = Talk(store, Episode.from_events(store.events(opened.session), LAMP), SYSTEMS)
        talk.turn("Hello")
        assert store.spent([opened.session]) == {opened.session: {"user": Spent(1, 0, 0.01, 0)}}


def test_bytes_that_no_coding_gives_back_are_said(path: Path) -> None:
    with Store.open(path) as store:
        session = begun(store).start.session
    raw = sqlite3.connect(path)
    for coding in (1, 7):
        raw.execute("UPDATE events SET coding = ?, body = x'6e6f'", (coding,))
        raw.commit()
        with Store.open(path) as store, pytest.raises(StoreError, match="cannot be read"):
            store.events(session)
    raw.close()
