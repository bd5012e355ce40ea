"""The wordings of the customer's rules, one by one, and the recordings in which each occurs.

A pattern is taken apart at every "|": each alternative gives the pattern with that alternative
alone in its place. Word lists are taken apart into words. So it can be said of a wording where it
occurs, and the customer can be played without those that only one recording would have suggested.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple, cast

from ringback.users import rules
from ringback.users.rules import reading
from ringback.users.rules.clauses import clauses
from ringback.users.rules.moods import mood_of
from ringback.users.rules.plain import plainly
from ringback.users.rules.text import bounded, sentences

__all__ = ["Wording", "heard", "occurs", "without", "wordings"]


class Wording(NamedTuple):
    """One alternative of one rule: where it stands (module, name), its place there, and its words.

    `alone` is the pattern with this alternative alone; for a word of a list, the word.
    """

    module: str
    name: str
    place: tuple[int, int] | str
    words: str
    alone: str


def wordings() -> Iterator[Wording]:
    """Every alternative of every pattern and list of the rules, but for the phone's own actions."""
    for module, name, value in _values():
        if isinstance(value, re.Pattern):
            text = cast("re.Pattern[str]", value).pattern
            for start, end in _alternatives(text):
                yield Wording(module, name, (start, end), text[start:end], _alone(text, start, end))
        else:
            for word in sorted(cast("frozenset[str]", value)):
                yield Wording(module, name, word, word, rf"(?<![\w'-]){re.escape(word)}(?![\w'-])")


def heard(text: str) -> list[str]:
    """The pieces of a message that patterns are held against.

    Sentences as they stand and in plainer words, clauses, their cores.
    """
    pieces: list[str] = []
    found = sentences(bounded(text))
    pieces += [sentence.text for sentence in found]
    for sentence in plainly(found):
        pieces.append(sentence.text)
        for clause in clauses(sentence.text):
            pieces += [clause, mood_of(clause, sentence)[1]]
    return list(dict.fromkeys(pieces))


def occurs(found: Iterable[Wording], texts: Mapping[str, Iterable[str]]) -> dict[Wording, set[str]]:
    """For each wording the names of those texts in which it occurs, in a piece that was heard."""
    pieces = {
        name: list(dict.fromkeys(piece for text in some for piece in heard(text)))
        for name, some in texts.items()
    }
    met: dict[tuple[str, str], dict[str, str]] = {}
    occurring: dict[Wording, set[str]] = {}
    for wording in found:
        rule = wording.module, wording.name
        if rule not in met:
            met[rule] = {name: "\n".join(_met_by(*rule, some)) for name, some in pieces.items()}
        pattern = re.compile(wording.alone, re.M)
        occurring[wording] = {name for name, text in met[rule].items() if pattern.search(text)}
    return occurring


def _met_by(module: str, name: str, pieces: Iterable[str]) -> Iterator[str]:
    """The pieces that the whole rule meets: one of its alternatives alone meets no others."""
    value: object = getattr(importlib.import_module(module), name)
    if not isinstance(value, re.Pattern):
        return iter(pieces)
    pattern = cast("re.Pattern[str]", value)
    return (piece for piece in pieces if pattern.search(piece))


@contextmanager
def without(left_out: Iterable[Wording]) -> Generator[None]:
    """The rules without these wordings, for as long as it lasts."""
    by_rule: dict[tuple[str, str], list[Wording]] = {}
    for wording in left_out:
        by_rule.setdefault((wording.module, wording.name), []).append(wording)
    undo: list[Callable[[], None]] = []
    try:
        for (module, name), gone in by_rule.items():
            old: Any = getattr(importlib.import_module(module), name)
            undo += list(_replaced(old, _lessened(old, gone)))
        _forget()
        yield
    finally:
        for step in undo:
            step()
        _forget()


def _values() -> Iterator[tuple[str, str, object]]:
    for info in pkgutil.iter_modules(rules.__path__, f"{rules.__name__}."):
        if info.name.endswith(".text"):
            continue  # marks and layout, not words
        module = importlib.import_module(info.name)
        for name, value in vars(module).items():
            here = isinstance(value, re.Pattern) or (
                isinstance(value, frozenset) and info.name.endswith(".clauses")
            )
            if here and not name.startswith("__"):
                yield info.name, name, value


def _lessened(old: Any, gone: list[Wording]) -> Any:
    if not isinstance(old, re.Pattern):
        return old - {wording.words for wording in gone}
    text = list(cast("re.Pattern[str]", old).pattern)
    for start, end in (cast("tuple[int, int]", wording.place) for wording in gone):
        # An alternative that can never match takes the place, so that all the others stand.
        text[start:end] = ["(?!)"] + [""] * (end - start - 1)
    return re.compile("".join(text), old.flags & ~re.UNICODE)


def _replaced(old: object, new: object) -> Iterator[Callable[[], None]]:
    for info in pkgutil.iter_modules(rules.__path__, f"{rules.__name__}."):
        space = vars(importlib.import_module(info.name))
        for name, value in list(space.items()):
            if value is old:
                space[name] = new
                yield lambda space=space, name=name: space.__setitem__(name, old)


def _forget() -> None:
    cast("Any", reading)._read.cache_clear()


def _alone(text: str, start: int, end: int) -> str:
    """The pattern with one alternative alone in its group."""
    opens, closes = _around(text, start, end)
    return text[:opens] + text[start:end] + text[closes:]


def _around(text: str, start: int, end: int) -> tuple[int, int]:
    """Where the group of an alternative begins and ends, its head and bracket left out."""
    siblings = [found for found in _groups(text) if (start, end) in found]
    alternatives = siblings[0]
    return alternatives[0][0], alternatives[-1][1]


def _alternatives(text: str) -> Iterator[tuple[int, int]]:
    for group in _groups(text):
        yield from group


def _groups(text: str) -> list[list[tuple[int, int]]]:
    """The alternatives of each group that has several, by their places; lookarounds stay whole."""
    found: list[list[tuple[int, int]]] = []
    stack: list[tuple[bool, list[int], int]] = [(True, [], 0)]
    at = 0
    while at < len(text):
        mark = text[at]
        if mark == "\\":
            at += 2
            continue
        if mark == "[":
            at = text.index("]", at + 2) + 1
            continue
        if mark == "(":
            head = re.compile(r"\(\?(?:P<\w+>|[:=!]|<[=!])").match(text, at)
            begin = head.end() if head else at + 1
            plain = stack[-1][0] and not (
                head and head.group()[2:3] in "=!<" and "P" not in head.group()
            )
            stack.append((plain, [], begin))
            at = begin
            continue
        if mark == "|":
            stack[-1][1].append(at)
        elif mark == ")":
            _close(stack.pop(), at, found)
        at += 1
    _close(stack.pop(), len(text), found)
    return found


def _close(
    group: tuple[bool, list[int], int], end: int, found: list[list[tuple[int, int]]]
) -> None:
    plain, bars, begin = group
    if plain and bars:
        edges = [begin, *(bar + 1 for bar in bars)]
        ends = [*bars, end]
        found.append(list(zip(edges, ends, strict=True)))
