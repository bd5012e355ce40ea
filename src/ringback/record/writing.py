"""Writing a record and its transcripts: each file whole or not at all, and never over another's."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from ringback.errors import InputError
from ringback.record.document import FORM
from ringback.record.making import Made
from ringback.record.together import write_together
from ringback.record.transcripts import FORM as TRANSCRIPT
from ringback.record.transcripts import Transcript
from ringback.replacing import followed
from ringback.report.plain import json_bytes

__all__ = ["refuse_foreign", "write_record"]


_HEAD = 200  # bytes that are looked at


def write_record(made: Made, out: Path, *, beside: Path) -> list[Path]:
    """Write a record to `out` and its transcripts into the same folder; returns what was written.

    A link keeps pointing where it does, and the folder is that of what it points to. The record
    comes last, so that none is there without its transcripts. `beside` is the store, which is not
    written over. Raises `InputError` where a file cannot be written or is not ours, and where a
    transcript there is that of another call which another record of the folder tells by it.
    """
    refuse_foreign(out, beside=beside)
    folder = out.parent if not out.is_symlink() else out.resolve().parent
    files: list[tuple[Path, Any]] = [
        *((folder / name, transcript) for name, transcript in made.transcripts.items()),
        (out, made.record),
    ]
    for path, _ in files[:-1]:
        if _same(path, out):
            raise InputError(f"{out} is the name of a transcript; give the record another with -o.")
        _refuse(path, TRANSCRIPT)
    _refuse_told(made, folder, out)
    try:
        write_together(
            [(followed(path), partial(json_bytes, value, indent=2)) for path, value in files]
        )
    except OSError as problem:
        raise InputError(
            f"Cannot write {problem.filename or out}: {problem.strerror or problem}; choose "
            "another file with -o, or make room, and run the command again."
        ) from problem
    return [path for path, _ in files]


def refuse_foreign(out: Path, *, beside: Path) -> None:
    """Raise `InputError` if a record at `out` would take the place of what is none of ours."""
    try:
        target = followed(out)
    except OSError:  # a link that leads to itself
        target = None
    if out.name in ("", "-") or target is None or (target.exists() and not target.is_file()):
        raise InputError(f"{out} is no file to write a record to; name one with -o.")
    if _same(target, beside) or target in _files_of(beside):
        raise InputError(f"{out} is the session store; choose another file with -o.")
    _refuse(out, FORM)


def _files_of(store: Path) -> Iterator[Path]:
    whole = store.resolve()
    for end in ("", "-wal", "-shm", "-journal"):
        yield whole.with_name(whole.name + end)


class _Attempt(msgspec.Struct):
    told: bool = False
    begun_at: float | None = None


class _Case(msgspec.Struct):
    session: str = ""
    transcript: str = ""
    attempts: list[_Attempt] = []


class _Transcript(msgspec.Struct):
    events: msgspec.Raw


class _Record(msgspec.Struct):
    cases: list[_Case]


def _refuse_told(made: Made, folder: Path, out: Path) -> None:
    """Raise `InputError` if another record there tells another call by one of these names."""
    for path in sorted(folder.glob("*.json")):
        if _same(path, out) or path.name in made.transcripts or not _begins(path, FORM):
            continue
        try:
            found = msgspec.json.decode(path.read_bytes(), type=_Record)
        except (OSError, msgspec.DecodeError):  # no record that anybody can read
            continue
        for case in found.cases:
            ours = made.transcripts.get(case.transcript)
            if ours is None:
                continue
            if ours.session != case.session:
                raise InputError(
                    f"{path} tells session {case.session} by {case.transcript}, which would be "
                    f"that of {ours.session}; write to another folder with -o, or put all cases "
                    "into one record."
                )
            if _is_another(case, ours, folder):
                raise InputError(
                    f"{path} tells another call by {case.transcript}: that session has the id "
                    f"{ours.session} too, but is of another store; write to another folder with -o."
                )


def _is_another(case: _Case, ours: Transcript, folder: Path) -> bool:
    """Whether what another record tells under this id is not this call, but one of another store.

    An id follows from the case and the attempt, so two stores may have different calls under it.
    """
    begun = [each.begun_at for each in case.attempts if each.told]
    if begun and begun != [ours.events[0].at]:
        return True
    try:
        held = msgspec.json.decode((folder / case.transcript).read_bytes(), type=_Transcript)
        theirs = msgspec.json.decode(held.events)
    except (OSError, msgspec.DecodeError):  # it is gone, or nobody can read it
        return False
    return theirs != msgspec.json.decode(msgspec.json.encode(ours.events))


def _begins(path: Path, form: str) -> bool:
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return _is_ours(file.read(_HEAD), form)
    except OSError:
        return False


def _is_ours(head: bytes, form: str) -> bool:
    return head.startswith(f'{{\n  "form": "{form}"'.encode())


def _refuse(path: Path, form: str) -> None:
    """Raise `InputError` if a file is there that does not begin as one of this form does."""
    if not path.exists():
        return
    try:
        if not path.is_file():
            raise InputError(f"{path} is no file; move it away, or write to another folder.")
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError as problem:
        raise InputError(
            f"{path} is there and cannot be read ({problem.strerror}), so it is not written over; "
            "choose another file with -o."
        ) from problem
    if not _is_ours(head, form):
        what = "record" if form == FORM else "transcript"
        raise InputError(
            f"{path} is there and no {what} of Ringback's, so it is not written over; move it "
            "away, or write to another folder with -o."
        )


def _same(one: Path, two: Path) -> bool:
    try:
        return followed(one) == followed(two) or one.samefile(two)
    except OSError:
        return False
