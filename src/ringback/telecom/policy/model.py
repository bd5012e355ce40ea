"""The forms in which the workflow is written down: facts, steps and what is done in them."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from ringback.canonical import Json
from ringback.domain import Side

__all__ = ["Do", "Fact", "Goal", "Source", "Stage", "Step", "Topic", "Trouble", "Use", "When"]

Topic: TypeAlias = Literal["service", "data", "mms"]
Source: TypeAlias = Literal["account", "phone", "customer"]


class Use(Struct, frozen=True):
    """A tool by its name and what it is for in everyday words."""

    tool: str
    words: str


class Trouble(Struct, frozen=True):
    """What a customer calls about: its short name and how it shows."""

    topic: Topic
    name: str
    words: str


class Fact(Struct, frozen=True):
    """Something to find out.

    `tools` show it, the preferred one first; a fact with source `customer` is asked for. `states`
    are all it can be, in the world's own words where the world has them.
    """

    name: str
    label: str
    source: Source
    tools: tuple[str, ...]
    states: tuple[str, ...]
    note: str = ""


class When(Struct, frozen=True):
    """True where the fact is in one of these states."""

    fact: str
    states: tuple[str, ...]


class Do(Struct, frozen=True):
    """One action of a step, by the agent (`side` agent) or by the customer on the agent's word.

    An argument value that begins with `$` is taken from the case: `$customer_id`, `$line_id`,
    `$bill_id`. `leaves` says how facts stand once it has worked; `reread` names facts that it may
    bring to light and that must be read again.
    """

    side: Side
    tool: str
    words: str
    arguments: tuple[tuple[str, Json], ...] = ()
    leaves: tuple[tuple[str, str], ...] = ()
    reread: tuple[str, ...] = ()


class Step(Struct, frozen=True):
    """One decision: where all of `when` hold, do `do` in order; else go on to the next step.

    `consent` is what the customer must agree to first. With `transfer` there is nothing to repair:
    hand the call over.
    """

    name: str
    title: str
    topics: tuple[Topic, ...]
    when: tuple[When, ...]
    why: str
    do: tuple[Do, ...] = ()
    consent: str | None = None
    transfer: bool = False


class Stage(Struct, frozen=True):
    """Steps that belong together; the checks of a stage can be asked for in one message."""

    name: str
    title: str
    steps: tuple[Step, ...]


class Goal(Struct, frozen=True):
    """How the agent knows that a topic's trouble is over: the check, and what it must show."""

    topic: Topic
    tool: str
    fact: str
    good: tuple[str, ...]
    words: str
