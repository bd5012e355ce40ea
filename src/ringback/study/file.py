"""The study file: TOML that says what is compared, each arm by what it changes alone."""

from __future__ import annotations

import difflib
import math
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ringback.canonical import Json
from ringback.episode.events import Limits
from ringback.errors import InputError
from ringback.models.entries import beside, entry_of, path_from
from ringback.models.protocol import ModelEntry

__all__ = [
    "ArmEntry",
    "BaselineEntry",
    "StepCheckEntry",
    "StudyFile",
    "UserEntry",
    "instructions_in",
    "read",
    "unusable",
]

_OF_FILES = ("instructions_file", "instructions_append_file")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


class UserEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """The user simulator: its name and its settings.

    `guard` is the setting of that name, which only a model has.
    """

    name: str = "rules"
    guard: str | None = None
    settings: dict[str, Json] = {}


class BaselineEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """The arm that the others are compared with. `policy` None is the domain's default variant."""

    agent: str
    policy: str | None = None
    settings: dict[str, Json] = {}


class ArmEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """What an arm changes against the baseline; nothing changed makes it a noise arm.

    Another agent starts from its own default settings, not from the baseline's; but from one model
    to another the settings stay.
    """

    agent: str | None = None
    policy: str | None = None
    settings: dict[str, Json] | None = None


class StepCheckEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """Calls of an arm's agent that are sent again, to `models` and to the repeat.

    `repeat` None is the arm's own model, ``none`` no repeat; `sample` calls are drawn by `seed`.
    """

    models: list[str]
    sample: int = 160
    seed: int = 0
    repeat: str | None = None
    arm: str = "baseline"


class StudyFile(Struct, frozen=True, forbid_unknown_fields=True):
    """A study as written down. `tasks` is a split's name or a list of task ids.

    `models` describes models that the file goes on to use by the names it gives them. `step_check`
    is done when the arms have been played.
    """

    name: str
    tasks: str | list[str]
    baseline: BaselineEntry
    question: str = ""
    domain: str = "telecom"
    trials: int = 1
    seed: int = 0
    limits: Limits = Limits()
    user: UserEntry = UserEntry()
    arms: dict[str, ArmEntry] = {}
    models: dict[str, ModelEntry] = {}
    step_check: StepCheckEntry | None = None


def read(path: Path) -> StudyFile:
    """The study in this file.

    Raises `InputError`, naming the file and the line and column or the key, if it cannot be read
    or says what a study cannot be.
    """
    if path.is_dir():
        raise InputError(f"{path} is a folder; name the study's TOML file.")
    if path.exists() and not path.is_file() and path.parts[:2] != ("/", "dev"):
        raise InputError(f"{path} is no regular file; name the study's TOML file.")
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as problem:
        raise InputError(
            f"The study file {path} cannot be read ({problem.strerror}); check the path."
        ) from None
    except UnicodeDecodeError as problem:
        raise InputError(
            f"The study file {path} is not UTF-8 (byte {problem.start}); save it as UTF-8."
        ) from None
    try:
        written = tomllib.loads(text)
        for place, key, known in _strange(written):
            close = difflib.get_close_matches(key, known, 1)
            raise InputError(
                f"The study file {path} has the unknown key {key!r}"
                f"{f' in [{place}]' if place else ''}"
                f"{f' (did you mean {close[0]}?)' if close else ''}; known are {', '.join(known)}."
            )
        described = written.get("models")
        if isinstance(described, dict):
            for name, table in cast("dict[str, object]", described).items():
                entry_of(table, f"[models.{name}] of the study file {path}")
        study = msgspec.convert(written, StudyFile)
    except tomllib.TOMLDecodeError as problem:
        raise InputError(f"The study file {path} is not valid TOML: {problem}.") from None
    except msgspec.ValidationError as problem:
        raise InputError(f"The study file {path} is not a study: {_place(problem)}.") from None
    except (RecursionError, ValueError) as problem:
        why = "it nests too deeply" if isinstance(problem, RecursionError) else str(problem)
        raise InputError(f"The study file {path} cannot be read: {why.split(';')[0]}.") from None
    for key, number in _endless(written):
        raise InputError(
            f"The study file {path} has the number {number} at {key}; give a finite one."
        )
    _check(path, study)
    return _with_texts(path, study)


def _with_texts(path: Path, study: StudyFile) -> StudyFile:
    """The study with the texts in place of the settings that name a file of them.

    Every path in a study file is taken from its folder: these here, those of its ``[models.NAME]``
    too, and those in names of models where they are opened (`ringback.models.Models`).
    """
    folder = path.parent
    return replace(
        study,
        models={name: beside(folder, entry) for name, entry in study.models.items()},
        user=replace(study.user, settings=_read_in(folder, study.user.settings)),
        baseline=replace(study.baseline, settings=_read_in(folder, study.baseline.settings)),
        arms={
            name: entry
            if entry.settings is None
            else replace(entry, settings=_read_in(folder, entry.settings))
            for name, entry in study.arms.items()
        },
    )


