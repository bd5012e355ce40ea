"""The list of sessions on the page: by condition and arm, each with the way to its own page."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from msgspec import Struct

from ringback.overview import words
from ringback.overview.model import Overview, SessionLine
from ringback.report import wording
from ringback.report.failing import LAID_TO
from ringback.report.plain import one_line

__all__ = ["SessionGroup", "SessionRow", "href", "parts", "session_groups"]

_JOINT = re.compile(r"(?<=[|\]])")
_OPEN = 150  # sessions of a report that are shown without a click


class SessionRow(Struct, frozen=True, kw_only=True):
    """A session in the list."""

    id: str
    href: str | None
    task: tuple[str, ...]
    place: str
    outcome: str
    ending: str
    steps: str
    laid_to: str
    more: str
    mark: str


class SessionGroup(Struct, frozen=True):
    """The sessions of an arm in the list."""

    name: str
    words: str
    open: bool
    rows: tuple[SessionRow, ...]


def session_groups(found: Overview, pages: Collection[str]) -> Iterator[SessionGroup]:
    """The list of sessions by condition and arm, those in no figure last."""
    groups: dict[tuple[str | None, str, bool], list[SessionLine]] = {}
    for line in found.sessions:
        groups.setdefault((line.condition, line.arm, line.counted), []).append(line)
    several = len(found.conditions) > 1
    shown = len(found.sessions) <= _OPEN
    for (condition, arm, counted), lines in sorted(
        groups.items(), key=lambda each: (not each[0][2], each[0][0] is None, each[0][0] or "")
    ):
        about = wording.plural(len(lines), "session")
        if condition is not None and several:
            about += f" under condition {condition}"
        if not counted:
            about += ", forks" if lines[0].forked is not None else ", replaced by a later attempt"
        yield SessionGroup(arm, about, shown, tuple(_session(line, pages) for line in lines))


def _session(line: SessionLine, pages: Collection[str]) -> SessionRow:
    trial = wording.known(line.trial)
    more: list[str] = []
    if line.origin is not None:
        own = "" if line.origin_id is None else f", there {one_line(line.origin_id, 60)}"
        more.append(f"{one_line(line.origin_file or line.origin, 60)}{own}")
    if line.forked is not None:
        more.append(f"forked from {line.forked.session}")
    elif line.parent is not None:
        more.append(f"replays {line.parent}")
    if line.conduct:
        more.append(f"conduct: {', '.join(map(wording.reason, line.conduct))}")
    return SessionRow(
        id=line.id,
        href=href(line.id, pages),
        task=parts(line.task or "(task unknown)"),
        place=f"trial {trial}, seed {wording.known(line.seed)}",
        outcome=words.outcome(line),
        ending="" if line.ending is None else wording.reason(line.ending),
        steps=wording.UNKNOWN if line.steps is None else f"{line.steps:,}",
        laid_to="" if line.blame is None else LAID_TO[line.blame],
        more="; ".join(more),
        mark=line.outcome,
    )


def parts(task: str) -> tuple[str, ...]:
    """A task's id where it may be broken into lines."""
    return tuple(_JOINT.split(task))


def href(session: str, pages: Collection[str]) -> str | None:
    """The address of a session's page, None where it has none."""
    return f"transcripts/{session}.html" if session in pages else None
