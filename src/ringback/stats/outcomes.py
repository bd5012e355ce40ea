"""The outcomes of one arm, from a file of anyone's: what was solved, and at what cost.

A case that stands in several files is the same case; so is a trial of it. Nothing is guessed: an
outcome is 0, 1, true or false; a cost is a number that is not negative, or unknown where its cell
is empty or null.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from ringback.errors import InputError
from ringback.stats.tables import Row, missing, rows

__all__ = ["Columns", "Outcomes", "Result", "names_of", "read_outcomes"]

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_OUTCOMES = {"0": False, "1": True, "false": False, "true": True, "0.0": False, "1.0": True}
_TRIAL, _COST = "trial", "cost"
_MOST_COST = 1e15


class Columns(Struct, frozen=True):
    """Which columns hold what.

    Where `trial` or `cost` is None, the column of that name is used if there is one.
    """

    case: str = "case"
    outcome: str = "outcome"
    trial: str | None = None
    cost: str | None = None


class Result(Struct, frozen=True):
    """One trial of a case; `cost` is None where it is unknown."""

    solved: bool
    cost: float | None


class Outcomes(Struct, frozen=True):
    """What an arm did: `cases[case][trial]`, and whether its file has a column of costs.

    As read from a file the cases stand sorted, so that the order of its rows moves no figure.
    """

    name: str
    cases: dict[str, dict[str, Result]]
    costs: bool

    @property
    def episodes(self) -> int:
        """How many trials of cases there are."""
        return sum(map(len, self.cases.values()))


def read_outcomes(path: Path, columns: Columns, name: str | None = None) -> Outcomes:
    """Read a CSV, JSON or JSONL file of outcomes; `name` is the arm's, by default the file's.

    Raises `InputError`, with file and line, for a column that is missing, an outcome that is none,
    a cost that is no amount, and a case and trial that occur twice; `OSError` for a file that
    cannot be opened.
    """
    needed = tuple(
        each
        for each in (columns.case, columns.outcome, columns.trial, columns.cost)
        if each is not None
    )
    if len(set(needed)) < len(needed):
        raise InputError(f"One column cannot hold two things: {', '.join(needed)}.")
    # A column that holds another thing by its name is not taken for trials or costs by default.
    trial_column = columns.trial or (_TRIAL if _TRIAL not in needed else None)
    cost_column = columns.cost or (_COST if _COST not in needed else None)
    cases: dict[str, dict[str, Result]] = {}
    required = (columns.case, columns.outcome)
    begun = costs = trials = False
    for row in rows(path, needed):
        if not begun:
            begun, trials = True, columns.trial is not None or trial_column in row.values
            required += (trial_column,) if trials and trial_column else ()
        missing(row.where, required, list(row.values))
        if not trials and trial_column in row.values:
            raise InputError(f"{row.where}: has a {trial_column!r}, which rows before it lack.")
        costs |= cost_column in row.values
        case = _label(row, columns.case)
        trial = _label(row, trial_column) if trials and trial_column else ""
        of_case = cases.setdefault(case, {})
        if trial in of_case:
            again = f", trial {trial!r}," if trials else ""
            hint = "" if trials else "; if these are trials, name their column with --trial"
            raise InputError(f"{row.where}: case {case!r}{again} occurs a second time{hint}.")
        of_case[trial] = Result(_outcome(row, columns.outcome), _cost(row, cost_column))
    if not cases:
        raise InputError(f"{path.name} has a header and no row.")
    ordered = {case: cases[case] for case in sorted(cases)}
    return Outcomes(path.stem if name is None else name, ordered, costs)


def names_of(paths: Sequence[Path]) -> list[str]:
    """What the files' arms are called: by the file's name, or by its path where names are alike.

    Raises `InputError` for a file given twice.
    """
    stems = [path.stem for path in paths]
    found = [
        stem if stems.count(stem) == 1 else str(path.with_suffix(""))
        for stem, path in zip(stems, paths, strict=True)
    ]
    if len(set(found)) == len(found):
        return found
    twice = next(name for name in found if found.count(name) > 1)
    raise InputError(f"Two of the files are called {twice!r}; rename one to tell them apart.")


def _label(row: Row, column: str) -> str:
    """What names a case or a trial: text or a whole number."""
    value: Any = row.values[column]
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise InputError(
            f"{row.where}: column {column!r} names nothing; give text or a whole number."
        )
    return str(value)


def _outcome(row: Row, column: str) -> bool:
    value: Any = row.values[column]
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float) and value in (0, 1):
        return value == 1
    found = _OUTCOMES.get(value.strip().lower()) if isinstance(value, str) else None
    if found is None:
        raise InputError(
            f"{row.where}: outcome {_short(value)} is not 0, 1, true or false "
            f"(column {column!r}); an episode without an outcome counts as 0."
        )
    return found


def _cost(row: Row, column: str | None) -> float | None:
    value: Any = None if column is None else row.values.get(column)
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(
            f"{row.where}: cost {_short(value)} is no number; leave an unknown cost empty."
        )
    if not 0 <= value < _MOST_COST:  # nan and what has more digits than a float holds included
        raise InputError(f"{row.where}: cost {_short(value)} is no amount that a run can cost.")
    return float(value)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:39]}…"
