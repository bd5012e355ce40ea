"""One command at an episode at a time: in this process, and by the store's lease in all others."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from weakref import WeakKeyDictionary

from ringback.episode.protocol import ProtocolError
from ringback.errors import InputError, StoreError
from ringback.operating.patience import patiently
from ringback.sessions import Conflict, Store

__all__ = ["Holding"]

_RENEW_SECONDS = 20.0
_HERE: WeakKeyDictionary[Store, set[str]] = WeakKeyDictionary()


class Holding:
    """Who is at the episodes of a store.

    The lease keeps other processes out, but would let in another command, or another desk, over
    the same store: it is the store's. So the episodes that a command of this process is at are
    noted beside the store.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._here = _HERE.setdefault(store, set())

    def at(self, session: str) -> str | None:
        """In words, the process that is at an episode now; None if none is."""
        return "this process" if session in self._here else self._store.holder(session)

    @contextlib.asynccontextmanager
    async def held(self, session: str) -> AsyncGenerator[None]:
        """While a command is at an episode, no other is: it raises `InputError`."""
        if session in self._here:
            raise self._refusal(session)
        self._here.add(session)  # before anything is awaited
        try:
            async with self._leased(session):
                yield
        except ProtocolError as problem:
            raise InputError(f"Episode {session} cannot be gone on with: {problem}.") from None
        except Conflict:
            raise InputError(
                f"Another command went on with episode {session} meanwhile; look at it first."
            ) from None
        finally:
            self._here.discard(session)

    @contextlib.asynccontextmanager
    async def _leased(self, session: str) -> AsyncGenerator[None]:
        claimed = await patiently(self._store, lambda: self._store.claim(session))
        # Of one that is over there is no lease, and what follows says that better.
        if not claimed and self._store.row(session).ending is None:
            raise self._refusal(session, self._store.holder(session))
        renewing = asyncio.create_task(self._renew())
        try:
            yield
        finally:
            renewing.cancel()
            with contextlib.suppress(StoreError):  # a lease that is kept dies with this process
                await patiently(self._store, lambda: self._store.release(session))

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(_RENEW_SECONDS)
            # What is locked now is tried again soon; what is wrong for good the next turn says.
            with contextlib.suppress(StoreError), self._store.patient(0):
                self._store.renew()

    def _refusal(self, session: str, who: str | None = "this process") -> InputError:
        return InputError(
            f"Another command is at episode {session} ({who or 'another process'}); wait for it, "
            "then look."
        )
