"""What files are called, in what is said of them and in what is kept.

In what is said no two of one command have one name; in what is kept those of two folders can be
told apart.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from ringback.formats.folders import is_folder

__all__ = ["kept_in", "naming"]


def naming(paths: Sequence[Path], *, passed_on: bool = False) -> Iterator[tuple[Path, str]]:
    """Each path, and what stands before the names of its files so that no two have one name.

    Nothing where a name says enough: for one path, and for files of different names. `passed_on`:
    others will read the names, so where paths from the root are given, only what follows the folder
    that all have in common is said.
    """
    shown = _shortened(paths) if passed_on else paths
    names = Counter(path.name for path in set(paths))
    for path, said in zip(paths, shown, strict=True):
        if len(paths) == 1:
            yield path, ""
        elif is_folder(path):
            yield path, _text(f"{said}/")
        else:
            yield path, _text(str(said).removesuffix(path.name)) if names[path.name] > 1 else ""


def kept_in(path: Path) -> str:
    """What stands before the names of a path's files in what is kept: the folders, as typed.

    Of a path from the root, of one that leads out of the folder one is in, and where none was
    typed, it is the name of the folder alone: where a user's files lie is nobody else's business.
    """
    folder = path if is_folder(path) else path.parent
    typed = os.path.normpath(folder)
    if Path(typed).is_absolute() or typed in (os.curdir, os.pardir) or typed.startswith("../"):
        typed = Path(os.path.abspath(folder)).name  # noqa: PTH100 - no link is followed
    return _text(f"{typed}/") if typed else ""


def _shortened(paths: Sequence[Path]) -> Sequence[Path]:
    if not any(path.is_absolute() for path in paths):
        return paths
    whole = [path.absolute() for path in paths]
    try:
        common = os.path.commonpath([path.parent for path in whole])
    except ValueError:  # on two drives
        return [path.relative_to(path.anchor) for path in whole]
    return [path.relative_to(common) for path in whole]


def _text(name: str) -> str:
    return os.fsencode(name).decode("utf-8", "backslashreplace")
