"""Which Parquet files the paths mean that a user names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from ringback.errors import InputError
from ringback.formats.folders import (
    COMPANION,
    Link,
    is_companion,
    is_file,
    is_folder,
    name_of,
    walk,
)
from ringback.formats.naming import kept_in, naming
from ringback.formats.recording import Skipped

__all__ = ["Shard", "shards"]

_END = ".parquet"
_OTHER = "it is not a .parquet file"


class Shard(Struct, frozen=True):
    """A file to read: its path, and its name, within the folder that was named if one was.

    Where two of the paths that were named have files of one name, it tells them apart. `kept` is
    what the file is called in what is made of it: with its folders, as they were typed.
    """

    path: Path
    name: str
    kept: str


def shards(paths: Sequence[Path]) -> list[Shard | Skipped]:
    """The files that these paths mean: a folder means the Parquet files in it, at any depth.

    Each file once, in the order given; what only looks like one is among them, and what is passed
    over: files of other kinds, and links that are not followed. Raises `InputError` where a folder
    has none.
    """
    found: dict[Path, Shard | Skipped] = {}
    for path, before in naming(paths, passed_on=True):
        folders = before or kept_in(path)
        if is_folder(path):
            inside = list(_inside(path, before, folders))
            if not any(isinstance(each, Shard) or each.broken for _, each in inside):
                raise InputError(f"There is no Parquet file in {path}; name the folder of shards.")
        else:
            name = name_of(path)
            inside = [(path, Shard(path, before + name, folders + name))]
        for where, each in inside:
            lies = _resolved(where) if isinstance(each, Shard) else where.absolute()
            found.setdefault(lies, each)
    return list(found.values())


def _inside(folder: Path, before: str, folders: str) -> Iterator[tuple[Path, Shard | Skipped]]:
    for found in walk(folder):
        path = found.path if isinstance(found, Link) else found
        inner = name_of(path, folder)
        name = before + inner
        if is_companion(path):
            yield path, Skipped(name, None, COMPANION, broken=False)
        elif isinstance(found, Link):
            yield path, Skipped(name, None, found.why, found.lost)
        elif path.name.lower().endswith(_END) or not is_file(path):  # what cannot be read says so
            yield path, Shard(path, name, folders + inner)
        else:
            yield path, Skipped(name, None, _OTHER, broken=False)


def _resolved(path: Path) -> Path:
    """Where a file lies, so that it is read once; as named where that is nowhere, or a folder."""
    try:
        return path.resolve() if path.is_file() else path.absolute()
    except (OSError, RuntimeError, ValueError):  # a link to itself, say
        return path.absolute()
