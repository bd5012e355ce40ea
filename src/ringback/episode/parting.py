"""Where two sessions part: the first thing in which one conversation goes otherwise than the other.

Pure, from the events alone. Side events (what a model was asked, what its guard objected to) decide
nothing and are not compared; nor is text beside tool calls, which is not delivered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Literal, TypeAlias

from msgspec import Struct

from ringback.canonical import Json, encode
from ringback.domain import Side
from ringback.episode.events import AnyEvent, Call, End, Results, Start, Turn

__all__ = ["Move", "Parting", "PartingKind", "first_parting", "moves"]

PartingKind: TypeAlias = Literal[
    "task", "side", "speech", "text", "tool", "arguments", "result", "world", "ending"
]


class Move(Struct, frozen=True):
    """A turn with the answers to its calls. `step` is that of the turn, from 1."""

    step: int
    turn: Turn
    results: Results | None = None


class Parting(Struct, frozen=True):
    """The first difference between two sessions, ``a`` and ``b``.

    `kind`: they are of different cases (``task``), another side acts (``side``), one speaks where
    the other calls tools (``speech``), a sentence (``text``), a tool or the number of calls
    (``tool``), its ``arguments``, what it answered (``result``), the state of the ``world`` after
    it, or how or when the call ends (``ending``). `step` is the step in which it shows, 0 for the
    opening. `seq_a` and `seq_b` are the events, None where one has ended. `a` and `b` are what
    stands there in each, None for nothing; `words` says it in a sentence.
    """

    kind: PartingKind
    step: int
    seq_a: int | None
    seq_b: int | None
    a: str | None
    b: str | None
    words: str


def moves(events: Sequence[AnyEvent]) -> list[Move]:
    """The turns of a session in order, each with the answers to its calls."""
    found: list[Move] = []
    steps = 0
    for event in events:
        if isinstance(event, Turn):
            steps += 1
            found.append(Move(steps, event))
        elif isinstance(event, Results) and found:
            steps += 1
            last = found[-1]
            found[-1] = Move(last.step, last.turn, event)
    return found


def first_parting(a: Sequence[AnyEvent], b: Sequence[AnyEvent]) -> Parting | None:
    """The first difference between the sessions of these events; None where there is none.

    `ValueError` if one of them has no start.
    """
    return next(_partings(a, b), None)


def _partings(a: Sequence[AnyEvent], b: Sequence[AnyEvent]) -> Iterator[Parting]:
    yield from _openings(_start(a), _start(b))
    for one, other in zip_longest(moves(a), moves(b)):
        if one is None or other is None:
            there = one or other
            assert there is not None
            yield _ended(a, b, there, one is not None)
            return
        yield from _of_turns(one, other)
        yield from _of_answers(one, other)
    yield from _of_ends(a, b)


def _start(events: Sequence[AnyEvent]) -> Start:
    if not events or not isinstance(events[0], Start):
        raise ValueError("the first event is not a start")
    return events[0]


def _openings(a: Start, b: Start) -> Iterator[Parting]:
    cases = [f"{start.condition.domain}: {start.draw.task or 'unknown'}" for start in (a, b)]
    if cases[0] != cases[1]:
        words = "The two sessions are of different cases."
        yield Parting("task", 0, 0, 0, cases[0], cases[1], words)
    if a.world != b.world and a.world and b.world:
        words = "The same case begins in another state of the world."
        yield Parting("world", 0, 0, 0, a.world, b.world, words)
    one, other = a.condition.greeting, b.condition.greeting
    if one != other:
        yield Parting("text", 0, 0, 0, one, other, "The agent's opening words differ.")


def _of_turns(a: Move, b: Move) -> Iterator[Parting]:
    one, other = a.turn, b.turn

    def parting(kind: PartingKind, words: str, left: str | None, right: str | None) -> Parting:
        return Parting(kind, a.step, one.seq, other.seq, left, right, f"In step {a.step} {words}")

    if one.by != other.by:
        yield parting("side", "another side acts.", _who(one.by), _who(other.by))
    who = _who(one.by)
    if bool(one.calls) != bool(other.calls):
        words = f"{who} speaks in one and calls tools in the other."
        yield parting("speech", words, _said(one), _said(other))
    if not one.calls and (one.text or "") != (other.text or ""):
        yield parting("text", f"{who} says something else.", one.text, other.text)
    for left, right in zip_longest(one.calls, other.calls):
        if left is None or right is None:
            words = f"{who} makes another number of calls."
            yield parting("tool", words, _called(left), _called(right))
        elif left.tool != right.tool:
            yield parting("tool", f"{who} calls another tool.", left.tool, right.tool)
        elif _same(left.arguments) != _same(right.arguments):
            words = f"{who} calls {left.tool} with other arguments."
            yield parting("arguments", words, _called(left), _called(right))


def _of_answers(a: Move, b: Move) -> Iterator[Parting]:
    one, other = a.results, b.results
    if one is None or other is None:
        return
    step = a.step + 1

    def parting(kind: PartingKind, words: str, left: str, right: str) -> Parting:
        return Parting(kind, step, one.seq, other.seq, left, right, f"In step {step} {words}")

    for call, left, right in zip(a.turn.calls, one.results, other.results, strict=False):
        if (left.text, left.error) != (right.text, right.error):
            words = f"{call.tool} answers otherwise to the same call."
            yield parting(
                "result", words, _answer(left.text, left.error), _answer(right.text, right.error)
            )
        if left.world != right.world and left.world and right.world:
            words = f"the world is in another state after the same call of {call.tool}."
            yield parting("world", words, left.world, right.world)


def _ended(a: Sequence[AnyEvent], b: Sequence[AnyEvent], there: Move, in_a: bool) -> Parting:
    over = b if in_a else a
    how = _ending(over)
    seq = over[-1].seq if isinstance(over[-1], End) else None
    went_on = f"{_who(there.turn.by)}: {_said(there.turn)}"
    words = f"In step {there.step} one session goes on where the other is over."
    if in_a:
        return Parting("ending", there.step, there.turn.seq, seq, went_on, how, words)
    return Parting("ending", there.step, seq, there.turn.seq, how, went_on, words)


def _of_ends(a: Sequence[AnyEvent], b: Sequence[AnyEvent]) -> Iterator[Parting]:
    one, other = _ending(a), _ending(b)
    if one != other:
        steps = [_steps(events) for events in (a, b)]
        words = "The same conversation ends otherwise."
        yield Parting("ending", max(steps), a[-1].seq, b[-1].seq, one, other, words)


def _steps(events: Sequence[AnyEvent]) -> int:
    return sum(isinstance(event, Turn | Results) for event in events)


def _ending(events: Sequence[AnyEvent]) -> str:
    last = events[-1]
    return f"{last.ending}, rule {last.rule}" if isinstance(last, End) else "not ended"


def _who(side: Side) -> str:
    return "the agent" if side == "agent" else "the customer"


def _said(turn: Turn) -> str:
    return "; ".join(map(_called, turn.calls)) if turn.calls else turn.text or "(nothing)"


def _called(call: Call | None) -> str:
    if call is None:
        return "(no call)"
    if not isinstance(call.arguments, dict):
        return f"{call.tool}({_json(call.arguments)})"
    inside = ", ".join(f"{name}={_json(value)}" for name, value in call.arguments.items())
    return f"{call.tool}({inside})"


def _json(value: Json) -> str:
    try:
        return encode(value).decode()
    except (TypeError, UnicodeEncodeError):
        return repr(value)


def _same(arguments: Json) -> bytes:
    """Arguments as they are compared: numbers canonical, the order of keys ignored."""
    try:
        return encode(arguments)
    except (TypeError, UnicodeEncodeError):
        return repr(arguments).encode()


def _answer(text: str, error: bool) -> str:
    return f"an error: {text}" if error else text
