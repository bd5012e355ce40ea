"""A rule in a prompt: when it was written relative to the baseline, and what it names.

A rule that was written after the baseline's failures were seen, or that names a case's faults,
states or repairs, says less about the rule than it seems to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Literal, TypeAlias

from msgspec import Struct

from ringback.report.wording import UNKNOWN, listing, plural

__all__ = ["KINDS", "Named", "NamedKind", "RuleFacts", "Seen", "said", "told"]

Seen: TypeAlias = Literal["before", "during", "after", "unknown"]
NamedKind: TypeAlias = Literal["task", "fault", "state", "answer"]
KINDS: tuple[NamedKind, ...] = ("task", "fault", "state", "answer")

_MOST = 12


class Named(Struct, frozen=True):
    """Something of the tasks that a rule names: the word as it stands there, and what it is of.

    `plain` marks a word that may as well be an ordinary one, such as "poor".
    """

    kind: NamedKind
    word: str
    of: str
    plain: bool = False


class RuleFacts(Struct, frozen=True):
    """What is known of a rule.

    `digest` is that of its text. `seen_at` is when the store first saw it, and `baseline_from` and
    `baseline_to` when the baseline's first episode began and its last ended, all Unix seconds, None
    where unknown or not yet. `seen` puts the one in order with the other two. `names` is what it
    names of the `tasks` it was held against.
    """

    digest: str
    seen_at: float | None
    baseline_from: float | None
    baseline_to: float | None
    seen: Seen
    tasks: int
    names: tuple[Named, ...]

    @property
    def general(self) -> bool:
        """Whether it names nothing of the tasks, ordinary words apart."""
        return all(each.plain for each in self.names)


def told(name: str, facts: RuleFacts) -> str:
    """The facts of the rule of the arm `name` in two or three sentences."""
    return " ".join([f"The rule of the arm {name} {_when(facts)}.", *_what(facts)])


def said(facts: RuleFacts) -> str:
    """The same where the arm is named beside it."""
    return " ".join([f"The text ({facts.digest[:12]}) {_when(facts)}.", *_what(facts)])


def _when(facts: RuleFacts) -> str:
    if facts.seen_at is None:
        return "was not seen by this store yet"
    first = f"was first seen by this store on {_clock(facts.seen_at)}"
    match facts.seen:
        case "before":
            return f"{first}, before the baseline was run"
        case "during":
            return f"{first}, while the baseline was being run (from {_clock(facts.baseline_from)})"
        case "after":
            return f"{first}, after the baseline was run (until {_clock(facts.baseline_to)})"
        case "unknown":
            return f"{first}; when the baseline was run is not known"


def _what(facts: RuleFacts) -> Iterator[str]:
    of = f"the {plural(facts.tasks, 'task')} of this world"
    if not facts.tasks:
        yield "What it names is not known: this world lists no tasks."
    elif facts.general:
        yield f"It names no task, fault, state or answer of {of}."
    else:
        found = [each for each in facts.names if not each.plain]
        yield f"It names, of {of}: {_listed(found)}."
    if ordinary := [each for each in facts.names if each.plain]:
        yield f"Words in it that may be ordinary ones or states: {_listed(ordinary)}."


def _listed(names: Sequence[Named]) -> str:
    shown = [f"the {each.kind} {each.word!r} ({each.of})" for each in names[:_MOST]]
    more = len(names) - _MOST
    return listing(shown) if more <= 0 else f"{', '.join(shown)} and {more} more"


def _clock(at: float | None) -> str:
    if at is None:
        return UNKNOWN
    try:
        return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (OverflowError, ValueError, OSError):
        return f"{at} s"
