"""Sitting down at the desk for one command: the store, the models, and what Ctrl-C does."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Awaitable, Callable, Generator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ringback.models import CredentialError, Models
    from ringback.operating import Desk, Seen
    from ringback.sessions import Store

__all__ = ["AWAY", "Seat", "seated"]

_PATIENCE = 30.0

AWAY = 3
"""The exit code where the customer could not be asked to the end; the episode stands."""


class Seat:
    """One command at the desk; `hear` does what has to wait for a customer."""

    def __init__(
        self, desk: Desk, store: Store, models: Models, named: tuple[Path | None, Path | None]
    ) -> None:
        self.desk, self.store, self._models = desk, store, models
        self._store_named, self._models_file = named
        self._stopped = False

    def hint(self, *words: str) -> str:
        """A command that goes on with this, as it can be typed: with the files that were named."""
        from ringback.cli.typed import command

        asks = words[:2] == ("operate", "look") and self._models_file is not None
        more = ["--models-file", str(self._models_file)] if asks else []
        return command(*words, *more, store=self._store_named)

    def gives_up(self, session: str) -> str:
        """The sentence that says with which command an episode is given up."""
        return f"{self.hint('operate', 'abandon', '--session', session)} gives it up."

    def hear(self, session: str, work: Callable[[], Awaitable[Seen]]) -> Seen:
        """Do it, and give what it comes to.

        A first Ctrl-C waits for a call of the customer's model that is in flight, so that what it
        comes to is kept; the next drops it. Where it came to the end of the customer's turn, that
        is given, and `heed` is to be called once it is printed; else raises `KeyboardInterrupt`
        with a sentence how to go on. That a model's key is missing or was refused is noted.
        """
        from ringback import users
        from ringback.models import CredentialError
        from ringback.models.protocol import CallsStopped
        from ringback.operating import Changed
        from ringback.stopping import stoppable

        user = self.store.row(session).user
        asks = user not in users.names()
        heard: list[Seen] = []

        async def whole() -> None:
            try:
                with contextlib.suppress(CallsStopped):
                    heard.append(await work())
            finally:
                await self._models.close()

        try:
            with _waiting(user if asks else None):
                stoppable(
                    whole(),
                    gently=self._models.stop if asks else None,
                    hurry=self.store.hurry,
                    waiting=_say_waiting,
                )
        except KeyboardInterrupt:
            if not heard:
                raise KeyboardInterrupt(self._left(session)) from None
            self._stopped = True
        except CredentialError as problem:
            self.refused(user, problem)
            raise
        except Changed as problem:
            raise Changed(f"{problem} {self.gives_up(session)}") from None
        return heard[0]

    def refused(self, model: str, problem: CredentialError) -> None:
        """Note in the store that a model's key is missing or was refused."""
        from ringback.cli.credentials import probe_of

        self.store.note_probe(probe_of(model, problem))

    def heed(self) -> None:
        """Raise the `KeyboardInterrupt` that came while something was done that is there now."""
        if self._stopped:
            raise KeyboardInterrupt("Stopped; what the customer answered is recorded, go on there.")

    def _left(self, session: str) -> str:
        """How to go on after a Ctrl-C."""
        look = self.hint("operate", "look", "--session", session)
        if self.desk.seen(session).state == "customer":
            return (
                f"Stopped while the customer of episode {session} was asked; all that was said and "
                f"answered is recorded, and {look} asks on."
            )
        return f"Stopped; nothing recorded is lost, and {look} shows where the episode stands."


@contextlib.contextmanager
def seated(
    store: Path | None,
    *,
    begins: bool = False,
    reads: bool = False,
    patience: float = _PATIENCE,
    models_file: Path | None = None,
    budget: float | None = None,
) -> Generator[Seat]:
    """The desk over a store, which is made where there is none if an episode `begins`.

    One that only `reads` asks for no lock and takes a store that cannot be written. `patience` is
    how many seconds to wait for another process's lock.
    """
    from ringback.cli import playing
    from ringback.cli.described import described
    from ringback.cli.options import store_path
    from ringback.operating import Desk
    from ringback.sessions import Store

    models = playing.models(None if models_file is None else described(models_file), budget)
    path = store_path(store)
    with Store.open(
        path, create=begins, write=not reads, paid=not reads, patience=patience
    ) as opened:
        desk = Desk(opened, models.open, door="shell", ready=models.ready)
        yield Seat(desk, opened, models, (store, models_file))


def _say_waiting(calls: int) -> None:
    from ringback.cli.output import complain

    if calls:
        complain(
            "Stopping; waiting for the customer's model, so that what it comes to is kept. Ctrl-C "
            "again drops it."
        )


@contextlib.contextmanager
def _waiting(model: str | None) -> Generator[None]:
    """In a terminal, that a model is being waited for."""
    if model is None or not sys.stderr.isatty():
        yield
        return
    from ringback.cli.output import progress_console, shown

    with progress_console().status(f"The customer ({shown(model)}) is being asked."):
        yield
