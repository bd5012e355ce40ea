"""What lies around a transcript in its report: the same task in other arms, the next and the last.

Links are between files in one folder, so that they work from disk.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec import Struct

from ringback.report.grid_lines import OUTCOME_WORDS, faults_text
from ringback.report.model import Cell, StudyResults

__all__ = ["NOTHING", "Around", "Sibling", "Way", "around", "is_id", "page_name"]

_SESSION = re.compile(r"[0-9a-f]{8,64}")


class Sibling(Struct, frozen=True):
    """The same task and trial in an arm: a link in a transcript's head."""

    name: str
    words: str
    href: str | None
    here: bool


class Way(Struct, frozen=True):
    """A link to a transcript beside this one; `key` is the access key that follows it.

    `where` says which way it goes, `name` what is there.
    """

    where: str
    name: str
    href: str
    key: str
    rel: str = ""


class Around(Struct, frozen=True):
    """All that a transcript's page links to in its report."""

    siblings: tuple[Sibling, ...] = ()
    ways: tuple[Way, ...] = ()


NOTHING = Around()
"""Of a transcript that stands alone."""


def is_id(session: str | None) -> bool:
    """Whether a session's id is one of ours, and so safe as a file's name."""
    return session is not None and _SESSION.fullmatch(session) is not None


def page_name(session: str) -> str:
    """The name of a session's page in the folder of transcripts."""
    return f"{session}.html"


def around(results: StudyResults, lacking: Collection[str] = ()) -> Mapping[str, Around]:
    """For each session in the grid: what its page links to.

    Within an arm the order is the grid's, task by task and each with its trials; across arms it is
    that of the arms. What has no page, such as those `lacking` one, is passed over.
    """

    def href(cell: Cell) -> str | None:
        session = cell.session
        if session is None or not is_id(session) or session in lacking:
            return None
        return page_name(session)

    arms = [arm.name for arm in results.arms]
    calls = list(_calls(results))
    names = [name for name, _ in calls]
    pages = [[href(cell) for cell in cells] for _, cells in calls]
    found: dict[str, Around] = {}
    for row, (_, cells) in enumerate(calls):
        for place, here in enumerate(cells):
            if here.session is None:
                continue
            siblings = tuple(
                Sibling(arm, OUTCOME_WORDS[cell.outcome], page, cell is here)
                for arm, cell, page in zip(arms, cells, pages[row], strict=True)
            )
            found[here.session] = Around(
                siblings,
                (
                    *_ways(names, [each[place] for each in pages], row, _IN_ARM),
                    *_ways(arms, pages[row], place, _ACROSS),
                ),
            )
    return found


def _calls(results: StudyResults) -> Iterator[tuple[str, list[Cell]]]:
    """Task and trial by what they are called, with the episode of each arm, in the grid's order."""
    tasks = {task.id: task for task in results.facts.tasks}
    families = dict.fromkeys(task.family for task in results.facts.tasks)
    for family in families:
        for row in results.grid:
            task = tasks[row.task]
            if task.family != family:
                continue
            for trial in range(results.facts.trials):
                name = faults_text(task)
                if results.facts.trials > 1:
                    name = f"{name}, trial {trial}"
                yield name, [cells[trial] for cells in row.cells]


class _Ends(Struct, frozen=True):
    """How the two ways of a row of transcripts are called, and their keys."""

    before: tuple[str, str, str]
    after: tuple[str, str, str]


_IN_ARM = _Ends(("previous in this arm", "p", "prev"), ("next in this arm", "n", "next"))
_ACROSS = _Ends(("arm before", "k", ""), ("arm after", "j", ""))


def _ways(
    names: Sequence[str], pages: Sequence[str | None], here: int, ends: _Ends
) -> Iterator[Way]:
    """The nearest on both sides that have a page."""
    for steps, (where, key, rel) in (
        (range(here - 1, -1, -1), ends.before),
        (range(here + 1, len(pages)), ends.after),
    ):
        for place in steps:
            if (page := pages[place]) is not None:
                yield Way(where, names[place], page, key, rel)
                break
