"""What is in a folder that was named.

A link to a file is that file: caches of downloads and folders of chosen recordings are made of such
links, and what is no recording there is refused like anywhere. A link to a folder is not entered.
It may lead round in a circle, or to all of a disk.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

__all__ = [
    "COMPANION",
    "EMPTY",
    "OUT",
    "Link",
    "is_companion",
    "is_file",
    "is_folder",
    "leaves",
    "name_of",
    "walk",
]

COMPANION = "it is what macOS keeps beside a file, not a recording"
"""What is said of such a file, as there is one for each in a folder that was unpacked."""

EMPTY = "it is a folder without a file in it"
"""What is said of a folder that was named, and has nothing in it."""

OUT = "it is a link to a folder elsewhere, which is not entered; name it to read it"
"""What is said of a link to a folder out of the one that was named."""

_IN = "it is a link to a folder that is read where it lies"


class Link(Struct, frozen=True):
    """A symbolic link to a folder, which is not entered, and why.

    `lost`: what is in there is not read where it lies either.
    """

    path: Path
    why: str
    lost: bool


def walk(folder: Path, *, within: Path | None = None) -> Iterator[Path | Link]:
    """Every entry under a folder that is not itself a folder, in the order of their names.

    `within` is the folder that was named, this one where it is not said. Folders that cannot be
    listed are given as entries, and what cannot be read is said by
    `ringback.formats.files.read_bytes`.
    """
    top = folder if within is None else within
    entries = _listed(folder)
    if entries is None:
        yield folder
        return
    while entries:
        entry = entries.pop()
        path = Path(entry.path)
        if entry.is_symlink():
            yield _followed(path, top)
        elif not entry.is_dir(follow_symlinks=False) or (inside := _listed(path)) is None:
            yield path
        else:
            entries += inside


def _listed(folder: Path) -> list[os.DirEntry[str]] | None:
    """What is in a folder, the first name last; None where it cannot be listed."""
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda entry: entry.name, reverse=True)
    except OSError:
        return None


def _followed(path: Path, top: Path) -> Path | Link:
    if not is_folder(path):
        return path
    out = leaves(path, top)
    return Link(path, OUT if out else _IN, lost=out)


def is_companion(path: Path) -> bool:
    """Whether it is a file of the kind that macOS puts beside others; told by its name."""
    return path.name.startswith("._") and is_file(path)


def is_file(path: Path) -> bool:
    """Whether there is a file, or a link to one; not, where that may not be looked at."""
    try:
        return path.is_file()
    except OSError:
        return False


def is_folder(path: Path) -> bool:
    """Whether there is a folder, or a link to one; likewise."""
    try:
        return path.is_dir()
    except OSError:
        return False


def name_of(path: Path, within: Path | None = None) -> str:
    """A file's name as text, or its path within a folder; bytes that are no UTF-8 are spelled."""
    top = path.parent if within in (None, path) else within
    name = path.relative_to(top).as_posix()
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def leaves(path: Path, top: Path) -> bool:
    """Whether a path leads out of a folder, by symbolic links; so it does where that is unclear."""
    try:
        return not path.resolve(strict=True).is_relative_to(top.resolve(strict=True))
    except (OSError, RuntimeError, ValueError):
        return True
