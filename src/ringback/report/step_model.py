"""The model of a step check's results: recorded calls, sent again to models, reply beside reply.

Like `ringback.report.model` it holds no clock time and no duration. `ringback.stepcheck` fills it;
terminal, page and files are made from it. Unknown is null, never 0.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from ringback.canonical import Json
from ringback.report.facts import Cost, Count
from ringback.stats import ClusterDifference, ClusteredRate

__all__ = [
    "OUTCOMES",
    "Answered",
    "Schemas",
    "StepCheckResults",
    "StepKind",
    "StepOutcome",
    "StepPart",
    "StepSample",
    "StepTarget",
]

StepKind: TypeAlias = Literal["call", "text"]
"""What a reply is: with any tool call it is a call, whatever text stands beside; else text."""

StepOutcome: TypeAlias = Literal[
    "same",
    "other_arguments",
    "other_tool",
    "text_for_call",
    "call_for_text",
    "other_text",
    "nothing",
    "failed",
]
OUTCOMES: tuple[StepOutcome, ...] = (
    "same",
    "other_arguments",
    "other_tool",
    "text_for_call",
    "call_for_text",
    "other_text",
    "nothing",
    "failed",
)
"""How a reply stands to the recorded one. ``other_arguments``: the same tools in the same order,
not all with equal arguments. ``other_tool``: other tools, or in another order or number.
``nothing``: a reply with neither words nor calls. ``failed``: the provider would not answer (where
the way to it broke the call counts as missing instead)."""

Schemas: TypeAlias = Literal["all", "some", "none", "no tools"]
"""How many of a call's tools were recorded with a schema of their arguments."""


class StepSample(Struct, frozen=True, kw_only=True):
    """What could be sent again, and what was drawn of it.

    `sessions` were looked at; `without_model` of them are of an agent that asked none, and
    `unreadable` could not be read. `calls` are the recorded calls of agents' models, `candidates`
    those that can be sent again, `excluded` counts the others by reason. `asked_for` and `seed`
    drew `sampled` of the candidates, out of `clusters` sessions, the largest of which has
    `largest`. `recorded` counts the sampled calls by the model that was recorded, `kinds` by what
    the recorded reply is, `schemas` by how many of the tools have a schema of their arguments.
    `texts_beside` are sampled calls with text beside them, which is not compared.
    """

    sessions: int
    without_model: int
    unreadable: int
    calls: int
    candidates: int
    excluded: tuple[Count, ...]
    asked_for: int
    seed: int
    sampled: int
    clusters: int
    largest: int
    recorded: tuple[Count, ...]
    kinds: tuple[Count, ...]
    schemas: tuple[Count, ...]
    texts_beside: int


class StepPart(Struct, frozen=True, kw_only=True):
    """How the replies to some of the calls came out.

    `outcomes` are in the order of `OUTCOMES`, those that occur. `rate` counts ``same`` over the
    replies that are there, a call that the provider refused among them. `exact` are those of the
    same texts that are equal to the byte.
    """

    rate: ClusteredRate
    outcomes: tuple[Count, ...]
    exact: int


class Answered(Struct, frozen=True):
    """A name that a model answered with, how often, and whether it is another than was asked for.

    `name` is None where the answer gives none.
    """

    name: str | None
    count: int
    other: bool


class StepTarget(Struct, frozen=True, kw_only=True):
    """What one model replied.

    `repeat` marks the model that was recorded (or is taken for it): it says what chance alone
    does. `missing` are sampled calls without its answer yet, because they were
    not sent or the way to it broke. `call` and `text` are `whole`
    by what was recorded, None where there is none. `failures` counts failed calls by reason.
    `not_sent` counts the calls of which something did not go to this model, by what and why.
    `cost` is of every try that is recorded, failed ones included. `versus` is the rate of the same
    replies minus the repeat's, over the calls that both were sent, by sessions; None for the repeat
    and where there is none.
    """

    model: str
    identity: dict[str, Json]
    repeat: bool
    missing: int
    answered: tuple[Answered, ...]
    whole: StepPart
    call: StepPart | None
    text: StepPart | None
    failures: tuple[Count, ...]
    not_sent: tuple[Count, ...]
    cost: Cost
    versus: ClusterDifference | None


class StepCheckResults(Struct, frozen=True, kw_only=True):
    """Everything a report says of a step check; the repeat, where there is one, stands first.

    `notes` are plain sentences on how far the figures carry, not yet escaped for any medium.
    """

    sample: StepSample
    targets: tuple[StepTarget, ...]
    notes: tuple[str, ...]
    level: float = 0.95
    resamples: int = 10_000

    @property
    def complete(self) -> bool:
        """Whether every model has answered every sampled call, if only by refusing."""
        return not any(target.missing for target in self.targets)
