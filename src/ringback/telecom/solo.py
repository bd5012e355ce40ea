"""Telecom without a caller: the agent holds the phone and uses both sides' tools itself.

For recordings of such runs; there is nothing to play, because nobody calls.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from ringback.domain import Did, Happening, Side, Task, Tool, Verdict, World
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
        from ringback.telecom.tools import TOOLS

        phone = {name for name, spec in TOOLS.items() if spec.side == "user"}
        owned = [
            replace(each, side="user") if isinstance(each, Did) and each.tool in phone else each
            for each in history
        ]
        return super().check(task, owned, end)
