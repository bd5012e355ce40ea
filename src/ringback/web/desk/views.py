"""What the desk's pages show, in words: everything decided here, nothing in the templates.

It is made of what an operator may see (`ringback.operating.Look`); the end alone tells more.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Literal, TypeAlias

from msgspec import Struct

from ringback.domain import Tool
from ringback.operating import Item, Look, Opened, Seen
from ringback.report import wording
from ringback.report.plain import one_line, single_line
from ringback.web.desk.forms import Field, fields
from ringback.web.desk.prose import Block, blocks
from ringback.web.desk.records import Node, known_values, node, parsed

__all__ = [
    "Entry",
    "Episode",
    "Known",
    "Standing",
    "ToolForm",
    "Turn",
    "entries",
    "episode",
    "known",
    "policy_blocks",
    "standing",
    "tool_forms",
]

Turn: TypeAlias = Literal["yours", "asking", "elsewhere", "cut", "over"]
"""Whose turn it is: yours; the customer's, who is asked by this server or by another process; the
customer's, and nobody asks; nobody's."""

_FEW_STEPS = 10
_FEW_ERRORS = 2
_MOST_KNOWN = 30


class Entry(Struct, frozen=True, kw_only=True):
    """One thing in the conversation: words of a side, or a call with its result.

    `key` names it in the page and never changes. `result` is None where it is not there yet.
    """

    key: str
    side: Literal["agent", "user"]
    who: str
    text: str = ""
    tool: str | None = None
    arguments: Node | None = None
    result: Node | None = None
    error: bool = False


class Standing(Struct, frozen=True, kw_only=True):
    """Where an episode stands. `tag` changes whenever what the page shows would.

    `changed` says why it cannot be gone on with, empty where it can.
    """

    session: str
    name: str
    operator: str
    steps: int
    steps_left: int | None
    errors_left: int | None
    few_steps: bool
    few_errors: bool
    turn: Turn
    at: str
    tag: str
    changed: str


class ToolForm(Struct, frozen=True):
    """A tool with its form."""

    name: str
    about: str
    writes: bool
    fields: tuple[Field, ...]


class Known(Struct, frozen=True):
    """What was seen under a parameter's name, to be offered where it is asked for again."""

    name: str
    values: tuple[str, ...]


class Episode(Struct, frozen=True, kw_only=True):
    """A line of the history."""

    session: str
    name: str
    begun: str
    begun_iso: str
    steps: str
    state: str
    kind: Literal["open", "good", "bad", "soft"]
    problem: str


def standing(seen: Seen, turn: Turn, *, at: str | None, ended: int) -> Standing:
    """Where an episode stands; `at` is who else is at it, `ended` counts this server's commands."""
    return Standing(
        session=seen.session,
        name=_name(seen.case),
        operator=single_line(seen.operator),
        steps=seen.steps,
        steps_left=seen.steps_left,
        errors_left=seen.errors_left,
        few_steps=seen.steps_left is not None and seen.steps_left <= _FEW_STEPS,
        few_errors=seen.errors_left is not None and seen.errors_left <= _FEW_ERRORS,
        turn=turn,
        at=single_line(at or ""),
        tag=f"{seen.steps}.{turn}.{ended}",
        changed=single_line(seen.changed or ""),
    )


def entries(look: Look) -> tuple[Entry, ...]:
    """The conversation, each call with its result."""
    found: list[Entry] = []
    waiting: list[int] = []
    for place, item in enumerate(look.conversation):
        if item.kind == "result" and waiting:
            number = waiting.pop(0)
            call = found[number]
            found[number] = Entry(
                key=call.key,
                side="agent",
                who=call.who,
                tool=call.tool,
                arguments=call.arguments,
                result=node(parsed(item.text or "")),
                error=item.error,
            )
            continue
        if item.kind == "called":
            waiting.append(len(found))
        found.append(_entry(item, place))
    return tuple(found)


def tool_forms(tools: Sequence[Tool]) -> tuple[ToolForm, ...]:
    """The tools, each with its form."""
    return tuple(ToolForm(tool.name, tool.description, tool.writes, fields(tool)) for tool in tools)


def known(look: Look) -> tuple[Known, ...]:
    """What the operator has seen so far, by the names of the tools' parameters."""
    seen = [
        value
        for item in look.conversation
        for value in (item.arguments, parsed(item.text or "") if item.kind == "result" else None)
    ]
    values = known_values(seen)
    names = dict.fromkeys(
        field.name for tool in look.tools for field in fields(tool) if field.kind == "text"
    )
    return tuple(Known(name, tuple(values.get(name, ())[:_MOST_KNOWN])) for name in names)


def policy_blocks(look: Look) -> tuple[Block, ...]:
    """The policy's blocks."""
    return blocks(look.policy)


def episode(opened: Opened) -> Episode:
    """A line of the history."""
    state, kind = _state(opened)
    return Episode(
        session=opened.session,
        name=_name(opened.case),
        begun=_clock(opened.begun_at, "%Y-%m-%d %H:%M UTC"),
        begun_iso=_clock(opened.begun_at, "%Y-%m-%dT%H:%M:%SZ"),
        steps=wording.UNKNOWN if opened.steps is None else str(opened.steps),
        state=state,
        kind=kind,
        problem=one_line(opened.problem or "", 300),
    )


def _state(opened: Opened) -> tuple[str, Literal["open", "good", "bad", "soft"]]:
    if opened.ending is None:
        words = {"yours": "your turn", "customer": "the customer's turn", "over": "over"}
        return words.get(opened.state or "", "cannot be read"), "open"
    ending = wording.reason(opened.ending)
    if opened.solved is None:
        return ending, "soft"
    return (f"solved, {ending}", "good") if opened.solved else (f"not solved, {ending}", "bad")


def _entry(item: Item, place: int) -> Entry:
    key = f"i{item.seq}-{place}"
    if item.kind == "called":
        return Entry(
            key=key, side="agent", who="You called", tool=item.tool, arguments=node(item.arguments)
        )
    if item.kind == "customer":
        return Entry(key=key, side="user", who="Customer", text=item.text or "")
    who = "You" if item.kind == "said" else "Greeting"
    return Entry(key=key, side="agent", who=who, text=item.text or "")


def _name(case: str | None) -> str:
    return "a case without a number" if case is None else f"case {case}"


def _clock(at: float | None, form: str) -> str:
    if at is None:
        return wording.UNKNOWN
    try:
        return datetime.fromtimestamp(at, UTC).strftime(form)
    except (OverflowError, ValueError, OSError):
        return wording.UNKNOWN
