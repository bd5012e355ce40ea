"""Credentials that were tried: when, of which model, what became of it. Never the credential."""

from __future__ import annotations

from typing import Literal, TypeAlias

import sqlalchemy as sa
from msgspec import Struct
from msgspec.structs import asdict

from ringback.sessions.schema import probes
from ringback.sessions.sqlite import Database

__all__ = ["OutcomeWord", "Probe", "noted", "read_probes"]

OutcomeWord: TypeAlias = Literal["accepted", "missing", "refused"]


class Probe(Struct, frozen=True):
    """One try. `at` is Unix seconds, `model` the name as asked for.

    `outcome` is ``missing`` where there was no credential to send, ``refused`` where the provider
    would not take it, ``accepted`` where it answered. `status` is the HTTP status, None where there
    was none; `words` says more on one line, without secrets.
    """

    at: float
    model: str
    outcome: OutcomeWord
    status: int | None = None
    words: str | None = None


_COLUMNS = [probes.c[name] for name in Probe.__struct_fields__]
_ALL = sa.select(*_COLUMNS).order_by(probes.c.number)
_NEW = sa.insert(probes)
_LONGEST = 300


def noted(database: Database, probe: Probe) -> None:
    """Keep a probe in a transaction of its own; long words are cut."""
    words = probe.words and " ".join(probe.words.split())[:_LONGEST]
    with database.writing() as connection:
        connection.execute(_NEW, [{**asdict(probe), "words": words or None}])


def read_probes(database: Database) -> list[Probe]:
    """All that were kept, oldest first."""
    return [Probe(*row) for row in database.read(_ALL)]
