"""Where an export goes: a file that is there whole or not at all, or standard output."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from ringback.errors import InputError
from ringback.replacing import followed, replacing

__all__ = ["STDOUT", "write"]

_SQLITE = b"SQLite format 3\0"

STDOUT = Path("-")
"""What stands for standard output."""


def write(out: Path, chunks: Iterable[bytes], *, beside: Path | None = None) -> None:
    """Write the chunks as they come, in place of what the file held before.

    Until the last one is written the file is as it was. `beside` is a file that must not be written
    over: the store that the chunks are read from. Raises `InputError` if the file cannot be
    written or is an SQLite database, and lets through what making the chunks raises.
    """
    if out == STDOUT:
        for chunk in chunks:
            sys.stdout.buffer.write(chunk)
        return
    try:
        target = followed(out)  # a link keeps pointing where it does
    except OSError as problem:
        raise _refused(out, problem) from problem
    if beside is not None and _of_store(out, beside):
        raise InputError(f"{out} is the session store; choose another file with -o.")
    if out.exists() and not out.is_file():
        _pipe(out, chunks)
        return
    if _is_database(out):
        raise InputError(
            f"{out} is an SQLite database, such as a session store, and would be lost; choose "
            "another file with -o, or remove it first."
        )
    try:
        with replacing(target) as file:
            file.writelines(chunks)
    except OSError as problem:
        raise _refused(out, problem) from problem


def _pipe(out: Path, chunks: Iterable[bytes]) -> None:
    """A device or a pipe is written to; a folder is refused."""
    if out.is_dir():
        raise InputError(f"{out} is a folder; name a file in it with -o.")
    try:
        with out.open("wb") as file:
            file.writelines(chunks)
    except BrokenPipeError:
        raise
    except OSError as problem:
        raise _refused(out, problem) from problem


def _of_store(out: Path, store: Path) -> bool:
    """Whether this is the store, or one of the files that SQLite keeps beside it."""
    whole = store.resolve()
    beside = [whole.with_name(whole.name + end) for end in ("", "-wal", "-shm", "-journal")]
    return out.resolve() in beside or any(_same(out, one) for one in beside)


def _is_database(out: Path) -> bool:
    try:
        with out.open("rb") as file:
            return file.read(len(_SQLITE)) == _SQLITE
    except OSError:  # there is none, or it cannot be written either
        return False


def _same(one: Path, two: Path) -> bool:
    try:
        return one.samefile(two)
    except OSError:
        return False


def _refused(out: Path, problem: OSError) -> InputError:
    return InputError(
        f"Cannot write {out}: {problem.strerror or problem}; choose another file with -o, or make "
        "room, and run the command again."
    )
