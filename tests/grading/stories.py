"""Calls told as a few lines: who said what, who called which tool, and how it ended."""

from __future__ import annotations

from typing import Any, TypeAlias, cast

from msgspec.structs import replace

from ringback.domain import Task
from ringback.episode.episode import Episode
from ringback.episode.events import Call, Draw, Ending, Limits, Origin, Setup
from ringback.episode.identity import arm, condition, opening
from ringback.episode.participants import Reply
from ringback.telecom import domain
from ringback.telecom.tasks import compositions

__all__ = ["LINE", "Line", "story", "task"]

Line: TypeAlias = tuple[Any, ...]
"""``(side, words)``, ``(side, tool, arguments)`` or ``(side, words, [(tool, arguments), ...])``."""

LINE: dict[str, Any] = {"customer_id": "C1001", "line_id": "L1002"}


def task(family: str, *faults: str) -> Task:
    """The task with exactly these faults."""
    return next(t for t in compositions() if t.family == family and {*t.faults} == {*faults})


def story(
    of: Task,
    *lines: Line,
    ending: Ending | None = None,
    limits: Limits | None = None,
    form: str | None = None,
) -> Episode:
    """The episode of these lines; `ending` cuts it off where no marker has ended it.

    `form` says that another program recorded it.
    """
    shared = condition(domain, Setup("u", "1"), limits or Limits())
    start = opening(
        domain, shared, arm(domain, Setup("a", "1"), domain.policies[0]), "a", Draw(of.id, 0, 0)
    )
    if form is not None:
        start = replace(start, origin=Origin(form, "file.json", 0, "digest"))
    episode = Episode(start, domain)
    for line in lines:
        side, what, *rest = line
        if not rest:
            reply = Reply(what)
        elif isinstance(rest[0], dict):
            arguments = cast("dict[str, Any]", rest[0])
            reply = Reply(calls=(Call(what, arguments),))
        else:
            reply = Reply(what, tuple(Call(tool, given) for tool, given in rest[0]))
        assert episode.position.next == side, (line, episode.position)
        episode.take(reply)
    if episode.end is None:
        assert ending is not None
        episode.finish(ending, "told")
    return episode
