"""The one model of a study's results.

The page, ``summary.md`` and ``results.json`` are all made from `StudyResults`; nothing that one of
them states is computed twice. The study's side fills `StudyFacts` and one `EpisodeRow` a cell, and
`ringback.report.compute.compute` turns them into results.

``results.json`` is this model, field for field (see `ringback.report.results_json`). It holds no
clock time, and no duration but what models took to answer. So from one store there is one file,
byte for byte, and a study of programs gives that file again however often it is run and whether or
not it was interrupted. `StudyFacts.made_with` is the only part that may differ between machines.
Unknown is null, never 0.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from ringback.episode.events import Ending
from ringback.episode.parting import PartingKind
from ringback.grading.blame import Blame
from ringback.report.facts import ArmFacts, Cost, Count, EpisodeRow, Role, StudyFacts
from ringback.report.step_model import StepCheckResults
from ringback.sessions import Used
from ringback.stats import (
    FEW_TASKS,
    ArmTest,
    CostPerSolved,
    Interval,
    Mean,
    PairedDifference,
    PassK,
    Standing,
)

__all__ = [
    "FEW_TASKS",
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
    "FaultCount",
    "Faults",
    "Flip",
    "FlipPair",
    "GridRow",
    "Group",
    "PairCounts",
    "PartsAt",
    "PerEpisode",
    "Rate",
    "Role",
    "Sensitivity",
    "SensitivityName",
    "Steps",
    "StudyFacts",
    "StudyResults",
    "Tied",
    "TiedArm",
    "Totals",
]

FORMAT = 1

CellOutcome: TypeAlias = Literal["solved", "unsolved", "ungraded"]
SensitivityName: TypeAlias = Literal["without_infrastructure", "without_simulator_faults"]


class Rate(Struct, frozen=True):
    """Solved over planned: an episode without a graded outcome counts as unsolved.

    `rate` and `interval` (Wilson) are None where nothing was planned. With several trials the
    interval goes by `effective`, the number of independent episodes that these are worth.
    """

    planned: int
    solved: int
    rate: float | None
    interval: Interval | None
    effective: float | None = None


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


class FaultCount(Struct, frozen=True):
    """Of the planned episodes on tasks with a fault, how many were not solved."""

    fault: str
    planned: int
    failed: int


class Sensitivity(Struct, frozen=True):
    """An arm's figures with some episodes left out, to see what hangs on them.

    `left_out` counts the arm's own; a pair is left out where either side is. `difference` is None
    for the baseline and where no pair is left.
    """

    name: SensitivityName
    left_out: int
    rate: Rate
    difference: PairedDifference | None


class Totals(Struct, frozen=True):
    """How many episodes were planned, ended (`run`) and graded; the rest by reason."""

    planned: int
    run: int
    graded: int
    ungraded: int
    reasons: tuple[Count, ...]


class Steps(Struct, frozen=True):
    """Steps per episode, over the `episodes` that ended with a known number of them.

    `lower` and `upper` are the quartiles (the values at a quarter and three quarters of the way,
    without interpolation); `interval` is the mean's, by a bootstrap over tasks, None where all
    tasks have equal means.
    """

    episodes: int
    mean: float
    median: float
    most: int
    least: int | None = None
    lower: int | None = None
    upper: int | None = None
    interval: Interval | None = None


class PerEpisode(Struct, frozen=True):
    """What a side's model calls took in an episode: means over the episodes that ended.

    Seconds at work (no waiting, and no tries that gave nothing) and tokens as the provider counts
    them, `cached` being a part of `input`. An episode in which the side was not asked took nothing.
    Each mean leaves out, and counts, the episodes of which it is unknown.
    """

    seconds: Mean
    input: Mean
    output: Mean
    cached: Mean


class PairCounts(Struct, frozen=True):
    """Planned pairs (task and trial) by who has a graded outcome."""

    planned: int
    both: int
    only_arm: int
    only_baseline: int
    neither: int


class PartsAt(Struct, frozen=True):
    """Where an arm's session first goes otherwise than the baseline's, and in what.

    `seq` and `baseline_seq` are the events that show it, None where the session is over; `here` and
    `there` what stands there in the arm's and the baseline's, the beginning of a long text.
    """

    kind: PartingKind
    step: int
    seq: int | None
    baseline_seq: int | None
    words: str
    here: str | None = None
    there: str | None = None


class FlipPair(Struct, frozen=True):
    """A trial of a task that changed outcome: its two sessions, and where they part.

    `parts` is None where it was not looked for, or one of the sessions is not there.
    """

    trial: int
    better: bool
    baseline: str | None
    session: str | None
    parts: PartsAt | None = None


class Flip(Struct, frozen=True):
    """A task that changed outcome: in how many trials for the better, in how many for the worse."""

    task: str
    better: int
    worse: int
    pairs: tuple[FlipPair, ...] = ()


class Comparison(Struct, frozen=True):
    """An arm against the baseline, paired by task and trial.

    `difference` is over every planned pair, an ungraded episode counting as unsolved. `completed`
    is over the pairs with two graded outcomes; it is None when those are all, and when there are
    none. `settled` says whether the verdict would be the same whatever the ungraded episodes had
    come to, from all in the arm's favour to all in the baseline's. `repairable` and `unrepairable`
    are like `difference` on a part of the tasks, None where there are none. `few` says that fewer
    than `FEW_TASKS` tasks changed, so that a verdict is rough (docs/decisions/0004). `unread` marks
    an arm that changes only texts which its agent does not read; `by_construction`
    such an arm, or a noise arm, that could not have differed. `test` is the exact test with Holm's
    adjustment over the arms that are candidates, None for noise and floors. `half_width` is half
    the interval's: what the study was able to tell. `claimed` is what the arm is called, our
    adjusted reading: the difference's verdict, where its adjusted test upholds that among several
    candidates; noise and floors stand outside the adjustment. The method's reading, by the interval
    alone and unadjusted, is `PairedDifference.unadjusted`.
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
    test: ArmTest | None = None
    half_width: float | None = None
    claimed: Standing = "not distinguishable"


