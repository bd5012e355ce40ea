"""What of a record was real: every sentence a stored fact, and nothing said that is not stored."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from ringback.episode.events import Forked, Start
from ringback.grading.grade import Grade
from ringback.record.making import make_record
from ringback.sessions import Probe, Store, parse_selection
from tests.record.recorded import NAME, by_model, operated
from tests.record.reenacted import CALLS, HARD_INVERTED, INVERTING

DAY = 1_796_000_000.0
"""In November 2026."""


def boundary(path: Path, *probes: Probe) -> list[str]:
    with Store.open(path) as store:
        for probe in probes:
            store.note_probe(probe)
        found = make_record(store, parse_selection([])).record
    assert isinstance(found.boundary, list)
    assert found.compatibility_boundary == " ".join(found.boundary)
    return found.boundary


def test_credentials_that_were_missing_or_refused_are_said_the_last_try_of_each(
    path: Path,
) -> None:
    operated(path, CALLS["easy"])
    said = boundary(
        path,
        Probe(DAY, "openai:gpt-5.2", "accepted"),
        Probe(DAY, "openai:gpt-5.2", "missing", None, "OPENAI_API_KEY is not set"),
        Probe(DAY, "anthropic:claude-haiku-4-5", "refused", 401, "HTTP 401: no such key"),
    )
    assert said[0] == (
        "Credentials that were tried, as noted in the store: anthropic:claude-haiku-4-5 was "
        "refused with HTTP 401 on 2026-11-30; openai:gpt-5.2 was missing (OPENAI_API_KEY is not "
        "set) on 2026-11-30. None of them was accepted."
    )


def test_a_credential_that_was_accepted_is_not_said_to_be_missing(path: Path) -> None:
    operated(path, CALLS["easy"])
    said = boundary(path, Probe(DAY, "ours", "refused", 403), Probe(DAY, "ours", "accepted"))
    assert "ours was accepted" in said[0]
    assert "None of them" not in said[0]


def test_where_nothing_was_tried_nothing_is_said_of_credentials(path: Path) -> None:
    operated(path, CALLS["easy"])
    assert not any("redential" in text for text in boundary(path))


def test_who_took_part_and_by_which_door_is_said_of_each_side(path: Path) -> None:
    operated(path, CALLS["easy"])
    said = boundary(path)
    assert (
        f"The support agent's side was operated turn by turn by {NAME} through the shell; on that "
        "side no model was asked by Ringback." in said
    )
    assert (
        "The customer was the simulator rules, version 3; the record holds no model call of its "
        "side." in said
    )
    assert "The time that the agent's side took was not measured and does not count." in said
    assert any(text.startswith("The marker with which the customer ended") for text in said)


def test_what_holds_of_some_cases_names_them_and_what_holds_of_all_stands_once(
    path: Path,
) -> None:
    operated(path, CALLS["easy"])
    operated(path, CALLS["medium"])
    operated(path, replace(CALLS["hard"], commands=HARD_INVERTED), by_model(INVERTING, "record"))
    said = boundary(path)
    whole = "\n".join(said)
    assert sum("was operated turn by turn" in text for text in said) == 1
    assert "Easy and medium: the customer was the simulator rules" in whole
    assert "Hard: the customer was the model script:in-process, asked 44 times for $0" in whole
    assert "Hard: the customer's guard noted what it objected to" in whole
    assert (
        "Hard: in 13 turns the customer spoke as if it were the agent, which took 26 of the 100 "
        "steps that were made: this materially affected the call, which a limit cut off." in said
    )
    assert "Hard: the guard objected to 13 replies of the customer (roles_inverted 13): 13" in whole
    assert "Medium: 1 call of the agent came back with an error (get_line_by_id 1)." in said


def test_a_call_that_came_to_its_end_is_not_said_to_have_suffered(path: Path) -> None:
    replies = [*INVERTING[:3], "How can I help you today?", "Thank you. Goodbye. ###STOP###"]
    commands = [
        ("say", "Which phone number is it about?"),
        ("say", "Please run can_send_mms."),
        ("say", "And now?"),
    ]
    operated(path, replace(CALLS["hard"], commands=tuple(commands)), by_model(replies, "off"))
    said = "\n".join(boundary(path))
    assert "In 1 turn the customer spoke as if it were the agent" in said
    assert "materially" not in said
    assert "guard was off" in said


def test_a_goodbye_that_was_given_its_marker_is_said(path: Path) -> None:
    replies = ["Hello, it does not work.", "Thank you for your help, goodbye!"]
    commands = (("say", "It works again now. Goodbye, and have a good day."),)
    operated(path, replace(CALLS["easy"], commands=commands), by_model(replies, "record"))
    said = "\n".join(boundary(path))
    assert "a clear goodbye without its marker was given ###STOP###" in said
    assert "the guard objected" not in said.lower()


def test_an_inversion_that_was_answered_by_a_call_took_its_own_step_alone(path: Path) -> None:
    replies = ["Hello, it does not work.", "How can I help you today?", "Goodbye. ###STOP###"]
    commands = (
        ("say", "Which phone number is it about?"),
        ("call", "get_customer_by_phone", {"phone_number": "555-123-2002"}),
        ("say", "Which number is it about?"),
    )
    operated(path, replace(CALLS["easy"], commands=commands), by_model(replies, "off"))
    assert any("which took 1 of the 7 steps" in text for text in boundary(path))


def test_a_stored_reward_that_todays_checks_do_not_give_is_said(path: Path) -> None:
    session = operated(path, CALLS["easy"])
    with Store.open(path) as store:
        found = store.grade(session, Grade)
        assert found is not None
        other = replace(found, reward=0.0)
        store.save_grade(session, other, version="2", reward=0.0, solved=False, graded=True)
    said = boundary(path)
    assert "The store holds the reward 0.0 by the checks of version 2; today's give 1.0." in said


def test_a_call_that_goes_on_from_another_or_replays_one_says_so(path: Path) -> None:
    session = operated(path, CALLS["easy"])
    with Store.open(path) as store:
        start, *rest = store.events(session)
        assert isinstance(start, Start)
        for place, changed in enumerate(
            (
                replace(start, parent=session),
                replace(start, condition=replace(start.condition, forked=Forked(session, 5))),
            )
        ):
            name = f"{place}" * 16
            opened = replace(changed, session=name, attempt=place + 1)
            store.add([opened, *rest], family=None, cell=name, condition="c", arm="a")
        for name, words in (
            ("0" * 16, f"The call replays session {session}."),
            ("1" * 16, f"The call goes on from session {session}, of which it has the events"),
        ):
            (case,) = [make_record(store, parse_selection([name])).record]
            assert words in case.compatibility_boundary
