"""Trying again: what is worth another try, how long to wait, when to give up."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from typing import Generic, TypeVar

from msgspec import Struct

from ringback.canonical import Json
from ringback.episode.wire import Attempt, Failure
from ringback.errors import InputError
from ringback.models.halt import Halt

__all__ = ["Fault", "Patience", "Tries", "patience_of", "patiently"]

T = TypeVar("T")


class Fault(Exception):  # noqa: N818 - the word is the error
    """A try gave nothing.

    `again` says whether another may do better, `wait` how many seconds the server asked for,
    `charged` whether the provider may charge for it all the same, `unreached` that there was no
    connection to it.
    """

    def __init__(
        self,
        failure: Failure,
        why: str,
        *,
        again: bool = False,
        wait: float | None = None,
        charged: bool = False,
        unreached: bool = False,
    ) -> None:
        super().__init__(why)
        self.failure: Failure = failure
        self.why = why
        self.again = again
        self.wait = wait
        self.charged = charged
        self.unreached = unreached


class Patience(Struct, frozen=True):
    """How often and how long. Seconds throughout.

    Before try n + 1 comes a wait drawn evenly from 0 to `first` doubled n - 1 times, at most
    `longest` (exponential backoff with full jitter), and never less than the server asked for. If
    that is more than `most`, no other try is made. So a server may be away for half a minute, and
    for a minute at most.
    """

    tries: int = 8
    each: float = 600.0
    first: float = 0.5
    longest: float = 30.0
    most: float = 300.0


class Tries(Struct, Generic[T], frozen=True):
    """What came of it: `value`, or the last try's `fault`.

    `attempts` are the failed tries, `seconds` is how long the last one took, failed or not, and
    `waited` how long there was none: for a place and between two tries.
    """

    value: T | None
    fault: Fault | None
    attempts: tuple[Attempt, ...]
    seconds: float
    waited: float


def patience_of(settings: Mapping[str, Json], whose: str) -> Patience:
    """The patience that `timeout` (seconds for one try) and `max_retries` ask for.

    Raises `InputError` for values that are none.
    """
    given = Patience()
    each, more = settings.get("timeout", given.each), settings.get("max_retries", given.tries - 1)
    if isinstance(each, bool) or not isinstance(each, int | float) or not each > 0:
        raise InputError(f"Setting timeout of {whose} is {each!r}; give seconds, more than 0.")
    if isinstance(more, bool) or not isinstance(more, int) or more < 0:
        raise InputError(f"Setting max_retries of {whose} is {more!r}; give 0 or more.")
    return Patience(tries=more + 1, each=float(each))


async def patiently(
    attempt: Callable[[], Awaitable[T]],
    *,
    patience: Patience,
    seconds: float,
    gate: AbstractAsyncContextManager[None],
    halt: Halt | None = None,
    lost: Callable[[], None] = lambda: None,
    again: Callable[[Fault], None] = lambda _: None,
    draw: Callable[[float, float], float] = random.uniform,
) -> Tries[T]:
    """Try until it works, is not worth it, or the tries have taken `seconds` together.

    An attempt raises `Fault` where it gave nothing; whatever else it raises goes through. A place
    at the gate is held during a try only, and neither waiting for one nor between two tries counts.
    After `halt` no other try is begun, which raises `CallsStopped`. `lost` hears at once of each
    try that may be charged for nothing, `again` of each after which another is made.
    """
    halt = halt or Halt()
    attempts: list[Attempt] = []
    asked, active = time.monotonic(), 0.0
    if seconds <= 0:
        return Tries(None, Fault("infrastructure", "There was no time left."), (), 0.0, 0.0)
    while True:
        async with AsyncExitStack() as place:
            async with halt.waiting():
                await place.enter_async_context(gate)
            value, fault = None, None
            start = time.monotonic()
            limit = min(patience.each, seconds - active)
            clock = asyncio.timeout(limit)
            try:
                with halt.flight():
                    async with clock:
                        value = await attempt()
            except Fault as problem:
                fault = problem
            except TimeoutError:
                if not clock.expired():
                    raise
                why = f"No answer within {limit:.3g} s."
                fault = Fault("infrastructure", why, again=True, charged=True)
        now = time.monotonic()
        took = now - start
        active += took
        if fault is not None:
            attempts.append(Attempt(fault.failure, fault.why, took, fault.charged))
            if fault.charged:
                lost()
        tries = Tries(value, fault, tuple(attempts), took, now - asked - active)
        if fault is None or not fault.again or len(attempts) >= patience.tries:
            return tries
        wanted = fault.wait or 0.0
        if active >= seconds or wanted > patience.most:
            return tries
        again(fault)
        span = min(patience.longest, patience.first * 2.0 ** (len(attempts) - 1))
        async with halt.waiting():
            await asyncio.sleep(draw(0.0, span) + wanted)
