"""What a participant is: one method, without private memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias

from msgspec import Struct

from ringback.domain import Scenario, Side, Tool
from ringback.episode.events import (
    Call,
    ModelCall,
    Nudge,
    Rejected,
    Results,
    Setup,
    Turn,
)
from ringback.episode.seeds import Stream

__all__ = [
    "OPERATOR",
    "Agent",
    "AgentBrief",
    "Aside",
    "InfrastructureFailure",
    "Participant",
    "ParticipantFailure",
    "Reply",
    "User",
    "UserBrief",
    "View",
    "Visible",
]

OPERATOR = "operator"
"""The agent's name in the records of episodes that somebody outside answered by hand."""

Visible: TypeAlias = Turn | Results | ModelCall | Rejected | Nudge


class View(Struct, frozen=True):
    """What one side may see.

    `events` holds, in order, its own turns, results and side events, and the sentences that the
    other side delivered. `seconds_left` is what the episode's clock still allows. `seq` is the
    number of the next event.
    """

    side: Side
    greeting: str
    events: Sequence[Visible]
    seconds_left: float
    seq: int = 0


class Reply(Struct, frozen=True):
    """A participant's answer.

    Empty text and no calls is an empty turn, which the protocol treats as that participant's
    error. `rule` says why, in the participant's own word.
    """

    text: str | None = None
    calls: tuple[Call, ...] = ()
    rule: str | None = None


class Aside(Struct, frozen=True):
    """Not a turn yet: side events of this participant that are to be committed first.

    The participant is then asked again and finds them in its view, so that a model's reply is in
    the record before anything is made of it. `events` are numbered from the view's `seq`.
    `contents` are the texts that they name by digest.
    """

    events: tuple[ModelCall | Rejected | Nudge, ...]
    contents: dict[str, str] = {}


class ParticipantFailure(Exception):  # noqa: N818 - the field's word is failure
    """The participant cannot go on, by the rule it names: the episode ends as its error."""

    def __init__(self, rule: str, why: str) -> None:
        super().__init__(why)
        self.rule = rule


class InfrastructureFailure(Exception):  # noqa: N818 - the field's word is failure
    """What lies between us and a participant broke: not a failure of the agent or the user."""


class AgentBrief(Struct, frozen=True):
    """All that an agent is given beside the view: nothing of the scenario or the task."""

    domain: str
    variant: str
    policy: str
    tools: Sequence[Tool]


class UserBrief(Struct, frozen=True):
    """All that a user simulator is given beside the view."""

    domain: str
    scenario: Scenario
    tools: Sequence[Tool]


class Participant(Protocol):
    """Given what it may see and a random stream of its own, a turn.

    Keeps nothing between turns: equal views and streams give equal replies. One that asks models
    has an attribute `keeps_time` that is True: it gives each call no more than `View.seconds_left`,
    and the time that it waits in queues is not held against it. All others are cut off when the
    episode's time is up.
    """

    async def act(self, view: View, random: Stream) -> Reply | Aside:
        """The next turn, or what is to be recorded before it.

        May raise, or answer something else: the episode then ends as this side's error. A
        `RingbackError` is the user's to put right: it stops the run and leaves the episode where
        it was.
        """
        ...


class Agent(Protocol):
    """A kind of agent: what it is called in records, and one of it for an episode."""

    @property
    def setup(self) -> Setup:
        """Name, version and settings, as far as they can move a score."""
        ...

    @property
    def deterministic(self) -> bool:
        """Whether the seed plays no part in what it does, so that its noise is zero."""
        ...

    @property
    def reads_policy(self) -> bool:
        """Whether it goes by the policy's prose, so that another wording can change what it does.

        False for one that executes steps of its own.
        """
        ...

    @property
    def floor(self) -> bool:
        """Whether it is a control that any agent should beat, rather than a contender."""
        ...

    def take(self, brief: AgentBrief) -> Participant:
        """A participant for one episode."""
        ...


class User(Protocol):
    """A kind of user simulator, likewise."""

    @property
    def setup(self) -> Setup:
        """Name, version and settings, as far as they can move a score."""
        ...

    @property
    def deterministic(self) -> bool:
        """Whether equal seeds and equal conversations always give equal turns."""
        ...

    def take(self, brief: UserBrief) -> Participant:
        """A participant for one episode."""
        ...
