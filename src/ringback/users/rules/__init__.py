"""A simulated customer without a model: it reads the agent's English and acts by rules."""

from __future__ import annotations

from ringback.episode.events import Setup
from ringback.episode.participants import Reply, UserBrief, View
from ringback.episode.seeds import Stream
from ringback.errors import InputError
from ringback.telecom.scenario import Caller
from ringback.users.rules.decide import turn

__all__ = ["Customer", "Rules"]

VERSION = "4"
"""Changes whenever the customer may answer the same conversation otherwise."""


class Customer:
    """One caller on the line."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    async def act(self, view: View, random: Stream) -> Reply:
        """The caller's next turn; see `ringback.users.rules.decide.turn`."""
        return turn(view, self._caller, random)


class Rules:
    """The simulated customer `rules`."""

    deterministic = True

    @property
    def setup(self) -> Setup:
        """Name and version; it has no settings."""
        return Setup("rules", VERSION)

    def take(self, brief: UserBrief) -> Customer:
        """A caller with this scenario; `InputError` if the scenario is not telecom's."""
        if not isinstance(brief.scenario, Caller):
            raise InputError(
                f"The user simulator 'rules' plays callers of the telecom domain, not of "
                f"{brief.domain!r}; choose another with --user."
            )
        return Customer(brief.scenario)
