"""``ringback sessions``: what is recorded, and how the conversations went."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from cyclopts import Parameter

from ringback.cli.options import AsJson, StorePath, Whole

if TYPE_CHECKING:
    from ringback.domain import Domain
    from ringback.grading.grade import Grade
    from ringback.sessions import SessionRow, Store

__all__ = ["list_", "show"]

_SHORT = 12

_Selection: TypeAlias = Annotated[
    tuple[str, ...],
    Parameter(
        name="SELECTION",
        help="Session ids or unique beginnings of them, latest, or filters such as ending=timeout; "
        "keys are study, arm, task, family, trial, seed, ending, solved, agent, user, origin, "
        "origin-id (the id that another program gave) and file (that it was imported from).",
        show_default=False,
    ),
]


def list_(
    selection: _Selection = (),
    /,
    *,
    limit: Annotated[Whole | None, Parameter(help="Only the newest N.", metavar="N")] = None,
    json: AsJson = False,
    store: StorePath = None,
) -> int:
    """List sessions in the order they were begun, all of them if nothing is selected."""
    from ringback.cli.listing import print_json_list, print_listing
    from ringback.cli.output import print_lines
    from ringback.cli.typed import command
    from ringback.errors import InputError

    if limit is not None and limit < 1:
        raise InputError(f"--limit {limit} would show nothing; give 1 or more.")
    with _open(store) as opened:
        rows = _rows(opened, selection, limit)
        first = next(rows, None)
        found = chain(() if first is None else (first,), rows)
        if json:
            print_json_list("sessions", found)
        elif first is None:
            words = "fits"
            if not selection:
                again = command("run", "--tasks", "small", store=store)
                words = f"is recorded yet; {again} records some"
            print_lines([f"No session {words}.", *_unknown(opened, selection)])
        else:
            print_listing(
                [
                    ("session", "left"),
                    ("arm", "left"),
                    ("seed", "right"),
                    ("trial", "right"),
                    ("ending", "left"),
                    ("steps", "right"),
                    ("solved", "left"),
                    ("task", "left"),
                ],
                ([row.id[:_SHORT], *_cells(row)] for row in found),
            )
    return 0


def show(
    selection: _Selection,
    /,
    *,
    json: AsJson = False,
    full: Annotated[
        bool, Parameter(help="Show long texts whole, and instructions.", show_default=False)
    ] = False,
    store: StorePath = None,
) -> int:
    """Show conversations: agent, user and tools side by side, and what changed in the world."""
    from ringback.cli.output import console, print_json, print_lines
    from ringback.cli.typed import command
    from ringback.errors import InputError
    from ringback.sessions import named_contents

    with _open(store) as opened:
        rows = list(_rows(opened, selection, None))
        if not rows:
            raise InputError(
                f"No session fits {' '.join(selection)!r}; see "
                f"{command('sessions', 'list', store=store)}."
            )
        if json:
            found: list[dict[str, Any]] = [
                {"session": row, "events": opened.events(row.id), "grade": _grade(opened, row)}
                for row in rows
            ]
            named = {name for one in found for name in named_contents(one["events"])}
            contents = {"contents": opened.contents(sorted(named))} if named else {}
            print_json({"count": len(found), "sessions": found, **contents})
            return 0
        from ringback.report.terminal import CLIP, print_transcript
        from ringback.report.transcript import transcript

        out = console()
        for number, row in enumerate(rows):
            if number:
                print_lines(["", "-" * min(out.width, 100), ""])
            events = opened.events(row.id)
            texts = opened.contents(sorted(named_contents(events))) if full else None
            told = transcript(events, _domain(row), _grade(opened, row), texts)
            print_transcript(told, out, limit=None if full else CLIP)
    return 0


def _domain(row: SessionRow) -> Domain | None:
    """The session's world; None for another program's session of a world that is not ours."""
    from ringback.domains import load
    from ringback.errors import InputError

    try:
        return load(row.domain)
    except InputError:
        if row.origin is None:
            raise
        return None


def _open(path: Path | None) -> Store:
    from ringback.cli.options import store_path
    from ringback.sessions import Store

    return Store.open(store_path(path), create=False, write=False)


def _rows(store: Store, words: tuple[str, ...], limit: int | None) -> Iterator[SessionRow]:
    """The sessions selected, oldest first; none where filters alone were given and none fits.

    They are read as they are asked for, but for the newest few.
    """
    from ringback.errors import InputError
    from ringback.sessions import parse_selection

    selection = parse_selection(words)
    rows = store.rows(selection, newest=limit is not None, limit=limit)
    try:
        yield from rows if limit is None else list(rows)[::-1]
    except InputError:
        if selection.ids or selection.latest:
            raise


def _unknown(store: Store, words: tuple[str, ...]) -> Iterator[str]:
    """For a filter that no session has the value of: which values there are."""
    from ringback.cli.typed import word
    from ringback.sessions import parse_selection

    for key, value in parse_selection(words).filters.items():
        there = store.values(key)
        if there and value not in there:
            yield f"None has {word(f'{key}={value}')}; there is {', '.join(_filters(key, there))}."


def _filters(key: str, values: Iterable[str]) -> list[str]:
    from ringback.cli.typed import word

    return [word(f"{key}={value}") for value in values]


def _grade(store: Store, row: SessionRow) -> Grade | None:
    from ringback.grading.grade import Grade

    return store.grade(row.id, Grade)


def _cells(row: SessionRow) -> list[str]:
    solved = "-" if not row.graded else "yes" if row.solved else "no"
    steps = "-" if row.steps is None else str(row.steps)
    trial = "-" if row.trial is None else str(row.trial)
    seed = "-" if row.seed is None else str(row.seed)
    ending = row.ending or ("not ended" if row.origin is None else "(ending unknown)")
    task = row.task or "(task unknown)"
    return [row.arm_name, seed, trial, ending, steps, solved, task]
