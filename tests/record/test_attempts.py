"""Which session a case tells, and which are listed beside it: nobody can pick the best unseen."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from msgspec.structs import replace

from ringback.episode.events import Limits, Setup
from ringback.errors import InputError
from ringback.record.document import Attempt
from ringback.record.making import Made, make_record
from ringback.sessions import Store, parse_selection
from tests.record.recorded import by_model, operated
from tests.record.reenacted import CALLS, EASY, INVERTING

EASY_CALL = CALLS["easy"]
BEGUN = replace(EASY_CALL, commands=EASY[:3])


def made(path: Path, *words: str) -> Made:
    with Store.open(path, write=False) as store:
        return make_record(store, parse_selection(words))


def attempts(path: Path, *words: str) -> list[Attempt]:
    (case,) = made(path, *words).record.cases
    assert isinstance(case.attempts, list)
    return case.attempts


def test_the_first_attempt_that_came_to_an_outcome_is_told_and_all_are_listed(path: Path) -> None:
    given_up = operated(path, BEGUN, ending="abandoned")
    broken = operated(path, BEGUN, attempt=1, ending="infrastructure_error")
    failed = operated(path, BEGUN, attempt=2, ending="agent_stop")
    solved = operated(path, EASY_CALL, attempt=3)
    listed = attempts(path)
    assert [(one.session, one.result, one.told) for one in listed] == [
        (given_up, "not graded", False),
        (broken, "not graded", False),
        (failed, "failed", True),
        (solved, "passed", False),
    ]
    (case,) = made(path).record.cases
    assert case.session == failed
    assert "3 other attempts at this case are listed" in case.evaluation_explanation
    boundary = made(path).record.compatibility_boundary
    assert "There are 3 other attempts" in boundary
    for words in ("1 abandoned", "1 infrastructure error", "1 user stop"):
        assert words in boundary


def test_a_session_that_is_named_is_told_itself(path: Path) -> None:
    given_up = operated(path, BEGUN, ending="abandoned")
    solved = operated(path, EASY_CALL, attempt=1)
    for named in (given_up, solved):
        (case,) = made(path, named[:8]).record.cases
        assert case.session == named
        assert isinstance(case.attempts, list)
        assert len(case.attempts) == 2
    (case,) = made(path, given_up).record.cases
    assert (case.result, case.official_reward) == ("not graded", None)
    assert "gave the call up" in case.evaluation_explanation
    two = made(path, given_up, solved).record
    assert [case.transcript for case in two.cases] == [
        "easy-transcript.json",
        "easy-2-transcript.json",
    ]


def test_attempts_are_of_one_task_one_seed_and_one_operator_whatever_the_customer(
    path: Path,
) -> None:
    first = operated(path, EASY_CALL)
    other_customer = operated(path, BEGUN, by_model(INVERTING, "off"), ending="abandoned")
    operated(path, replace(EASY_CALL, seed=5))
    operated(path, EASY_CALL, agent=Setup("operator", "1", {"as": "B. Person"}))
    listed = attempts(path, first)
    assert [one.session for one in listed] == [first, other_customer]
    assert [one.user_simulator for one in listed] == [
        "rules, version 3",
        "script:in-process, version 2, guard off",
    ]
    assert len(made(path).record.cases) == 3


def test_what_an_operator_is_still_at_is_not_told_nor_another_call_of_that_task(
    path: Path,
) -> None:
    given_up = operated(path, BEGUN, ending="abandoned")
    going_on = operated(path, BEGUN, attempt=1)
    with pytest.raises(InputError, match="still being operated"):
        made(path, given_up)
    with pytest.raises(InputError, match="still being operated"):
        made(path, going_on)
    operated(path, CALLS["medium"])
    found = made(path)
    assert [case.tier for case in found.record.cases] == ["medium"]
    assert {left.session for left in found.left_out} == {given_up, going_on}


def test_calls_of_other_agents_are_told_and_of_them_what_is_not_over_is_left_out(
    path: Path,
) -> None:
    agent = Setup("other", "7", {})
    over = operated(path, EASY_CALL, agent=agent)
    cut = operated(path, replace(BEGUN, seed=3), agent=agent, limits=Limits(steps=60))
    found = made(path, "agent=other")
    (case,) = found.record.cases
    assert (case.session, case.operator) == (over, "other")
    assert "The support agent was other, version 7" in found.record.compatibility_boundary
    assert [(left.session, left.why) for left in found.left_out] == [(cut, "it is not over")]
    with pytest.raises(InputError, match="fits 'agent=operator'"):
        made(path)


def test_a_session_that_cannot_be_read_keeps_no_other_from_being_told(path: Path) -> None:
    damaged = operated(path, BEGUN, agent=Setup("other", "1", {}), ending="agent_stop")
    fine = operated(path, replace(EASY_CALL, seed=1), agent=Setup("other", "1", {}))
    sibling = operated(
        path, replace(BEGUN, seed=1), agent=Setup("other", "1", {}), attempt=1, ending="agent_stop"
    )
    with sqlite3.connect(path) as raw:
        for session in (damaged, sibling):
            (number,) = raw.execute(
                "SELECT number FROM sessions WHERE id = ?", [session]
            ).fetchone()
            raw.execute("UPDATE events SET body = x'00', coding = 0 WHERE session = ?", [number])
    raw.close()
    found = made(path, "agent=other")
    (case,) = found.record.cases
    assert case.session == fine
    assert [left.session for left in found.left_out] == [damaged]
    assert isinstance(case.attempts, list)
    assert [one.user_simulator for one in case.attempts] == ["rules, version 3", "rules"]
