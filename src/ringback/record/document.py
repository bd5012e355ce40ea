"""The form of a record, as it is written.

The fields without a default are those that every record of the form has; the others are ours, and a
record without them is valid too. Money in USD, times in Unix seconds, lengths in steps.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType

from ringback.canonical import Json
from ringback.episode.events import Ending

__all__ = ["FORM", "Attempt", "Case", "Failed", "Outcome", "Record", "Tier"]

FORM = "ringback record 1"
"""What a record of ours says of itself, in `form`."""

Tier: TypeAlias = Literal["easy", "medium", "hard"]
Outcome: TypeAlias = Literal["passed", "failed", "not graded"]
_Reward: TypeAlias = Annotated[float, Meta(ge=0.0, le=1.0)]
_OBSERVED = (
    "What stood at the end of the call, and what was done and seen, as fields whose names follow "
    "from the task and the call. What says no other line is of the line of the case: of other "
    "lines that a step was taken on, `other_lines` has the like. In the world telecom, "
    "`charge_usd` is what was charged for data on the line of the case, and "
    "`charge_usd_all_lines`, which is there where another line was charged too, what was charged "
    "in all."
)
_Text: TypeAlias = Annotated[str, Meta(min_length=1)]


class Attempt(Struct, frozen=True):
    """One attempt at a case, of whatever operator. `told` marks the one that the case tells.

    `operator` is absent where its events cannot be read, `why` where its end says no more than its
    name: what an operator gave as the reason to abandon it, for one. `begun_at` is None where
    unknown; `ending` and `reward` are None while it is not over, and the reward also where there is
    none. The reward is by today's checks; `grader` is there where they could not be asked, and is
    the version of those that gave the reward which the store holds.
    """

    session: _Text
    attempt: Annotated[int, Meta(ge=0)]
    trial: int | None
    begun_at: float | None
    user_simulator: _Text
    termination_reason: Ending | None
    steps: int | None
    official_reward: _Reward | None
    result: Literal["passed", "failed", "not graded", "not over"]
    told: bool
    operator: _Text | UnsetType = UNSET
    why: _Text | UnsetType = UNSET
    grader: _Text | UnsetType = UNSET


class Failed(Struct, frozen=True):
    """Whom a failure is laid to by rule, why, and the event that shows it."""

    blame: Literal["agent", "simulator", "infrastructure", "undecided"]
    why: str
    event: int


class Case(Struct, frozen=True, kw_only=True):
    """One case: a task, a seed, and the call that was made of it.

    `operator_trajectory` is the call by rule, a sentence a step; `observed_state` what stood at its
    end. `official_*` are the grader's: whether each expected step was taken, and the reward by the
    reference rule, None where the ending says nothing about the agent. Of a recording without its
    messages the state is empty, the checks are absent, and `steps` is None: they are unknown.
    """

    tier: Tier
    task_id: _Text
    seed: int | None
    about: _Text
    operator_trajectory: Annotated[list[_Text], Meta(min_length=1)]
    observed_state: Annotated[dict[str, Json], Meta(description=_OBSERVED)]
    official_action_checks: dict[str, bool] | UnsetType = UNSET
    termination_reason: Ending
    official_reward: _Reward | None
    result: Outcome
    evaluation_explanation: _Text
    official_end_checks: dict[str, bool] | UnsetType = UNSET
    strict_reward: _Reward | UnsetType | None = UNSET
    failure: Failed | UnsetType = UNSET
    session: str | UnsetType = UNSET
    operator: str | UnsetType = UNSET
    user_simulator: str | UnsetType = UNSET
    steps: Annotated[int, Meta(ge=0)] | UnsetType | None = UNSET
    transcript: str | UnsetType = UNSET
    attempts: list[Attempt] | UnsetType = UNSET


class Record(Struct, frozen=True, kw_only=True):
    """A record: what was run by whom, what of it was real, and the cases.

    `source_commit` names the versions that the calls were played and graded by; `boundary` has the
    sentences of `compatibility_boundary` one by one. A record of ours says so in `form`.
    """

    form: Literal["ringback record 1"] | UnsetType = UNSET
    benchmark: _Text
    operator: _Text
    source_commit: _Text
    user_simulator: _Text
    compatibility_boundary: _Text
    raw_transcript_policy: _Text
    cases: Annotated[list[Case], Meta(min_length=1)]
    boundary: list[_Text] | UnsetType = UNSET
