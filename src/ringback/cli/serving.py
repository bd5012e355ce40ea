"""What commands that serve have in common: whether the customer can be asked, and how they end."""

from __future__ import annotations

from collections.abc import Coroutine, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ringback.canonical import Json
    from ringback.models import CredentialError, Models
    from ringback.sessions import Store

__all__ = ["make_sure", "note_key", "until_stopped"]


def make_sure(user: str, settings: Mapping[str, Json], kept: Store, opened: Models) -> str:
    """Whether the customer can be asked at all, before anybody comes; says in words who calls.

    Raises `InputError` where not. A missing key is noted in the store.
    """
    from ringback.cli.told import user_told
    from ringback.models import CredentialError
    from ringback.study.plan import planned_user

    try:
        planned = planned_user(user, settings, opened.open)
        opened.ready()
    except CredentialError as problem:
        note_key(user, problem, kept)
        raise
    return user_told(planned.setup)


def note_key(model: str, problem: CredentialError, kept: Store) -> None:
    """Note in the store that the customer's model has no key, or one that was refused."""
    from ringback.cli.credentials import probe_of

    kept.note_probe(probe_of(model, problem))


def until_stopped(
    work: Coroutine[None, None, None], kept: Store, opened: Models, sentence: str
) -> int:
    """Serve until the work has ended, or until Ctrl-C or SIGTERM, which is how a server ends.

    After Ctrl-C it raises `KeyboardInterrupt` with the sentence.
    """
    import signal

    from ringback.stopping import stoppable

    asked: list[int] = []

    def ask(number: int, _: object) -> None:
        asked.append(number)
        signal.raise_signal(signal.SIGINT)

    async def whole() -> None:
        try:
            await work
        finally:
            await opened.close()

    before = signal.signal(signal.SIGTERM, ask)
    try:
        stoppable(whole(), gently=None, hurry=kept.hurry, waiting=None)
    except KeyboardInterrupt:
        if asked:
            return 0
        raise KeyboardInterrupt(sentence) from None
    finally:
        signal.signal(signal.SIGTERM, before)
    return 0
