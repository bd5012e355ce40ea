"""Which sessions a command is about: ids, `latest`, and filters, as typed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias, get_args

from msgspec import Struct

from ringback.episode.events import Ending
from ringback.errors import InputError
from ringback.sessions.rows import SessionRow

__all__ = ["FILTERS", "Selection", "Unread", "parse_selection", "unread"]

Unread: TypeAlias = Literal["outcome", "alike", "alone"]
"""Why a difference is not read: see `unread`."""

FILTERS = (
    "study",
    "arm",
    "task",
    "family",
    "trial",
    "seed",
    "ending",
    "solved",
    "agent",
    "as",
    "user",
    "origin",
    "origin-id",
    "file",
)
"""The keys a filter may have."""

_ID = re.compile(r"[0-9a-f]{1,16}\Z")
_VALUES: dict[str, tuple[str, ...]] = {
    "ending": (*get_args(Ending), "none"),
    "solved": ("yes", "no", "unknown"),
}
_NUMBERS = ("trial", "seed")
_SAME = {("solved", "true"): "yes", ("solved", "false"): "no"}


class Selection(Struct, frozen=True):
    """A parsed selection.

    The sessions named by `ids` (whole or the beginning of one) and by `latest` are united; every
    filter must hold. With neither id nor `latest`, all sessions that pass the filters. `latest` is
    the session begun last of those that pass. `text` is what was typed.
    """

    ids: tuple[str, ...] = ()
    latest: bool = False
    filters: dict[str, str] = {}
    text: str = ""

    @property
    def everything(self) -> bool:
        """Whether nothing was asked for in particular."""
        return not (self.ids or self.latest or self.filters)


def parse_selection(tokens: Iterable[str]) -> Selection:
    """Read the words of a selection; no words select everything.

    A word is a session's id or its beginning, ``latest``, or ``key=value`` with a key of
    `FILTERS`. ``study=`` selects what was run outside a study, ``ending=none`` what has not ended;
    ``as=Ada`` what the operator of that name answered by hand; ``trial`` counts from 0; ``origin=``
    selects what was recorded here and ``origin=tau2`` what was read from recordings of that form,
    ``origin-id=`` what has that id in its own recording, which several may have, ``file=`` what was
    read from the files of that name, or from a folder of it, with as many of the folders before it
    as are to tell it from others; ``solved`` is yes, no or unknown (not graded), and true and
    false, as JSON has it, will do too. Raises `InputError`.
    """
    words = list(tokens)
    ids: list[str] = []
    latest = False
    filters: dict[str, str] = {}
    for word in words:
        key, sign, value = word.partition("=")
        if sign:
            value = _SAME.get((key, value), value)
            _check(word, key, value)
            if key in filters:
                raise InputError(f"The filter {key} is given twice; give it once.")
            filters[key] = value
        elif word == "latest":
            latest = True
        elif _ID.match(word.lower()):
            ids.append(word.lower())
        else:
            raise InputError(
                f"{word!r} selects no session; give an id or its first digits, latest, or "
                f"KEY=VALUE with one of {', '.join(FILTERS)}; an id that another program gave goes "
                "with origin-id=."
            )
    return Selection(tuple(dict.fromkeys(ids)), latest, filters, " ".join(words))


def unread(selection: Selection, rows: Sequence[SessionRow]) -> Unread | None:
    """Why no difference is read from these, or from replays of them; None where one is.

    ``outcome``: they were chosen by how they came out. ``alike``: single ones were named, and all
    had come out alike. Such a choice gathers the unlucky, or the lucky, and another draw of the
    same comes out better, or worse, with nothing changed (regression to the mean). ``alone``: it
    was one call, by its id or as the latest.
    """
    if {"solved", "ending"} & set(selection.filters):
        return "outcome"
    if not (selection.ids or selection.latest or "origin-id" in selection.filters):
        return None
    if len(rows) < 2:
        return "alone"
    return "alike" if len({row.solved for row in rows if row.graded}) < 2 else None


def _check(word: str, key: str, value: str) -> None:
    if key not in FILTERS:
        raise InputError(
            f"{word!r} filters by {key!r}, which is not known; the filters are "
            f"{', '.join(FILTERS)}."
        )
    if key in _NUMBERS and not re.fullmatch(r"[0-9]{1,18}", value):
        raise InputError(f"{word!r} can select nothing; {key} is a whole number.")
    known = _VALUES.get(key)
    if known and value not in known:
        raise InputError(f"{word!r} can select nothing; {key} is one of {', '.join(known)}.")
