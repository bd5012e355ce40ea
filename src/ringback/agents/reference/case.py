"""What is known of a call at one point: records, what was said, what was asked and done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, TypeAlias

from msgspec import Struct, field

from ringback.agents.reference.asking import asked
from ringback.agents.reference.reading import Reading, read
from ringback.agents.reference.talk import Identity
from ringback.telecom.policy.facts import fact
from ringback.telecom.policy.model import Do, Fact, Step, Topic
from ringback.telecom.policy.workflow import STEPS, goal, steps

__all__ = ["Case", "Habits", "Outlook", "need_of"]

Outlook: TypeAlias = Literal["no", "due", "unknown"]


class Habits(Struct, frozen=True):
    """How the workflow is carried out, as far as it can move a score.

    `checks_at_once` and `repairs_at_once` bound what one message asks for; `passes` is how often
    the whole workflow is gone through before a transfer; `asks` how often one thing is asked for;
    `patience` is how many repairs that do not help are borne, None for any number; `skip` is the
    probability with which a step is left out.
    """

    checks_at_once: int = 6
    repairs_at_once: int = 10
    passes: int = 2
    asks: int = 3
    patience: int | None = None
    skip: float = 0.0


class Case(Struct):
    """One call as the agent sees it. Built anew from the view for every turn, then dropped.

    Positions are places in the view. `asks` holds what was asked for and where, without what the
    customer left for later while getting on with the rest. `changed` is where something was last
    repaired, `seen` where the goal's check was last reported, `begun` where the current pass began,
    `judged` where a repair last proved of no help.
    """

    habits: Habits
    position: int = -1
    identity: Identity = Identity()
    topic: Topic | None = None
    customer: Mapping[str, Any] | None = None
    lines: dict[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    plans: dict[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    bills: dict[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    usage: Mapping[str, Any] | None = None
    line_id: str | None = None
    bill_id: str | None = None
    tried: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    misses: int = 0
    facts: dict[str, str] = field(default_factory=dict[str, str])
    asks: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    last: tuple[str, ...] = ()
    spoke: int = -1
    deeds: dict[str, int] = field(default_factory=dict[str, int])
    refused: dict[str, int] = field(default_factory=dict[str, int])
    consent: dict[str, str] = field(default_factory=dict[str, str])
    amount_gb: float | None = None
    begun: int = -1
    changed: int = -1
    seen: int = -1
    judged: int = -1
    unhelpful: int = 0
    passes: int = 0
    skipped: frozenset[str] | None = None
    heard: Reading | None = None
    transferred: bool = False
    handed_over: int = 0
    closings: int = 0

    @property
    def line(self) -> Mapping[str, Any] | None:
        """The record of the line that the call is about."""
        return None if self.line_id is None else self.lines.get(self.line_id)

    @property
    def scope(self) -> tuple[Step, ...]:
        """The steps that apply: those of the trouble, and after one pass in vain, all."""
        if self.topic is None:
            return ()
        chosen = STEPS if self.passes else steps(self.topic)
        if not self.skipped:
            return chosen
        return tuple(step for step in chosen if step.name not in self.skipped)

    def times(self, need: str, since: int = -1) -> int:
        """How often this was asked for in the current pass, after a position."""
        places = self.asks.get(need)
        if not places:
            return 0
        since = max(since, self.begun)
        return sum(1 for place in places if place > since)

    def tiring(self, item: Fact) -> bool:
        """Whether this fact was asked for so often that it is left alone."""
        if item.source == "account":
            return all(self.refused.get(tool, 0) >= 2 for tool in item.tools)
        tools = item.tools or (item.name,)
        return sum(self.times(tool) for tool in tools) >= self.habits.asks

    def outlook(self, step: Step) -> tuple[Outlook, list[Fact]]:
        """Whether the step's condition holds, and the facts that are missing to tell.

        A fact that could not be learnt counts as troublesome where another one already is.
        """
        missing: list[Fact] = []
        holds = given_up = False
        for when in step.when:
            state = self.facts.get(when.fact)
            if state is None:
                item = fact(when.fact)
                if self.tiring(item):
                    given_up = True
                else:
                    missing.append(item)
                    if item.source == "account":
                        break
            elif state in when.states:
                holds = True
            else:
                return "no", []
        if missing:
            return "unknown", missing
        return ("no" if given_up and not holds else "due"), []

    def done_at(self, do: Do) -> int | None:
        """Where this action was last carried out, None if it was not."""
        if do.tool == "send_payment_request" and self.facts.get("bill") == "awaiting payment":
            return self.deeds.get(need_of(do), self.begun)
        return self.deeds.get(need_of(do))

    def pending(self, step: Step) -> tuple[Do, ...]:
        """What of an open step is still to be done, in order; nothing where it is not open."""
        if not step.do or self._worn_out(step):
            return ()
        due = self.outlook(step)[0] == "due"
        before = -1
        for index, do in enumerate(step.do):
            at = self.done_at(do)
            if at is None or at < before or at < self.begun:
                return step.do[index:] if due or index else ()
            before = at
        return step.do if due else ()

    def _worn_out(self, step: Step) -> bool:
        for do in step.do:
            need = need_of(do)
            limit = self.habits.asks
            if do.side == "user":
                since = self.deeds.get(need, -1)
                if self.times(need, since) >= limit or self.times(need) > limit + 1:
                    return True
            elif self.refused.get(need, 0) >= 2:
                return True
        return False

    @property
    def amid(self) -> bool:
        """Whether a step of several actions has been begun and not finished."""
        return any(len(pending) < len(step.do) for step, pending in self.open_steps())

    def open_steps(self) -> Iterator[tuple[Step, tuple[Do, ...]]]:
        """The steps at which something is to be done, each with what it is."""
        for step in self.scope:
            pending = self.pending(step)
            if pending:
                yield step, pending

    def missing(self) -> list[Fact]:
        """What is to be found out before the workflow can go on, in its order."""
        found: dict[str, Fact] = {}
        for step in self.scope:
            if not self._worn_out(step):
                for item in self.outlook(step)[1]:
                    found.setdefault(item.name, item)
        return list(found.values())

    @property
    def fresh(self) -> bool:
        """Whether the goal's check was reported after the last change."""
        return self.seen >= 0 and self.seen >= self.changed and self.seen > self.begun

    @property
    def over(self) -> bool:
        """Whether the customer has seen that the trouble is over."""
        if self.topic is None:
            return False
        aim = goal(self.topic)
        return self.seen >= self.changed and self.facts.get(aim.fact) in aim.good

    def hears(self, text: str) -> Reading:
        """Read a message as an answer to what was asked last."""
        return read(text, self.last)

    def said(self, text: str) -> None:
        """Take note of a message of the agent's own."""
        self.last = asked(text)
        self.spoke = self.position
        for need in self.last:
            self.asks.setdefault(need, []).append(self.position)


def need_of(do: Do) -> str:
    """The key under which an action is asked for and remembered."""
    if do.tool == "grant_app_permission":
        return f"{do.tool} {dict(do.arguments)['permission']}"
    return do.tool
