"""What a text names of a world's tasks: their ids, faults, states and answers.

The words that are looked for come from the domain alone. Faults: the names of the tasks' faults.
States: the fields in which the tasks' worlds differ at the start, and the values they have there.
Answers: the tools of the expected steps, and every text among the arguments of steps and end
checks. Identifiers are found spelled with underscores, dashes or spaces.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from msgspec import Struct

from ringback.canonical import Json
from ringback.domain import Domain, Task
from ringback.report.rules import Named, NamedKind

__all__ = ["named_in", "searched"]

_LEAST = 3
"""Shorter words are not looked for: they are everywhere."""
_PLAIN = re.compile(r"[A-Za-z][a-z]*")
_JOINT = re.compile(r"[\s_-]+")


class _Word(Struct, frozen=True):
    kind: NamedKind
    word: str
    of: str


def searched(domain: Domain) -> Mapping[str, Task]:
    """The tasks that a text is held against: those of all the domain's sets, by their ids."""
    return {task.id: task for split in domain.splits for task in domain.tasks(split)}


def named_in(text: str, domain: Domain) -> tuple[Named, ...]:
    """What the text names of the domain's tasks, each word once, in the order of kinds."""
    found = [
        Named("task", task, "its id")
        for task in searched(domain)
        if task.casefold() in text.casefold()
    ]
    for each in _vocabulary(domain):
        if (match := _match(each.word, text)) is not None:
            plain = _is_plain(each.word, text, match)
            found.append(Named(each.kind, match.group(), each.of, plain))
    return tuple(found)


def _match(word: str, text: str) -> re.Match[str] | None:
    """Where the word stands: an ordinary one as it is spelled, another in any case and spelling."""
    ends = r"(?<![\w]){}(?![\w])"
    if _PLAIN.fullmatch(word):
        return re.search(ends.format(re.escape(word)), text)
    parts = [re.escape(part) for part in _JOINT.split(word) if part]
    return re.search(ends.format(r"[\s_-]+".join(parts)), text, re.IGNORECASE)


def _is_plain(word: str, text: str, found: re.Match[str]) -> bool:
    """Whether what was found may be an ordinary word: all small, or at a sentence's beginning."""
    if not _PLAIN.fullmatch(word):
        return False
    if word.islower():
        return True
    before = text[: found.start()].rstrip(" \t\"'*")
    return not before or before[-1] in ".!?:;\n-"


@cache
def _vocabulary(domain: Domain) -> tuple[_Word, ...]:
    words: dict[tuple[NamedKind, str], str] = {}

    def add(kind: NamedKind, word: str, of: str) -> None:
        if len(word) >= _LEAST:
            words.setdefault((kind, word), of)

    tasks = searched(domain)
    for fault, count in Counter(fault for task in tasks.values() for fault in task.faults).items():
        add("fault", fault, f"of {count:,} tasks" if count > 1 else "of one task")
    for field, values in _varying(domain, tasks.values()):
        leaf = field.rpartition(".")[2]
        if not _PLAIN.fullmatch(leaf):
            add("state", leaf, field)
        for value in values:
            for text in _texts(value):
                add("state", text, field)
    for task in tasks.values():
        verdict = domain.check(task, (), domain.world(task))
        for step in verdict.actions:
            add("answer", step.name, "an expected step")
        for check in (*verdict.actions, *verdict.end):
            for name, value in check.arguments.items():
                for text in _texts(value):
                    if ("state", text) not in words:
                        add("answer", text, f"{name} of {check.name}")
    order = ("fault", "state", "answer")
    known = [_Word(kind, word, of) for (kind, word), of in words.items()]
    return tuple(sorted(known, key=lambda each: order.index(each.kind)))


def _varying(domain: Domain, tasks: Iterable[Task]) -> Iterator[tuple[str, list[Json]]]:
    """The fields in which the tasks' worlds differ at the start, each with its values."""
    values: dict[str, list[Json]] = {}
    for task in tasks:
        fields = domain.world(task).fields()
        for name, value in fields.items():
            there = values.setdefault(name, [])
            if value not in there:
                there.append(value)
    for name, found in values.items():
        if len(found) > 1:
            yield name, found


def _texts(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
