"""Options that several commands share, so that they read the same everywhere."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, TypeAlias

from cyclopts import Parameter, Token

__all__ = [
    "AsJson",
    "Budget",
    "DomainName",
    "Jobs",
    "ModelsFile",
    "MostErrors",
    "MostSteps",
    "PolicyVariant",
    "StorePath",
    "StudyFile",
    "Trials",
    "UserSetting",
    "Whole",
    "Workers",
    "named_path",
    "named_paths",
    "store_path",
    "whole",
]


def whole(_: type, tokens: Sequence[Token]) -> int:
    """The whole number that was typed; `ValueError` for all else, fractions included."""
    text = tokens[0].value
    if not re.fullmatch(r"[+-]?[0-9]{1,40}", text):
        raise ValueError(f"{text!r} is not a whole number.")
    return int(text)


def named_paths(_: object, tokens: Sequence[Token]) -> tuple[Path, ...]:
    """The paths as typed; an empty word, which would be the folder one is in, is refused.

    So where a script names a variable that it never set. Every option and argument that is a path
    is read by this or by `named_path`.
    """
    from ringback.errors import InputError

    if empty := next((token for token in tokens if not token.value), None):
        of = f" of {empty.keyword}" if empty.keyword else ""
        raise InputError(f"The empty word{of} names no path; write . for the folder you are in.")
    return tuple(Path(token.value) for token in tokens)


def named_path(kind: object, tokens: Sequence[Token]) -> Path:
    """One path, likewise."""
    return named_paths(kind, tokens)[0]


Whole: TypeAlias = Annotated[int, Parameter(converter=whole)]
"""A number that is not rounded in silence."""

AsJson: TypeAlias = Annotated[
    bool, Parameter(help="Print one JSON object instead of text.", show_default=False)
]

StorePath: TypeAlias = Annotated[
    Path | None,
    Parameter(
        name="--store",
        converter=named_path,
        metavar="PATH",
        help="Where sessions are kept: .ringback/ringback.db here, or what RINGBACK_STORE says.",
    ),
]

StudyFile: TypeAlias = Annotated[
    Path, Parameter(name="FILE", help="The study, a TOML file.", converter=named_path)
]

Budget: TypeAlias = Annotated[
    float | None,
    Parameter(
        help="Stop before this command's model calls cost more; then it exits with 3. Of a small "
        "budget a low --jobs finishes more episodes.",
        metavar="USD",
    ),
]

Trials: TypeAlias = Annotated[
    Whole,
    Parameter(
        help="How often each session is taken, in arms NAME, NAME-2 and so on; the customer's seed "
        "stays, the agent's differs.",
        metavar="N",
    ),
]

DomainName: TypeAlias = Annotated[
    str, Parameter(name="--domain", help="Which support world.", metavar="NAME")
]

PolicyVariant: TypeAlias = Annotated[
    str | None,
    Parameter(
        help="Which wording of the policy (telecom has workflow and manual); the first if left "
        "out.",
        metavar="NAME",
    ),
]

MostSteps: TypeAlias = Annotated[
    Whole, Parameter(help="Turns and batches of results to an episode.", metavar="N")
]

MostErrors: TypeAlias = Annotated[Whole, Parameter(help="Tool errors to an episode.", metavar="N")]

UserSetting: TypeAlias = Annotated[
    tuple[str, ...],
    Parameter(
        help="A setting of the customer; may be given several times.",
        metavar="KEY=VALUE",
        show_default=False,
    ),
]

ModelsFile: TypeAlias = Annotated[
    Path | None,
    Parameter(
        name="--models-file",
        converter=named_path,
        metavar="FILE",
        help="A file with [models.NAME] tables, such as a study file, for models beside your own.",
    ),
]

Jobs: TypeAlias = Annotated[Whole, Parameter(help="Episodes in flight in a process.", metavar="N")]

Workers: TypeAlias = Annotated[
    Whole,
    Parameter(help="Processes that play episodes side by side; models take one.", metavar="N"),
]


def store_path(given: Path | None) -> Path:
    """Where the store is: as given, else by the environment, else in this folder."""
    from ringback.sessions import default_path

    return default_path() if given is None else given
