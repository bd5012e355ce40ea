"""Which recorded calls can be sent again: each is counted once, and each reason is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from ringback.canonical import Json
from ringback.episode.wire import Given, Request, Text, Thought
from ringback.formats import exgentic, kitaru
from ringback.formats.exgentic.write import write
from ringback.formats.importing import Importer
from ringback.sessions import Store, parse_selection
from ringback.stepcheck.candidates import calls_at, find
from tests.formats.exgentic.made import assistant, called, gave, row, said, span, tools
from tests.formats.kitaru.test_foreign import node, record
from tests.sessions.conftest import path, store
from tests.sessions.made import ended
from tests.stepcheck.made import answered, call, conversation, reply, session, user

__all__ = ["path", "store"]


def test_calls_come_back_to_the_letter_with_what_they_are(store: Store) -> None:
    exchanges = conversation(
        reply("Hello."), reply("One moment.", call("look_up", {"id": "L1"})), reply("Done.")
    )
    name = session(store, 0, exchanges)
    found = find(store, [name])
    assert [(place.seq, place.kind) for place in found.places] == [
        (1, "text"),
        (2, "call"),
        (3, "text"),
    ]
    assert (found.sessions, found.calls, found.excluded) == (1, 3, {})
    back = calls_at(store, reversed(found.places))
    assert [one.request for one in back] == [request for request, _ in reversed(exchanges)]
    assert [one.reply for one in back] == [answer.message for _, answer in reversed(exchanges)]
    assert {one.schemas for one in back} == {"all"}


def test_every_exclusion_has_its_reason(store: Store) -> None:
    blank = conversation(reply("Hello."))[0][1]
    names = [
        session(store, 0, conversation(answered(None, failure="infrastructure"), reply("Hello."))),
        session(store, 1, conversation(reply(Thought("hm")), reply(" "))),
        session(store, 2, [(Request("Be brief.", ()), blank)]),
        session(store, 3, [(Request("Be brief.", (user(Thought("hm")),)), blank)]),
        session(store, 4, [(Request("Be brief.", (reply(Given("a", "b", "c")),)), blank)]),
        session(
            store, 5, conversation(reply("Hi."), settings={"extra_headers": {"x-api-key": "k"}})
        ),
        session(
            store, 6, [(Request("Kept apart.", (user("hi"),)), blank)], without=["Kept apart."]
        ),
        session(store, 7, conversation(reply("The user's.")), by="user"),
        ended(store, 8).start.session,
    ]
    found = find(store, names)
    assert found.excluded == {
        "failed": 1,
        "no_reply": 2,
        "no_messages": 1,
        "part_out_of_place": 2,
        "settings_with_a_key": 1,
        "contents_missing": 1,
    }
    assert [place.session for place in found.places] == [names[0]]
    assert (found.sessions, found.without_model, found.unreadable) == (9, 2, 0)
    assert found.calls == sum(found.excluded.values()) + 1


SAID: list[Any] = [{"role": "user", "content": "It is dark."}]
TOOL = {"name": "look", "parameters": {"type": "object"}}


CASES: list[tuple[Any, dict[str, Any], str | None]] = [
    ({"messages": SAID, "tools": [TOOL]}, {"model_params": {"temperature": 0}}, None),
    (SAID, {"attributes": {"x": 1}}, None),
    ({"messages": SAID, "cache": None, "system": "Be kind."}, {}, None),
    ([*SAID, {"role": "assistant", "parts": [], "finish_reason": "stop"}, *SAID], {}, None),
    ({"messages": SAID, "tool_choice": "required"}, {}, "request_not_whole"),
    ({"messages": SAID, "tools": [TOOL | {"strict": True}]}, {}, "request_not_whole"),
    ({"messages": [SAID[0] | {"name": "Ann"}]}, {}, "request_not_whole"),
    ({"messages": SAID}, {"model_params": "hot"}, "request_not_whole"),
    (
        {"messages": SAID},
        {"outputs": {"choices": [{"message": reply_} for reply_ in assistant("a") * 2]}},
        "several_replies",
    ),
]


@pytest.mark.parametrize(
    ("inputs", "more", "why"),
    CASES,
    ids=[
        "whole",
        "messages alone",
        "nothing beside",
        "why a reply ended",
        "a field beside",
        "a tool's field",
        "a message's name",
        "settings that are none",
        "two replies",
    ],
)
def test_another_programs_call_is_sent_whole_or_not(
    store: Store, tmp_path: Path, inputs: Any, more: dict[str, Any], why: str | None
) -> None:
    asked = node(0, "llm_call", inputs=inputs, outputs="Try the switch.") | more
    # A later call says what is beside the first one's messages only by pointing there.
    file = tmp_path / "theirs.jsonl"
    file.write_text(json.dumps(record(asked, asked | {"index": 1})) + "\n")
    importer = Importer(store)
    for entry in kitaru.read(file):
        importer.take(entry)
    found = find(store, [row.id for row in store.rows(parse_selection(["origin=kitaru"]))])
    assert found.calls == 2
    assert found.excluded == ({} if why is None else {why: 2})


def test_a_text_that_is_missing_takes_its_own_calls_and_no_others(store: Store) -> None:
    hello = answered(reply("Hello."))
    first = Request("One.", (user("hi"),))
    second = Request("Two.", (user("hi"), reply("Hello."), user("and?")))
    name = session(store, 0, [(first, hello), (second, hello)], without=["One."])
    found = find(store, [name])
    assert ([place.seq for place in found.places], found.excluded) == ([2], {"contents_missing": 1})
    assert calls_at(store, found.places)[0].request == second


def test_what_cannot_be_read_is_counted(store: Store, path: Path) -> None:
    names = [session(store, trial, conversation(reply("Hello."))) for trial in range(3)]
    engine = sa.create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        for place, (body, coding) in enumerate([("7b7d", 0), ("00", 1)]):
            connection.execute(
                sa.text(
                    f"UPDATE events SET body = x'{body}', coding = {coding} "
                    f"WHERE seq = 1 AND session = {place + 1}"
                )
            )
    engine.dispose()
    found = find(store, names)
    assert (found.unreadable, [place.session for place in found.places]) == (2, names[2:])


def test_settings_go_out_as_they_did(store: Store) -> None:
    sent: dict[str, Json] = {"temperature": 0.5, "cache": True, "seed": 9}
    exchanges = conversation(answered(reply("Hi."), sent=sent), settings={"seed": 9, "top_k": 3})
    name = session(store, 0, exchanges)
    (one,) = calls_at(store, find(store, [name]).places)
    assert one.request.settings == {"temperature": 0.5, "seed": 9, "top_k": 3}
    assert one.held == {}


def imported(store: Store, folder: Path, *rows: dict[str, Any]) -> list[str]:
    write(folder / "shard.parquet", rows)
    importer = Importer(store)
    for recording in exgentic.read([folder / "shard.parquet"]):
        importer.take(recording)
    return [row.id for row in store.rows(parse_selection(["origin=exgentic"]))]


def test_exgentic_calls_go_by_the_rules_of_their_form(store: Store, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    hello, about = said("hello"), tools("look_up", "pay")
    asked = [hello, called("look_up", {"id": "L1"}), gave('"{}"')]
    names = imported(
        store,
        tmp_path,
        row(
            0,
            span([hello], [called("look_up", {"id": "L1"})], offered=about, number=1),
            span(asked, assistant("Done."), offered=tools("a", schemas=True), number=2),
            span(asked, None, code=2, error="Timeout", number=3),
            span(asked, "no JSON", number=4),
            span(
                [said("hi", "developer"), hello, said("x", "developer")], assistant("a"), number=5
            ),
        ),
        row(1, span(None, None, number=6, gen_ai_dot_operation_dot_name="execute_tool")),
    )
    found = find(store, names)
    assert [(place.seq, place.kind, place.model) for place in found.places] == [
        (2, "call", "gpt-5.2"),
        (4, "text", "gpt-5.2"),
    ]
    assert found.excluded == {"failed": 1, "unreadable_reply": 1, "developer_inside": 1}
    first, second = calls_at(store, found.places)
    assert (first.schemas, second.schemas) == ("none", "all")
    assert first.request.tools[0].parameters is None
    assert second.request.messages[-1].parts == (Given("call_1", "look_up", '"{}"'),)
    assert isinstance(first.request.messages[0].parts[0], Text)


def test_another_programs_recording_decides_no_headers(store: Store) -> None:
    settings: dict[str, Json] = {
        "temperature": 0,
        "extra_headers": {"host": "elsewhere"},
        "extra_body": {"model": "dearer"},
        "timeout": "never",
    }
    name = session(store, 0, conversation(reply("Hi."), settings=settings), foreign=True)
    (one,) = calls_at(store, find(store, [name]).places)
    assert one.request.settings == {"temperature": 0}
    assert one.held.keys() == settings.keys() - {"temperature"}
    assert {*one.held.values()} == {"not taken over from a recording"}
