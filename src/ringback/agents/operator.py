"""The agent that is somebody outside: a person, or a program that works the operator's desk."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from ringback.canonical import Json
from ringback.episode.events import Setup
from ringback.episode.participants import OPERATOR, AgentBrief, Participant
from ringback.errors import InputError

__all__ = ["Operator", "operator_of"]

_MOST = 80


class Operator(Struct, frozen=True):
    """Who answers by hand, turn by turn, and is known by a name: `called` of 1 to 80 characters."""

    called: str

    @property
    def setup(self) -> Setup:
        """The name stands in the settings, under ``as``."""
        return Setup(OPERATOR, "1", {"as": self.called})

    @property
    def deterministic(self) -> bool:
        """False."""
        return False

    @property
    def floor(self) -> bool:
        """False: a contender."""
        return False

    @property
    def reads_policy(self) -> bool:
        """True."""
        return True

    def take(self, brief: AgentBrief) -> Participant:  # noqa: ARG002
        """Raises `InputError`: an operator's turns come by the desk's doors, never by asking."""
        raise InputError(
            f"The agent operator is whoever sits at the desk ({self.called}), and nobody can ask "
            "them here; `ringback operate start` begins such an episode, and --model NAME lets a "
            "model answer in their place."
        )


def operator_of(settings: Mapping[str, Json]) -> Operator:
    """The operator with these settings; `InputError` for a name that is none."""
    called = settings.get("as", OPERATOR)
    if set(settings) - {"as"} or not isinstance(called, str):
        raise InputError(
            f"An operator has one setting, as, their name in 1 to {_MOST} characters on a line."
        )
    if not called.strip():
        raise InputError(f"An operator's name cannot be empty; it has 1 to {_MOST} characters.")
    if len(called) > _MOST:
        raise InputError(
            f"An operator's name has at most {_MOST} characters, and this one has {len(called)}."
        )
    if unseen := next((each for each in called if not each.isprintable()), None):
        raise InputError(
            f"An operator's name is one line of characters that can be seen, and {called!a} "
            f"has U+{ord(unseen):04X} in it; leave that out."
        )
    return Operator(called.strip())
