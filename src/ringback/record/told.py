"""One call to be told: its row and events, the episode they make, its grade."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import zip_longest

from ringback.domain import Did, Domain, Recounting
from ringback.domains import load
from ringback.episode.episode import Episode
from ringback.episode.events import STOPS, AnyEvent, End, ModelCall, Start, Turn
from ringback.episode.participants import OPERATOR
from ringback.grading.grade import Grade, grade
from ringback.record.document import Outcome
from ringback.sessions import SessionRow, Store

__all__ = ["Told", "operator_name", "result_of", "simulator_name", "worth"]


class Told:
    """A session that has ended, with the attempts at its case in `attempts`, itself included.

    `others` are the sessions of other agents at its task and seed.

    Raises `ringback.errors.InputError` where its world or task is not known here, and
    `ringback.episode.protocol.ProtocolError` for events that are no session of it.
    """

    def __init__(
        self,
        store: Store,
        row: SessionRow,
        attempts: Sequence[SessionRow],
        others: Sequence[SessionRow] = (),
    ) -> None:
        self.row, self.attempts, self.others = row, tuple(attempts), tuple(others)
        self.events: list[AnyEvent] = store.events(row.id)
        self.domain: Domain = load(row.domain)
        self.episode = Episode.from_events(self.events, self.domain)
        end = self.episode.end
        assert end is not None
        self.end: End = end
        self.grade: Grade = grade(self.episode)

    @property
    def start(self) -> Start:
        """The first event."""
        return self.episode.start

    @property
    def messages_known(self) -> bool:
        """Whether what was said and done is known: of some recordings there is the end alone."""
        return self.row.steps is not None

    @property
    def worth(self) -> tuple[float | None, Outcome]:
        """The reward and its word; see `worth`."""
        return worth(self.row, self.grade)

    @property
    def recounting(self) -> Recounting | None:
        """The domain, if it can tell a call again."""
        return self.domain if isinstance(self.domain, Recounting) else None

    @cached_property
    def inversions(self) -> tuple[int, ...]:
        """The events at which the customer spoke as if it were the agent, as far as is known."""
        found = self.recounting
        return () if found is None else tuple(found.inversions(self.episode.happenings))

    @cached_property
    def lost_steps(self) -> int:
        """The steps that those took: their own, and the agent's words in answer to each."""
        turns = [event for event in self.events if isinstance(event, Turn)]
        inverted = {*self.inversions}
        steps = 0
        for turn, after in zip_longest(turns, turns[1:]):
            if turn is not None and turn.seq in inverted:
                answered = after is not None and after.by == "agent" and not after.calls
                steps += 1 + answered
        return steps

    @cached_property
    def refused(self) -> tuple[Did, ...]:
        """The agent's calls that were answered with an error."""
        return tuple(
            did
            for did in self.episode.happenings
            if isinstance(did, Did) and did.side == "agent" and did.outcome.error
        )

    def asked(self, side: str) -> list[ModelCall]:
        """The model calls of a side that are in the record."""
        return [event for event in self.events if isinstance(event, ModelCall) and event.by == side]


def worth(row: SessionRow, found: Grade) -> tuple[float | None, Outcome]:
    """What a call was worth, by its grade of today: the reward, and the word for it.

    None where its messages are unknown and it ended as the checks alone can judge.
    """
    if row.steps is None and found.ending in STOPS:
        return None, "not graded"
    return found.reward, result_of(found.reward, found.graded)


def result_of(reward: float | None, graded: bool | None) -> Outcome:
    """The word for an outcome."""
    if not graded or reward is None:
        return "not graded"
    return "passed" if reward == 1.0 else "failed"


def operator_name(start: Start) -> str:
    """Who was the agent: an operator's own name, or that of the agent."""
    agent = start.arm.agent
    called = agent.settings.get("as")
    return called if agent.name == OPERATOR and isinstance(called, str) else agent.name


def simulator_name(start: Start) -> str:
    """The user simulator with its version, and its guard where it has one."""
    user = start.condition.user
    guard = user.settings.get("guard")
    about = f", guard {guard}" if isinstance(guard, str) else ""
    return f"{user.name}, version {user.version}{about}"