class ArmResults(Struct, frozen=True, kw_only=True):
    """What an arm did. `versus` is None for the baseline.

    `conduct` counts the episodes in which a kind was noted, not the notes, and `strict_differs` the
    graded ones in which a check of an action and its strict form disagree. Costs and faults are
    those of the sessions that count, None where no model was asked or no guard looked. `failures`
    are the episodes that ended unsolved, by whom they are laid to; `unblamed` is how many of them
    were graded without asking. They move no rate. `cost_per_solved` is the agent's cost of all runs
    over the solved ones, None where no model was asked. `pass_k` has pass^1, pass^2 and so on.
    `agent_took` and `user_took` are None for a side that asked no model.
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
    cost_per_solved: CostPerSolved | None = None
    pass_k: tuple[PassK, ...] = ()
    sensitivity: tuple[Sensitivity, ...] = ()
    by_fault: tuple[FaultCount, ...] = ()
    agent_took: PerEpisode | None = None
    user_took: PerEpisode | None = None


class TiedArm(Struct, frozen=True):
    """A candidate against the one that came out best: its rate minus that one's.

    `interval` holds for all candidates at once; None for the best itself. `beaten_by` names the
    arms that are shown to be better.
    """

    name: str
    difference: float
    interval: Interval | None
    may_be_best: bool
    beaten_by: tuple[str, ...]


class Tied(Struct, frozen=True):
    """Which of the candidates, the baseline and the arms, may be best.

    Noise arms and floors are no candidates, nor is an arm that changes only what its agent does not
    read. `settled` says whether it would be the same whatever the ungraded episodes had come to,
    as far as the comparisons with the baseline tell.
    """

    best: str
    arms: tuple[TiedArm, ...]
    settled: bool


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
    agent_used: Used | None = None
    user_used: Used | None = None
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
    sentences that are not yet escaped for any medium. `silent` says why the figures say nothing
    about the agents, None where they do. `tied` is None where there is no second candidate. `cost`
    is what both sides' model calls came to in all arms, None where no model was asked.
    """

    facts: StudyFacts
    totals: Totals
    headline: tuple[str, ...]
    arms: tuple[ArmResults, ...]
    grid: tuple[GridRow, ...]
    format: int = FORMAT
    silent: str | None = None
    tied: Tied | None = None
    cost: Cost | None = None
    step_check: StepCheckResults | None = None

    @property
    def compared(self) -> int:
        """How many arms are compared with the baseline, noise and controls left out."""
        return sum(arm.versus is not None and arm.versus.test is not None for arm in self.arms)

    @property
    def asked_models(self) -> bool:
        """Whether either side asked a model in any arm."""
        return any(arm.agent_cost or arm.user_cost for arm in self.arms)
