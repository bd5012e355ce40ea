"""Whose turn it is, and when the call is over: a pure state machine without a world or a clock.

Feed it a session's events in order; `Position.next` says who acts. Turn-taking, limits and endings
are here and nowhere else.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ringback.domain import Side
from ringback.episode.events import (
    AnyEvent,
    End,
    Ending,
    Limits,
    ModelCall,
    Note,
    Nudge,
    Rejected,
    Reported,
    Results,
    Start,
    Turn,
)
from ringback.episode.markers import marker_in

__all__ = ["BEGINNING", "Due", "Position", "ProtocolError", "advance", "due", "other"]

Actor: TypeAlias = Side | Literal["world"]


class ProtocolError(ValueError):
    """An event that cannot stand where it stands."""


class Due(Struct, frozen=True):
    """An ending that the rules ask for now."""

    ending: Ending
    rule: str
    why: str | None = None


class Position(Struct, frozen=True):
    """Where a session stands after some of its events.

    `next` is who acts; None before the start and after the end. Where an ending is due (`due`), it
    is who would act without it: other programs' recordings do go on there. `steps` counts turns and
    batches of results, `errors` tool errors, `seconds` the participants' active time as far as it
    is known, of which `unanswered` went into calls of a model that never answered.
    """

    seq: int = 0
    next: Actor | None = None
    steps: int = 0
    errors: int = 0
    seconds: float = 0.0
    unanswered: float = 0.0
    turn: Turn | None = None
    closing: Due | None = None
    ended: bool = False


BEGINNING = Position()


def other(side: Side) -> Side:
    """The side across the line."""
    return "user" if side == "agent" else "agent"


def advance(position: Position, event: AnyEvent) -> Position:
    """The position after one more event; `ProtocolError` if the event is out of turn."""
    if event.seq != position.seq:
        raise ProtocolError(f"event {event.seq} stands where number {position.seq} belongs")
    if position.ended:
        raise ProtocolError(f"event {event.seq} follows the end")
    seq = position.seq + 1
    match event:
        case Start():
            if position.seq:
                raise ProtocolError(f"event {event.seq} starts a session that had started")
            return Position(seq=seq, next="user")
        case _ if position.seq == 0:
            raise ProtocolError("the first event is not a start")
        case Turn():
            if event.by != position.next:
                raise ProtocolError(f"event {event.seq} is a turn of the {event.by} out of turn")
            return _after_turn(position, event, seq)
        case Results():
            turn = position.turn
            if position.next != "world" or turn is None or turn.seq != event.turn:
                raise ProtocolError(f"event {event.seq} answers calls that are not open")
            if len(event.results) != len(turn.calls) or event.by != turn.by:
                raise ProtocolError(f"event {event.seq} does not answer each call of its turn once")
            errors = sum(result.error for result in event.results)
            return replace(
                position,
                seq=seq,
                next=turn.by,
                steps=position.steps + 1,
                errors=position.errors + errors,
                turn=None,
            )
        case ModelCall() | Reported() | Rejected() | Nudge() | Note():
            if not 0 <= event.cause < event.seq:
                raise ProtocolError(f"event {event.seq} names event {event.cause} as its cause")
            if not isinstance(event, ModelCall):
                return replace(position, seq=seq)
            active = event.answer.seconds or 0.0
            lost = active if event.answer.failure == "infrastructure" else 0.0
            return replace(
                position,
                seq=seq,
                seconds=position.seconds + active,
                unanswered=position.unanswered + lost,
            )
        case End():
            seconds = position.seconds + (event.seconds or 0.0)
            return replace(position, seq=seq, next=None, seconds=seconds, ended=True)


def _after_turn(position: Position, turn: Turn, seq: int) -> Position:
    closing: Due | None = None
    follower: Actor | None = other(turn.by)
    if turn.calls:
        follower = "world"
    elif not (turn.text and turn.text.strip()):
        error: Ending = "agent_error" if turn.by == "agent" else "user_error"
        closing = Due(error, "empty_turn", f"The {turn.by} neither spoke nor called a tool.")
    elif marker := marker_in(turn.text, turn.by):
        closing = Due("agent_stop" if turn.by == "agent" else "user_stop", marker)
    return replace(
        position,
        seq=seq,
        next=follower,
        steps=position.steps + 1,
        seconds=position.seconds + (turn.seconds or 0.0),
        turn=turn if turn.calls else None,
        closing=closing,
    )


def due(position: Position, limits: Limits) -> Due | None:
    """The ending that is due now, if any.

    A participant's own ending comes first. Limits are looked at only when the next to act is a
    participant, so that calls that were made are always answered. Where the time is over and the
    larger part of it went into calls that never came back, it was not the participants who were
    slow: that is an infrastructure error.
    """
    if position.ended:
        return None
    if position.closing:
        return position.closing
    if position.next not in ("agent", "user"):
        return None
    if limits.errors is not None and position.errors >= limits.errors:
        return Due("too_many_errors", "errors", f"{position.errors} tool errors.")
    if limits.steps is not None and position.steps >= limits.steps:
        return Due("max_steps", "steps", f"{position.steps} steps.")
    if limits.seconds is not None and position.seconds >= limits.seconds:
        if 2 * position.unanswered > position.seconds:
            why = f"A model did not answer for {position.unanswered:.1f} s, and the time was up."
            return Due("infrastructure_error", "no_answer", why)
        return Due("timeout", "clock", f"{position.seconds:.1f} s of active time.")
    return None
