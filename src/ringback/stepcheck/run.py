"""Sending what is left: each call to each model, every answer kept as it comes."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Protocol, TypeAlias, runtime_checkable

from msgspec import Struct

from ringback.canonical import digest
from ringback.episode.wire import Answer
from ringback.errors import InputError, RingbackError, StoreError
from ringback.models.dialogue import storable
from ringback.models.protocol import BudgetSpent, CallsStopped
from ringback.sessions import Store
from ringback.stepcheck.candidates import Candidate
from ringback.stepcheck.targets import Prepared, Target
from ringback.stopping import stoppable

__all__ = ["Asked", "Opening", "Sent", "answers", "ask", "final"]

_SECONDS = 600.0
"""How long the tries at one call may take together."""

_RENEW_SECONDS = 20.0

_Key: TypeAlias = tuple[str, int]


class Asked(Struct, frozen=True):
    """An answer to a call: now, or from before.

    `broken` says why the call is to be sent anew, None where its answer is final.
    """

    target: str
    reused: bool
    broken: str | None = None


class Sent(Struct, frozen=True):
    """What a target answered to a call: the answer that counts, and every try that is recorded."""

    answer: Answer
    all: tuple[Answer, ...]


class Opening(Protocol):
    """What opens models and lets go of them, as `ringback.models.Models` does."""

    def stop(self) -> int:
        """Send no more calls; how many are in flight."""
        ...

    async def close(self) -> None:
        """Close connections."""
        ...


@runtime_checkable
class _Prepares(Protocol):
    def ready(self) -> None: ...


def final(answer: Answer) -> bool:
    """Whether a call with this answer is not sent again.

    A reply is final, and so is what the provider would not answer: a refusal, a conversation that
    is too long, a request that it rejects. Where the way to the model broke it is sent anew.
    """
    return answer.failure not in ("infrastructure", "malformed")


def answers(prepared: Prepared, target: Target, store: Store) -> dict[_Key, Sent]:
    """What is recorded of a target's answers to the drawn calls, as they are sent now."""
    wanted = {(call.session, call.seq): digest(call.request) for call in prepared.calls}
    found: dict[_Key, list[Answer]] = {}
    for reply in store.step_checks.of(target.identity, (session for session, _ in wanted)):
        key = reply.session, reply.seq
        if wanted.get(key) == reply.request:
            found.setdefault(key, []).append(reply.answer)
    return {
        key: Sent(next(filter(final, tries), tries[-1]), tuple(tries))
        for key, tries in found.items()
    }


def ask(
    prepared: Prepared,
    path: Path,
    models: Opening,
    *,
    jobs: int = 8,
    done: Callable[[Asked], None],
    waiting: Callable[[int], None] | None = None,
) -> None:
    """Send every drawn call to every target that has not answered it, `jobs` at a time.

    Calls go out in the order in which they were drawn, each to all targets before the next, so that
    what is stopped early has pairs. `done` hears of each answer, those from before first. A first
    Ctrl-C waits for the calls in flight, after `waiting` heard how many; a second one drops them.
    Raises `InputError` for fewer than 1 job, for models that cannot be asked (a key is missing,
    say) and where another process asks one of them for this store, `BudgetSpent` when what could be
    afforded is done, `KeyboardInterrupt`, and `StoreError` for a store that cannot be written.
    """
    if jobs < 1:
        raise InputError(f"{jobs} jobs cannot send anything; ask for 1 or more.")
    with Store.open(path, create=False, write=False) as store:
        left = list(_left(prepared, store, lambda _: None))
        if not left:
            for _ in _left(prepared, store, done):
                pass
            return
    targets = {target.name: target for _, target in left}
    for target in targets.values():
        if isinstance(target.model, _Prepares):
            target.model.ready()
    with Store.open(path, create=False, paid=True) as store:
        try:
            for target in targets.values():
                store.step_checks.claim(target.identity, target.name)
            # Only now: another process may have asked until it let go.
            asking = _Asking(store, models, _left(prepared, store, done), done)
            stoppable(asking.run(jobs), gently=asking.stop, hurry=store.hurry, waiting=waiting)
        finally:
            with contextlib.suppress(StoreError):  # a lease that is kept dies with this process
                store.step_checks.release()


def _left(
    prepared: Prepared, store: Store, done: Callable[[Asked], None]
) -> Iterator[tuple[Candidate, Target]]:
    """Whom each call is still to be sent to; `done` hears of what is there."""
    there = [(target, answers(prepared, target, store)) for target in prepared.targets]
    for call in prepared.calls:
        for target, sent in there:
            found = sent.get((call.session, call.seq))
            if found is None or not final(found.answer):
                yield call, target
            else:
                done(Asked(target.name, reused=True))


class _Asking:
    """The calls on their way, in one event loop."""

    def __init__(
        self,
        store: Store,
        models: Opening,
        left: Iterable[tuple[Candidate, Target]],
        done: Callable[[Asked], None],
    ) -> None:
        self._store, self._models, self._done = store, models, done
        self._left = deque(left)
        self._flying = 0
        self._stopping = False
        self._problem: RingbackError | None = None

    def stop(self) -> int:
        """Send nothing more; how many calls are in flight. May come from a signal handler."""
        self._stopping = True
        self._models.stop()
        return self._flying

    async def run(self, jobs: int) -> None:
        """Send what is left. Raises what stopped it when all that was in flight is kept."""
        renewing = asyncio.create_task(self._renew())
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(jobs, len(self._left))):
                    group.create_task(self._lane())
        finally:
            renewing.cancel()
            await self._models.close()
        if self._problem is not None:
            raise self._problem

    async def _lane(self) -> None:
        while self._left and not self._stopping and self._problem is None:
            call, target = self._left.popleft()
            try:
                await self._send(call, target)
            except CallsStopped:
                return
            except RingbackError as problem:
                self._meet(problem)
                return
            await asyncio.sleep(0)  # a script never waits; give the loop the chance to stop us

    async def _send(self, call: Candidate, target: Target) -> None:
        self._flying += 1
        try:
            answer = storable(await target.model.ask(call.request, seconds=_SECONDS))
        finally:
            self._flying -= 1
        sent = digest(call.request)
        self._store.step_checks.add(target.identity, call.session, call.seq, sent, answer)
        broken = None if final(answer) else answer.why or "it gave no reason"
        self._done(Asked(target.name, reused=False, broken=broken))

    def _meet(self, problem: RingbackError) -> None:
        """Keep what is to be raised in the end: the first, a spent budget after all else.

        With a spent budget calls in flight and waiting go on as long as they can.
        """
        spent = isinstance(problem, BudgetSpent)
        if self._problem is None or (isinstance(self._problem, BudgetSpent) and not spent):
            self._problem = problem
        if not spent:
            self.stop()

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(_RENEW_SECONDS)
            with contextlib.suppress(StoreError):  # the next answer says it
                self._store.step_checks.renew()
