"""Model calls in a session's record: what they came to, and each request as it was sent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from msgspec import Struct

from ringback.domain import Side
from ringback.episode.events import AnyEvent, ModelCall, Rejected, Reported, Start
from ringback.episode.wire import Price, Request, Thread, Usage, restored

__all__ = ["Spent", "Used", "named_contents", "requests", "spent", "used"]

_T = TypeVar("_T", int, float)


class Spent(Struct, frozen=True):
    """What a side's model calls came to.

    `usd` is the sum of the prices that are known and `unpriced` the number of calls whose price is
    not. `rejected` counts replies that were not taken as a turn, or were taken under protest: for
    the user's side, faults of the simulator. `maybe_charged` counts tries that failed and that the
    provider may have charged for all the same; no price knows of them.
    """

    calls: int = 0
    unpriced: int = 0
    usd: float = 0.0
    rejected: int = 0
    maybe_charged: int = 0

    @property
    def cost(self) -> float | None:
        """USD of all calls, without what `maybe_charged` cost; None where one has no price."""
        return None if self.unpriced else self.usd

    def __add__(self, other: Spent) -> Spent:
        return Spent(
            self.calls + other.calls,
            self.unpriced + other.unpriced,
            self.usd + other.usd,
            self.rejected + other.rejected,
            self.maybe_charged + other.maybe_charged,
        )


def spent(events: Iterable[AnyEvent]) -> dict[Side, Spent]:
    """What the model calls among these events came to, by side; nothing for a side without any.

    What a fork has taken over from another session was paid for there, and is not counted.
    """
    found: dict[Side, Spent] = {}
    own = 0
    for event in events:
        if event.seq < own:
            continue
        match event:
            case Start(condition=condition):
                own = 0 if condition.forked is None else condition.forked.seq
                continue
            case ModelCall(answer=answer):
                charged = sum(attempt.charged for attempt in answer.attempts)
                more = _priced(answer.price, charged)
            case Reported():
                more = _priced(event.price)
            case Rejected():
                more = Spent(rejected=1)
            case _:
                continue
        found[event.by] = found.get(event.by, Spent()) + more
    return found


class Used(Struct, frozen=True):
    """What a side's model calls took: seconds at work, tokens as the provider counts them.

    `input` includes `cached`. Each is None where it is unknown of any call: a provider that does
    not say, or a try that failed and may have been charged for.
    """

    seconds: float | None = 0.0
    input: int | None = 0
    output: int | None = 0
    cached: int | None = 0

    def __add__(self, other: Used) -> Used:
        return Used(
            _sum(self.seconds, other.seconds),
            _sum(self.input, other.input),
            _sum(self.output, other.output),
            _sum(self.cached, other.cached),
        )


def used(event: ModelCall | Reported) -> Used:
    """What one call took; its tries that failed before it gave nothing and were no work of it."""
    if isinstance(event, Reported):
        usage = event.usage
        return Used(event.seconds, usage.input, usage.output, usage.cached)
    answer = event.answer
    if any(attempt.charged for attempt in answer.attempts):
        return Used(answer.seconds, None, None, None)
    if answer.failure is not None and answer.usage == Usage():
        return Used(answer.seconds)
    return Used(answer.seconds, answer.usage.input, answer.usage.output, answer.usage.cached)


def _sum(one: _T | None, other: _T | None) -> _T | None:
    return None if one is None or other is None else one + other


def _priced(price: Price, charged: int = 0) -> Spent:
    return Spent(1, price.usd is None, price.usd or 0.0, maybe_charged=charged)


def named_contents(events: Iterable[AnyEvent]) -> set[str]:
    """The digests of the contents that these events name."""
    named: set[str | None] = set()
    for event in events:
        if isinstance(event, ModelCall):
            named |= {event.request.system, event.request.tools, event.request.form}
        elif isinstance(event, Start) and event.origin is not None:
            named.update(event.origin.contents.values())
    return {digest for digest in named if digest}


def requests(
    events: Sequence[AnyEvent], contents: Mapping[str, str]
) -> Iterator[tuple[ModelCall, Request]]:
    """Each model call of a session with its request as it was sent.

    `contents` holds what `named_contents` names. Raises `ValueError` if the record does not give a
    request back to the letter, and `KeyError` for a content that is missing.
    """
    thread = Thread()
    for event in events:
        if not isinstance(event, ModelCall):
            continue
        try:
            before = thread.before(event.request)
        except ValueError as problem:
            raise ValueError(f"event {event.seq}: {problem}") from None
        request = restored(event.request, before, contents)
        thread.add(event.seq, event.request, event.answer.message)
        yield event, request
