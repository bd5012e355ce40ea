"""How often the customer `rules` does what the customer of a recorded call did.

The measure counts turns: those in which an agent's text is directly followed by a tool call of the
user's side. `rules` is put where that user stood and hears the same text. It counts as the same if
the first thing it does is among the calls that the recorded user makes before it speaks again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ringback.domain import Did, Domain, Happening, Outcome
from ringback.domains import load
from ringback.episode.episode import Episode
from ringback.episode.events import AnyEvent, Call, Result, Results, Start, Turn
from ringback.episode.participants import Participant, Reply, UserBrief, View
from ringback.episode.protocol import ProtocolError
from ringback.episode.seeds import Stream
from ringback.formats import tau2
from ringback.formats.recording import Skipped
from ringback.users import open_user

__all__ = ["DOMAIN", "Compared", "agreement", "compare"]

DOMAIN = "telecom"
"""The domain whose callers have a phone of their own; in a solo run nobody is on the line."""


class Compared(Struct, frozen=True):
    """One turn: what was heard, what the recorded user then did, what `rules` does.

    `source` and `place` are the recording's, `seq` is the event at which the user acts. `recorded`
    are the user's calls up to its next words. `reply` is the customer's turn.
    """

    source: str
    place: int
    seq: int
    heard: str
    recorded: tuple[Call, ...]
    reply: Reply

    @property
    def first(self) -> Call | None:
        """What the customer does first; None where it speaks."""
        return self.reply.calls[0] if self.reply.calls else None

    @property
    def same(self) -> bool:
        """Whether that action is among the recorded ones, whatever its arguments."""
        first = self.first
        return first is not None and any(call.tool == first.tool for call in self.recorded)

    @property
    def alike(self) -> bool:
        """Whether it is among them with the same arguments too."""
        first = self.first
        return first is not None and any(
            (call.tool, call.arguments) == (first.tool, first.arguments) for call in self.recorded
        )


def agreement(path: Path | str) -> Iterator[Compared | Skipped]:
    """Every such turn of a tau2 result file, or of a folder of them, and what had to be left out.

    Never raises for what a file holds. A call whose task is unknown here has no phone to act on and
    is left out, as is a run without a customer.
    """
    for found in tau2.read(path, lean=True):
        if isinstance(found, Skipped):
            yield found
            continue
        start, origin = found.start, found.origin
        if start.condition.domain != DOMAIN:
            why = "it has no customer on the line (a solo run)"
            yield Skipped(origin.source, origin.place, why, broken=False)
        elif start.draw.task is None:
            why = "it is of a task that is not known here, so there is no phone to act on"
            yield Skipped(origin.source, origin.place, why, broken=False)
        else:
            try:
                yield from compare(found.events, source=origin.source, place=origin.place)
            except ProtocolError as problem:
                why = f"it cannot be followed: {problem}"
                yield Skipped(origin.source, origin.place, why, broken=True)


def compare(events: Sequence[AnyEvent], *, source: str = "", place: int = 0) -> Iterator[Compared]:
    """The turns of one session, in order.

    The customer sees the conversation as recorded and the phone as this world has it: each result
    is in this world's words, which are those that it knows how to read. Raises `ProtocolError` if
    the events are not a session's, or its task is unknown.
    """
    start = events[0] if events else None
    if not isinstance(start, Start):
        raise ProtocolError("the first event is not a start")
    domain = load(start.condition.domain)
    episode = Episode(start, domain)
    customer = _customer(episode, domain)
    outcomes: dict[tuple[int, int], Outcome] = {}
    before: Turn | Results | None = None
    known = 0
    with asyncio.Runner() as runner:
        for number, event in enumerate(events[1:], 1):
            if isinstance(event, Turn) and event.by == "user" and event.calls and _says(before):
                assert isinstance(before, Turn)
                outcomes |= _outcomes(episode.happenings[known:])
                known = len(episode.happenings)
                view = _in_our_words(episode.view("user"), outcomes)
                stream = Stream(start.user_seed, episode.position.steps)
                reply = runner.run(_act(customer, view, stream))
                recorded = _until_it_speaks(events[number:])
                yield Compared(source, place, event.seq, before.text or "", recorded, reply)
            episode.feed(event)
            if isinstance(event, Turn | Results):
                before = event


def _customer(episode: Episode, domain: Domain) -> Participant:
    scenario = domain.scenario(episode.task)
    return open_user("rules").take(UserBrief(domain.name, scenario, domain.tools("user")))


async def _act(customer: Participant, view: View, stream: Stream) -> Reply:
    reply = await customer.act(view, stream)
    assert isinstance(reply, Reply)
    return reply


def _says(event: Turn | Results | None) -> bool:
    """Whether the agent has just said something, and done nothing beside it."""
    return isinstance(event, Turn) and event.by == "agent" and not event.calls and bool(event.text)


def _outcomes(happenings: Sequence[Happening]) -> dict[tuple[int, int], Outcome]:
    return {(deed.seq, deed.index): deed.outcome for deed in happenings if isinstance(deed, Did)}


def _in_our_words(view: View, outcomes: dict[tuple[int, int], Outcome]) -> View:
    """The same view with every result as this world words it."""
    events = tuple(
        replace(
            event,
            results=tuple(
                Result(outcome.text, result.world, outcome.error)
                for index, result in enumerate(event.results)
                for outcome in (outcomes[event.turn, index],)
            ),
        )
        if isinstance(event, Results)
        else event
        for event in view.events
    )
    return replace(view, events=events)


def _until_it_speaks(events: Sequence[AnyEvent]) -> tuple[Call, ...]:
    calls: list[Call] = []
    for event in events:
        if isinstance(event, Turn):
            if event.by != "user" or not event.calls:
                break
            calls += event.calls
    return tuple(calls)
