"""The one model of a report over recorded sessions: page, summary, terminal and file are of it.

``results.json`` is this model, field for field. It holds no clock time and no path but what a
recording calls its file, so one store gives the same bytes. Unknown is null, never 0.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from ringback.domain import Side
from ringback.episode.events import Ending, Forked, Limits, Setup
from ringback.grading.blame import Blame
from ringback.report.model import CellOutcome, Cost, Count, Failures, Faults, Steps
from ringback.sessions import Unread
from ringback.stats import ArmTest, CostPerSolved, Interval, PairedDifference, Standing

__all__ = [
    "FORMAT",
    "Arm",
    "Asked",
    "Condition",
    "Facts",
    "Flip",
    "Forks",
    "Held",
    "LeftOut",
    "Nothing",
    "Overview",
    "Picked",
    "SessionLine",
    "Solved",
    "ToolUse",
    "Versus",
]

FORMAT = 1

Nothing: TypeAlias = Literal["outcome", "alike", "alone", "one arm", "no such arm"]
"""Why no difference is read; the first three as in `ringback.sessions.unread`."""


Picked: TypeAlias = Literal["failed", "solved", "either"]
"""How sessions came out by which cases were picked to be played again: see `overview.picked`."""


class Facts(Struct, frozen=True, kw_only=True):
    """What was asked for and how intervals are made.

    `selection` is what was typed, empty for everything in the store; `baseline` the arm that was
    named, None where nobody named one. `unread` says why nothing of an arm can be read from these
    sessions, None where it can. `versions` decide the figures, `made_with` should not.
    """

    selection: str
    baseline: str | None
    command: str
    unread: Unread | None
    versions: dict[str, str]
    made_with: dict[str, str]
    resamples: int = 10_000
    level: float = 0.95
    bootstrap_seed: int = 0


class Solved(Struct, frozen=True):
    """Solved of graded sessions.

    `rate` and `interval` (Wilson) are None where nothing is graded, and where the sessions were
    chosen by how they came out. With several sessions of a task the interval goes by `effective`,
    the number of independent ones that these are worth.
    """

    graded: int
    solved: int
    rate: float | None
    interval: Interval | None
    effective: float | None = None


class Asked(Struct, frozen=True):
    """A model that a side asked, by the name it was asked by; None where that is not recorded."""

    side: Side
    model: str | None
    calls: int


class ToolUse(Struct, frozen=True):
    """How often a side called a tool; `errors` were answered with one, `unanswered` not at all."""

    side: Side
    tool: str
    calls: int
    errors: int
    unanswered: int


class Arm(Struct, frozen=True, kw_only=True):
    """What an arm did under one condition: sessions of one content, one name and one origin.

    `name` is unlike that of any other arm of the condition, an operator's own for theirs;
    `recorded_as` is the name in the record. `rate` is over graded sessions; `least` and `most` are
    what it would be had all others been failed, or solved. `tasks` counts those that are known,
    `unknown_tasks` sessions of none. `agent_cost` and the rest are as in a study's results.
    `graders` counts the grades by the version of their checks. `picked` is there where its cases
    are only such as had come out that way before, so that its rate is not read.
    """

    name: str
    recorded_as: str
    digest: str
    origin: str | None
    agent: Setup
    policy: str
    asked: tuple[Asked, ...]
    sessions: int
    tasks: int
    unknown_tasks: int
    graded: int
    ungraded: int
    reasons: tuple[Count, ...]
    rate: Solved
    least: float | None
    most: float | None
    repairable: Solved
    unrepairable: Solved
    endings: tuple[Count, ...]
    steps: Steps | None
    agent_cost: Cost | None
    user_cost: Cost | None
    cost_per_solved: CostPerSolved | None
    faults: Faults | None
    failures: tuple[Failures, ...]
    unblamed: int
    conduct: tuple[Count, ...]
    strict_differs: int
    tools: tuple[ToolUse, ...]
    graders: tuple[Count, ...]
    picked: Picked | None = None


class Flip(Struct, frozen=True):
    """A draw that came out otherwise: the task, and the two sessions."""

    task: str
    trial: int
    seed: int
    better: bool
    baseline: str
    session: str


class Versus(Struct, frozen=True, kw_only=True):
    """An arm against the baseline, paired by draw: task, trial and seed.

    Only draws that both have once, with graded outcomes, make a pair; `unpaired` counts the others
    by reason. `difference` is None where there is no pair, and where `unread` says that cases of
    one of the two were picked by how they had come out in the other. `again` marks an arm of the
    baseline's very content, which stands outside Holm's adjustment; `test` is the exact test with
    it.
    """

    arm: str
    baseline: str
    pairs: int
    unpaired: tuple[Count, ...]
    difference: PairedDifference | None
    test: ArmTest | None
    claimed: Standing | None
    again: bool
    flips: tuple[Flip, ...]
    unread: Picked | None = None


class Condition(Struct, frozen=True, kw_only=True):
    """Sessions that may be averaged and paired: one world, one customer, the same limits.

    `name` is a letter for this report. `differs` says in words what is otherwise than in the first
    condition. `origins` counts the sessions by the form of recording that they were read from,
    ``ringback`` for those recorded here. `baseline` is the arm that the others are compared with,
    and `unread` why they are not.
    """

    name: str
    digest: str
    origins: tuple[Count, ...]
    domain: str
    world: str
    grader: str
    user: Setup
    texts: str
    limits: Limits
    sessions: int
    differs: tuple[str, ...]
    arms: tuple[Arm, ...]
    baseline: str | None
    unread: Nothing | None
    versus: tuple[Versus, ...]


class Forks(Struct, frozen=True):
    """Forks of an arm: counts and no rate, since they do not begin where a call begins."""

    arm: str
    sessions: int
    graded: int
    solved: int


class SessionLine(Struct, frozen=True, kw_only=True):
    """One session that is told.

    `condition` is the letter, None for one in no figure. `forked` says where a fork goes on from.
    `outcome` and `reason` are as in a study's grid. `counted` is False for forks and for attempts
    that a later one replaced. `grader` is the version of the checks that graded it, and `now` says
    that it was graded for this report, since the store had no grade. `origin` is the form of the
    recording, None for what was recorded here.
    """

    id: str
    condition: str | None
    arm: str
    task: str | None
    family: str | None
    trial: int | None
    seed: int | None
    attempt: int
    counted: bool
    outcome: CellOutcome
    reason: str | None
    ending: Ending | None
    reward: float | None
    steps: int | None
    agent_cost: Cost | None
    user_cost: Cost | None
    faults: int | None
    blame: Blame | None
    kinds: tuple[str, ...]
    conduct: tuple[str, ...]
    strict_differs: bool
    grader: str | None
    now: bool
    origin: str | None
    origin_file: str | None
    origin_id: str | None
    parent: str | None
    forked: Forked | None


class Held(Struct, frozen=True):
    """A session that is not told, or cannot be read, and why, in words that follow "since"."""

    session: str
    why: str


class LeftOut(Struct, frozen=True):
    """What was selected and is in no figure.

    `operated` are sessions by hand that are not over, or whose case is being played by hand;
    `others` counts other sessions of such cases, which are not named, since their names would give
    the case away. `replaced` attempts were followed by another. `unreadable` cannot be read.
    """

    operated: tuple[Held, ...]
    others: int
    replaced: int
    unreadable: tuple[Held, ...]


class Overview(Struct, frozen=True, kw_only=True):
    """Everything a report over sessions says.

    `selected` counts the sessions that fit; `conditions` stand by how many of theirs are graded,
    the most first; `sessions` are those that are told, in the order of their beginning. `limits`
    are the sentences that say what the figures do not: what it is about, and the rest.
    """

    format: int = FORMAT
    facts: Facts
    headline: tuple[str, ...]
    selected: int
    conditions: tuple[Condition, ...]
    forks: tuple[Forks, ...]
    sessions: tuple[SessionLine, ...]
    left_out: LeftOut
    graded_now: int
    older_grades: tuple[Count, ...]
    limits: tuple[tuple[str, str], ...]
