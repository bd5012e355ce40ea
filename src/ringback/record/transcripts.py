"""The exact transcript of a call: every event as it is stored, and the grader's whole payload."""

from __future__ import annotations

from msgspec import Struct

from ringback.domain import Task
from ringback.episode.events import AnyEvent
from ringback.grading.grade import Grade
from ringback.record.document import Tier
from ringback.record.told import Told
from ringback.sessions import Store, named_contents

__all__ = ["FORM", "Transcript", "transcript"]

FORM = "ringback transcript 1"
"""What a transcript says of itself, in `form`."""


class Transcript(Struct, frozen=True):
    """A call whole.

    `events` has every turn of the agent and of the customer with its calls, the answers to them as
    the callers saw them, model calls, notes and the end, in order; `contents` the texts that events
    name by digest; `grade` every check, counted or not, the strict reward and whom a failure is
    laid to.
    """

    form: str
    session: str
    tier: Tier
    task: Task
    seed: int | None
    grade: Grade
    events: list[AnyEvent]
    contents: dict[str, str]


def transcript(told: Told, tier: Tier, store: Store) -> Transcript:
    """The transcript of a call; raises `ringback.errors.StoreError` for a text that is missing."""
    named = named_contents(told.events)
    return Transcript(
        FORM,
        told.row.id,
        tier,
        told.episode.task,
        told.row.seed,
        told.grade,
        told.events,
        store.contents(sorted(named)) if named else {},
    )
