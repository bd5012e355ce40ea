"""One tau2 simulation as a session of ours: who said and did what, in our events.

Every call that was answered stays a call, because a grade is made of them. Where our protocol has a
turn that the recording lacks, an empty turn of the rule ``not_recorded`` stands in for it; what has
no place as a turn is a note. The state after each call is that of our own world.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import msgspec
from msgspec import UNSET, Struct

from ringback.canonical import Json
from ringback.domain import Domain, Side, World
from ringback.episode.events import (
    AnyEvent,
    Call,
    End,
    Ending,
    Note,
    Reported,
    Result,
    Results,
    Turn,
)
from ringback.episode.intake import take_in
from ringback.episode.participants import Reply
from ringback.episode.protocol import other
from ringback.episode.wire import Usage
from ringback.formats.recording import REQUESTOR, STATE_DIFFERS
from ringback.formats.secrecy import without_secrets
from ringback.formats.tau2.pairing import answers_after, flat, paired
from ringback.formats.tau2.stated import disagreements
from ringback.formats.tau2.values import price, tokens
from ringback.formats.tau2.wire import Message, Simulation, ToolCall
from ringback.formats.values import instant, seconds

__all__ = ["ENDINGS", "NOT_RECORDED", "RAW", "TICKET", "Told", "ended", "greeting_of", "tell"]

NOT_RECORDED = "not_recorded"
"""The rule of a turn that our protocol needs and the recording lacks."""

TICKET = "ticket"
"""The rule of the first turn of a solo run: what the agent was given in place of a caller."""

RAW = "ringback_raw_arguments"
"""The name under which arguments that are no JSON object stand in a tau2 file written by us."""

ENDINGS: dict[str, Ending] = {
    "user_stop": "user_stop",
    "agent_stop": "agent_stop",
    "max_steps": "max_steps",
    "too_many_errors": "too_many_errors",
    "timeout": "timeout",
    "agent_error": "agent_error",
    "user_error": "user_error",
    "infrastructure_error": "infrastructure_error",
    "context_window_exceeded": "infrastructure_error",
    "unexpected_error": "infrastructure_error",
}
"""Their words for how a call ended, and ours. Any other word says nothing about the agent."""

_SIDES: dict[str, Side] = {"assistant": "agent", "user": "user"}


class Told(Struct):
    """What is known of the sides while their turns are told: the program, and each one's model."""

    program: str
    models: dict[Side, str | None]
    costs: bool = True


def greeting_of(messages: Sequence[Message]) -> str | None:
    """The agent's opening words, None where the recording begins otherwise."""
    if not messages:
        return None
    first = messages[0]
    if first.role == "assistant" and not first.tool_calls and isinstance(first.content, str):
        return first.content
    return None


def tell(
    messages: Sequence[Message],
    told: Told,
    domain: Domain,
    world: World | None,
    *,
    first: int,
    ticket: str | None,
) -> list[AnyEvent]:
    """The events after the start, up to the ending; `world` is played through.

    `first` is the message after the greeting. `ticket` is the first turn of a solo run, None in
    any other. Without a world the states are unknown.
    """
    return _Teller(told, domain, world).all(messages, first, ticket)


