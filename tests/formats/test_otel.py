"""Traces: what we write is OTLP, and it says all that was asked, called and judged."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from ringback.episode.events import ModelCall, Turn
from ringback.formats.otel import document
from ringback.formats.session import Session
from tests.formats.generated import examples, sessions

json_format = pytest.importorskip("google.protobuf.json_format")
trace_pb2 = pytest.importorskip("opentelemetry.proto.trace.v1.trace_pb2")


def told(*written: Session) -> list[dict[str, Any]]:
    """The spans of each session's resource, after the protocol's own definitions took them."""
    text = b"".join(document(written)).decode()
    assert text.count("\n") == 1
    json_format.Parse(text, trace_pb2.TracesData())
    return json.loads(text)["resourceSpans"]


def spans(session: Session) -> list[dict[str, Any]]:
    (resource,) = told(session)
    (scope,) = resource["scopeSpans"]
    return scope["spans"]


def values(span: dict[str, Any]) -> dict[str, Any]:
    """The attributes of a span as plain values."""
    found: dict[str, Any] = {}
    for item in span["attributes"]:
        assert item["key"] not in found
        ((kind, value),) = item["value"].items()
        found[item["key"]] = int(value) if kind == "intValue" else value
    return found


def of(found: list[dict[str, Any]], operation: str) -> list[dict[str, Any]]:
    return [span for span in found if values(span)["gen_ai.operation.name"] == operation]


@examples(60)
@given(session=sessions())
def test_a_session_is_one_trace_with_all_that_happened(session: Session) -> None:
    found = spans(session)
    ids = [span["spanId"] for span in found]
    assert len(set(ids)) == len(ids)
    assert all(len(one) == 16 and int(one, 16) for one in ids)
    assert {len(span["traceId"]) for span in found} == {32}
    assert len({span["traceId"] for span in found}) == 1
    root, *rest = found
    assert "parentSpanId" not in root
    assert all(span["parentSpanId"] in ids for span in rest)
    turns = [event for event in session.events if isinstance(event, Turn)]
    asked = [event for event in session.events if isinstance(event, ModelCall)]
    assert len(of(found, "invoke_agent")) == len(turns)
    assert len(of(found, "execute_tool")) == sum(len(turn.calls) for turn in turns)
    chats = {values(span)["ringback.event"]: span for span in of(found, "chat")}
    assert chats.keys() == {event.seq for event in asked}
    for event in asked:
        told_of, said = values(chats[event.seq]), event.answer
        assert told_of.get("gen_ai.usage.input_tokens") == said.usage.input
        assert told_of.get("gen_ai.usage.cache_read.input_tokens") == said.usage.cached
        assert told_of.get("ringback.cost_usd") == said.price.usd
        assert told_of.get("error.type") == said.failure
        assert (chats[event.seq].get("status", {}).get("code") == 2) is bool(said.failure)
        messages = json.loads(told_of["gen_ai.input.messages"])
        assert all(message["role"] in ("user", "assistant", "tool") for message in messages)


@examples(20)
@given(session=sessions(models=False))
def test_the_reward_and_each_check_are_evaluations(session: Session) -> None:
    events = spans(session)[0].get("events", [])
    results = [e for e in events if e["name"] == "gen_ai.evaluation.result"]
    if session.grade is None:
        assert not results
        return
    verdict = session.grade.verdict
    assert len(results) == 1 + len(verdict.end) + len(verdict.actions)
    first = values(results[0])
    assert first["gen_ai.evaluation.name"] == "reward"
    assert first.get("gen_ai.evaluation.score.value") == session.grade.reward


def test_nothing_is_a_document_too() -> None:
    assert told() == []


@examples(10)
@given(one=sessions(), other=sessions())
def test_each_session_has_a_resource_of_its_own(one: Session, other: Session) -> None:
    found = told(one, other)
    assert len(found) == 2
    assert all(
        resource["resource"]["attributes"][0]
        == {"key": "service.name", "value": {"stringValue": "ringback"}}
        for resource in found
    )
