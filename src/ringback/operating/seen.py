"""What an operator sees: the agent's side of a call and not a word more, as plain structures.

The three doors show these, each in its way; `msgspec.json` of them is what ``--json`` prints and
what a client of the Model Context Protocol gets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from ringback.canonical import Json
from ringback.domain import Tool
from ringback.episode.episode import Episode
from ringback.episode.events import Ending, Results, Turn
from ringback.episode.participants import Visible
from ringback.grading.grade import Grade

__all__ = ["Item", "Look", "Opened", "Over", "Seen", "State", "Word", "conversation", "items"]

State: TypeAlias = Literal["yours", "customer", "over"]
"""Whose turn it is: yours; the customer's, whose answer is still to be asked for; nobody's."""

Word: TypeAlias = Literal["greeting", "said", "called", "result", "customer"]


class Item(Struct, frozen=True, omit_defaults=True):
    """One thing that was said, called or answered, as the agent's side sees it.

    `kind`: the fixed ``greeting``, what you ``said``, what you ``called`` (`tool`, `arguments`),
    its ``result`` (`tool`, `text`, `error`), or what the ``customer`` said. `seq` is the number of
    the event that holds it.
    """

    kind: Word
    seq: int
    text: str | None = None
    tool: str | None = None
    arguments: Json = None
    error: bool = False


class Over(Struct, frozen=True):
    """How an episode ended, and what it was worth, which may now be seen with the case's name.

    `how` says in a sentence who or what ended it. `grade` holds every check. It and `task` are None
    where the case can be begun again by the same operator: of an episode that was given up, or
    broke off, nothing is told. And both are held back while an episode of the same case, anybody's,
    is open in the store: `waits_for` is its id, and once none is open they are told.
    """

    ending: Ending
    rule: str
    why: str | None
    task: str | None
    grade: Grade | None
    waits_for: str | None = None
    how: str = ""


class Seen(Struct, frozen=True):
    """Where an episode stands, and what is new since the operator's last turn.

    `steps` counts turns and batches of results so far; a later command can name it to be refused if
    the episode has moved on. The limits leave `steps_left` and `errors_left`, None where there is
    none. What an operator takes to think is in no limit. `changed` says why an open episode cannot
    be gone on with here: the world, its texts or a customer without a model have changed since.
    """

    session: str
    operator: str
    state: State
    steps: int
    steps_left: int | None
    errors: int
    errors_left: int | None
    news: tuple[Item, ...]
    over: Over | None = None
    case: str | None = None
    changed: str | None = None


class Look(Struct, frozen=True):
    """All that an operator may see: where it stands, the conversation, the tools, the policy."""

    stands: Seen
    conversation: tuple[Item, ...]
    tools: tuple[Tool, ...]
    variant: str
    policy: str


class Opened(Struct, frozen=True):
    """An operated episode in a list. Times are Unix seconds.

    `state` does not say whether another process is at it now. `solved` is None without a grade
    that says it, and while the outcome is held back as in `Over`. `case` is as in `Seen`. Where the
    record cannot be read, `problem` says why, and what only the record says is None.
    """

    session: str
    operator: str | None
    state: State | None
    begun_at: float | None
    last_at: float | None
    steps: int | None
    ending: Ending | None
    solved: bool | None
    case: str | None = None
    problem: str | None = None


def state_of(episode: Episode) -> State:
    """Whose turn it is."""
    if episode.end is not None:
        return "over"
    return "yours" if episode.position.next == "agent" else "customer"


def items(events: Sequence[Visible]) -> Iterator[Item]:
    """What these events of the agent's view show. Side events show nothing."""
    open_calls: Turn | None = None
    for event in events:
        if isinstance(event, Turn):
            yield from _turn(event)
            open_calls = event if event.calls else None
        elif isinstance(event, Results) and open_calls is not None:
            for call, result in zip(open_calls.calls, event.results, strict=True):
                yield Item(
                    "result", event.seq, text=result.text, tool=call.tool, error=result.error
                )


def conversation(episode: Episode) -> tuple[Item, ...]:
    """The whole conversation as the agent's side sees it, from the greeting on."""
    view = episode.view("agent")
    return (Item("greeting", 0, text=view.greeting), *items(view.events))


def _turn(event: Turn) -> Iterator[Item]:
    if event.by == "user":
        yield Item("customer", event.seq, text=event.text)
        return
    if event.text:
        yield Item("said", event.seq, text=event.text)
    for call in event.calls:
        yield Item("called", event.seq, tool=call.tool, arguments=call.arguments)
