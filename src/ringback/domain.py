"""What a support world offers, as a protocol.

A domain is one module: its tasks, its world with tools for each side, the agent's policy, the
caller's scenario and the checks on the end state. Telecom is the first; another is found through
the entry point group ``ringback.domains`` (an object with the members of `Domain`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol, Self, TypeAlias, runtime_checkable

from msgspec import Struct

from ringback.canonical import Json

__all__ = [
    "SIDES",
    "ActionCheck",
    "Conduct",
    "Diagnosing",
    "Diagnosis",
    "Did",
    "Domain",
    "EndCheck",
    "Happening",
    "Outcome",
    "Recounting",
    "Said",
    "Scenario",
    "Side",
    "Sign",
    "Task",
    "Tool",
    "Transfer",
    "Transferring",
    "Verdict",
    "World",
]

Side: TypeAlias = Literal["agent", "user"]
SIDES: tuple[Side, Side] = ("agent", "user")


class Tool(Struct, frozen=True):
    """A function one side may call.

    `parameters` is a JSON Schema of type object; `writes` says whether a call can change the world.
    """

    name: str
    side: Side
    description: str
    parameters: Mapping[str, Any]
    writes: bool


class Outcome(Struct, frozen=True):
    """What a tool call gave back: the text the caller reads, whether it is an error, the record.

    `record` is the structured result where there is one (an account, a list of bills).
    """

    text: str
    error: bool = False
    record: Json = None


class Task(Struct, frozen=True):
    """One case to solve. `repairable` is False where the right outcome is a transfer."""

    id: str
    family: str
    faults: tuple[str, ...]
    persona: str
    repairable: bool


class Scenario(Protocol):
    """What the caller knows and wants. Hidden from the agent's side."""

    @property
    def text(self) -> str:
        """The scenario in words, for a user simulator that reads."""
        ...


class World(Protocol):
    """The state of one case. Same calls, same state, same bytes; no clock, no randomness."""

    def call(self, side: Side, tool: str, arguments: Json) -> Outcome:
        """Run a tool for a side.

        Never raises for what a caller can get wrong: that is an error outcome, and it leaves the
        state as it was.
        """
        ...

    def copy(self) -> Self:
        """A world of its own in the same state, at the cost of a reference."""
        ...

    def digest(self) -> str:
        """32 hexadecimal digits that are equal exactly when the states are."""
        ...

    def fields(self) -> Mapping[str, Json]:
        """The state as flat fields, e.g. ``line.L1002.status`` to ``Active``."""
        ...


class Said(Struct, frozen=True):
    """A sentence that reached the other side, at event `seq`."""

    seq: int
    side: Side
    text: str


class Did(Struct, frozen=True):
    """A tool call with its outcome and the world on both sides of it."""

    seq: int
    index: int
    side: Side
    tool: str
    arguments: Json
    outcome: Outcome
    before: World
    after: World


Happening: TypeAlias = Said | Did


class EndCheck(Struct, frozen=True):
    """One end-state check. `counted` says whether it is in the reward's basis."""

    name: str
    env: Side
    arguments: Mapping[str, Json]
    met: bool
    counted: bool = True


class ActionCheck(Struct, frozen=True):
    """One expected step. `met` by the reference rule, `strict` by ours (see the telecom checks).

    `compare`: None when every argument is compared, () when the name alone counts.
    """

    name: str
    side: Side
    arguments: Mapping[str, Json]
    compare: tuple[str, ...] | None
    met: bool
    strict: bool
    counted: bool


class Conduct(Struct, frozen=True):
    """Something the reward does not see: what kind, at which event, in one sentence."""

    kind: str
    seq: int
    text: str


class Verdict(Struct, frozen=True):
    """The checks of one history: `satisfied` is their product over the basis."""

    satisfied: bool
    basis: tuple[str, ...]
    end: tuple[EndCheck, ...]
    actions: tuple[ActionCheck, ...]
    conduct: tuple[Conduct, ...] = ()


