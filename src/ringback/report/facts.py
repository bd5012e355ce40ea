"""What a study hands to its report: what was asked, how it was run, what became of each cell."""

from __future__ import annotations

from typing import Literal, Protocol, TypeAlias

from msgspec import Struct

from ringback.canonical import Json
from ringback.domain import Task
from ringback.episode.events import Ending, Limits, Setup
from ringback.grading.blame import Blame
from ringback.sessions import Used

__all__ = [
    "ArmFacts",
    "Cost",
    "Count",
    "EpisodeRow",
    "Role",
    "Sampling",
    "StudyFacts",
    "is_candidate",
    "unread",
]

Role: TypeAlias = Literal["baseline", "noise", "floor", "arm"]


class Sampling(Protocol):
    """How intervals over tasks are made: how many resamples, from which seed, to which level."""

    @property
    def resamples(self) -> int:
        """How often the tasks are drawn again."""
        ...

    @property
    def level(self) -> float:
        """The share of intervals that hold the truth: 0.95."""
        ...

    @property
    def bootstrap_seed(self) -> int:
        """Where the draws begin."""
        ...


class Cost(Struct, frozen=True):
    """What one side's model calls came to, by the prices in the record.

    `usd` is the sum of the known prices, and the whole cost only where no call is `unpriced` and
    none of the tries that failed was charged for, as `maybe_charged` of them may have been.
    """

    calls: int
    unpriced: int
    usd: float
    maybe_charged: int = 0


class Count(Struct, frozen=True):
    """How often something occurred."""

    name: str
    count: int


class EpisodeRow(Struct, frozen=True, kw_only=True):
    """What became of one planned cell. A cell without a row is taken as not run.

    `session` is the recorded session, `ending` how it ended: None where there is none yet.
    `graded` says whether there is a graded outcome; if there is none, `ungraded` says why in a word
    or two (``interrupted``, ``infrastructure_error``), and `solved` is False. `conduct` names the
    kinds of conduct noted; `strict_differs` says whether a check of an action and its strict form
    disagree, counted in the reward or not. The costs are None for a side that asked no model, and
    so is what its calls took, `agent_used` and `user_used`, or where nobody has looked; `faults`
    counts the replies that the guard held against the simulator, None where it is no model or no
    guard looked. `blame`
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
    agent_used: Used | None = None
    user_used: Used | None = None
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
    the prose alone then changes nothing. `rule` says, in a sentence or two, where a text of
    instructions that the arm changes comes from, as far as the store knows; empty where nobody
    has looked.
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
    rule: str = ""


class StudyFacts(Struct, frozen=True, kw_only=True):
    """What was asked and how it was run.

    `selection` is the task set as the study file names it and `tasks` what it came to, in order.
    `condition` is the digest of everything that must be equal before sessions are compared.
    `versions` decide the figures (ringback, world, grader; the participants' stand in `user` and in
    each arm); `made_with` should not (python, numpy). `command` runs the study again, as it is
    given. `arms` stand in the study file's order with exactly one baseline, which is first.
    `answered` says of each arm which names its customer's model answered with, and how many calls
    each; it is empty where the customer is no model. `seeded` says that all who take part are
    programs of ours that go by these versions and seeds alone, so that a fresh run comes out the
    same; False where that is not known. `notes` are sentences about what the recorded calls of the
    agents' models show beside what was asked for, such as another model's name.
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
    seeded: bool = False
    notes: tuple[str, ...] = ()


_TEXTS = {"instructions", "instructions_append"}


def is_candidate(arm: ArmFacts) -> bool:
    """Whether an arm is tried for what it is worth: no noise, no floor, and read by its agent."""
    return arm.role == "arm" and unread(arm) is None


def unread(arm: ArmFacts) -> str | None:
    """What an arm changes where it changes only texts that never reach what decides; else None.

    An agent of steps does not go by the policy's prose (`reads_policy`). A model that says a list
    of replies, which its identity holds the digest of, reads neither that nor its instructions.
    """
    if not arm.changes:
        return None
    listed = _says_a_list(arm.agent)
    found: list[str] = []
    for name, value in arm.changes.items():
        if name == "policy" and (listed or not arm.reads_policy):
            found.append("the wording of the policy")
        elif name == "settings" and listed and isinstance(value, dict) and value.keys() <= _TEXTS:
            found.append("the instructions")
        else:
            return None
    return " and ".join(found)


def _says_a_list(agent: Setup) -> bool:
    identity = agent.settings.get("identity")
    return isinstance(identity, dict) and "script" in identity
