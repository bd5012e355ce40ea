"""What of a record was real: every sentence a stored fact, and nothing said that is not stored."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from ringback.episode.events import Forked, Limits, Note, Setup, Start
from ringback.grading.grade import Grade
from ringback.record.making import make_record
from ringback.sessions import Probe, Store, parse_selection
from tests.record.recorded import NAME, by_model, operated
from tests.record.reenacted import CALLS, HARD_INVERTED, INVERTING, Command

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
        "Credentials that were tried, as noted in the store: the key of "
        "anthropic:claude-haiku-4-5 was refused with HTTP 401 on 2026-11-30; the key of "
        "openai:gpt-5.2 was missing (OPENAI_API_KEY is not set) on 2026-11-30. None of "
        "them was accepted."
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
        "The customer was the simulator rules, version 4; the record holds no model call of its "
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


INVERTED = "How can I help you today?"


def cut_off(path: Path, *, inverted: int, steps: int) -> str:
    """A call that its limit cut off; each inversion was answered by a call, and took one step."""
    looked: Command = ("call", "get_details_by_id", {"id": "L1002"})
    asked: tuple[Command, ...] = (("say", "Which phone number is it about?"), looked)
    replies = ["Hello, it does not work.", *[INVERTED] * inverted]
    rest = (looked,) * ((steps - 1 - 4 * inverted) // 2)
    commands = (*asked * inverted, *rest, *([asked[0]] if steps % 2 == 0 else []))
    operated(
        path,
        replace(CALLS["easy"], commands=commands),
        by_model(replies, "off"),
        limits=Limits(steps=steps),
    )
    (found,) = [text for text in boundary(path) if "spoke as if it were the agent" in text]
    return found


@pytest.mark.parametrize(
    ("inverted", "steps", "bore"),
    [(1, 7, False), (2, 11, False), (3, 29, True), (3, 30, True), (3, 31, False)],
)
def test_inverted_roles_bore_on_a_call_only_if_they_were_several_and_took_a_tenth(
    path: Path, inverted: int, steps: int, bore: bool
) -> None:
    found = cut_off(path, inverted=inverted, steps=steps)
    assert f"which took {inverted} of the {steps} steps that were made" in found
    assert ("this materially affected the call, which a limit cut off" in found) is bore


@pytest.mark.parametrize(
    ("guard", "words"),
    [
        ("off", "The customer's replies were taken as they came: its guard was off."),
        (
            "record",
            "The customer's guard noted what it objected to and let every reply through.",
        ),
        (
            "correct",
            "The customer's guard asked it again where it objected to a reply, up to 2 times a "
            "turn.",
        ),
    ],
)
def test_what_the_guard_of_the_customer_did_is_said(path: Path, guard: str, words: str) -> None:
    call = replace(CALLS["easy"], commands=())
    operated(path, call, by_model(["Hello."], guard), ending="abandoned")
    assert [text for text in boundary(path) if "guard" in text] == [words]


def test_a_reply_that_no_record_can_hold_is_said_to_have_been_changed(path: Path) -> None:
    commands = (("say", "Which \ud800 number?"), ("say", "Which \udfff number is it about?"))
    operated(path, replace(CALLS["easy"], commands=commands), ending="abandoned")
    assert "In 2 places a reply held what no record can, and was changed." in boundary(path)


def test_states_that_do_not_come_out_today_are_said(path: Path) -> None:
    session = operated(path.with_name("then.db"), CALLS["easy"])
    with Store.open(path.with_name("then.db"), write=False) as store:
        start, *rest = store.events(session)
    assert isinstance(start, Start)
    with Store.open(path) as store:
        opened = replace(start, world="0" * len(start.world))
        *rest, end = rest
        note = Note(seq=end.seq, at=None, cause=0, what="something else", detail="of theirs")
        events = [opened, *rest, note, replace(end, seq=end.seq + 1)]
        store.add(events, family=None, cell="c" * 16, condition="c", arm="a")
    assert not any("no record can" in text for text in boundary(path))
    assert "In 1 place the recorded states do not come out in today's world." in boundary(path)


def test_of_a_call_without_faults_none_is_told(path: Path) -> None:
    operated(path, CALLS["easy"])
    said = "\n".join(boundary(path))
    for words in ("do not come out", "no record can", "guard", "came back", "spoke as", "no reply"):
        assert words not in said


def test_limits_are_named_in_the_singular_and_the_plural(path: Path) -> None:
    call = replace(CALLS["easy"], commands=())
    operated(path, call, limits=Limits(errors=1, seconds=60.0), ending="abandoned")
    assert "A call is cut off at 100 steps, at 1 tool error, at 60 s of measured time." in boundary(
        path
    )
    operated(path, replace(call, seed=5), ending="abandoned")
    assert any("at 100 steps, at 10 tool errors, at 1200 s" in text for text in boundary(path))


def test_other_attempts_are_told_of_several_cases_as_of_several(path: Path) -> None:
    begun = replace(CALLS["easy"], commands=())
    for seed in (1, 2):
        operated(path, replace(begun, seed=seed), ending="abandoned")
    assert "Each is the only attempt at its case in the store." in boundary(path)
    for seed in (1, 2):
        operated(path, replace(begun, seed=seed), agent=Setup("other", "1", {}), ending="timeout")
    said = boundary(path)
    assert "Each is the only operated attempt at its case in the store." in said
    assert (
        "The store holds 1 session of other agents at the task and seed of each, which is not "
        "listed: 1 of other." in said
    )
    for seed in (1, 2):
        operated(path, replace(begun, seed=seed), attempt=1, ending="abandoned")
    assert (
        "There is 1 other attempt at each of these cases in the store, under whatever operator's "
        "name: 1 abandoned." in boundary(path)
    )


@pytest.mark.parametrize(
    ("cases", "names"),
    [
        (6, "Easy, easy-2, easy-3, easy-4, easy-5 and easy-6: "),
        (8, "Easy, easy-2, easy-3, easy-4, easy-5 and 3 more: "),
    ],
)
def test_of_many_cases_the_first_are_named_and_the_rest_counted(
    path: Path, cases: int, names: str
) -> None:
    begun = replace(CALLS["easy"], commands=())
    for seed in range(cases):
        operated(path, replace(begun, seed=seed), ending="abandoned")
    operated(path, replace(begun, seed=99), limits=Limits(steps=50), ending="abandoned")
    (found,) = [text for text in boundary(path) if "at 100 steps" in text]
    assert found == f"{names}a call is cut off at 100 steps, at 10 tool errors, at 1200 s of " + (
        "measured time."
    )


def test_of_many_other_agents_the_most_frequent_are_named_and_the_rest_counted(
    path: Path,
) -> None:
    begun = replace(CALLS["easy"], commands=())
    operated(path, begun, ending="abandoned")
    for number in range(8):
        for attempt in range(2 if number < 6 else 1):
            agent = Setup(f"agent-{number}", "1", {})
            operated(path, begun, agent=agent, attempt=attempt, ending="timeout")
    (found,) = [text for text in boundary(path) if "of other agents" in text]
    assert found.startswith("The store holds 14 sessions of other agents at the same task and seed")
    assert "2 of agent-5 and 2 of further agents." in found
    assert "agent-6" not in found


@pytest.mark.parametrize(("conditions", "more"), [(6, None), (8, "2 more")])
def test_of_many_conditions_the_first_are_named_and_the_rest_counted(
    path: Path, conditions: int, more: str | None
) -> None:
    for number in range(conditions):
        call = replace(CALLS["easy"], commands=(), seed=number)
        operated(path, call, limits=Limits(steps=50 + number), ending="abandoned")
    with Store.open(path, write=False) as store:
        commit = make_record(store, parse_selection([])).record.source_commit
        known = sorted(row.condition[:12] for row in store.rows(parse_selection([])))
    named = [*known[:6], *([more] if more else [])]
    assert commit.endswith(f"condition {', '.join(named[:-1])} and {named[-1]}")


@pytest.mark.parametrize(
    ("last", "why"),
    [
        ("###STOP###", "was all that was said then, so the customer was given nothing more."),
        ("Goodbye. ###STOP###", "was taken out of what the customer was given."),
    ],
)
def test_of_a_marker_is_said_whether_anything_was_given_beside_it(
    path: Path, last: str, why: str
) -> None:
    commands: tuple[Command, ...] = (*CALLS["easy"].commands[:1], ("say", last))
    operated(path, replace(CALLS["easy"], commands=commands))
    assert f"The marker with which the agent ended the call {why}" in boundary(path)
