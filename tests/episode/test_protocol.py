"""Turn-taking, limits and endings, without a world."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringback.episode.events import (
    AnyEvent,
    Arm,
    Call,
    Condition,
    Draw,
    End,
    Limits,
    Note,
    Result,
    Results,
    Setup,
    Start,
    Turn,
)
from ringback.episode.protocol import BEGINNING, Position, ProtocolError, advance, due

LIMITS = Limits()


def start() -> Start:
    setup = Setup("someone", "1")
    return Start(
        seq=0,
        session="0" * 16,
        condition=Condition("d", "1", "1", setup, "Hello.", "x", LIMITS),
        arm=Arm(setup, "p", "x"),
        arm_name="a",
        draw=Draw("t", 0, 0),
        user_seed="u",
        agent_seed="a",
        world="w",
        versions={},
    )


def after(*events: AnyEvent) -> Position:
    position = BEGINNING
    for event in events:
        position = advance(position, event)
    return position


def said(seq: int, by: Any, text: str | None, **more: Any) -> Turn:
    return Turn(seq=seq, by=by, text=text, **more)


def called(seq: int, by: Any, tools: int = 1, **more: Any) -> Turn:
    return Turn(seq=seq, by=by, calls=tuple(Call(f"t{n}", {}) for n in range(tools)), **more)


def answered(seq: int, turn: int, by: Any, *errors: bool) -> Results:
    return Results(
        seq=seq, turn=turn, by=by, results=tuple(Result("r", "w", error) for error in errors)
    )


def test_the_user_speaks_first_and_the_greeting_costs_no_step() -> None:
    position = after(start())
    assert (position.next, position.steps) == ("user", 0)


def test_text_passes_the_turn_and_calls_go_to_the_world_and_back() -> None:
    position = after(start(), said(1, "user", "Hi."), called(2, "agent", 2))
    assert position.next == "world"
    position = advance(position, answered(3, 2, "agent", False, True))
    assert (position.next, position.steps, position.errors) == ("agent", 3, 1)


def test_text_beside_calls_does_not_pass_the_turn_and_its_marker_ends_nothing() -> None:
    turn = Turn(seq=1, by="user", text="Bye ###STOP###", calls=(Call("t", {}),))
    position = after(start(), turn)
    assert position.next == "world"
    assert due(position, LIMITS) is None


@pytest.mark.parametrize(
    ("word", "rule"),
    [
        ("###STOP###", "stop"),
        ("###TRANSFER###", "transfer"),
        ("###OUT-OF-SCOPE###", "out_of_scope"),
    ],
)
def test_the_users_markers_end_the_call(word: str, rule: str) -> None:
    ending = due(after(start(), said(1, "user", f"Thanks. {word}")), LIMITS)
    assert ending is not None
    assert (ending.ending, ending.rule) == ("user_stop", rule)


def test_the_agent_may_stop_but_not_with_the_users_other_markers() -> None:
    opened = (start(), said(1, "user", "Hi."))
    stop = due(after(*opened, said(2, "agent", "Bye. ###STOP###")), LIMITS)
    assert stop is not None
    assert stop.ending == "agent_stop"
    moved = after(*opened, said(2, "agent", "You hear ###TRANSFER### now."))
    assert (due(moved, LIMITS), moved.next) == (None, "user")


@pytest.mark.parametrize("text", [None, "", " \n\t"])
def test_an_empty_turn_is_that_sides_error(text: str | None) -> None:
    ending = due(after(start(), said(1, "user", text)), LIMITS)
    assert ending is not None
    assert (ending.ending, ending.rule) == ("user_error", "empty_turn")


def test_limits_wait_until_a_participant_is_next() -> None:
    limits = Limits(steps=2, errors=10, seconds=1e9)
    position = after(start(), said(1, "user", "Hi."), called(2, "agent"))
    assert due(position, limits) is None
    ending = due(advance(position, answered(3, 2, "agent", False)), limits)
    assert ending is not None
    assert ending.ending == "max_steps"


def test_errors_and_the_clock_end_a_call() -> None:
    position = after(
        start(), called(1, "user", 3, seconds=2.0), answered(2, 1, "user", *[True] * 3)
    )
    by_errors = due(position, Limits(errors=3))
    by_clock = due(position, Limits(seconds=2.0))
    assert by_errors is not None
    assert by_errors.ending == "too_many_errors"
    assert by_clock is not None
    assert by_clock.ending == "timeout"


@pytest.mark.parametrize(("steps", "ending"), [(1, "max_steps"), (2, None)])
def test_the_step_limit_is_the_number_of_steps_allowed(steps: int, ending: str | None) -> None:
    found = due(after(start(), said(1, "user", "Hi.")), Limits(steps=steps))
    assert (found and found.ending) == ending


@pytest.mark.parametrize(("errors", "ending"), [(1, "too_many_errors"), (2, None)])
def test_the_error_limit_is_the_number_at_which_it_ends(errors: int, ending: str | None) -> None:
    position = after(start(), called(1, "user"), answered(2, 1, "user", True))
    found = due(position, Limits(errors=errors))
    assert (found and found.ending) == ending


@pytest.mark.parametrize(
    ("text", "rule"),
    [("###TRANSFER### or ###STOP###", "transfer"), ("###STOP### or ###TRANSFER###", "stop")],
)
def test_of_two_markers_the_first_counts(text: str, rule: str) -> None:
    found = due(after(start(), said(1, "user", text)), LIMITS)
    assert found is not None
    assert found.rule == rule


def test_a_marker_on_the_last_step_still_counts() -> None:
    position = after(start(), said(1, "user", "Done. ###STOP###"))
    ending = due(position, Limits(steps=1))
    assert ending is not None
    assert ending.ending == "user_stop"


@pytest.mark.parametrize(
    "events",
    [
        [said(0, "user", "Hi.")],
        [start(), said(1, "agent", "Hi.")],
        [start(), said(2, "user", "Hi.")],
        [start(), start()],
        [start(), answered(1, 0, "user", False)],
        [start(), called(1, "user", 2), answered(2, 1, "user", False)],
        [start(), called(1, "user"), answered(2, 1, "agent", False)],
        [start(), called(1, "user"), said(2, "user", "Hi.")],
        [start(), Note(seq=1, cause=1, what="x")],
        [start(), End(seq=1, ending="user_stop", rule="stop"), said(2, "user", "Hi.")],
    ],
)
def test_events_out_of_turn_are_refused(events: list[AnyEvent]) -> None:
    with pytest.raises(ProtocolError):
        after(*events)


@given(st.lists(st.sampled_from(["text", "calls", "note"]), max_size=40))
def test_steps_are_the_turns_and_batches_and_somebody_is_always_next(kinds: list[str]) -> None:
    position, steps = after(start()), 0
    for kind in kinds:
        side = position.next
        if side == "world":
            assert position.turn is not None
            event: AnyEvent = answered(position.seq, position.turn.seq, position.turn.by, False)
            steps += 1
        elif kind == "note":
            event = Note(seq=position.seq, cause=0, what="x")
        else:
            make = said(position.seq, side, "Hm.") if kind == "text" else called(position.seq, side)
            event, steps = make, steps + 1
        position = advance(position, event)
        assert position.next in ("agent", "user", "world")
    assert position.steps == steps
