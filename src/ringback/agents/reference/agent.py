"""The reference agent as a participant."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from ringback.agents.reference.case import Habits
from ringback.agents.reference.fold import fold
from ringback.agents.reference.plan import next_turn
from ringback.episode.events import Setup
from ringback.episode.participants import AgentBrief, Reply, View
from ringback.episode.seeds import Stream
from ringback.errors import InputError

__all__ = ["VERSION", "Reference"]

VERSION = "2"
"""Changes whenever the same view can lead to another reply."""


class _Taking(Struct, frozen=True):
    habits: Habits

    async def act(self, view: View, random: Stream) -> Reply:
        return next_turn(fold(view, self.habits), random)


class Reference(Struct, frozen=True):
    """An agent that executes the telecom workflow and reads what the customer says.

    It goes by the workflow whatever variant of the policy it is given: both say the same.
    """

    name: str
    habits: Habits

    @property
    def setup(self) -> Setup:
        """Name, version and every habit."""
        return Setup(self.name, VERSION, msgspec.to_builtins(self.habits))

    @property
    def deterministic(self) -> bool:
        """True unless it leaves out steps by chance."""
        return self.habits.skip == 0.0

    @property
    def floor(self) -> bool:
        """False: a contender."""
        return False

    @property
    def reads_policy(self) -> bool:
        """False: it executes the workflow as data, whatever the policy's prose says."""
        return False

    def take(self, brief: AgentBrief) -> _Taking:
        """A participant; `InputError` for a domain other than telecom."""
        if brief.domain != "telecom":
            raise InputError(
                f"Agent {self.name} knows the telecom workflow and cannot serve {brief.domain!r}; "
                "choose another agent."
            )
        return _Taking(self.habits)
