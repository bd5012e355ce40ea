"""Another program's session: whatever stands in it stands in what was made of it, or is said."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringback.episode.events import ModelCall, Note, encode
from ringback.episode.wire import Given
from ringback.formats import Recording
from ringback.formats.kitaru import read
from ringback.sessions import requests
from tests.formats.generated import examples
from tests.formats.kitaru.test_foreign import node, record

MESSAGES: dict[str, list[Any]] = {
    "chat": [
        {"role": "system", "content": "s-sys"},
        {"role": "user", "content": "s-user"},
        {
            "role": "assistant",
            "content": "s-said",
            "tool_calls": [
                {
                    "id": "s-call",
                    "type": "function",
                    "function": {"name": "s-tool", "arguments": '{"a": "s-arg"}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "s-call", "content": "s-result"},
    ],
    "blocks": [
        {"role": "user", "content": [{"type": "text", "text": "s-user"}]},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "s-thought", "signature": "s-sig"},
                {"type": "tool_use", "id": "s-call", "name": "s-tool", "input": {"a": "s-arg"}},
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "s-call",
                    "content": "s-no",
                    "is_error": True,
                }
            ],
        },
    ],
    "parts": [
        {"role": "user", "parts": [{"type": "text", "content": "s-user"}]},
        {
            "role": "assistant",
            "parts": [
                {"type": "reasoning", "content": "s-thought"},
                {"type": "tool_call", "id": "s-c", "name": "s-tool", "arguments": {"a": "s-arg"}},
            ],
            "finish_reason": "s-finish",
        },
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "s-c", "result": ["s"]}]},
    ],
}
REPLIES: dict[str, Any] = {
    "chat": {"choices": [{"message": {"role": "assistant", "content": "s-reply"}}], "id": "s-id"},
    "blocks": {"role": "assistant", "content": [{"type": "text", "text": "s-reply"}]},
    "parts": {
        "message": {
            "role": "assistant",
            "parts": [{"type": "text", "content": "s-reply"}],
            "finish_reason": "s-stop",
        }
    },
}


def whole(form: str) -> dict[str, Any]:
    """A session with every field that the form has."""
    fields: dict[str, Any] = {
        "external_id": "s-ext",
        "trace_id": "s-trace",
        "status": "completed",
        "started_at": "2026-01-01T00:00:01+00:00",
        "ended_at": "2026-01-01T00:00:03+00:00",
        "metadata": {"team": "s-team"},
        "attributes": {"theirs": 11},
    }
    call = {
        "requested_model": "s-asked",
        "model": "s-model",
        "model_provider": "s-provider",
        "model_params": {"temperature": 0.25},
        "tokens": {"input_tokens": 101, "output_tokens": 102, "cached_input_tokens": 103},
        "cost": "0.0625",
        "reasoning_selectors": ["s-selector"],
        "outputs": REPLIES[form],
    }
    tools = [
        {"type": "function", "function": {"name": "s-a", "description": "s-b", "strict": True}},
        {"name": "s-c", "input_schema": {"type": "object"}},
    ]
    inputs: dict[str, Any] = {"messages": MESSAGES[form], "tools": tools, "seed": 17}
    again = copy.deepcopy(inputs)
    again["messages"] = [*again["messages"], {"role": "user", "content": "s-more"}]
    tool = {"tool_name": "s-t", "inputs": {"a": "s-in"}, "outputs": {"b": "s-out"}}
    return record(
        node(0, **fields),
        node(1, "llm_call", **fields, **call, inputs=inputs),
        node(2, "tool_call", **fields, **tool),
        node(3, "tool_call", **fields, **tool),
        node(4, "llm_call", **fields, **call, inputs=again),
        node(5, "llm_call", **fields, **call, inputs="s-prompt"),
        node(6, "llm_call", **fields, **call, inputs=inputs) | {"status": "failed"},
        inputs={"prompt": "s-first"},
        input_text_selector="/prompt",
        outputs="s-last",
        metadata={"m": "s-meta"},
    )


def paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(value, dict):
        for name, inner in cast("dict[str, Any]", value).items():
            yield from paths(inner, (*path, name))
    elif isinstance(value, list):
        for place, inner in enumerate(cast("list[Any]", value)):
            yield from paths(inner, (*path, place))


# What the form itself says may not be changed at will: the line is then no session, and said.
PLACES = {
    form: [
        path
        for path in paths(whole(form))
        if len(path) > 2 and path[-1] not in ("index", "status", "node_type", "type", "role")
    ]
    for form in MESSAGES
}
MARK = 987_654_321
CHANGES: list[Any] = [
    f"{MARK} EUR",
    -MARK,
    MARK * 10**9 + 1,  # no float is this number
    MARK + 0.5,
    {"deeper": MARK},
    [MARK],
    [{"type": "text", "text": f"{MARK}", "cache_control": 1}],
    [{"type": "text", "text": f"{MARK}"}, {"type": "text", "text": "x"}],
    f'{{"a": {MARK}}}',
    {"name": f"{MARK}", "arguments": 5, "role": "assistant"},
]


def kept(found: Recording) -> str:
    """All that a session holds, as text."""
    return "".join(
        [encode(event).decode() for event in found.events] + list(found.contents.values())
    )


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kitaru") / "sessions.jsonl"


@examples(400)
@given(data=st.data())
def test_what_is_put_anywhere_is_found_again_or_said(file: Path, data: st.DataObject) -> None:
    form = data.draw(st.sampled_from(sorted(MESSAGES)))
    value = json.loads(json.dumps(whole(form)))  # nothing stands in it twice
    path = data.draw(st.sampled_from(PLACES[form]))
    change = data.draw(st.sampled_from(CHANGES))
    name = data.draw(st.none() | st.sampled_from(NAMES))
    holder: Any = value
    for key in path[:-1]:
        holder = holder[key]
    if isinstance(holder, dict) and name is not None and name not in holder:
        holder[name] = change
    else:
        holder[path[-1]] = change
    file.write_text(json.dumps(value) + "\n")
    (found,) = read(file)
    if isinstance(found, Recording):
        text = kept(found)
        assert str(MARK) in text, path
        for words in ("EUR", "cache_control", "deeper"):
            assert words in text or words not in json.dumps(change), path
        list(requests(found.events, found.contents))
    else:
        assert found.broken


NAMES = [
    "name",
    "error",
    "is_error",
    "strict",
    "content",
    "parts",
    "tool_calls",
    "text",
    "thinking",
    "arguments",
    "input",
    "response",
    "result",
    "function",
    "finish_reason",
    "provider",
    "data",
    "signature",
    "id",
    "tool_call_id",
    "tool_use_id",
    "system",
    "form",
    "cache_write_tokens",
    "other",
]


@pytest.mark.parametrize("form", sorted(MESSAGES))
def test_all_that_stands_there_stands_in_the_session(file: Path, form: str) -> None:
    value = whole(form)
    file.write_text(json.dumps(value) + "\n")
    (found,) = read(file)
    assert isinstance(found, Recording)
    text = kept(found)
    for path in paths(value):
        leaf: Any = value
        for key in path:
            leaf = leaf[key]
        if isinstance(leaf, str) and leaf.startswith("s-"):
            assert leaf in text, path


def test_what_is_given_back_is_not_kept_twice(file: Path) -> None:
    """The messages of a long conversation stand once, however many calls repeat them."""
    said = [{"role": "user", "content": f"message {n}", "name": "sam"} for n in range(40)]
    nodes = [
        node(n, "llm_call", inputs={"messages": said[: n + 1]}, outputs=f"reply {n}")
        for n in range(40)
    ]
    file.write_text(json.dumps(record(*nodes)) + "\n")
    (found,) = read(file)
    assert isinstance(found, Recording)
    assert kept(found).count('"name":"sam"') == 40


def test_a_result_whose_error_is_in_words_is_an_error(file: Path) -> None:
    said = [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c", "function": {"name": "f"}}],
        },
        {"role": "tool", "tool_call_id": "c", "content": "nothing", "error": "boom", "name": "g"},
    ]
    call = node(0, "llm_call", inputs={"messages": said}, outputs="Sorry.", cost="12 EUR")
    file.write_text(json.dumps(record(call)) + "\n")
    (found,) = read(file)
    assert isinstance(found, Recording)
    ((call_, request),) = requests(found.events, found.contents)
    assert request.messages[1].parts == (Given("c", "g", "nothing", error=True),)
    assert isinstance(call_, ModelCall)
    assert call_.answer.price.usd is None
    (note,) = [event for event in found.events if isinstance(event, Note)]
    assert isinstance(note.detail, dict)
    assert note.detail["cost"] == "12 EUR"
    assert note.detail["inputs"] == {"messages": {"1": said[1]}}
