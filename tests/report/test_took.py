"""Steps, time and tokens of an episode: means with their intervals, and unknown where unknown."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from ringback.episode.events import ModelCall, Reported
from ringback.episode.wire import (
    Answer,
    Attempt,
    Message,
    Price,
    RecordedRequest,
    Text,
    Usage,
)
from ringback.report.arm_table import arm_tables
from ringback.report.compute import compute
from ringback.report.model import Cost, EpisodeRow, StudyResults
from ringback.report.page import study_page
from ringback.report.results_json import encode
from ringback.report.summary import summary
from ringback.sessions import Used, used
from tests.report.studies import arm_facts, rows, study

FACTS = study([arm_facts("base", "baseline"), arm_facts("cheap"), arm_facts("rules")])


def asked() -> list[EpisodeRow]:
    """The baseline and another arm ask a model; of one episode the tokens are not known."""
    found = rows(FACTS, {"base": ["yyyn"], "cheap": ["nnyi"], "rules": ["yyyy"]})
    took = [
        Used(10.0, 1000, 100, 400),
        Used(20.0, 2000, 200, 400),
        Used(30.0, 3000, 300, 400),
        Used(40.0, 4000, 400, 400),
        Used(1.0, 10, 1, None),
        Used(2.0, None, None, None),
        Used(3.0, 30, 3, None),
        None,  # its agent was never asked
    ]
    return [
        *(
            replace(row, agent_used=each, agent_cost=each and Cost(2, 0, 0.1))
            for row, each in zip(found[:8], took, strict=True)
        ),
        *found[8:],
    ]


def results() -> StudyResults:
    return compute(FACTS, asked())


def test_means_are_over_the_episodes_that_ended() -> None:
    base, cheap, rules = results().arms
    assert base.agent_took is not None
    assert cheap.agent_took is not None
    assert (base.agent_took.seconds.mean, base.agent_took.input.mean) == (25.0, 2500.0)
    interval = base.agent_took.seconds.interval
    assert interval is not None
    assert 10 <= interval.low < 25 < interval.high <= 40
    assert (base.agent_took.cached.mean, base.agent_took.cached.interval) == (400.0, None)
    assert cheap.agent_took.seconds.mean == pytest.approx(6 / 4)
    assert (cheap.agent_took.input.mean, cheap.agent_took.input.unknown) == (40 / 3, 1)
    assert (cheap.agent_took.cached.episodes, cheap.agent_took.cached.unknown) == (1, 3)
    assert (rules.agent_took, base.user_took) == (None, None)


def test_they_stand_in_every_medium() -> None:
    found = results()
    text, page = summary(found), study_page(found, lambda _: None).decode()
    table = next(each for each in arm_tables(found) if ("tokens in", "wrap") in each.columns)
    lines = {row[0]: row[1:] for row in table.rows}
    assert lines["rules"][1:] == ("no model",) * 4
    assert lines["cheap"][2].startswith("13 (")
    assert lines["cheap"][2].endswith("; 1 of 4 unknown)")
    assert lines["base"][0].startswith("33.2 (")  # steps
    for words in ("Seconds at work", "Tokens in", "Of them cached", "Tokens out"):
        assert words in page
        assert f"{words}, agent" in text
    assert "25.0 (" in text
    assert "What the agent’s model took, an episode" in page
    assert "What the customer’s model took" not in page
    arm = json.loads(encode(found))["arms"][0]
    assert arm["agent_took"]["output"]["mean"] == 250
    assert arm["user_took"] is None
    plain = compute(FACTS, rows(FACTS, {"base": ["yyyn"], "cheap": ["nnyi"], "rules": ["yyyy"]}))
    assert "okens" not in study_page(plain, lambda _: None).decode()
    assert "okens" not in summary(plain)


def call(answer: Answer) -> ModelCall:
    request = RecordedRequest("0" * 32, (), "1" * 32)
    return ModelCall(seq=1, cause=0, by="agent", model="m", request=request, answer=answer)


def test_what_a_call_took_is_known_or_not() -> None:
    said = Message("assistant", (Text("Hm."),))
    answered = Answer(said, "m", 1.5, Usage(10, 2, 4), Price(0.0, ""))
    assert used(call(answered)) == Used(1.5, 10, 2, 4)
    assert used(call(replace(answered, usage=Usage()))) == Used(1.5, None, None, None)
    failed = Answer(None, None, 2.0, Usage(), Price(0.0, ""), failure="infrastructure", why="503")
    assert used(call(failed)) == Used(2.0, 0, 0, 0)
    cut = (Attempt("infrastructure", "cut off", 9.0, charged=True),)
    assert used(call(replace(answered, attempts=cut))) == Used(1.5, None, None, None)
    other = Reported(seq=1, cause=0, by="agent", model="m", usage=Usage(7), price=Price(None, ""))
    assert used(other) == Used(None, 7, None, None)
    assert Used(1.0, 2, 3, 4) + Used(None, 2, None, 4) == Used(None, 4, None, 8)
    assert Used() + Used(1.0, 2, 3, 4) == Used(1.0, 2, 3, 4)
