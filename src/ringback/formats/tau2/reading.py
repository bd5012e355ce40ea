"""Result files of tau2-bench, as sessions: the form of 2025, that of 1.x, and 1.x as a folder."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, cast

import msgspec
from msgspec.structs import replace

from ringback.formats.files import TooLarge, Unreadable, read_bytes
from ringback.formats.folders import (
    COMPANION,
    EMPTY,
    OUT,
    Link,
    is_companion,
    is_file,
    is_folder,
    leaves,
    name_of,
    walk,
)
from ringback.formats.members import key_words, repeated, repeated_within
from ringback.formats.recording import Recording, Skipped, bounded
from ringback.formats.tau2.head import Head
from ringback.formats.tau2.simulations import PROBLEMS, Simulations, words
from ringback.formats.tau2.streaming import MOST, skeleton
from ringback.formats.tau2.streaming import simulations as simulations_of
from ringback.formats.tau2.tasks import Tasks
from ringback.formats.tau2.wire import File, Simulation
from ringback.formats.values import clipped, text

__all__ = ["read"]

_RESULTS, _SIMULATIONS = "results.json", "simulations"
_ENDS = (".json", ".json.gz")
_END = re.compile(r"\.json(?:\.gz)?$", re.IGNORECASE)
_MOST_VALUES = (
    4_000_000  # of a file that is taken into memory, by its commas; each takes up 50 bytes
)
_LARGE = f"it is larger than {MOST >> 20} MiB"
_NO_JSON = "it is not a .json or .json.gz file"
_OTHER = "it is not a tau2 result file"
_NONE_BESIDE = "it holds no simulation, and the folder simulations beside it has none either"
_ALONE = "it is one simulation of a folder; name the folder, with its results.json"
_LINES = "it is JSON lines, not a tau2 file"
_LINES_ENDS = (".jsonl", ".jsonl.gz")
_READ = ("info", "tasks", "simulation_index")  # of a file, beside its simulations
_alone = msgspec.json.Decoder(Simulation)
_file = msgspec.json.Decoder(File)


def read(path: Path | str, *, lean: bool = False) -> Iterator[Recording | Skipped]:
    """Every simulation of a file, or of the files in a folder, in order, one at a time.

    Never raises for what is in them: what cannot be read, and what is no telecom simulation, is a
    `Skipped`. A file of another form is passed over in a folder; one that is named is taken for a
    mistake, and broken. `lean`: without contents, ids, times, costs and states of our world, for
    grading at speed. Memory: one file.
    """
    path = Path(path)
    if not is_folder(path):
        name = name_of(path)
        for entry in bounded(name, _one(path, name, path.parent, lean)):
            if isinstance(entry, Skipped) and entry.why in (_LINES, _OTHER, _ALONE):
                entry = replace(entry, broken=True)
            yield entry
        return
    yield from _folder(path, lean)


def _folder(folder: Path, lean: bool) -> Iterator[Recording | Skipped]:
    apart: set[Path] = set()
    none = True
    for found in walk(folder):
        none = False
        path = found.path if isinstance(found, Link) else found
        if not apart.isdisjoint((path, *path.parents)):
            continue
        name = name_of(path, folder)
        if is_companion(path):
            yield Skipped(name, None, COMPANION, broken=False)
        elif not path.name.lower().endswith(_ENDS) and is_file(path):
            why = _LINES if path.name.lower().endswith(_LINES_ENDS) else _NO_JSON
            yield Skipped(name, None, why, broken=False)
        elif isinstance(found, Link):
            yield Skipped(name, None, found.why, broken=found.lost)
        else:
            for entry in bounded(name, _one(path, name, folder, lean)):
                source = entry.source if isinstance(entry, Skipped) else entry.origin.source
                if source != name:  # it stood in the folder beside the file
                    apart.add(_beside(path))
                yield entry
    if none:
        yield Skipped(name_of(folder), None, EMPTY, broken=False)


def _one(path: Path, name: str, top: Path, lean: bool) -> Iterator[Recording | Skipped]:
    """The entries of a file, and of the folder beside it unless that leads out of `top`."""
    try:
        opened = _opened(path, name)
    except Unreadable as problem:
        opened = Skipped(name, None, f"it {problem}", broken=True)
    if isinstance(opened, Skipped):
        yield opened
        return
    file, simulations, remark = opened
    if remark is not None:
        yield Skipped(name, None, remark, broken=True)
    index, why = _index(file.simulation_index)
    if why is not None:
        yield Skipped(name, None, f"its simulation_index {why}", broken=True)
    try:
        if twice := repeated_within(file.info):
            why = f"its info has {key_words(twice)}, and which holds is unknown"
            yield Skipped(name, None, why, broken=True)
            return
        head = Head(file.info, lean=lean)
    except PROBLEMS as problem:
        why = f"its info cannot be read ({words(problem)})"
        yield Skipped(name, None, why, broken=True)
        return
    run = Simulations(head, Tasks(file.tasks), lean=lean)
    place = -1
    try:
        for place, raw in enumerate(simulations):
            if raw is None:
                yield Skipped(name, place, _LARGE, broken=True)
            else:
                yield run.one(place, raw, name)
    except Unreadable as problem:
        yield Skipped(name, place + 1, f"it {problem}", broken=True)
    folder = _beside(path)
    none = place < 0
    listed = bool(index) and none
    if is_folder(folder) and (listed or path.name.lower().removesuffix(".gz") == _RESULTS):
        yield from _apart(folder, name, top, run, index)
    elif listed:
        why = "it lists simulations, and beside it is no folder simulations with them"
        yield Skipped(name, None, why, broken=True)
    elif none:
        yield Skipped(name, None, "it holds no simulation", broken=False)


def _index(raw: msgspec.Raw) -> tuple[list[Any] | None, str | None]:
    """What a file lists of its simulations, None where it does not; and what is wrong with that."""
    try:
        stated = msgspec.json.decode(raw)
    except PROBLEMS as problem:
        return None, f"cannot be read ({words(problem)})"
    if not isinstance(stated, list):
        return None, None if stated is None else "is no list"
    if twice := repeated_within(raw):
        return None, f"has {key_words(twice)}, and which holds is unknown"
    return cast("list[Any]", stated), None


def _beside(path: Path) -> Path:
    """The folder in which the simulations of a file stand in the 1.x form of a folder."""
    return path.parent / _SIMULATIONS


def _apart(
    folder: Path, name: str, top: Path, run: Simulations, index: list[Any] | None
) -> Iterator[Recording | Skipped]:
    """Each simulation from a file of its own, in the order of their names."""
    base = name.rpartition("/")[0]
    base = f"{base}/{_SIMULATIONS}" if base else _SIMULATIONS
    if leaves(folder, top):
        yield Skipped(base, None, OUT, broken=True)
        return
    found: set[str] = set()
    place = 0
    for each in walk(folder, within=top):
        path = each.path if isinstance(each, Link) else each
        source = f"{base}/{name_of(path, folder)}"
        if is_companion(path):
            yield Skipped(source, None, COMPANION, broken=False)
            continue
        if not path.name.lower().endswith(_ENDS) and is_file(path):
            yield Skipped(source, None, _NO_JSON, broken=False)
            continue
        if isinstance(each, Link):
            yield Skipped(source, None, each.why, broken=each.lost)
            continue
        found.add(_END.sub("", path.name))
        try:
            data = read_bytes(path, most=MOST)
        except TooLarge:
            yield Skipped(source, place, _LARGE, broken=True)
        except Unreadable as problem:
            yield Skipped(source, place, f"it {problem}", broken=True)
        else:
            yield run.one(place, data, source)
        place += 1
    if not found and not index:
        yield Skipped(name, None, _NONE_BESIDE, broken=False)
    listed = {_id(entry) for entry in index or ()}
    for missing in sorted(listed - found - {None}, key=str):
        why = f"it lists a simulation {clipped(missing or '')}, of which there is no file"
        yield Skipped(name, None, why, broken=True)
    if nameless := sum(_id(entry) is None for entry in index or ()):
        why = f"it lists {nameless:,} simulations without an id"
        yield Skipped(name, None, why, broken=True)


def _id(entry: object) -> str | None:
    named = cast("dict[str, Any]", entry).get("id") if isinstance(entry, dict) else None
    return text(named)


class _Opened(NamedTuple):
    """A file, its simulations (None for one that is too large), and what is to be said of it."""

    file: File
    simulations: Iterable[bytes | msgspec.Raw | None]
    remark: str | None = None


def _opened(path: Path, name: str) -> _Opened | Skipped:
    """A file as it is gone through; raises `Unreadable`.

    Piece by piece where it is too large, where its text is damaged within a simulation, and where
    it has several lists of simulations, of which a decoder gives the last.
    """
    try:
        data = read_bytes(path)
        pieces = _has_many_values(data)
    except TooLarge:
        data, pieces = b"", True
    if pieces and _has_many_values(data := skeleton(path)):
        raise Unreadable(f"has more than {_MOST_VALUES:,} values beside its simulations")
    try:
        file = _file.decode(data)
    except PROBLEMS as problem:
        if pieces:
            return _not_results(name, data, problem)
        beside, pieces = skeleton(path), True
        try:
            file = _file.decode(beside)
        except PROBLEMS:
            return _not_results(name, data, problem)
        data = beside
    if file.simulations is None and _is_alone(data):
        return Skipped(name, None, _ALONE, broken=False)
    twice = repeated(data)
    if unclear := {key: twice[key] for key in _READ if key in twice}:
        return Skipped(
            name, None, f"it has {key_words(unclear)}, and which holds is unknown", broken=True
        )
    if _SIMULATIONS in twice:
        remark = f"it has {key_words({_SIMULATIONS: twice[_SIMULATIONS]})}; all of them are read"
        return _Opened(file, simulations_of(path), remark)
    return _Opened(file, simulations_of(path) if pieces else file.simulations or ())


def _has_many_values(data: bytes) -> bool:
    return len(data) > _MOST_VALUES and data.count(b",") > _MOST_VALUES


def _not_results(name: str, data: bytes, problem: Exception) -> Skipped:
    """A file of another form is passed over; one that is no JSON at all is broken."""
    try:
        everything = msgspec.json.decode(data)
    except PROBLEMS as deeper:
        if _is_lines(data):
            return Skipped(name, None, _LINES, broken=False)
        return Skipped(name, None, f"it is not JSON ({words(deeper)})", broken=True)
    if isinstance(everything, dict) and "simulations" in everything and "info" in everything:
        why = f"it is not a tau2 result file of a form known here ({words(problem)})"
        return Skipped(name, None, why, broken=True)
    return Skipped(name, None, _ALONE if _is_alone(data) else _OTHER, broken=False)


def _is_alone(data: bytes) -> bool:
    """Whether it is a simulation by itself, as the 1.x folders hold them."""
    try:
        found = _alone.decode(data)
    except PROBLEMS:
        return False
    return found.messages is not None and found.task_id is not None


def _is_lines(data: bytes) -> bool:
    """Whether the first line alone is an object, and more follows."""
    first, _, more = data.lstrip().partition(b"\n")
    if not first.startswith(b"{") or not more.strip():
        return False
    try:
        msgspec.json.decode(first)
    except PROBLEMS:
        return False
    return True
