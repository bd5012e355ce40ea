"""The loop around an episode: asks whoever is to act, and commits what it answers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Protocol

import msgspec

from ringback.domain import Side
from ringback.episode.episode import Episode
from ringback.episode.events import AnyEvent, Call, End, Ending, ModelCall, Nudge, Rejected
from ringback.episode.participants import (
    Aside,
    InfrastructureFailure,
    Participant,
    ParticipantFailure,
    Reply,
    View,
)
from ringback.episode.protocol import ProtocolError
from ringback.episode.seeds import Stream
from ringback.errors import RingbackError

__all__ = ["Clock", "Commit", "SystemClock", "play", "play_on"]

Commit = Callable[[Sequence[AnyEvent], Mapping[str, str]], Awaitable[None] | None]

_MOST_ASIDES = 1000
"""Side events before a turn; whoever needs more is taken never to come to one."""


class Clock(Protocol):
    """Time as the record knows it."""

    def now(self) -> float:
        """Unix seconds, for the events' timestamps."""
        ...

    def monotonic(self) -> float:
        """Seconds that only grow, for active time."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> float:
        """Unix seconds."""
        return time.time()

    def monotonic(self) -> float:
        """Seconds since some fixed moment."""
        return time.perf_counter()


async def play(
    episode: Episode,
    agent: Participant,
    user: Participant,
    commit: Commit,
    clock: Clock | None = None,
) -> End:
    """Play an episode to its end, from wherever it stands.

    `commit` gets the new events of each turn, and the contents that they name by digest, before
    anyone acts on them; where it returns something to await, that is awaited first. What it raises
    stops the episode where it was. A participant that raises
    ends the episode as its side's error, an `InfrastructureFailure` as an infrastructure error.
    The clock of the limits runs inside a participant's turn too, unless it `keeps_time` itself.
    """
    end = await play_on(episode, {"agent": agent, "user": user}, commit, clock)
    assert end is not None
    return end


async def play_on(
    episode: Episode,
    sides: Mapping[Side, Participant],
    commit: Commit,
    clock: Clock | None = None,
) -> End | None:
    """Play an episode on for as long as a side that is here is to act.

    Returns the end, or None where it is the turn of a side that is not here: its reply comes from
    elsewhere, through `Episode.take`. All else is as in `play`.
    """
    clock = clock or SystemClock()
    seeds = {"agent": episode.start.agent_seed, "user": episode.start.user_seed}
    if fresh := episode.settle(at=clock.now()) if episode.end is None else ():
        await _kept(commit(fresh, {}))
    while episode.end is None:
        side = episode.position.next
        if side not in ("agent", "user"):
            raise ProtocolError("nobody is to act and no ending is due")
        if side not in sides:
            return None
        await _kept(commit(*await _turn(episode, side, sides[side], seeds[side], clock)))
    return episode.end


async def _kept(committing: Awaitable[None] | None) -> None:
    if committing is not None:
        await committing


async def _turn(
    episode: Episode, side: Side, participant: Participant, seed: str, clock: Clock
) -> tuple[Sequence[AnyEvent], Mapping[str, str]]:
    view = episode.view(side)
    began = clock.monotonic()
    error: Ending = "agent_error" if side == "agent" else "user_error"
    # Who asks models waits in queues too, which is nobody's time: its calls have their own limit.
    keeps_time = getattr(participant, "keeps_time", False) is True
    deadline = asyncio.timeout(None if keeps_time else view.seconds_left)

    def end(ending: Ending, rule: str, why: str) -> Sequence[AnyEvent]:
        spent = clock.monotonic() - began
        return episode.finish(ending, rule, why, seconds=spent, at=clock.now())

    try:
        async with deadline:
            reply = await participant.act(view, Stream(seed, episode.position.steps))
        _check(reply, view)
    except TimeoutError as problem:
        if deadline.expired():
            why = f"The {side} had not answered when the episode's time was up."
            return end("timeout", "clock", why), {}
        return end(error, "exception", _spell(problem)), {}
    except InfrastructureFailure as problem:
        return end("infrastructure_error", "failure", _words(problem)), {}
    except ParticipantFailure as problem:
        return end(error, problem.rule, _words(problem)), {}
    except RingbackError:
        raise
    except asyncio.CancelledError as problem:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        # Nobody cancelled us: a client library let its own cancellation out.
        return end(error, "exception", _spell(problem)), {}
    except Exception as problem:  # noqa: BLE001 - a participant is foreign code
        return end(error, "exception", _spell(problem)), {}
    if isinstance(reply, Aside):
        return episode.note(reply, at=clock.now()), reply.contents
    return episode.take(reply, seconds=clock.monotonic() - began, at=clock.now()), {}


def _check(reply: object, view: View) -> None:
    """Hold foreign code to its promise before its answer touches the record."""
    try:
        if isinstance(reply, Aside):
            _check_aside(reply, view)
            return
        if not isinstance(reply, Reply):
            raise TypeError(f"a {type(reply).__name__} is no reply")
        msgspec.convert((reply.text, reply.rule), tuple[str | None, str | None])
        for call in msgspec.convert(list(reply.calls), list[Call]):
            msgspec.convert((call.tool, call.id), tuple[str, str | None])
    except (TypeError, ValueError, OverflowError, RecursionError, msgspec.MsgspecError) as problem:
        raise ParticipantFailure("bad_reply", f"What it answered is no reply: {problem}") from None


def _check_aside(aside: Aside, view: View) -> None:
    """Whether these are side events that can stand next in the record, each of them whole."""
    if not aside.events:
        raise ValueError("an aside without an event")
    for seq, event in enumerate(aside.events, view.seq):
        kind = type(event)
        if kind not in _SIDE_EVENTS:
            raise TypeError(f"a {kind.__name__} in an aside")
        msgspec.json.decode(msgspec.json.encode(event), type=kind)
        if event.seq != seq or not 0 <= event.cause < seq:
            raise ValueError(f"event {event.seq}, caused by {event.cause}, where {seq} is next")
        if event.by != view.side:
            raise ValueError(f"an event of the {event.by} in an aside of the {view.side}")
    msgspec.json.encode(msgspec.convert(aside.contents, dict[str, str]))
    before = 0
    while before < len(view.events) and type(view.events[-1 - before]) in _SIDE_EVENTS:
        before += 1
    if before + len(aside.events) > _MOST_ASIDES:
        raise ValueError(f"more than {_MOST_ASIDES:,} side events and still no turn")


_SIDE_EVENTS = (ModelCall, Rejected, Nudge)


def _spell(problem: BaseException) -> str:
    return f"{type(problem).__name__}: {_words(problem)}"


def _words(problem: BaseException) -> str:
    try:
        return str(problem)[:2000]
    except Exception:  # noqa: BLE001 - foreign code again
        return "(it cannot be put in words)"
