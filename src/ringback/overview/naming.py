"""What conditions and arms are called: one name has one content in the whole report."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from ringback.overview.reading import Seen

__all__ = ["Key", "arm_names", "key_of", "letters"]

Key: TypeAlias = tuple[str, str, str | None]
"""What makes an arm: its content, its name, and the form of recording."""


def key_of(seen: Seen) -> Key:
    """The arm of a session."""
    return seen.row.arm, seen.name, seen.row.origin


def arm_names(keys: Iterable[Key]) -> dict[Key, str]:
    """What each arm is called: its name, with a number where that is another's too.

    The numbers follow from the contents, what was recorded here first, and so from no order in
    which sessions were begun. A name that cannot be seen is quoted.
    """
    found = sorted(set(keys), key=lambda key: (key[1], key[2] or "", key[0]))
    seen = {key: key[1] if key[1].strip() else ascii(key[1]) for key in found}
    taken = set(seen.values())
    used: set[str] = set()
    names: dict[Key, str] = {}
    for key in found:
        name, count = seen[key], 1
        while name in used or (count > 1 and name in taken):
            count += 1
            name = f"{seen[key]} ({count})"
        used.add(name)
        names[key] = name
    return names


def letters(place: int) -> str:
    """What the condition at a place, counted from 0, is called: ``A`` to ``Z``, then ``AA``."""
    before, last = divmod(place, 26)
    return (letters(before - 1) if before else "") + chr(ord("A") + last)
