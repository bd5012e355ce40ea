"""Where two sessions part: the first difference, by its kind, its step and what stands there."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from ringback.episode.episode import Episode
from ringback.episode.events import AnyEvent, Call, Note, Results, Start, Turn
from ringback.episode.participants import Reply
from ringback.episode.parting import first_parting, moves
from tests.report.calls import TASK, TELECOM, call, played, repair

HELLO = Reply("My mobile data does not work.")
LOOK = call("get_customer_by_phone", phone_number="555-123-2002")


def test_a_session_does_not_part_from_itself_nor_from_its_repetition() -> None:
    assert first_parting(repair(), repair()) is None


@pytest.mark.parametrize(
    ("one", "other", "kind", "step", "shown"),
    [
        ([HELLO], [Reply("Hello?")], "text", 1, ("My mobile data does not work.", "Hello?")),
        ([HELLO], [call("toggle_data")], "speech", 1, (HELLO.text, "toggle_data()")),
        (
            [HELLO, LOOK],
            [HELLO, call("get_customer_by_id", customer_id="C1001")],
            "tool",
            2,
            ("get_customer_by_phone", "get_customer_by_id"),
        ),
        (
            [HELLO, LOOK],
            [HELLO, call("get_customer_by_phone", phone_number="1")],
            "arguments",
            2,
            (
                'get_customer_by_phone(phone_number="555-123-2002")',
                'get_customer_by_phone(phone_number="1")',
            ),
        ),
        (
            [HELLO, LOOK],
            [HELLO, Reply(calls=(*LOOK.calls, *LOOK.calls))],
            "tool",
            2,
            ("(no call)", 'get_customer_by_phone(phone_number="555-123-2002")'),
        ),
        ([HELLO, LOOK], [HELLO], "ending", 2, (None, "not ended")),
        (
            [HELLO, Reply("Bye. ###STOP###")],
            [HELLO, Reply("Bye. ###STOP###")],
            None,
            0,
            ("", ""),
        ),
    ],
)
def test_the_first_difference_is_named(
    one: Sequence[Reply],
    other: Sequence[Reply],
    kind: str | None,
    step: int,
    shown: tuple[str | None, str],
) -> None:
    a, b = played(one), played(other)
    found, mirrored = first_parting(a, b), first_parting(b, a)
    if kind is None:
        assert found is None
        return
    assert found is not None
    assert mirrored is not None
    assert (found.kind, found.step) == (kind, step)
    assert found.b is not None
    if shown[0] is not None and kind != "tool":
        assert (found.a, found.b) == shown
    assert {found.a, found.b} >= {word for word in shown if word is not None}
    assert (mirrored.kind, mirrored.step) == (kind, step)
    assert (mirrored.a, mirrored.b) == (found.b, found.a)
    assert (mirrored.seq_a, mirrored.seq_b) == (found.seq_b, found.seq_a)


def test_numbers_keys_and_ids_of_calls_are_no_difference() -> None:
    one = Reply(calls=(Call("refuel_data", {"gb_amount": 2, "line_id": "L1002"}, "x"),))
    other = Reply(calls=(Call("refuel_data", {"line_id": "L1002", "gb_amount": 2.0}, "y"),))
    assert first_parting(played([HELLO, one]), played([HELLO, other])) is None


def test_what_is_no_move_is_not_compared() -> None:
    events = played([HELLO, Reply("Undelivered.", LOOK.calls)])
    noted = [*events, Note(seq=len(events), cause=0, what="remark")]
    assert first_parting(noted, played([HELLO, LOOK])) is None


def test_answers_are_compared_by_their_words_and_then_by_the_world() -> None:
    events = played([HELLO, LOOK])
    for change, kind in (({"text": "No."}, "result"), ({"world": "0" * 32}, "world")):
        changed: list[AnyEvent] = [
            replace(event, results=(replace(event.results[0], **change),))
            if isinstance(event, Results)
            else event
            for event in events
        ]
        found = first_parting(events, changed)
        assert found is not None
        assert (found.kind, found.step) == (kind, 3)


def test_other_cases_are_said_before_anything_else() -> None:
    other = played([Reply("Hi")], task="[service_issue]airplane_mode_on[PERSONA:None]")
    found = first_parting(played([HELLO]), other)
    assert found is not None
    assert (found.kind, found.step, found.a) == ("task", 0, f"telecom: {TASK}")


def test_an_ending_that_differs_is_the_last_thing_compared() -> None:
    events = played([HELLO])
    one, other = (Episode.from_events(events, TELECOM) for _ in range(2))
    one.finish("timeout", "clock")
    other.finish("agent_error", "exception")
    found = first_parting(one.events, other.events)
    assert found is not None
    assert (found.kind, found.a) == ("ending", "timeout, rule clock")


def test_moves_number_their_steps_as_transcripts_do() -> None:
    assert [move.step for move in moves(repair())] == [1, 2, 4, 6, 8, 9, 11, 12, 14, 15, 17]


def test_a_session_must_begin_with_a_start() -> None:
    events = repair()
    assert isinstance(events[0], Start)
    assert isinstance(events[1], Turn)
    with pytest.raises(ValueError, match="start"):
        first_parting(events[1:], events)
