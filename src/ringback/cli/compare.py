"""``ringback compare``: two recorded calls side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from cyclopts import Parameter

from ringback.cli.options import AsJson, StorePath, named_path

if TYPE_CHECKING:
    from ringback.replay.compare import Compared, Recorded
    from ringback.sessions import Store

__all__ = ["compare"]

_HELP = "A session: its id, a unique beginning of it, or latest."
_One: TypeAlias = Annotated[str, Parameter(name="A", help=_HELP)]
_Other: TypeAlias = Annotated[str, Parameter(name="B", help=_HELP)]


def compare(
    a: _One,
    b: _Other,
    /,
    *,
    html: Annotated[
        Path | None,
        Parameter(
            help="Write a page instead, whole in itself.", converter=named_path, metavar="FILE"
        ),
    ] = None,
    full: Annotated[bool, Parameter(help="Show long texts whole.", show_default=False)] = False,
    store: StorePath = None,
    json: AsJson = False,
) -> int:
    """Show where two recorded calls part, and from there how their worlds differ."""
    from ringback.cli.options import store_path
    from ringback.cli.output import console, print_json, print_lines
    from ringback.cli.writing import is_page, write
    from ringback.replay.compare import compare as compared
    from ringback.sessions import Store

    with Store.open(store_path(store), create=False, write=False) as opened:
        found = compared(_recorded(opened, a), _recorded(opened, b))
    if html is not None:
        from ringback.replay.compare_page import compare_page

        write(html, compare_page(found), "--html", is_page)
    if json:
        print_json(_object(found))
    elif html is not None:
        print_lines([f"The page is {html}."])
    else:
        from ringback.replay.side_by_side import CLIP, print_side_by_side

        print_side_by_side(found, console(), limit=None if full else CLIP)
    return 0


def _recorded(store: Store, word: str) -> Recorded:
    from ringback.domains import load
    from ringback.errors import InputError
    from ringback.grading.grade import Grade
    from ringback.replay.compare import Recorded
    from ringback.sessions import parse_selection

    rows = list(store.rows(parse_selection([word]), limit=2))
    if len(rows) != 1:
        raise InputError(
            f"{word!r} selects several sessions, and two are compared, A and B; give an id of each."
        )
    (row,) = rows
    try:
        domain = load(row.domain)
    except InputError:
        if row.origin is None:
            raise
        domain = None
    return Recorded(store.events(row.id), domain, store.grade(row.id, Grade))


def _object(found: Compared) -> dict[str, Any]:
    return {
        "a": found.a.start.session,
        "b": found.b.start.session,
        "parting": found.parting,
        "turns_the_same": found.same,
        "turns": [
            {
                "a": None if beat.a is None else beat.a.seq,
                "b": None if beat.b is None else beat.b.seq,
                "unlike": beat.unlike,
                "alike_again": beat.alike,
            }
            for beat in found.beats
        ],
        "worlds_differ_in_the_end": found.last,
        "remarks": found.remarks,
    }
