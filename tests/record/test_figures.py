"""Figures of a record agree: unknown stays unknown, and all attempts are graded alike."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from ringback.domains import load
from ringback.episode.episode import Episode
from ringback.episode.events import End, Ending, Origin, Start
from ringback.episode.identity import imported_ids
from ringback.grading.grade import Grade, grade
from ringback.record.document import Attempt, Case, Record
from ringback.record.making import make_record
from ringback.sessions import Store, parse_selection
from tests.record.recorded import by_model, operated
from tests.record.reenacted import CALLS, EASY, Command, Operated

EASY_CALL = CALLS["easy"]
BEGUN = replace(EASY_CALL, commands=EASY[:3])
LOCKED = "[service_issue]lock_sim_card_pin[PERSONA:Hard]"


def record(path: Path, *words: str) -> Record:
    with Store.open(path, write=False) as store:
        return make_record(store, parse_selection(words)).record


def only(path: Path, *words: str) -> Case:
    (case,) = record(path, *words).cases
    return case


def attempts(case: Case) -> list[Attempt]:
    assert isinstance(case.attempts, list)
    return case.attempts


def without_messages(path: Path, ending: Ending) -> None:
    """Put a recording of another program into the store that has a start and an end alone."""
    session = operated(path.with_name("ours.db"), BEGUN, ending="abandoned")
    with Store.open(path.with_name("ours.db"), write=False) as store:
        start = store.events(session)[0]
    assert isinstance(start, Start)
    origin = Origin("tau2", "file.json", 0, "a")
    name, cell = imported_ids(origin)
    events = [
        replace(start, session=name, origin=origin, user_seed=""),
        End(seq=1, at=None, ending=ending, rule=ending, why=None),
    ]
    with Store.open(path) as store:
        store.add(events, family=None, cell=cell, condition="c" * 32, arm="a" * 32)
        found = grade(Episode.from_events(events, load("telecom")))
        store.save_grade(name, found, version="2", reward=1.0, solved=True, graded=True)


@pytest.mark.parametrize(
    ("ending", "reward", "result", "words"),
    [
        ("infrastructure_error", None, "not graded", "broke, so the call has no grade"),
        ("user_stop", None, "not graded", "ended as user stop, and its reward is not known"),
        ("max_steps", 0.0, "failed", "ended as max steps, which is worth 0.0"),
    ],
)
def test_of_a_call_whose_messages_are_unknown_nothing_is_asserted(
    path: Path, ending: Ending, reward: float | None, result: str, words: str
) -> None:
    without_messages(path, ending)
    case = only(path, "origin=tau2")
    (attempt,) = attempts(case)
    assert (case.steps, attempt.steps) == (None, None)
    assert (case.official_reward, case.result) == (reward, result)
    assert (attempt.official_reward, attempt.result) == (reward, result)
    assert case.strict_reward == reward
    assert case.observed_state == {}
    assert case.official_action_checks is UNSET
    assert case.official_end_checks is UNSET
    assert case.operator_trajectory == ["The recording holds no message of the call."]
    assert words in case.evaluation_explanation
    assert "what stood at its end are not known" in case.evaluation_explanation
    assert "laid to" not in case.evaluation_explanation
    assert (case.failure is UNSET) == (ending != "infrastructure_error")
    said = record(path, "origin=tau2").boundary
    assert isinstance(said, list)
    assert "The recording holds no message of the call." in said
    assert not any("today's give" in text for text in said)


def test_an_attempt_whose_grade_was_never_stored_is_graded_from_its_events(path: Path) -> None:
    """So where a process was killed between the end of a call and its grade."""
    first = operated(path, EASY_CALL)
    second = operated(path, BEGUN, attempt=1, ending="agent_stop")
    third = operated(path, EASY_CALL, attempt=2)
    with closing(sqlite3.connect(path)) as raw, raw:
        raw.execute("DELETE FROM grades")
        raw.execute("UPDATE sessions SET grader = NULL")
    raw.close()
    with Store.open(path, write=False) as store:
        assert store.row(third).grader is None
    assert [(one.session, one.result, one.official_reward) for one in attempts(only(path))] == [
        (first, "passed", 1.0),
        (second, "failed", 0.0),
        (third, "passed", 1.0),
    ]


def test_attempts_are_graded_by_todays_checks_alike_and_not_as_the_store_has_them(
    path: Path,
) -> None:
    told = operated(path, BEGUN, ending="agent_stop")
    other = operated(path, EASY_CALL, attempt=1)
    with Store.open(path) as store:
        for session in (told, other):
            found = store.grade(session, Grade)
            assert found is not None
            store.save_grade(
                session,
                replace(found, reward=0.5),
                version="0",
                reward=0.5,
                solved=False,
                graded=True,
            )
    case = only(path)
    assert (case.session, case.official_reward) == (told, 0.0)
    assert [(one.result, one.official_reward, one.grader) for one in attempts(case)] == [
        ("failed", 0.0, UNSET),
        ("passed", 1.0, UNSET),
    ]


def test_a_reward_that_only_the_store_knows_names_the_version_of_its_checks(path: Path) -> None:
    operated(path, EASY_CALL)
    other = operated(path, BEGUN, attempt=1, ending="agent_stop")
    with Store.open(path) as store:
        version = store.row(other).grader
    with closing(sqlite3.connect(path)) as raw, raw:
        raw.execute(
            "UPDATE events SET body = x'00', coding = 0 WHERE session = "
            "(SELECT number FROM sessions WHERE id = ?)",
            [other],
        )
    raw.close()
    told, damaged = attempts(only(path))
    assert (told.grader, damaged.grader) == (UNSET, version)
    assert (damaged.result, damaged.official_reward) == ("failed", 0.0)


def test_a_call_that_was_rightly_handed_over_is_not_said_to_have_been_ended_by_the_customer_alone(
    path: Path,
) -> None:
    commands = (
        ("call", "transfer_to_human_agents", {"summary": "The SIM card is locked."}),
        ("say", "I have transferred you to a colleague. Please stay on the line."),
    )
    operated(path, Operated(LOCKED, 3, commands))
    case = only(path)
    assert (case.official_reward, case.termination_reason) == (1.0, "user_stop")
    assert (
        "The customer ended the call as handed over, which the agent had done."
        in case.evaluation_explanation
    )
    assert "The customer ended the call." not in case.evaluation_explanation


def test_a_hand_over_that_the_agent_only_spoke_of_is_not_said_to_have_been_done(
    path: Path,
) -> None:
    commands = (("say", "I have transferred you to a colleague. Please stay on the line."),)
    operated(path, Operated(LOCKED, 3, commands))
    case = only(path)
    assert case.official_reward == 0.0
    assert case.evaluation_explanation.startswith(
        "The customer ended the call as handed over, which the agent had not done, and the reward"
    )


def test_a_refused_hand_over_is_none_and_out_of_scope_is_told_as_such(path: Path) -> None:
    refused: Command = ("call", "transfer_to_human_agents", {})
    commands: tuple[Command, ...] = (refused, ("say", "You are with a colleague now."))
    for attempt, marker in enumerate(("###TRANSFER###", "###OUT-OF-SCOPE###")):
        customer = by_model(["My phone has no service.", f"Thank you. {marker}"], "off")
        operated(path, Operated(LOCKED, attempt, commands), customer)
    over, outside = record(path).cases
    assert (
        "The customer ended the call as handed over, though the agent's call for it was refused."
        in over.evaluation_explanation
    )
    assert (
        "The customer ended the call as one that its instructions do not cover"
        in outside.evaluation_explanation
    )