class Sign(Struct, frozen=True):
    """Something that went wrong in a call that was not solved: what kind, where, in one sentence.

    `seq` is the event that shows it; `by` the side whose doing it is, None for neither's.
    `decisive`: without it the call would most probably have been solved.
    """

    kind: str
    seq: int
    text: str
    by: Side | None = None
    decisive: bool = False


class Diagnosis(Struct, frozen=True):
    """What a domain finds in a call that was not solved.

    `fewest_steps` is how many steps a plain repair of the case takes, None where unknown: a limit
    below that is nobody's fault in the call.
    """

    signs: tuple[Sign, ...] = ()
    fewest_steps: int | None = None


class Domain(Protocol):
    """A support world. Versions are stamped into every session and every grade."""

    @property
    def name(self) -> str:
        """The name under which the domain is found."""
        ...

    @property
    def version(self) -> str:
        """Changes whenever a task's start or a tool's effect or result text changes."""
        ...

    @property
    def grader_version(self) -> str:
        """Changes whenever a check does."""
        ...

    @property
    def greeting(self) -> str:
        """The agent's fixed opening words."""
        ...

    @property
    def splits(self) -> tuple[str, ...]:
        """The names of the task sets, the default first."""
        ...

    @property
    def policies(self) -> tuple[str, ...]:
        """The names of the policy variants, the default first."""
        ...

    def tasks(self, split: str) -> Sequence[Task]:
        """The tasks of a split in their fixed order; `InputError` if there is no such split."""
        ...

    def task(self, task_id: str) -> Task:
        """The task with this id; `InputError` if there is none."""
        ...

    def world(self, task: Task) -> World:
        """A fresh world with the task's faults applied."""
        ...

    def tools(self, side: Side) -> Sequence[Tool]:
        """The tools of one side, in a fixed order."""
        ...

    def policy(self, variant: str) -> str:
        """The agent's policy in words; `InputError` if there is no such variant."""
        ...

    def scenario(self, task: Task) -> Scenario:
        """What the caller of this task knows and wants."""
        ...

    def check(self, task: Task, history: Sequence[Happening], end: World) -> Verdict:
        """Check a whole history against the task; pure."""
        ...


class Transfer(Struct, frozen=True):
    """How a caller is handed over: the agent's call, and what it says when that worked."""

    tool: str
    arguments: Mapping[str, Json]
    words: str


@runtime_checkable
class Transferring(Protocol):
    """A domain in which an agent can hand a caller over, so that it can be done by one command."""

    def transfer(self, summary: str) -> Transfer:
        """The hand-over with this summary for the colleague who takes the call."""
        ...


@runtime_checkable
class Diagnosing(Protocol):
    """A domain that can also say what went wrong. One that cannot is graded all the same."""

    def diagnose(
        self,
        task: Task,
        history: Sequence[Happening],
        end: World,
        verdict: Verdict,
        closed_by: Side | None,
    ) -> Diagnosis:
        """What went wrong in a call that was not solved; pure.

        `closed_by` is who ended it, None where it was cut off. Judge by the worlds: of a recording
        of another program the results are worded otherwise.
        """
        ...


@runtime_checkable
class Recounting(Protocol):
    """A domain that can tell a call again in its own words. Of one that cannot there is less."""

    def about(self, task: Task) -> str:
        """What the case is about, faults included, in a sentence or two."""
        ...

    def observed(self, task: Task, history: Sequence[Happening], end: World) -> Mapping[str, Json]:
        """What stood at the end, as named fields: from the world, and from what was done; pure."""
        ...

    def recount(self, history: Sequence[Happening]) -> Sequence[str]:
        """The call in sentences, one for each meaningful step, refusals and recoveries included.

        By rule and pure. Texts of either side are hostile: quoted, shortened, on one line.
        """
        ...

    def finding(self, check: EndCheck, end: World) -> str:
        """What a check on the end state found, as it stands after "found"."""
        ...

    def inversions(self, history: Sequence[Happening]) -> Sequence[int]:
        """The events at which the customer spoke as if it were the agent."""
        ...
