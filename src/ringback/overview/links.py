"""What lies around a session's page: the one before and after it in its arm, its draw elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ringback.overview import words
from ringback.overview.model import SessionLine
from ringback.report.around import Around, Sibling, Way, is_id, page_name

__all__ = ["around"]

_BEFORE = ("previous in this arm", "p", "prev")
_AFTER = ("next in this arm", "n", "next")


def around(sessions: Sequence[SessionLine]) -> Mapping[str, Around]:
    """For each session what its page links to, by its id.

    Siblings are the sessions of the same draw under the same condition.
    """
    arms: dict[tuple[object, ...], list[SessionLine]] = {}
    draws: dict[tuple[object, ...], list[SessionLine]] = {}
    for line in sessions:
        arms.setdefault(_arm(line), []).append(line)
        if line.counted and None not in (line.task, line.trial, line.seed):
            draws.setdefault(_draw(line), []).append(line)
    found: dict[str, Around] = {}
    for some in arms.values():
        there = [line for line in some if is_id(line.id)]
        for place, line in enumerate(there):
            ways = [
                Way(where, _name(there[at]), page_name(there[at].id), key, rel)
                for at, (where, key, rel) in ((place - 1, _BEFORE), (place + 1, _AFTER))
                if 0 <= at < len(there)
            ]
            same = draws.get(_draw(line), []) if line.counted else []
            found[line.id] = Around(
                tuple(_sibling(each, line) for each in same) if len(same) > 1 else (), tuple(ways)
            )
    return found


def _arm(line: SessionLine) -> tuple[object, ...]:
    return line.condition, line.arm


def _draw(line: SessionLine) -> tuple[object, ...]:
    return line.condition, line.task, line.trial, line.seed


def _sibling(line: SessionLine, here: SessionLine) -> Sibling:
    href = page_name(line.id) if is_id(line.id) else None
    return Sibling(line.arm, words.outcome(line), href, line is here)


def _name(line: SessionLine) -> str:
    return line.task or f"session {line.id}"
