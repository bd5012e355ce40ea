"""Rows become sessions and come back; their calls are candidates or excluded with a reason."""

from __future__ import annotations

import importlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ringback.canonical import Json
from ringback.episode.events import ModelCall, decode, encode
from ringback.episode.protocol import BEGINNING, advance
from ringback.episode.wire import Text
from ringback.formats import Recording, Skipped
from ringback.formats.exgentic import (
    Chosen,
    Excluded,
    Replayable,
    Row,
    read,
    recording,
    row_back,
    step_calls,
)
from ringback.formats.exgentic.cells import LONGEST
from ringback.formats.exgentic.columns import MODELS
from ringback.formats.exgentic.write import write
from ringback.formats.importing import Importer
from ringback.sessions import Store
from tests.formats.exgentic.made import assistant, called, gave, row, said, span, tools

_JSON = ("gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.tool.definitions")


def sessions(path: Path, *rows: dict[str, Any]) -> list[Recording]:
    write(path / "made.parquet", rows)
    found = list(read([path]))
    assert not [each for each in found if isinstance(each, Skipped)]
    return [each for each in found if isinstance(each, Recording)]


def stored(path: Path) -> list[dict[str, Any]]:
    """The rows as any reader of Parquet has them."""
    parquet: Any = importlib.import_module("pyarrow.parquet")
    return parquet.read_table(path).to_pylist()


def spelled(value: Any) -> str:
    """The row with the JSON in its texts as values."""

    def opened(value: Any) -> Any:
        if isinstance(value, dict):
            found = cast("dict[str, Any]", value)
            return {k: parsed(v) if k in _JSON else opened(v) for k, v in found.items()}
        return (
            [opened(each) for each in cast("list[Any]", value)]
            if isinstance(value, list)
            else value
        )

    def parsed(value: Any) -> Any:
        try:
            return json.loads(value)
        except (ValueError, TypeError):
            return value

    return json.dumps(opened(value), sort_keys=True)


def calls(recording: Recording) -> Sequence[Replayable | Excluded]:
    return list(step_calls(recording.events, recording.contents))


def conversation(model: str = "gpt-5.2") -> list[dict[str, Any] | None]:
    """A run in which every kind of span occurs."""
    offered = [*tools("get_bill", schemas=True), {**tools("send")[0], "strict": False}]
    opening = [said("You help.", "developer"), said("My phone is dead.")]
    first = called("get_bill", {"id": "B1", "gb": 2.0}, finish_reason="tool_calls")
    second = [*opening, called("get_bill", {"id": "B1", "gb": 2.0}), gave({"total": 5.0})]
    return [
        span(opening, [first], model=model, offered=offered),
        span(second, [said("Five.", "assistant", sig=1.0)], model=model, offered=offered),
        None,
        span(second, None, model=model, offered=offered, code=2, error="RateLimitError"),
        span(second, None, model=model, offered=offered),
        span("no JSON", assistant("x"), model=model),
        span(second, "[1", model=model),
        span(None, assistant("x"), model=model, offered="[1]"),
        span(second, [said("a", "assistant"), said("b", "assistant")], model=model),
        span([said("a"), said("b", "developer")], assistant("x"), model=model),
        span([{"role": "user", "parts": [{"type": "image"}]}], assistant("x"), model=model),
        span([{"role": "user", "parts": [{"type": "thinking", "thinking": "x"}]}], assistant("x")),
        span(second, assistant("x"), model=model, offered="{}"),
        span(second, [{"role": "assistant", "parts": []}], model=model),
        span(gen_ai_dot_operation_dot_name="execute_tool"),
    ]


def test_a_row_comes_back_whole_from_the_events_alone(tmp_path: Path) -> None:
    rows = [
        row(1, *conversation()),
        row(2, spans=None, status=None, success=None),
        row(3, spans=[], models=None, config_path=None, score=None),
        row(4, {"span_id": "x"}, {**span(), "attributes": None}, benchmark="swebench"),
        row(5, *(span([said("Hi")] * 3, assistant("x"), gen_ai_dot_system_instructions=text)
                 for text in ("[]", '[{"type": "text", "content": "S"}]', "plain words", "[1]"))),
    ]  # fmt: skip
    found = sessions(tmp_path, *rows)
    back = [row_back(each.events, each.contents) for each in found]
    assert [spelled(each) for each in back] == [
        spelled(each) for each in stored(tmp_path / "made.parquet")
    ]


