"""What a transcript says of a session, and that it says it of any beginning of one."""

from __future__ import annotations

import msgspec
import pytest

from ringback.episode.events import Call, End, Note, Results, Start, Turn
from ringback.episode.participants import Reply
from ringback.errors import InputError
from ringback.report.transcript import Change, Transcript, transcript
from tests.lamp import LAMP
from tests.report.calls import TELECOM, call, played, repair


def test_a_call_is_told_turn_by_turn() -> None:
    told = transcript(repair(), TELECOM)
    assert [row.kind for row in told.rows[:3]] == ["greeting", "said", "called"]
    assert [row.side for row in told.rows[:3]] == ["agent", "user", "agent"]
    assert told.rows[0].text == TELECOM.greeting
    assert told.rows[0].step is None
    assert [(row.step, row.answer_step) for row in told.rows[1:4]] == [(1, None), (2, 3), (4, 5)]
    assert told.steps == 17
    assert told.errors == 1
    assert told.end is not None
    assert (told.end.ending, told.end.rule) == ("user_stop", "stop")


def test_the_answers_stand_with_their_calls() -> None:
    told = transcript(repair(), TELECOM)
    look_up, mistake = told.rows[2].deeds[0], told.rows[3].deeds[0]
    assert look_up.tool == "get_customer_by_phone"
    assert look_up.arguments == {"phone_number": "555-123-2002"}
    assert look_up.result is not None
    assert '"C1001"' in look_up.result
    assert not look_up.error
    assert mistake.error
    assert mistake.changes == ()


def test_what_changed_stands_where_it_changed() -> None:
    told = transcript(repair(), TELECOM)
    changed = {row.deeds[0].tool: row.deeds[0].changes for row in told.rows if row.deeds}
    assert changed["get_customer_by_phone"] == ()
    airplane, refuel = changed["toggle_airplane_mode"], changed["refuel_data"]
    assert airplane is not None
    assert Change("phone.airplane_mode", "true", "false") in airplane
    assert refuel is not None
    assert Change("line.L1002.data_refueling_gb", "0.0", "2.0") in refuel


def test_the_grade_and_its_checks_are_there() -> None:
    told = transcript(repair(), TELECOM)
    assert told.grade is not None
    assert told.grade.solved
    assert {check.name for check in told.grade.verdict.end} >= {"assert_mobile_data_status"}
    assert all(check.met for check in told.grade.verdict.actions)


def test_any_beginning_of_a_session_can_be_told() -> None:
    events = repair()
    for length in range(1, len(events)):
        told = transcript(events[:length], TELECOM)
        assert told.end is None
        assert told.grade is None
        assert any("has not ended" in remark for remark in told.remarks)


def test_a_call_that_was_never_answered_says_so() -> None:
    events = repair()
    cut = next(place for place, event in enumerate(events) if isinstance(event, Results))
    told = transcript(events[:cut], TELECOM)
    assert told.rows[-1].deeds[0].result is None
    assert told.rows[-1].deeds[0].changes is None


def test_no_start_is_the_users_mistake() -> None:
    with pytest.raises(InputError, match="no start"):
        transcript([], TELECOM)
    with pytest.raises(InputError, match="no start"):
        transcript(repair()[1:], TELECOM)


def test_an_unknown_task_still_shows_the_conversation() -> None:
    events = repair()
    assert isinstance(events[0], Start)
    draw = msgspec.structs.replace(events[0].draw, task="somebody else's task")
    told = transcript([msgspec.structs.replace(events[0], draw=draw), *events[1:]], TELECOM)
    assert told.task is None
    assert told.grade is None
    assert len(told.rows) == len(transcript(events, TELECOM).rows)
    assert told.rows[2].deeds[0].changes is None
    assert "no task of this id" in told.remarks[0]


def test_events_out_of_turn_still_show_the_conversation() -> None:
    events = repair()
    told = transcript([events[0], *events[2:]], TELECOM)
    assert told.grade is None
    assert "do not make a session" in told.remarks[0]
    assert told.rows[-1].text is not None


def test_another_worlds_record_is_marked() -> None:
    events = [
        msgspec.structs.replace(
            event,
            results=tuple(
                msgspec.structs.replace(result, world="0" * 32) for result in event.results
            ),
        )
        if isinstance(event, Results)
        else event
        for event in repair()
    ]
    told = transcript(events, TELECOM)
    assert any("this version of the world" in remark for remark in told.remarks)
    differs = told.rows[2].deeds[0].differs
    assert differs is not None
    assert "0" * 32 in differs


def test_notes_stand_with_what_caused_them() -> None:
    events = played(
        [
            Reply("Hello \ud800 there"),
            Reply(calls=(Call("get_details_by_id", {"id": float("nan")}),)),
            Reply("Sorry."),
        ]
    )
    assert any(isinstance(event, Note) for event in events)
    told = transcript(events, TELECOM)
    assert "surrogate" in told.rows[1].notes[0]
    assert "not finite" in told.rows[2].notes[0]


def test_text_beside_calls_is_told_as_not_delivered() -> None:
    told = transcript(
        played([Reply("Hi"), Reply("Let me look.", (Call("get_details_by_id", {"id": "L1002"}),))]),
        TELECOM,
    )
    assert told.rows[2].silent
    assert told.rows[2].text == "Let me look."


def test_conduct_stands_with_the_turn_it_is_about() -> None:
    told = transcript(
        played(
            [
                Reply("Hi"),
                call("suspend_line", customer_id="C1001", line_id="L1001", reason="?"),
                Reply("Done. ###STOP###"),
            ]
        ),
        TELECOM,
    )
    assert told.grade is not None
    assert told.grade.verdict.conduct
    assert told.rows[2].conduct == told.grade.verdict.conduct


def test_an_empty_turn_is_told() -> None:
    events = played([Reply("")])
    assert isinstance(events[-1], End)
    told = transcript(events, TELECOM)
    assert told.rows[1].kind == "said"
    assert told.end is not None
    assert told.end.ending == "user_error"


def test_equal_events_give_equal_transcripts() -> None:
    assert transcript(repair(), TELECOM) == transcript(repair(), TELECOM)


def test_each_turn_is_a_row() -> None:
    told: Transcript = transcript(repair(), TELECOM)
    turns = [event for event in repair() if isinstance(event, Turn)]
    assert len(told.rows) == len(turns) + 1


def test_the_grade_of_the_record_is_shown_as_it_stands() -> None:
    events = repair()
    fresh = transcript(events, TELECOM)
    assert fresh.grade is not None
    assert "graded for this transcript" in " ".join(fresh.remarks)
    older = msgspec.structs.replace(fresh.grade, reward=0.0, solved=False)
    told = transcript(events, TELECOM, older)
    assert told.grade is older
    assert told.remarks == ()


def test_the_grade_of_the_record_is_shown_where_the_world_does_not_know_the_task() -> None:
    stored = transcript(repair(), TELECOM).grade
    assert stored is not None
    told = transcript(repair(), LAMP, stored)
    assert told.grade is stored
    assert "no grade" not in " ".join(told.remarks)
