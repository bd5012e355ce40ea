"""What a customer can know: its scenario, what was said, what its own actions showed."""

from __future__ import annotations

from functools import cached_property

from msgspec import Struct

from ringback.canonical import Json, encode
from ringback.domain import Scenario
from ringback.episode.events import Call, Results, Turn
from ringback.episode.participants import View
from ringback.telecom.speech.text import plain

__all__ = ["Candidate", "Deed", "Finding", "Known"]


class Candidate(Struct, frozen=True):
    """What the customer's model would do. `broken`: the reply was not of the form asked for."""

    text: str | None
    calls: tuple[Call, ...] = ()
    broken: bool = False


class Finding(Struct, frozen=True):
    """A rule that a candidate breaks, and what to tell the model about it."""

    rule: str
    advice: str


class Deed(Struct, frozen=True):
    """An action of the customer's and what it showed."""

    tool: str
    arguments: Json
    text: str
    error: bool


class Known:
    """The call as the customer knows it, folded from its view.

    `heard` are the agent's sentences, the greeting first; `spoken` the customer's own; `deeds` its
    actions, `fresh` those since the agent last spoke. Only what stands in the record counts: a
    rejected reply was never said.
    """

    def __init__(self, scenario: Scenario, heard: list[str]) -> None:
        self.scenario = scenario
        self.heard = heard
        self.spoken: list[str] = []
        self.deeds: list[Deed] = []
        self.fresh: list[Deed] = []
        self.acted_since_speaking = False

    @classmethod
    def of(cls, view: View, scenario: Scenario) -> Known:
        """What stands in this view; never raises for what a recording may hold."""
        known = cls(scenario, [view.greeting])
        calls: tuple[Call, ...] = ()
        for event in view.events:
            match event:
                case Turn() if event.by != view.side:
                    known.hear(event.text or "")
                case Turn():
                    calls = event.calls
                    if not calls and event.text:
                        known.say(event.text)
                case Results():
                    for call, result in zip(calls, event.results, strict=False):
                        known.do(Deed(call.tool, call.arguments, result.text, result.error))
                case _:
                    pass
        return known

    def hear(self, text: str) -> None:
        """The agent spoke."""
        self.heard.append(text)
        self.fresh = []

    def say(self, text: str) -> None:
        """The customer spoke."""
        self.spoken.append(text)
        self.acted_since_speaking = False

    def do(self, deed: Deed) -> None:
        """The customer acted."""
        self.deeds.append(deed)
        self.fresh.append(deed)
        self.acted_since_speaking = True

    @cached_property
    def sources(self) -> str:
        """All that a fact may come from: scenario, the agent's words, what actions showed."""
        shown = (f"{encode(deed.arguments).decode()} {deed.text}" for deed in self.deeds)
        return plain("\n".join((self.scenario.text, *self.heard, *shown)))

    @property
    def last_heard(self) -> str:
        """The agent's last sentence."""
        return self.heard[-1]
