"""Telecom without a caller: the agent holds the phone and uses both sides' tools itself.

For recordings of such runs; there is nothing to play, because nobody calls.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from ringback.domain import Diagnosis, Did, Happening, Side, Sign, Task, Tool, Verdict, World
from ringback.errors import InputError
from ringback.telecom.domain import Telecom

__all__ = ["SoloTelecom"]


class SoloTelecom(Telecom):
    """The telecom domain with the phone in the agent's hands.

    Tasks, states and checks are those of `Telecom`. What the agent does on the phone counts as
    done by the side that the phone belongs to. Satisfies `ringback.domain.Domain`.
    """

    name = "telecom-solo"
    greeting = ""

    def tasks(self, split: str) -> Sequence[Task]:
        """Raises `InputError`: nothing can be played here."""
        raise self._refusal(f"task set {split!r}")

    def policy(self, variant: str) -> str:
        """Raises `InputError`: nobody is told anything here."""
        raise self._refusal(f"policy {variant!r}")

    def _refusal(self, what: str) -> InputError:
        return InputError(
            f"The domain {self.name} has no {what}: it is for recordings alone; play in the domain "
            "telecom."
        )

    def world(self, task: Task) -> World:
        """A fresh world with the task's faults applied, whose agent may use every tool."""
        from ringback.telecom.faults import start_state
        from ringback.telecom.solo_world import SoloWorld

        return SoloWorld(start_state(task.faults))

    def tools(self, side: Side) -> Sequence[Tool]:
        """All tools for the agent, none for the user."""
        if side == "user":
            return ()
        both = [*super().tools("agent"), *super().tools("user")]
        return tuple(replace(tool, side=side) for tool in both)

    def check(self, task: Task, history: Sequence[Happening], end: World) -> Verdict:
        """Check a whole history against the task; pure."""
        return super().check(task, _by_owner(history), end)

    def diagnose(
        self,
        task: Task,
        history: Sequence[Happening],
        end: World,
        verdict: Verdict,
        closed_by: Side | None,
    ) -> Diagnosis:
        """What went wrong in a run that was not solved; pure.

        Nobody called: the ticket is no speech of a customer, and whatever was done wrong was the
        agent's doing.
        """
        alone = [
            each for each in _by_owner(history) if isinstance(each, Did) or each.side == "agent"
        ]
        found = super().diagnose(task, alone, end, verdict, closed_by and "agent")
        return replace(
            found, signs=tuple(_agents(sign) for sign in found.signs if sign.kind != "went_on")
        )


def _agents(sign: Sign) -> Sign:
    """The sign where it is the agent who did what a customer does elsewhere."""
    if sign.by != "user":
        return sign
    text = sign.text.replace("the customer", "the agent").replace(", unasked", "")
    return replace(sign, by="agent", text=text)


def _by_owner(history: Sequence[Happening]) -> list[Happening]:
    """The history as `Telecom` has it: what is done on the phone, its owner does."""
    from ringback.telecom.tools import TOOLS

    phone = {name for name, spec in TOOLS.items() if spec.side == "user"}
    return [
        replace(each, side="user") if isinstance(each, Did) and each.tool in phone else each
        for each in history
    ]