def test_each_reason_why_a_call_cannot_be_asked_again(tmp_path: Path) -> None:
    (session,) = sessions(tmp_path, row(1, *conversation()))
    found = calls(session)
    assert [each.why if isinstance(each, Excluded) else "replayable" for each in found] == [
        "replayable",
        "replayable",
        "not_a_model_call",
        "failed",
        "no_reply",
        "unreadable_messages",
        "unreadable_reply",
        "no_messages",
        "several_replies",
        "developer_inside",
        "part_unknown",
        "part_out_of_place",
        "unreadable_tools",
        "no_reply",
        "not_a_model_call",
    ]
    again = [each for each in found if isinstance(each, Replayable)]
    assert [(each.place, each.schemas) for each in again] == [(0, "some"), (1, "some")]
    assert again[0].request.system == "You help."
    assert again[0].request.messages == (again[1].request.messages[0],)
    assert [tool.parameters is None for tool in again[0].request.tools] == [False, True]
    failed = next(e for e in session.events if isinstance(e, ModelCall) and e.answer.failure)
    assert failed.answer.failure == "infrastructure"
    assert failed.answer.usage.input is None


def test_instructions_beside_the_messages_are_the_system_text(tmp_path: Path) -> None:
    text = '[{"type": "text", "content": "One."}, {"type": "text", "content": "Two."}]'
    (session,) = sessions(
        tmp_path,
        row(1, span([said("Hi")], assistant("x"), gen_ai_dot_system_instructions=text)),
    )
    (call,) = calls(session)
    assert isinstance(call, Replayable)
    assert call.request.system == "One.\n\nTwo."
    assert call.request.messages[0].parts == (Text("Hi"),)


@pytest.mark.parametrize(
    ("status", "success", "ending"),
    [
        ("success", True, "agent_stop"),
        ("unknown", True, None),
        ("unsuccessful", False, "agent_stop"),
        (None, None, None),
        ("", None, None),
        ("evicted", False, "infrastructure_error"),
        ("limit_reached", False, "max_steps"),
        ("error", False, "infrastructure_error"),
        ("cancelled", None, "infrastructure_error"),
    ],
)
def test_the_ending_follows_from_the_status(
    tmp_path: Path, status: str | None, success: bool | None, ending: str | None
) -> None:
    (session,) = sessions(tmp_path, row(1, status=status, success=success))
    if ending is None:
        assert session.end is None
        return
    assert session.end is not None
    assert session.end.ending == ending
    assert str(status) in session.end.rule


def test_a_count_below_zero_is_unknown_and_comes_back(tmp_path: Path) -> None:
    asked = span([said("hello")], assistant("hi"), gen_ai_dot_usage_dot_input_tokens=-5)
    (session,) = sessions(tmp_path, row(1, asked))
    (call,) = [event for event in session.events if isinstance(event, ModelCall)]
    assert (call.answer.usage.input, call.answer.usage.output) == (None, 20)
    back = row_back(session.events, session.contents)
    assert back["spans"][0]["attributes"]["gen_ai.usage.input_tokens"] == -5


def test_what_is_recorded_of_the_outcome_stands_in_the_origin(tmp_path: Path) -> None:
    (session,) = sessions(tmp_path, row(7, score=0.5, success=False, agent_cost=None))
    start, origin = session.start, session.origin
    assert start.draw.task is None
    assert start.condition.domain == "telecom"
    assert origin.form == "exgentic"
    assert origin.id == "000000000007_0000"
    assert (origin.more["score"], origin.more["success"]) == (0.5, False)
    assert origin.more["agent_cost"] is None
    position = BEGINNING
    for event in session.events:
        position = advance(position, event)
    assert not position.ended  # its status is unknown


