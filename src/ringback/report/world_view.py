"""What a call changed in the world, and what it found, place by place, for a transcript's page."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from ringback.report import wording
from ringback.report.plain import clip
from ringback.report.transcript import Change, Transcript

__all__ = ["ChangeGroup", "StateGroup", "change_groups", "cut", "opening_groups"]

_ID = re.compile(r"(?=.*\d)[A-Z0-9][A-Za-z0-9_-]*")


class ChangeView(Struct, frozen=True):
    """One changed field, its place left off."""

    name: str
    before: str | None
    after: str | None


class ChangeGroup(Struct, frozen=True):
    """The changed fields of one place: the phone, a line, a bill."""

    title: str
    changes: tuple[ChangeView, ...]


class StateGroup(Struct, frozen=True):
    """The fields of one place before the call."""

    title: str
    fields: tuple[tuple[str, str], ...]


def change_groups(changes: Sequence[Change]) -> tuple[ChangeGroup, ...]:
    """Changed fields by their place, in the order in which the places come up."""
    groups: dict[str, list[ChangeView]] = {}
    for change in changes:
        title, name = _place(change.field)
        view = ChangeView(name, _short(change.before), _short(change.after))
        groups.setdefault(title, []).append(view)
    return tuple(ChangeGroup(title, tuple(found)) for title, found in groups.items())


def opening_groups(transcript: Transcript) -> tuple[StateGroup, ...]:
    """The state before the call: of places that have no number, and of those that it changed."""
    changed = {
        _place(change.field)[0]
        for row in transcript.rows
        for deed in row.deeds
        for change in deed.changes or ()
    }
    groups: dict[str, list[tuple[str, str]]] = {}
    for field, value in transcript.opening.items():
        title, name = _place(field)
        if title in changed or len(title.split()) == 1:
            groups.setdefault(title, []).append((name, cut(value, 200)))
    return tuple(StateGroup(title, tuple(found)) for title, found in groups.items())


def _place(field: str) -> tuple[str, str]:
    """A flat field as place and name: ``line.L1002.status`` is the status of "Line L1002".

    The first part of a field names its place, an id after it the one that is meant.
    """
    place, _, rest = field.partition(".")
    if not rest:
        return "World", wording.reason(field)
    title = wording.reason(place[:1].upper() + place[1:])
    which, _, name = rest.partition(".")
    if name and _ID.fullmatch(which):
        return f"{title} {which}", wording.reason(name)
    return title, wording.reason(rest)


def _short(value: str | None) -> str | None:
    return None if value is None else cut(value, 200)


def cut(text: str, limit: int) -> str:
    """At most `limit` characters of a text, with the number of those left off."""
    shown, left_off = clip(text, limit)
    return f"{shown} … ({left_off:,} more characters in the record)" if left_off else shown
