"""The one model of a study's results.

The page, ``summary.md`` and ``results.json`` are all made from `StudyResults`; nothing that one of
them states is computed twice. The study's side fills `StudyFacts` and one `EpisodeRow` a cell, and
`ringback.report.compute.compute` turns them into results.

``results.json`` is this model, field for field (see `ringback.report.results_json`). It holds no
clock time and no duration, so two runs of one study give one file, byte for byte, whether or not
they were interrupted. `StudyFacts.made_with` is the only part that may differ between machines.
Unknown is null, never 0.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from ringback.canonical import Json
from ringback.domain import Task
from ringback.episode.events import Ending, Limits, Setup
from ringback.grading.blame import Blame
from ringback.stats import Interval, PairedDifference

__all__ = [
    "FEW_PAIRS",
    "FORMAT",
    "ArmFacts",
    "ArmResults",
    "Cell",
    "CellOutcome",
    "Comparison",
    "Cost",
    "Count",
    "EpisodeRow",
    "Failures",
    "Faults",
    "Flip",
    "GridRow",
    "Group",
    "PairCounts",
    "Rate",
    "Role",
    "Steps",
    "StudyFacts",
    "StudyResults",
    "Totals",
]

FORMAT = 1
FEW_PAIRS = 10  # below this the interval's coverage strays from its level: docs/decisions/0004

Role: TypeAlias = Literal["baseline", "noise", "floor", "arm"]
CellOutcome: TypeAlias = Literal["solved", "unsolved", "ungraded"]


class Cost(Struct, frozen=True):
    """What one side's model calls came to, by the prices in the record.

    `usd` is the sum of the known prices, and the whole cost only where no call is `unpriced` and
    none of the tries that failed was charged for, as `maybe_charged` of them may have been.
    """

    calls: int
    unpriced: int
    usd: float
    maybe_charged: int = 0


class EpisodeRow(Struct, frozen=True, kw_only=True):
    """What became of one planned cell. A cell without a row is taken as not run.

    `session` is the recorded session, `ending` how it ended: None where there is none yet.
    `graded` says whether there is a graded outcome; if there is none, `ungraded` says why in a word
    or two (``interrupted``, ``infrastructure_error``), and `solved` is False. `conduct` names the
    kinds of conduct noted; `strict_differs` says whether the strict checks disagree with the
    reference reward. The costs are None for a side that asked no model; `faults` counts the replies
    that the guard held against the simulator, None where it is no model or no guard looked. `blame`
    says whom an episode that was not solved is laid to, None where it was solved or nobody has
    asked; `kinds` names what went wrong in it.
    """

    arm: str
    task: str
    trial: int
    session: str | None = None
    ending: Ending | None = None
    graded: bool = False
    reward: float | None = None
    solved: bool = False
    steps: int | None = None
    ungraded: str | None = None
    conduct: tuple[str, ...] = ()
    strict_differs: bool = False
    agent_cost: Cost | None = None
    user_cost: Cost | None = None
    faults: int | None = None
    blame: Blame | None = None
    kinds: tuple[str, ...] = ()


class ArmFacts(Struct, frozen=True, kw_only=True):
    """What an arm is. `changes` is what the study file says it changes against the baseline.

    A `floor` arm is a control that does no support work (do nothing, transfer at once).
    `deterministic` says that with equal seeds neither its agent nor the user can differ, so that a
    repetition must give the same: its noise is zero by construction, and is no evidence.
    `digest` identifies the arm's content: two arms with equal digests differ by name only.
    `own_settings` are the agent's settings that differ from its defaults, None where that is not
    known. `reads_policy` is False for an agent that does not go by the policy's prose: changing
    the prose alone then changes nothing.
    """

    name: str
    role: Role
    agent: Setup
    policy: str
    deterministic: bool
    digest: str
    changes: dict[str, Json] = {}
    own_settings: dict[str, Json] | None = None
    reads_policy: bool = True


class StudyFacts(Struct, frozen=True, kw_only=True):
    """What was asked and how it was run.

    `selection` is the task set as the study file names it and `tasks` what it came to, in order.
    `condition` is the digest of everything that must be equal before sessions are compared.
    `versions` decide the figures (ringback, world, grader; the participants' stand in `user` and in
    each arm); `made_with` should not (python, numpy). `command` runs the study again, as it is
    given. `arms` stand in the study file's order with exactly one baseline, which is first.
    `answered` says of each arm which names its customer's model answered with, and how many calls
    each; it is empty where the customer is no model.
    """

    name: str
    question: str
    domain: str
    versions: dict[str, str]
    made_with: dict[str, str]
    condition: str
    selection: str
    tasks: tuple[Task, ...]
    trials: int
    seed: int
    limits: Limits
    user: Setup
    greeting: str
    arms: tuple[ArmFacts, ...]
    command: str
    resamples: int = 10_000
    level: float = 0.95
    bootstrap_seed: int = 0
    answered: dict[str, dict[str, int]] = {}


class Count(Struct, frozen=True):
    """How often something occurred."""

    name: str
    count: int


class Rate(Struct, frozen=True):
    """Solved over planned: an episode without a graded outcome counts as unsolved.

    `rate` and `interval` (Wilson) are None where nothing was planned.
    """

    planned: int
    solved: int
    rate: float | None
    interval: Interval | None


class Group(Struct, frozen=True):
    """The rate on a part of the tasks."""

    name: str
    tasks: int
    rate: Rate


class Faults(Struct, frozen=True):
    """Faults of the user simulator: how many, and in how many of the episodes that it played."""

    count: int
    in_episodes: int
    episodes: int


class Failures(Struct, frozen=True):
    """Episodes that were not solved and are laid to one side, or to none, with what went wrong.

    `kinds` counts episodes, not signs; an episode can be of several kinds.
    """

    blame: Blame
    episodes: int
    kinds: tuple[Count, ...]


class Totals(Struct, frozen=True):
    """How many episodes were planned, ended (`run`) and graded; the rest by reason."""

    planned: int
    run: int
    graded: int
    ungraded: int
    reasons: tuple[Count, ...]


class Steps(Struct, frozen=True):
    """Steps per episode, over the `episodes` that ended with a known number of them."""

    episodes: int
    mean: float
    median: float
    most: int


class PairCounts(Struct, frozen=True):
    """Planned pairs (task and trial) by who has a graded outcome."""

    planned: int
    both: int
    only_arm: int
    only_baseline: int
    neither: int


class Flip(Struct, frozen=True):
    """A task that changed outcome: in how many trials for the better, in how many for the worse."""

    task: str
    better: int
    worse: int


class Comparison(Struct, frozen=True):
    """An arm against the baseline, paired by task and trial.

    `difference` is over every planned pair, an ungraded episode counting as unsolved. `completed`
    is over the pairs with two graded outcomes; it is None when those are all, and when there are
    none. `settled` says whether the verdict would be the same whatever the ungraded episodes had
    come to, from all in the arm's favour to all in the baseline's. `repairable` and `unrepairable`
    are like `difference` on a part of the tasks, None where there are none. `few` says that fewer
    than `FEW_PAIRS` pairs changed, so that a verdict is rough (docs/decisions/0004). `unread` marks
    an arm that changes only the policy's prose, which its agent does not read; `by_construction`
    such an arm, or a noise arm, that could not have differed.
    """

    difference: PairedDifference
    completed: PairedDifference | None
    settled: bool
    repairable: PairedDifference | None
    unrepairable: PairedDifference | None
    pairs: PairCounts
    flips: tuple[Flip, ...]
    by_construction: bool
    few: bool
    unread: bool


class ArmResults(Struct, frozen=True, kw_only=True):
    """What an arm did. `versus` is None for the baseline.

    `conduct` counts the episodes in which a kind was noted, not the notes. Costs and faults are
    those of the sessions that count, None where no model was asked or no guard looked. `failures`
    are the episodes that ended unsolved, by whom they are laid to; `unblamed` is how many of them
    were graded without asking. They move no rate.
    """

    name: str
    role: Role
    totals: Totals
    rate: Rate
    repairable: Rate
    unrepairable: Rate
    families: tuple[Group, ...]
    endings: tuple[Count, ...]
    steps: Steps | None
    conduct: tuple[Count, ...]
    strict_differs: int
    versus: Comparison | None
    agent_cost: Cost | None = None
    user_cost: Cost | None = None
    faults: Faults | None = None
    failures: tuple[Failures, ...] = ()
    unblamed: int = 0


class Cell(Struct, frozen=True, kw_only=True):
    """One episode in the grid. `reason` says why it is ungraded, None where it is graded."""

    outcome: CellOutcome
    session: str | None
    ending: Ending | None
    reward: float | None
    steps: int | None
    reason: str | None
    conduct: tuple[str, ...]
    strict_differs: bool
    agent_cost: Cost | None = None
    user_cost: Cost | None = None
    faults: int | None = None
    blame: Blame | None = None
    kinds: tuple[str, ...] = ()


class GridRow(Struct, frozen=True):
    """A task's episodes: `cells[a][t]` is trial `t` of arm `a`, arms as in `StudyFacts.arms`."""

    task: str
    cells: tuple[tuple[Cell, ...], ...]


class StudyResults(Struct, frozen=True, kw_only=True):
    """Everything a report says.

    `arms` stand as in `facts.arms`, `grid` as `facts.tasks`. `headline` is the short answer, plain
    sentences that are not yet escaped for any medium.
    """

    facts: StudyFacts
    totals: Totals
    headline: tuple[str, ...]
    arms: tuple[ArmResults, ...]
    grid: tuple[GridRow, ...]
    format: int = FORMAT

    @property
    def asked_models(self) -> bool:
        """Whether either side asked a model in any arm."""
        return any(arm.agent_cost or arm.user_cost for arm in self.arms)
