"""The folder that a report is written into: one of ours, or one with nothing to lose.

A report takes the place of the one before it. What another program has put there under the same
names is never overwritten.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Mapping, Set
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from ringback.errors import InputError
from ringback.report.around import is_id
from ringback.report.rendering import replace_file

__all__ = [
    "Kind",
    "is_page_of_ours",
    "refuse_foreign",
    "remove_pages",
    "replace_files",
    "writing",
]

Kind: TypeAlias = Literal["study", "sessions", "traces"]
"""What a report of ours is of."""

_ONLY: dict[Kind, str] = {"study": "grid", "sessions": "conditions", "traces": "slices"}
_OF: dict[Kind, str] = {
    "study": "of a study",
    "sessions": "over recorded sessions",
    "traces": "on recorded traces",
}
_PAGE = b'<meta name="generator" content="ringback">'
_HEAD = 4096  # bytes of a page in which its generator stands
_KEYS = {"format", "headline"}  # what results of ours have, of a study or of recordings


@contextmanager
def writing(out: Path, kind: Kind) -> Generator[None, None, None]:
    """The block writes a report into the folder `out`, which is looked at before.

    Raises `InputError` as `refuse_foreign` does, and where the block cannot write.
    """
    refuse_foreign(out, kind)
    try:
        yield
    except OSError as problem:
        raise InputError(
            f"The report cannot be written to {problem.filename or out}: "
            f"{problem.strerror or problem}; choose another folder with --out or make room, and "
            "run the command again."
        ) from problem


def replace_files(out: Path, files: Mapping[str, bytes]) -> None:
    """Write these files, by their names, in their order, each whole or not at all.

    All are made before the first is replaced, so that what cannot be made leaves the old report.
    """
    for name, data in files.items():
        replace_file(out / name, data)


def refuse_foreign(out: Path, kind: Kind) -> None:
    """Raise `InputError` if a report into `out` would overwrite what is no report of ours.

    Nor does it take the place of a report of ours of another `kind`: both are about something else.

    Worth a call before anything is played: a run may take hours. Nothing is made or changed. A
    folder that is not there yet is fine, and so are files that a report does not write.
    """
    if out.exists() and not out.is_dir():
        raise InputError(
            f"The report cannot be written to {out}, which is a file; name a folder with --out."
        )
    index, results, summary = (out / name for name in ("index.html", "results.json", "summary.md"))
    foreign: Path | None = None
    if _there(index) and not is_page_of_ours(index):
        foreign = index
    elif _there(results) and not _results_of_ours(results):
        foreign = results
    elif _there(summary) and not _there(index) and not _there(results):
        foreign = summary  # which says nothing of who wrote it, and is written after the results
    elif (out / "transcripts").is_symlink():
        foreign = out / "transcripts"  # what it leads to may be anybody's
    if foreign is not None:
        raise InputError(
            f"{foreign} is no report of Ringback's, and this one would overwrite it; choose "
            "another folder with --out, or move the file away."
        )
    there = _kind(results)
    if there not in (None, kind):
        raise InputError(
            f"{out} holds a report {_OF[there]}, and this one would take its place; choose another "
            "folder with --out."
        )


def is_page_of_ours(path: Path) -> bool:
    """Whether this file is a page that Ringback has made; links and folders never are."""
    return path.is_file() and not path.is_symlink() and _PAGE in _read(path, _HEAD)


def remove_pages(folder: Path, kept: Collection[str]) -> None:
    """Remove the transcript pages of an earlier report, and nothing that is not ours.

    `kept` are the sessions whose pages stay.
    """
    for path in folder.iterdir():
        name = path.name.removesuffix(".html")
        if path.suffix != ".html" or not is_id(name) or name in kept:
            continue
        if is_page_of_ours(path):
            path.unlink()


def _results_of_ours(path: Path) -> bool:
    return _keys(path) >= _KEYS


def _kind(path: Path) -> Kind | None:
    keys = _keys(path)
    return next((kind for kind, key in _ONLY.items() if key in keys), None)


def _keys(path: Path) -> Set[str]:
    """What the results have at their top; nothing where they are none."""
    if not path.is_file() or path.is_symlink():
        return set()
    try:
        return msgspec.json.decode(_read(path), type=dict[str, msgspec.Raw]).keys()
    except (msgspec.MsgspecError, RecursionError):
        return set()


def _there(path: Path) -> bool:
    return path.is_symlink() or path.exists()


def _read(path: Path, count: int = -1) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(count)
    except OSError as problem:
        raise InputError(
            f"{path} cannot be read ({problem.strerror or problem}), so no report is written over "
            "it; choose another folder with --out."
        ) from problem
