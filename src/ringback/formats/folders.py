"""What is in a folder that was named, without leaving it.

A folder of recordings may come from anybody, and a symbolic link in it can point anywhere. So only
what lies in the folder is read; a link that the user names himself is followed like any path.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

__all__ = ["OUT", "Link", "is_file", "is_folder", "leaves", "walk"]

OUT = "it is a link out of the folder that was named, and is not followed; name it to read it"
"""What is said of a link that leads out of the folder."""

_IN = "it is a link to a folder that is read where it lies"


class Link(Struct, frozen=True):
    """A symbolic link that is not followed, and why.

    `folder`: it leads to one. `lost`: what it leads to is not read elsewhere either.
    """

    path: Path
    why: str
    folder: bool
    lost: bool


def walk(folder: Path, *, within: Path | None = None) -> Iterator[Path | Link]:
    """Every entry under a folder that is not itself a folder, in the order of their names.

    Links that lead to a file within are entries like any; others are a `Link`. `within` is the
    folder that was named, this one where it is not said. Folders that cannot be listed are given as
    entries, and what cannot be read is said by `ringback.formats.files.read_bytes`.
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
    try:
        folder = stat.S_ISDIR(path.stat().st_mode)
    except OSError:  # it leads nowhere, which is said where it is opened
        return path
    if leaves(path, top):
        return Link(path, OUT, folder=folder, lost=True)
    return Link(path, _IN, folder=True, lost=False) if folder else path


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


def leaves(path: Path, top: Path) -> bool:
    """Whether a path leads out of a folder, by symbolic links; so it does where that is unclear."""
    try:
        return not path.resolve(strict=True).is_relative_to(top.resolve(strict=True))
    except (OSError, RuntimeError, ValueError):
        return True
