"""What the store says of a session, as a row of results: its outcome, its cost, what was noted."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from ringback.domain import Side
from ringback.errors import StoreError
from ringback.grading.grade import Grade
from ringback.report.facts import Cost, EpisodeRow
from ringback.sessions import SessionRow, Spent

__all__ = ["cost_of", "episode_row", "read_grade"]

_grades = msgspec.json.Decoder(Grade)


def read_grade(session: str, body: bytes) -> Grade:
    """A grade as the store keeps it; `StoreError` for what is none."""
    try:
        return _grades.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, TypeError) as problem:
        raise StoreError(
            f"The grade of session {session} cannot be read ({problem}); another version of "
            "Ringback or another program has written it: use that one."
        ) from problem


def episode_row(
    row: SessionRow,
    grade: Grade | None,
    spent: Mapping[Side, Spent],
    *,
    arm: str,
    task: str,
    trial: int,
    ungraded: str,
    guarded: bool,
) -> EpisodeRow:
    """A session as a row of results.

    `spent` is what its model calls came to, by side. `ungraded` says in a word or two why it has no
    graded outcome, and is passed over where it has one; `guarded` says whether anybody looked for
    faults of the simulator. What model calls took is left open.
    """
    graded = grade is not None and grade.graded
    failure = None if grade is None else grade.failure
    return EpisodeRow(
        arm=arm,
        task=task,
        trial=trial,
        session=row.id,
        ending=row.ending,
        graded=graded,
        reward=grade.reward if grade is not None and graded else None,
        solved=grade is not None and grade.solved is True,
        steps=row.steps,
        ungraded=None if graded else ungraded,
        conduct=()
        if grade is None
        else tuple(sorted({note.kind for note in grade.verdict.conduct})),
        strict_differs=grade is not None and any(a.met != a.strict for a in grade.verdict.actions),
        agent_cost=cost_of(spent.get("agent")),
        user_cost=cost_of(spent.get("user")),
        faults=spent["user"].rejected if guarded and "user" in spent else None,
        blame=failure.blame if failure else None,
        kinds=tuple(sign.kind for sign in failure.kinds) if failure else (),
    )


def cost_of(spent: Spent | None) -> Cost | None:
    """A side's cost; None where it asked no model."""
    if spent is None:
        return None
    return Cost(spent.calls, spent.unpriced, spent.usd, spent.maybe_charged)