class _Teller:
    """The events so far, and who is to act."""

    def __init__(self, told: Told, domain: Domain, world: World | None) -> None:
        self._told, self._domain, self._world = told, domain, world
        self._events: list[AnyEvent] = []
        self._seq = 1
        self._next: Side = "user"

    def all(self, messages: Sequence[Message], first: int, ticket: str | None) -> list[AnyEvent]:
        if ticket is not None:
            self._add(Turn(seq=self._seq, by="user", text=ticket or None, rule=TICKET))
            self._next = "agent"
        place = first
        for greeting in messages[:first]:  # which is no reply of a model, unless it was paid for
            if self._told.costs and (greeting.cost or tokens(greeting.usage)):
                self._cost(0, "agent", greeting)
        while place < len(messages):
            message = messages[place]
            side = _SIDES.get(message.role)
            if side is None:
                for stray in flat(message):
                    why = (
                        "a result without a call" if message.role == "tool" else "not a participant"
                    )
                    self._note(place, why, stray)
                place += 1
                continue
            place += 1
            if message.tool_calls:
                place = self._calls(place - 1, side, message, messages)
            else:
                self._turn(place - 1, side, message, (), ())
                self._next = other(side)
        return self._events

    def _calls(self, place: int, side: Side, message: Message, messages: Sequence[Message]) -> int:
        """A turn of calls with its answers; returns the place after them."""
        made = message.tool_calls or []
        answers, after = answers_after(messages, place + 1)
        if not answers and after < len(messages):
            self._note(place, "calls that were never answered", message)
            if self._told.costs:
                self._cost(self._seq - 1, side, message)
            return after
        calls, results, left, strays = paired(made, answers)
        if not results:  # the recording stops before the answers
            calls, left = made, []
        by = side
        if results and any(call.requestor != message.role for call in calls):
            by = self._asked_for(place, side, message, calls, results)
        else:
            self._made(place, side, message, calls, results)
        for call in left:
            self._note(place, "a call that is never answered", call)
        for where, stray in strays:
            self._note(where, "a result without a call", stray)
        self._next = by
        return after

    def _made(
        self,
        place: int,
        side: Side,
        message: Message,
        calls: Sequence[ToolCall],
        results: Sequence[Message],
        *,
        whole: bool = True,
    ) -> None:
        given = tuple(Call(call.name, _arguments(call), _id(call.id)) for call in calls)
        reply, changed = take_in(Reply(None, given))
        turn = self._turn(place, side, message, reply.calls, changed, whole=whole)
        if results:
            self._answer(turn, results)

    def _asked_for(
        self,
        place: int,
        side: Side,
        message: Message,
        calls: Sequence[ToolCall],
        results: Sequence[Message],
    ) -> Side:
        """Calls that are not all of their message's role: a turn of each side in its order.

        Returns whose the last one is. What the message said and cost stands with the first turn of
        the message's own side, and where there is none its cost with the first.
        """
        whose: list[Side] = [_requestor(call, side) for call in calls]
        own = next((index for index, by in enumerate(whose) if by == side), None)
        first, at = True, 0
        for by, group in groupby(whose):
            size = len(list(group))
            some = slice(at, at + size)
            self._made(place, by, message, calls[some], results[some], whole=own == at)
            if by != side:
                named = calls[at].requestor
                detail: dict[str, Json] = {
                    "message": place,
                    "role": message.role,
                    "requestor": None if named is UNSET else named,
                    "calls": list(range(at, at + size)),
                }
                if own is None and first and message.content is not None:
                    detail["text"] = message.content
                self._add(Note(seq=self._seq, cause=self._seq - 1, what=REQUESTOR, detail=detail))
            if self._told.costs and own is None and first:
                self._cost(self._seq - 1, side, message)
            self._next, first, at = by, False, at + size
        return whose[-1]

    def _turn(
        self,
        place: int,
        side: Side,
        message: Message,
        calls: tuple[Call, ...],
        changed: Sequence[str],
        *,
        whole: bool = True,
    ) -> Turn:
        """The turn itself, with what is said of it; not `whole`: its calls alone."""
        content, costs = message.content if whole else None, self._told.costs
        if self._next != side:
            self._add(Turn(seq=self._seq, by=self._next, rule=NOT_RECORDED))
        turn = Turn(
            seq=self._seq,
            at=instant(message.timestamp, utc=True) if costs else None,
            by=side,
            text=content if isinstance(content, str) else None,
            calls=calls,
            seconds=seconds(message.generation_time_seconds) if whole else None,
        )
        self._add(turn)
        for what in changed:
            self._add(Note(seq=self._seq, cause=turn.seq, what="intake", detail=what))
        if content is not None and not isinstance(content, str):
            self._note(place, "content that is no text", message)
        if costs and whole:
            self._cost(turn.seq, side, message)
        return turn

    def _cost(self, cause: int, by: Side, message: Message) -> None:
        """What the reply cost; unknown where a model gave it and nothing is said."""
        usage = tokens(message.usage)
        model = self._told.models[by]
        if usage is None and not message.cost and model is None:
            return  # nothing names a model, so none may have been asked
        self._add(
            Reported(
                seq=self._seq,
                cause=cause,
                by=by,
                model=model,
                usage=usage or Usage(),
                price=price(message.cost, self._told.program),
                seconds=seconds(message.generation_time_seconds),
            )
        )

    def _answer(self, turn: Turn, answers: Sequence[Message]) -> None:
        """The recorded answers with our world's states after them, and where the two differ."""
        results: list[Result] = []
        differing: list[dict[str, Json]] = []
        for index, (call, answer) in enumerate(zip(turn.calls, answers, strict=True)):
            text, error, state = _text(answer.content), answer.error is True, ""
            if self._world is not None:
                outcome = self._world.call(turn.by, call.tool, call.arguments)
                state = self._world.digest()
                if not error and not outcome.error:
                    for what in disagreements(call.tool, text, outcome.text):
                        differing.append({"call": index, "tool": call.tool, "what": what})  # noqa: PERF401
            results.append(Result(text, state, error))
        at = instant(answers[-1].timestamp, utc=True) if self._told.costs else None
        seq = self._seq
        self._add(Results(seq=seq, at=at, turn=turn.seq, by=turn.by, results=tuple(results)))
        for detail in differing:
            self._add(Note(seq=self._seq, cause=seq, what=STATE_DIFFERS, detail=detail))

    def _note(self, place: int, why: str, what: Message | ToolCall) -> None:
        detail: dict[str, Json] = {
            "message": place,
            "why": why,
            **{
                name: value
                for name, value in without_secrets(msgspec.to_builtins(what)).items()
                if value is not None
            },
        }
        self._add(Note(seq=self._seq, cause=self._seq - 1, what="unplaced", detail=detail))

    def _add(self, event: AnyEvent) -> None:
        self._events.append(event)
        self._seq += 1


def ended(simulation: Simulation, seq: int) -> End | None:
    """The ending in our words, with theirs as its rule; None where theirs is not known."""
    reason = simulation.termination_reason
    if not isinstance(reason, str) or not reason:
        return None
    known = ENDINGS.get(reason)
    why = None
    if known is None:
        why = "The program that recorded it has a word for the ending that is not known here."
    elif known != reason:
        why = f"The program that recorded it calls the ending {reason}."
    return End(
        seq=seq,
        at=instant(simulation.end_time, utc=True),
        ending=known or "infrastructure_error",
        rule=reason,
        why=why,
    )


def _requestor(call: ToolCall, side: Side) -> Side:
    """Who made a call: whom it names, the agent where it names nobody, as with tau2.

    Where what it names is no side, which tau2 does not read, the message's own.
    """
    if call.requestor is UNSET:
        return "agent"
    return _SIDES.get(call.requestor, side) if isinstance(call.requestor, str) else side


def _arguments(call: ToolCall) -> Json:
    """As they stand; what an export of ours wrapped because their form has objects alone, bare."""
    given: Json = call.arguments
    if isinstance(given, dict) and len(given) == 1 and RAW in given:
        return given[RAW]
    return given


def _id(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "" if content is None else msgspec.json.encode(content).decode()
