"""Sessions that other programs recorded in Kitaru's form, and lines that are none."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringback.episode.events import (
    End,
    ModelCall,
    Note,
    Reported,
    Results,
    Turn,
)
from ringback.episode.protocol import BEGINNING, advance
from ringback.episode.wire import Asked, Message, Price, Text, Usage
from ringback.formats import Recording, Skipped
from ringback.formats.kitaru import line, read
from ringback.formats.session import Session
from ringback.sessions import requests
from tests.formats.generated import HOSTILE, examples, sessions
from tests.formats.kitaru.importing import imported


def node(index: int, kind: str = "span", **more: Any) -> dict[str, Any]:
    blank: dict[str, Any] = {"index": index, "node_type": kind, "name": "n", "status": "completed"}
    return {**blank, "inputs": None, "outputs": None, "attributes": {}, **more}


def record(*nodes: dict[str, Any], **more: Any) -> dict[str, Any]:
    blank: dict[str, Any] = {"status": "completed", "inputs": {}, "outputs": {}}
    return blank | {"external_id": "theirs-1", "nodes": list(nodes)} | more


ASKED = {
    "inputs": {
        "messages": [
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": "It is dark."},
        ],
        "cache": "off",
    },
    "outputs": {
        "choices": [
            {
                "finish_reason": "tool_calls",
                "message": {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [
                        {"id": "c", "function": {"name": "look", "arguments": '{"at": 1}'}}
                    ],
                },
            }
        ]
    },
    "requested_model": "openai:gpt-5.2",
    "model": "gpt-5.2-x",
    "tokens": {"input_tokens": 10, "output_tokens": 3, "cached_input_tokens": 4},
    "cost": "0.0012",
    "model_params": {"temperature": 0},
    "started_at": "2026-01-01T00:00:01+00:00",
    "ended_at": "2026-01-01T00:00:03Z",
    "attributes": {"theirs": 1},
}
TALK = record(
    node(0, name="run"),
    node(1, "llm_call", parent_index=0, **ASKED),
    node(2, "tool_call", tool_name="look", inputs={"at": 1}, outputs={"lamp": "off"}),
    node(3, "tool_call", tool_name="call", inputs="x", outputs="no", status="failed", error="no"),
    node(4, "llm_call", inputs="a prompt", outputs="a reply", cost=0.5, model="mine"),
    inputs={"prompt": "It is dark."},
    input_text_selector="/prompt",
    outputs=["First.", "Try the switch."],
    output_text_selector="/1",
    started_at="2026-01-01T00:00:00+02:00",
    name="a call",
    metadata={"team": "support"},
)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kitaru") / "sessions.jsonl"


def got(file: Path, *records: Any) -> list[Recording | Skipped]:
    file.write_text("".join(json.dumps(one) + "\n" for one in records))
    return list(read(file))


def one(file: Path, value: Any) -> Recording:
    (found,) = got(file, value)
    assert isinstance(found, Recording), found
    position = BEGINNING
    for event in found.events:
        position = advance(position, event)
    return found


def why(file: Path, value: Any) -> str:
    (found,) = got(file, value)
    assert isinstance(found, Skipped)
    assert found.broken
    return found.why


def test_a_conversation_becomes_turns_and_a_model_call(file: Path) -> None:
    found = one(file, TALK)
    imported(json.dumps(TALK).encode())  # it is Kitaru's form
    turns = [event for event in found.events if isinstance(event, Turn)]
    assert [(turn.by, turn.text, [call.tool for call in turn.calls]) for turn in turns] == [
        ("user", "It is dark.", []),
        ("agent", None, ["look", "call"]),
        ("agent", "Try the switch.", []),
    ]
    (results,) = [event for event in found.events if isinstance(event, Results)]
    assert [(result.text, result.error) for result in results.results] == [
        ('{"lamp":"off"}', False),
        ("no", True),
    ]
    ((call, request),) = requests(found.events, found.contents)
    assert request.system == "Be kind."
    assert request.messages == (Message("user", (Text("It is dark."),)),)
    assert request.settings == {"temperature": 0}
    assert call.answer.message == Message("assistant", (Asked("look", {"at": 1}, "c"),))
    assert call.answer.usage == Usage(input=10, output=3, cached=4)
    assert call.answer.price == Price(0.0012, "stated by Kitaru")
    assert (call.answer.seconds, call.answer.finish) == (2.0, "tool_calls")
    (stated,) = [event for event in found.events if isinstance(event, Reported)]
    assert (stated.model, stated.price.usd) == ("mine", 0.5)
    end = found.events[-1]
    assert isinstance(end, End)
    assert end.ending == "agent_stop"


def test_nothing_is_guessed_and_nothing_lost(file: Path) -> None:
    found = one(file, TALK)
    start, origin = found.start, found.origin
    assert (start.draw.task, start.draw.trial, start.draw.seed, start.world) == (None,) * 3 + ("",)
    assert (origin.form, origin.place, origin.id) == ("kitaru", 0, "theirs-1")
    assert origin.more["metadata"] == {"team": "support"}
    notes = [event.detail for event in found.events if isinstance(event, Note)]
    kept = json.dumps(notes)
    for words in ('"run"', '"theirs": 1', '"cache": "off"', '"a prompt"', '"a reply"'):
        assert words in kept


def test_the_same_recording_is_one_session_wherever_it_lies(file: Path) -> None:
    first, again = got(file, TALK, dict(reversed(TALK.items())))
    assert isinstance(first, Recording)
    assert isinstance(again, Recording)
    assert first.start.session == again.start.session
    assert one(file, TALK | {"name": "b"}).start.session != first.start.session


def test_without_words_there_is_no_turn(file: Path) -> None:
    found = one(file, record(node(0, "tool_call", tool_name="look"), status="in_progress"))
    assert [type(event) for event in found.events[1:]] == [Note]


def test_a_failed_session_says_why(file: Path) -> None:
    found = one(file, record(status="failed", error="Out of tokens."))
    assert found.end is not None
    assert (found.end.ending, found.end.why) == ("infrastructure_error", "Out of tokens.")


def test_a_foreign_session_can_be_written_again(file: Path) -> None:
    found = one(file, TALK)
    data = line(Session(found.events, found.contents))
    imported(data)
    file.write_bytes(data)
    (again,) = read(file)
    assert isinstance(again, Recording)
    assert (again.events, again.contents) == (found.events, found.contents)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"nodes": 3}, "nodes"),
        ({"nodes": [3]}, "node 0 is no object"),
        ({"nodes": [node(0) | {"extra": 1}]}, "unknown field 'extra'"),
        ({"nodes": [node(0), node(0)]}, "index of its own"),
        ({"nodes": [node(0, "guess")]}, "type"),
        ({"status": "done"}, "status"),
        ({"external_id": 3}, "external_id"),
        ({"reward": 1}, "unknown field 'reward'"),
    ],
)
def test_what_is_no_kitaru_session(file: Path, change: dict[str, Any], words: str) -> None:
    assert words in why(file, record() | change)


def test_bad_lines_cost_themselves(file: Path) -> None:
    good = json.dumps(record()).encode()
    lines = [
        good,
        b"not json",
        b"\xff\xfe",
        b'{"external_id":"\xc3',
        b"[" * 100_000,
        b'{"inputs": "\\ud800"}',
        b"",
        b"null",
        good.replace(b"theirs-1", b"theirs-2"),
    ]
    file.write_bytes(b"\n".join(lines))
    found = list(read(file))
    assert [isinstance(item, Recording) for item in found] == [True, *[False] * 6, True]
    assert [item.place for item in found if isinstance(item, Skipped)] == [1, 2, 3, 4, 5, 7]


def test_empty_missing_and_cut_files(file: Path) -> None:
    file.write_bytes(b"")
    (nothing,) = read(file)
    assert isinstance(nothing, Skipped)
    packed = gzip.compress(json.dumps(TALK).encode() + b"\n")
    file.write_bytes(packed)
    assert isinstance(next(read(file)), Recording)
    file.write_bytes(packed[:-20])
    *_, last = read(file)
    assert isinstance(last, Skipped)
    assert last.broken


@examples(60)
@given(session=sessions(), data=st.data())
def test_a_line_of_ours_that_was_changed_is_said_or_still_a_session(
    file: Path, session: Session, data: st.DataObject
) -> None:
    value = json.loads(line(session))
    ours = value["metadata"]["ringback"]
    places = [place for place in (ours, ours["start"], ours["end"], *value["nodes"]) if place]
    holder = data.draw(st.sampled_from(places))
    key = data.draw(st.sampled_from(sorted(holder)))
    new = data.draw(st.sampled_from([None, 7, "x", [], {}, {"ringback": {"kind": "turn"}}]))
    holder[key] = new
    for found in got(file, value):
        if isinstance(found, Recording):
            position = BEGINNING
            for event in found.events:
                position = advance(position, event)


@examples(100)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text() | st.sampled_from(HOSTILE),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["messages", "role", "parts", "content", "type", "tool_calls", "name"]
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    ),
)
def test_any_inputs_and_outputs_are_read_without_harm(file: Path, value: Any) -> None:
    nodes = [
        node(0, "llm_call", inputs=value, outputs=value, model_params=value, tokens=value),
        node(1, "llm_call", inputs={"messages": [value]}, outputs=value, cost=value),
        node(2, "tool_call", inputs=value, outputs=value, started_at=value, tool_name=value),
    ]
    for found in got(file, record(*nodes, inputs="Hello", outputs=value, metadata=value)):
        assert isinstance(found, Recording) or found.broken
        if isinstance(found, Recording):
            list(requests(found.events, found.contents))
            calls = [event for event in found.events if isinstance(event, ModelCall)]
            assert len(calls) <= 2


def test_a_line_that_says_a_thing_twice_is_not_guessed_at(file: Path) -> None:
    line_ = json.dumps(record(node(0)))
    file.write_text(line_.replace('"nodes": ', '"nodes": [], "nodes": ') + "\n" + line_ + "\n")
    first, second = read(file)
    assert isinstance(first, Skipped)
    assert first.why == "it has the key 'nodes' twice, and which holds is unknown"
    assert isinstance(second, Recording)


def test_a_line_that_says_a_thing_twice_deeper_in_is_not_guessed_at(file: Path) -> None:
    line_ = json.dumps(record(node(0)))
    file.write_text(line_.replace('"index": ', '"index": 1, "index": ') + "\n" + line_ + "\n")
    first, second = read(file)
    assert isinstance(first, Skipped)
    assert first.why == "it has the key 'nodes[].index' twice, and which holds is unknown"
    assert isinstance(second, Recording)


def test_arguments_in_text_that_say_a_thing_twice_stay_the_text(file: Path) -> None:
    arguments = '{"a": 1, "a": 2}'
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": arguments}}
    inputs = [{"role": "user", "content": "Hi"}, {"role": "assistant", "tool_calls": [call]}]
    asked = node(0, "llm_call", **ASKED | {"inputs": {"messages": inputs}})
    found = one(file, record(asked))
    ((_, made),) = requests(found.events, found.contents)
    parts = [part for message in made.messages for part in message.parts]
    assert [part.arguments for part in parts if isinstance(part, Asked)] == [arguments]


def test_capital_endings_are_read_and_what_stands_beside_is_named(tmp_path: Path) -> None:
    line = json.dumps(TALK).encode() + b"\n"
    (tmp_path / "a.JSONL").write_bytes(line)
    (tmp_path / "b.Jsonl.GZ").write_bytes(gzip.compress(line))
    (tmp_path / "c.TXT").write_text("Hello.")
    *found, beside = read(tmp_path)
    assert [item.origin.source for item in found if isinstance(item, Recording)] == [
        "a.JSONL",
        "b.Jsonl.GZ",
    ]
    assert isinstance(beside, Skipped)
    assert (beside.source, beside.broken) == ("c.TXT", False)
