"""Which session a case tells, and which are listed beside it: nobody can pick the best unseen."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from ringback.episode.events import End, Limits, Setup, encode
from ringback.errors import InputError
from ringback.record import told
from ringback.record.document import Attempt
from ringback.record.making import Made, make_record
from ringback.sessions import Store, parse_selection
from tests.lamp import Lamp
from tests.record.recorded import NAME, by_model, operated
from tests.record.reenacted import CALLS, EASY, INVERTING, Operated

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


OTHER = Setup("operator", "1", {"as": "B. Person"})


def test_attempts_are_of_one_task_and_one_seed_whatever_the_customer_and_the_operators_name(
    path: Path,
) -> None:
    first = operated(path, EASY_CALL)
    other_customer = operated(path, BEGUN, by_model(INVERTING, "off"), ending="abandoned")
    operated(path, replace(EASY_CALL, seed=5))
    other_name = operated(path, EASY_CALL, agent=OTHER)
    for named in (first, other_name):
        listed = attempts(path, named)
        assert [(one.session, one.operator, one.told) for one in listed] == [
            (first, NAME, named == first),
            (other_customer, NAME, False),
            (other_name, "B. Person", named == other_name),
        ]
        assert [one.user_simulator for one in listed] == [
            "rules, version 4",
            "script:in-process, version 2, guard off",
            "rules, version 4",
        ]
    assert len(made(path).record.cases) == 3


def test_a_failure_is_not_hidden_by_another_operators_name(path: Path) -> None:
    failed = operated(path, BEGUN, ending="agent_stop")
    solved = operated(path, EASY_CALL, agent=OTHER)
    record = made(path, solved).record
    (case,) = record.cases
    assert isinstance(case.attempts, list)
    assert [(one.session, one.result) for one in case.attempts] == [
        (failed, "failed"),
        (solved, "passed"),
    ]
    assert "only attempt" not in record.compatibility_boundary
    assert "There is 1 other attempt" in record.compatibility_boundary


def test_sessions_of_other_agents_at_the_same_task_and_seed_are_counted_by_agent(
    path: Path,
) -> None:
    operated(path, EASY_CALL)
    assert "the only attempt at its case" in made(path).record.compatibility_boundary
    for attempt in (0, 1):
        operated(
            path, EASY_CALL, agent=Setup("openai:some", "1", {}), attempt=attempt, ending="timeout"
        )
    operated(path, EASY_CALL, agent=Setup("workflow", "3", {}))
    operated(path, replace(EASY_CALL, seed=5), agent=Setup("elsewhere", "3", {}))
    record = made(path).record
    assert isinstance(record.boundary, list)
    assert "It is the only operated attempt at its case in the store." in record.boundary
    assert (
        "The store holds 3 sessions of other agents at the same task and seed, which are not "
        "listed: 2 of openai:some and 1 of workflow." in record.boundary
    )
    assert "No other" not in record.cases[0].evaluation_explanation
    (case,) = made(path, "agent=workflow").record.cases
    assert isinstance(case.attempts, list)
    assert [one.operator for one in case.attempts] == [NAME, "workflow"]


def test_why_an_attempt_was_given_up_is_said(path: Path) -> None:
    given_up = operated(path, BEGUN, ending="abandoned")
    operated(path, EASY_CALL, attempt=1)
    with Store.open(path) as store:
        end = store.events(given_up)[-1]
        assert isinstance(end, End)
    with closing(sqlite3.connect(path)) as raw, raw:
        raw.execute(
            "UPDATE events SET body = ?, coding = 0 WHERE session = "
            "(SELECT number FROM sessions WHERE id = ?) AND seq = ?",
            [encode(replace(end, why="The wrong\ncase.")), given_up, end.seq],
        )
    raw.close()
    assert [one.why for one in attempts(path)] == ["The wrong case.", UNSET]
    (case,) = made(path, given_up).record.cases
    assert "gave the call up before it was over ('The wrong case.')" in case.evaluation_explanation


def test_an_open_episode_of_another_operator_keeps_no_named_call_from_being_told(
    path: Path,
) -> None:
    solved = operated(path, EASY_CALL)
    going_on = operated(path, BEGUN, agent=OTHER)
    (case,) = made(path, solved).record.cases
    assert isinstance(case.attempts, list)
    assert [(one.session, one.result) for one in case.attempts] == [
        (solved, "passed"),
        (going_on, "not over"),
    ]
    with pytest.raises(InputError) as problem:
        made(path)
    assert "B. Person" in str(problem.value)
    assert f"`ringback operate abandon --session {going_on} --store {path}`" in str(problem.value)
    assert "named by its id it is told all the same" in str(problem.value)
    with pytest.raises(InputError, match="it is still being operated by B"):
        made(path, going_on)


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
    with closing(sqlite3.connect(path)) as raw, raw:
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
    assert [one.user_simulator for one in case.attempts] == ["rules, version 4", "rules"]


def test_where_no_attempt_came_to_an_outcome_the_last_is_told(path: Path) -> None:
    operated(path, BEGUN, ending="abandoned")
    operated(path, BEGUN, attempt=1, ending="infrastructure_error")
    last = operated(path, BEGUN, attempt=2, ending="abandoned")
    assert [one.session for one in attempts(path) if one.told] == [last]


class OtherLamp(Lamp):
    """Another world, whose tasks have the names of the lamp's."""

    name = "other-lamp"


def test_a_task_of_another_world_by_the_same_name_is_another_case(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    domains = {"lamp": Lamp(), "other-lamp": OtherLamp()}
    monkeypatch.setattr(told, "load", domains.__getitem__)
    call = Operated("fuse", 4, (("say", "Goodbye."),))
    sessions = [
        operated(path, call, by_model(["It is dark.", "Bye. ###STOP###"], "off"), domain=domain)
        for domain in domains.values()
    ]
    cases = made(path).record.cases
    assert [case.session for case in cases] == sessions
    for case in cases:
        assert isinstance(case.attempts, list)
        assert [one.session for one in case.attempts] == [case.session]


def test_an_open_call_of_another_world_keeps_no_call_from_being_told(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    domains = {"lamp": Lamp(), "other-lamp": OtherLamp()}
    monkeypatch.setattr(told, "load", domains.__getitem__)
    over, begun = (Operated("fuse", 4, says) for says in ((("say", "Goodbye."),), ()))
    session = operated(
        path, over, by_model(["It is dark.", "Bye. ###STOP###"], "off"), domain=domains["lamp"]
    )
    operated(path, begun, by_model(["It is dark."], "off"), domain=domains["other-lamp"])
    assert [case.session for case in made(path).record.cases] == [session]
