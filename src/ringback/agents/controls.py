"""Two controls that any agent should beat: one hands every call over, one helps nobody."""

from __future__ import annotations

from msgspec import Struct

from ringback.episode.events import Call, Setup, Turn
from ringback.episode.participants import AgentBrief, Participant, Reply, View
from ringback.episode.seeds import Stream

__all__ = ["DoNothing", "TransferAtOnce"]


class _Control(Struct, frozen=True):
    """What the controls share: nothing to set, nothing at random, no policy read."""

    name: str

    @property
    def setup(self) -> Setup:
        """Name and version; there is nothing to set."""
        return Setup(self.name, "1")

    @property
    def deterministic(self) -> bool:
        """True."""
        return True

    @property
    def floor(self) -> bool:
        """True: a control."""
        return True

    @property
    def reads_policy(self) -> bool:
        """False: it does the one thing it does, whatever the policy's prose says."""
        return False


class _Transferring(Struct, frozen=True):
    async def act(self, view: View, random: Stream) -> Reply:  # noqa: ARG002
        own = [event for event in view.events if isinstance(event, Turn) and event.by == view.side]
        if not any(call.tool == "transfer_to_human_agents" for turn in own for call in turn.calls):
            summary = "Handed over without a look at the trouble."
            return Reply(
                calls=(Call("transfer_to_human_agents", {"summary": summary}),), rule="transfer"
            )
        if not any(turn.text and not turn.calls for turn in own):
            text = "I have transferred you to a human colleague. Please stay on the line."
            return Reply(text=text, rule="handed over")
        return Reply(text="Your colleague is on the way. ###STOP###", rule="farewell")


class TransferAtOnce(_Control, frozen=True):
    """Transfers every call at the first opportunity."""

    name: str = "transfer-at-once"

    def take(self, brief: AgentBrief) -> Participant:  # noqa: ARG002
        """A participant."""
        return _Transferring()


class _Idle(Struct, frozen=True):
    async def act(self, view: View, random: Stream) -> Reply:  # noqa: ARG002
        text = "Thank you for letting us know. We wish you a pleasant day. ###STOP###"
        return Reply(text=text, rule="farewell")


class DoNothing(_Control, frozen=True):
    """Answers politely and ends the call."""

    name: str = "do-nothing"

    def take(self, brief: AgentBrief) -> Participant:  # noqa: ARG002
        """A participant."""
        return _Idle()
