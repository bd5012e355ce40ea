"""Commands under way: a customer that is a model may take a minute, and no request waits for it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine
from typing import Any

from ringback.errors import RingbackError
from ringback.models import CredentialError
from ringback.web.commands import Commands
from ringback.web.logs import where

__all__ = ["UnderWay"]

_SECONDS_TO_STOP = 2.0
_SECONDS_BETWEEN = 0.05  # two looks whether a turn is in the record
_PATIENCE = 0.4  # seconds in which a customer that is no model has answered


class UnderWay:
    """The commands that a desk has begun, and what its pages are told of them.

    What one of them failed with is kept until the episode's next one, so that every tab can say it.
    `key_refused` is told where the customer's model has no key, or one that was refused.
    """

    def __init__(self, key_refused: Callable[[CredentialError], None] | None = None) -> None:
        self._key_refused = key_refused
        self._commands = Commands[None]()
        self._told: dict[str, str] = {}
        self._ended: dict[str, int] = {}

    def busy(self, session: str) -> bool:
        """Whether a command is at this episode now."""
        return self._commands.running(session) is not None

    def told(self, session: str) -> str:
        """What the episode's last command failed with; empty if it did not."""
        return self._told.get(session, "")

    def forget(self, session: str) -> str:
        """What the last command failed with, which is told no more."""
        return self._told.pop(session, "")

    def ended(self, session: str) -> int:
        """How many commands of this server have ended at this episode."""
        return self._ended.get(session, 0)

    async def begin(
        self,
        session: str,
        command: Coroutine[Any, Any, object],
        taken: Callable[[], bool] = lambda: True,
    ) -> None:
        """Do a command, which goes on whatever becomes of the request, and wait for it a moment.

        Until it has `taken` the turn that was sent, or failed, it is waited for in any case: the
        page keeps what was typed till then. That is no longer than the store's patience. The caller
        sees to it that none is at the episode. Nothing is raised: see `told`.
        """
        self._told.pop(session, None)
        task = self._commands.begin(session, self._done(session, command))
        await asyncio.wait({task}, timeout=_PATIENCE)
        while not task.done() and not taken():
            await asyncio.wait({task}, timeout=_SECONDS_BETWEEN)

    async def stop(self, session: str) -> None:
        """Cut short what is under way at an episode; what was said stands."""
        await self._commands.stop(session, _SECONDS_TO_STOP)

    async def close(self) -> None:
        """Drop what is under way. What was said is recorded; the customer can be asked again."""
        await self._commands.close()

    async def _done(self, session: str, command: Coroutine[Any, Any, object]) -> None:
        try:
            await command
        except RingbackError as problem:
            self._told[session] = str(problem)
            if isinstance(problem, CredentialError) and self._key_refused is not None:
                self._key_refused(problem)
        except Exception as problem:  # noqa: BLE001 - whatever it is, the page must say so
            sys.stderr.write(f"ringback: a command failed: {where(problem)}\n")
            self._told[session] = (
                "Something broke in the desk itself; the terminal in which it runs says where."
            )
        finally:
            self._ended[session] = self.ended(session) + 1