def test_importing_twice_adds_nothing_wherever_the_row_lies(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    first.mkdir()
    second.mkdir()
    rows = [row(number, *conversation()) for number in range(3)]
    write(first / "one.parquet", rows)
    write(second / "two.parquet", rows[::-1], group=1)
    with Store.open(tmp_path / "s.db") as store:
        importer = Importer(store)
        for path in (first, second, first):
            for entry in read([path]):
                importer.take(entry)
        assert (importer.tally.added, importer.tally.there) == (3, 6)
        for stored_row in store.rows():
            events = store.events(stored_row.id)
            named = store.contents(
                sorted({d for e in events if isinstance(e, ModelCall)
                        for d in (e.request.system, e.request.tools) if d})
            )  # fmt: skip
            assert len([c for c in step_calls(events, named) if isinstance(c, Replayable)]) == 2


def test_rows_of_another_benchmark_are_passed_over_and_counted(tmp_path: Path) -> None:
    rows = [row(1), row(2, harness="claude_code"), row(3, benchmark="swebench"), row(4)]
    write(tmp_path / "a.parquet", rows, group=1)
    found = list(read([tmp_path], Chosen(("tau2_telecom",), ("tool_calling",))))
    kept = [each.origin.place for each in found if isinstance(each, Recording)]
    passed = [each for each in found if isinstance(each, Skipped)]
    assert kept == [0, 3]
    assert [(each.place, each.broken) for each in passed] == [(1, False), (2, False)]
    assert len({each.why for each in passed}) == 1


def test_numbers_of_one_value_and_two_spellings_do_not_become_one(tmp_path: Path) -> None:
    """The answer says 1, the conversation that quotes it says 1.0."""
    opening = [said("Hi")]
    rows = row(
        1,
        span(opening, [called("f", {"n": 1})]),
        span([*opening, called("f", {"n": 1.0}), gave("ok")], assistant("x")),
        span([*opening, called("f", {"n": True}), gave("ok")], assistant("x")),
    )
    (session,) = sessions(tmp_path, rows)
    back = row_back(session.events, session.contents)
    assert spelled(back) == spelled(stored(tmp_path / "made.parquet")[0])


def test_a_text_too_long_to_read_is_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    long = "[" + " " * LONGEST + "]"
    (session,) = sessions(
        tmp_path, row(1, span(long, assistant("x")), span([said("a")], assistant("b")))
    )
    found = calls(session)
    assert [type(each) for each in found] == [Excluded, Replayable]
    assert isinstance(found[0], Excluded)
    assert "characters" in str(found[0].said)
    assert sum(len(str(event)) for event in session.events) < 100_000


def test_bombs_in_cells_are_no_conversation_and_stop_nothing(tmp_path: Path) -> None:
    bombs: list[Json] = [
        "[" * 200_000,
        '{"a":' * 100_000,
        '[{"parts":[' + "[" * 900 + "]" * 900 + "]}]",
    ]
    spans = [span(bomb, bomb, offered=bomb) for bomb in bombs]
    (session,) = sessions(tmp_path, row(1, *spans, span([said("a")], assistant("b"))))
    assert isinstance(calls(session)[-1], Replayable)


_texts = st.one_of(
    st.none(),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
    st.sampled_from(
        [
            "[]",
            "{}",
            "null",
            "[[]]",
            '[{"parts": []}]',
            '[{"role": "developer", "parts": [{"type": "text", "content": "S"}]}]',
            '[{"role": "assistant", "parts": [{"type": "text", "content": "A"}]}]',
            '[{"role": "assistant", "parts": [{"type": "tool_call", "name": "f"}]}, {"parts": []}]',
            '[{"role": "tool", "parts": [{"type": "tool_call_response", "id": 1, "result": [1]}]}]',
            '[{"name": "f"}]',
            '[{"name": "f", "parameters": {}, "x": [1.0]}]',
            '[{"role": "user", "parts": [{"type": "text", "content": "\\ud800"}]}]',
            '[{"role": "user", "parts": [{"type": "text", "content": "\\u0000"}]}]',
        ]
    ),
)
_spans = st.lists(
    st.none()
    | st.fixed_dictionaries(
        {
            "start_time": _texts,
            "end_time": st.just("2026-01-28T20:43:22Z"),
            "status": st.none() | st.fixed_dictionaries({"code": st.none() | st.integers(0, 2)}),
            "attributes": st.none()
            | st.fixed_dictionaries(
                dict.fromkeys([*_JSON, "gen_ai.system_instructions", *MODELS], _texts)
            ),
        }
    ),
    max_size=5,
)


@settings(max_examples=150, deadline=None)
@given(_texts, _spans)
def test_whatever_the_cells_hold_a_row_is_a_session_and_comes_back(
    text: str | None, spans: list[dict[str, Any] | None]
) -> None:
    cells = {"session_id": text, "status": text, "success": None, "score": 1.5}
    made = recording(Row("a.parquet", 0, dict(cells), tuple(spans)))
    back = row_back(made.events, made.contents)
    assert spelled(back) == spelled({**cells, "spans": spans})
    position = BEGINNING
    for event in made.events:
        position = advance(position, decode(encode(event)))
    assert len(calls(made)) == len(spans)