def _read_in(folder: Path, settings: dict[str, Json]) -> dict[str, Json]:
    texts: dict[str, Json] = {}
    for key, value in settings.items():
        if key in _OF_FILES and isinstance(value, str):
            texts[key.removesuffix("_file")] = instructions_in(path_from(folder, value))
        else:
            texts[key] = value
    return texts


def instructions_in(path: Path) -> str:
    """The text of a file of instructions; `InputError` if it cannot be read."""
    try:
        return path.read_bytes().decode()
    except UnicodeDecodeError as problem:
        raise InputError(
            f"The instructions {path} are not UTF-8 (byte {problem.start}); save them as UTF-8."
        ) from None
    except (OSError, ValueError) as problem:
        why = (isinstance(problem, OSError) and problem.strerror) or str(problem)
        raise InputError(
            f"The instructions {path} cannot be read ({why}); check the path."
        ) from None


def _endless(value: object, key: str = "") -> Iterator[tuple[str, float]]:
    """The numbers that TOML knows and JSON does not, each with its place: nan, inf."""
    if isinstance(value, float) and not math.isfinite(value):
        yield key, value
    elif isinstance(value, dict):
        for name, item in cast("dict[str, object]", value).items():
            yield from _endless(item, f"{key}.{name}" if key else name)
    elif isinstance(value, list):
        for place, item in enumerate(cast("list[object]", value)):
            yield from _endless(item, f"{key}[{place}]")


def unusable(limits: Limits) -> str | None:
    """What is wrong with these limits, in words that go on after "it ..."; None if nothing is."""
    steps, errors, seconds = limits.steps, limits.errors, limits.seconds
    if steps is None or errors is None or seconds is None:
        return "leaves a limit out; give steps, errors and seconds"
    if steps < 1 or errors < 1 or not seconds > 0:
        return "has a limit below 1; steps and errors take 1 or more, seconds more than 0"
    if not math.isfinite(seconds):
        return f"limits an episode to {seconds} seconds; give a finite number"
    return None


_KEYS: dict[str, type[Struct]] = {
    "": StudyFile,
    "limits": Limits,
    "user": UserEntry,
    "baseline": BaselineEntry,
    "arms": ArmEntry,
    "step_check": StepCheckEntry,
}


def _strange(written: dict[str, object]) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Keys that are none: where each stands, what it is, and what is known there."""
    tables: list[tuple[str, str, object]] = [
        ("", "", written),
        *((name, name, written.get(name)) for name in ("limits", "user", "baseline", "step_check")),
    ]
    arms = written.get("arms")
    if isinstance(arms, dict):
        entries = cast("dict[str, object]", arms).items()
        tables += [("arms", f"arms.{name}", entry) for name, entry in entries]
    for kind, place, table in tables:
        if isinstance(table, dict):
            known = _KEYS[kind].__struct_fields__
            for key in cast("dict[str, object]", table):
                if key not in known:
                    yield place, key, known


def _place(problem: msgspec.ValidationError) -> str:
    text = str(problem)
    said, _, place = text.partition(" - at `$")
    key = place.rstrip("`").lstrip(".")
    said = said.replace("Expected `object`", "expected a table").replace("`", "")
    return f"{said} at {key}" if key else said


def _check(path: Path, study: StudyFile) -> None:
    def refuse(why: str) -> InputError:
        return InputError(f"The study file {path} {why}.")

    for what, name in (("name", study.name), *(("arm name", arm) for arm in study.arms)):
        if not _NAME.fullmatch(name):
            raise refuse(
                f"has the {what} {name!r}; use up to 64 letters, digits, points, dashes and "
                "underscores, a letter or digit first"
            )
    if "baseline" in study.arms:
        raise refuse("has an arm called baseline; that name is the baseline's own")
    if study.trials < 1:
        raise refuse(f"asks for {study.trials} trials; ask for 1 or more")
    if not study.tasks:
        raise refuse("names no tasks; name a split or list task ids")
    if isinstance(study.tasks, list):
        twice = {task for task in study.tasks if study.tasks.count(task) > 1}
        if twice:
            raise refuse(f"names the task {min(twice)!r} twice; trials repeat a task")
    if wrong := unusable(study.limits):
        raise refuse(wrong)
    if study.step_check is not None and (wrong := _unusable_step(study.step_check, study)):
        raise refuse(f"has a step check {wrong}")


def _unusable_step(step: StepCheckEntry, study: StudyFile) -> str | None:
    """What is wrong with it, in words that go on after "a step check"; None if nothing is."""
    arms = ["baseline", *study.arms]
    if step.arm not in arms:
        close = difflib.get_close_matches(step.arm, arms, 1)
        hint = f" (did you mean {close[0]}?)" if close else ""
        return f"of the arm {step.arm!r}, which the study does not have{hint}"
    if not step.models or not all(name.strip() for name in step.models):
        return "that lacks the name of a model; name one or several"
    if twice := [name for place, name in enumerate(step.models) if name in step.models[:place]]:
        return f"that names the model {twice[0]!r} twice; name each once"
    if step.sample < 1:
        return f"with a sample of {step.sample} calls; give 1 or more"
    if not 0 <= step.seed < 2**63:
        return f"with the seed {step.seed}; give a whole number from 0 to 2^63 - 1"
    return None
