"""Telecom as a domain: the object that the rest of the product works with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ringback.canonical import Json
from ringback.domain import (
    Diagnosis,
    EndCheck,
    Happening,
    Scenario,
    Side,
    Task,
    Tool,
    Transfer,
    Verdict,
    World,
)

__all__ = ["Telecom"]


class Telecom:
    """Support calls to a mobile carrier. Loads its parts when they are first asked for.

    Satisfies `ringback.domain.Domain`, `ringback.domain.Diagnosing`,
    `ringback.domain.Transferring` and `ringback.domain.Recounting`.
    """

    name = "telecom"
    version = "1"
    grader_version = "3"
    greeting = "Hello, you have reached customer support. What can I do for you today?"

    @property
    def splits(self) -> tuple[str, ...]:
        """The names of the task sets, the default first."""
        from ringback.telecom.tasks import SPLITS

        return SPLITS

    @property
    def policies(self) -> tuple[str, ...]:
        """The names of the policy variants, the default first."""
        from ringback.telecom.policy import POLICIES

        return POLICIES

    def tasks(self, split: str) -> Sequence[Task]:
        """The tasks of a set in their fixed order; `InputError` if there is no such set."""
        from ringback.telecom.tasks import split as tasks_of

        return tasks_of(split)

    def task(self, task_id: str) -> Task:
        """The task with this id, of all 3,405; `InputError` if there is none."""
        from ringback.telecom.tasks import find

        return find(task_id)

    def world(self, task: Task) -> World:
        """A fresh world with the task's faults applied."""
        from ringback.telecom.faults import start_state
        from ringback.telecom.world import World

        return World(start_state(task.faults))

    def transfer(self, summary: str) -> Transfer:
        """The hand-over as the policy wants it."""
        return Transfer(
            "transfer_to_human_agents",
            {"summary": summary},
            "I have transferred you to a colleague, who will go on with this. Please stay on the "
            "line.",
        )

    def tools(self, side: Side) -> Sequence[Tool]:
        """The tools of one side, in a fixed order; a copy for each caller."""
        from ringback.telecom.tools import tools

        return tools(side)

    def policy(self, variant: str) -> str:
        """The agent's policy in words; `InputError` if there is no such variant."""
        from ringback.telecom.policy import policy

        return policy(variant)

    def scenario(self, task: Task) -> Scenario:
        """What the caller of this task knows and wants."""
        from ringback.telecom.scenario import scenario

        return scenario(task)

    def check(self, task: Task, history: Sequence[Happening], end: World) -> Verdict:
        """Check a whole history against the task; pure."""
        from ringback.telecom.checks import check

        return check(task, history, end)

    def diagnose(
        self,
        task: Task,
        history: Sequence[Happening],
        end: World,
        verdict: Verdict,
        closed_by: Side | None,
    ) -> Diagnosis:
        """What went wrong in a call that was not solved; pure."""
        from ringback.telecom.failures import diagnose

        return diagnose(task, history, end, verdict, closed_by)

    def about(self, task: Task) -> str:
        """What the case is about, faults included."""
        from ringback.telecom.recount import about

        return about(task)

    def observed(self, task: Task, history: Sequence[Happening], end: World) -> Mapping[str, Json]:
        """What stood at the end, as named fields (see `ringback.telecom.recount.observed`)."""
        from ringback.telecom.recount import observed

        return observed(task, history, end)

    def recount(self, history: Sequence[Happening]) -> Sequence[str]:
        """The call in sentences."""
        from ringback.telecom.recount import recount

        return recount(history)

    def finding(self, check: EndCheck, end: World) -> str:
        """What a check on the end state found."""
        from ringback.telecom.recount import finding

        return finding(check, end)

    def inversions(self, history: Sequence[Happening]) -> Sequence[int]:
        """The events at which the customer spoke as if it were the agent."""
        from ringback.telecom.recount import inversions

        return tuple(inversions(history))
