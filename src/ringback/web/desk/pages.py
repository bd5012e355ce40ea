"""The desk's pages and the pieces of them that are sent while a call goes on."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any

from msgspec import Struct

from ringback.operating import Look, Opened
from ringback.report.page import transcript_page
from ringback.report.rendering import fragment, policy, sheet_text
from ringback.report.session_view import session_view
from ringback.report.transcript import Transcript
from ringback.web.desk import views
from ringback.web.desk.opening import Opening

__all__ = [
    "Typed",
    "console",
    "nothing_here",
    "pieces",
    "start",
    "static",
    "transcript",
    "transcript_policy",
]

_HERE = "ringback.web.desk"
_KINDS = {
    "desk.css": "text/css; charset=utf-8",
    "desk.js": "text/javascript; charset=utf-8",
    "htmx.min.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}


class Typed(Struct, frozen=True):
    """What stands in the fields of the start page."""

    case: str
    seed: str
    trial: str


def start(
    opening: Opening, episodes: Sequence[Opened], typed: Typed, customer: str, notice: str = ""
) -> str:
    """The start page: begin a call, go on with one, look at those that are over."""
    lines = [views.episode(each) for each in reversed(episodes)]
    split = opening.drawn_from
    return _page(
        "start",
        typed=typed,
        notice=notice,
        customer=customer,
        operator=opening.called,
        split=split,
        cases=len(opening.world.tasks(split)),
        going=[line for line in lines if line.kind == "open"],
        over=[line for line in lines if line.kind != "open"],
    )


def console(
    look: Look, standing: views.Standing, notice: str = "", told: Transcript | None = None
) -> str:
    """An episode's page. `told` is its transcript where it is over and may be seen."""
    return _page(
        "console",
        standing=standing,
        notice=notice,
        entries=views.entries(look),
        known=views.known(look),
        tools=views.tool_forms(look.tools),
        blocks=views.policy_blocks(look),
        over=look.stands.over,
        result=None if told is None else session_view(told),
    )


def pieces(look: Look, standing: views.Standing, notice: str) -> str:
    """What of an episode's page changes with a command."""
    return _page(
        "pieces",
        standing=standing,
        notice=notice,
        entries=views.entries(look),
        known=views.known(look),
    )


def transcript(told: Transcript, session: str) -> bytes:
    """The transcript's page as the report has it."""
    return transcript_page(told, back=(f"/e/{session}", "the desk"))


def transcript_policy() -> str:
    """The content policy of a transcript's page, for its header."""
    return f"{policy('transcript')}; frame-ancestors 'none'"


def nothing_here(words: str, head: str = "Nothing here") -> str:
    """The page in place of one that cannot be shown: its heading, and why."""
    return _page("nothing", words=words, head=head)


@cache
def static(name: str) -> tuple[bytes, str] | None:
    """A file that is served as it is, with its kind; None where there is none of that name."""
    kind = _KINDS.get(name)
    if kind is None:
        return None
    if name == "desk.css":
        return sheet_text("desk", package=_HERE).encode(), kind
    return (resources.files(_HERE) / "static" / name).read_bytes(), kind


def _page(name: str, **values: Any) -> str:
    return fragment(name, package=_HERE, **values)
