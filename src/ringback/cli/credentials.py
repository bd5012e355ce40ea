"""Noting in a store what became of trying a model's credential."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from ringback.models import CredentialError
    from ringback.sessions import Probe

__all__ = ["accepted", "note", "probe_of"]


def probe_of(model: str, problem: CredentialError) -> Probe:
    """The fact to keep: this model could not be asked because of its credential."""
    from ringback.sessions import Probe

    return Probe(time.time(), model, problem.outcome, problem.status, problem.words)


def accepted(model: str) -> Probe:
    """The fact to keep: this model's credential was sent, and it answered."""
    from ringback.sessions import Probe

    return Probe(time.time(), model, "accepted")


def note(probe: Probe, store: Path | None) -> None:
    """Keep it in this store, made where there is none; else in the default one if it is there.

    Raises `StoreError` for a store that was named. One that was not named and cannot be written is
    said on stderr: the command is about something else.
    """
    from ringback.cli.output import complain
    from ringback.errors import StoreError
    from ringback.sessions import Store, default_path

    path = default_path() if store is None else store
    if store is None and not path.is_file():
        return
    try:
        with Store.open(path) as opened:
            opened.note_probe(probe)
    except StoreError as problem:
        if store is not None:
            raise
        complain(f"This was not noted in the store. {problem}")
