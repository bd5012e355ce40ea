"""Trying again: what is worth another try, how long to wait, when to give up."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Generic, TypeVar

from msgspec import Struct

from ringback.canonical import Json
from ringback.episode.wire import Attempt, Failure
from ringback.errors import InputError

__all__ = ["Fault", "Patience", "Tries", "patience_of", "patiently"]

T = TypeVar("T")


class Fault(Exception):  # noqa: N818 - the word is the error
    """A try gave nothing.

    `again` says whether another may do better, `wait` how many seconds the server asked for,
    `charged` whether the provider may charge for it all the same.
    """

    def __init__(
        self,
        failure: Failure,
        why: str,
        *,
        again: bool = False,
        wait: float | None = None,
        charged: bool = False,
    ) -> None:
        super().__init__(why)
        self.failure: Failure = failure
        self.why = why
        self.again = again
        self.wait = wait
        self.charged = charged


class Patience(Struct, frozen=True):
    """How often and how long. Seconds throughout.

    Before try n + 1 comes a wait drawn evenly from 0 to `first` doubled n - 1 times, at most
    `longest` (exponential backoff with full jitter), and never less than the server asked for.
    """

    tries: int = 5
    each: float = 600.0
    first: float = 0.5
    longest: float = 30.0


class Tries(Struct, Generic[T], frozen=True):
    """What came of it: `value`, or the last try's `fault`.

    `attempts` are the failed tries, of which `charged` may have cost something; `seconds` counts
    from the first one.
    """

    value: T | None
    fault: Fault | None
    attempts: tuple[Attempt, ...]
    charged: int
    seconds: float


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
    draw: Callable[[float, float], float] = random.uniform,
) -> Tries[T]:
    """Try until it works, is not worth it, or `seconds` are over.

    An attempt raises `Fault` where it gave nothing; whatever else it raises goes through. A place
    at the gate is held during a try only, and waiting for the first one counts for nothing. Once a
    try has failed it gives up a little early, so that the caller's own clock does not cut it off.
    """
    attempts: list[Attempt] = []
    charged = 0
    began: float | None = None
    while True:
        async with gate:
            start = time.monotonic()
            began = start if began is None else began
            left = _left(seconds, start - began, attempts)
            limit = min(patience.each, left)
            clock = asyncio.timeout(limit)
            try:
                async with clock:
                    value = await attempt()
                return Tries(value, None, tuple(attempts), charged, time.monotonic() - began)
            except Fault as problem:
                fault = problem
            except TimeoutError:
                if not clock.expired():
                    raise
                fault = Fault(
                    "infrastructure", f"No answer within {limit:.3g} s.", again=True, charged=True
                )
        now = time.monotonic()
        attempts.append(Attempt(fault.failure, fault.why, now - start))
        charged += fault.charged
        if not fault.again or len(attempts) >= patience.tries:
            return Tries(None, fault, tuple(attempts), charged, now - began)
        span = min(patience.longest, patience.first * 2.0 ** (len(attempts) - 1))
        wait = draw(0.0, span) + (fault.wait or 0.0)
        if wait >= _left(seconds, now - began, attempts):
            return Tries(None, fault, tuple(attempts), charged, now - began)
        await asyncio.sleep(wait)


def _left(seconds: float, passed: float, attempts: list[Attempt]) -> float:
    early = min(1.0, 0.05 * seconds) if attempts else 0.0
    return max(seconds - passed - early, 0.0)
