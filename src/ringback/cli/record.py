"""``ringback record``: a document of operated calls, with their exact transcripts beside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from ringback.cli.options import AsJson, StorePath, named_path

if TYPE_CHECKING:
    from ringback.record.making import Made

__all__ = ["record"]


def record(
    selection: Annotated[
        tuple[str, ...],
        Parameter(
            name="SELECTION",
            help="Session ids or unique beginnings of them, latest, or filters such as "
            "agent=operator, as `ringback sessions list` takes them; nothing selects all operated "
            "episodes.",
            show_default=False,
        ),
    ] = (),
    /,
    *,
    out: Annotated[
        Path | None,
        Parameter(
            name=("--out", "-o"),
            converter=named_path,
            allow_leading_hyphen=True,
            help="The file to write; the transcripts go into its folder. A record of ours that is "
            "there is replaced, another file never.",
            metavar="FILE",
        ),
    ] = None,
    schema: Annotated[
        bool,
        Parameter(
            help="Print the form of a record as a JSON Schema, and do nothing else.",
            negative="",
            show_default=False,
        ),
    ] = False,
    store: StorePath = None,
    json: AsJson = False,
) -> int:
    """Write a record of recorded calls: what was done, what stood at the end, what it was worth."""
    from ringback.cli.options import store_path
    from ringback.cli.output import print_json
    from ringback.errors import InputError
    from ringback.sessions import Store, parse_selection

    if schema:
        from ringback.record.schema import schema as form

        print_json(form())
        return 0
    if out is None:
        raise InputError("Say where the record is to be written, with -o FILE.json.")
    from ringback.record.making import make_record
    from ringback.record.writing import refuse_foreign, write_record

    words = parse_selection(selection)
    with Store.open(store_path(store), create=False, write=False) as opened:
        refuse_foreign(out, beside=opened.path)
        made = make_record(opened, words)
        written = write_record(made, out, beside=opened.path)
    if json:
        print_json(_object(made, written))
    else:
        _say(made, written)
    return 0


def _object(made: Made, written: Sequence[Path]) -> dict[str, object]:
    return {
        "record": str(written[-1]),
        "transcripts": [str(path) for path in written[:-1]],
        "cases": [
            {
                "tier": case.tier,
                "task_id": case.task_id,
                "seed": case.seed,
                "session": case.session,
                "termination_reason": case.termination_reason,
                "official_reward": case.official_reward,
                "result": case.result,
            }
            for case in made.record.cases
        ],
        "left_out": made.left_out,
    }


def _say(made: Made, written: Sequence[Path]) -> None:
    from ringback.cli.output import complain, print_lines, print_table
    from ringback.report.wording import plural

    print_table(
        [("case", "left"), ("seed", "right"), ("session", "left"), ("result", "wrap")],
        [
            (
                case.tier,
                "unknown" if case.seed is None else str(case.seed),
                str(case.session),
                f"{case.result}, {case.termination_reason}",
            )
            for case in made.record.cases
        ],
    )
    transcripts = plural(len(written) - 1, "transcript")
    print_lines(["", f"{written[-1]} is written, with {transcripts} beside it."])
    for each in made.left_out:
        complain(f"Session {each.session} is left out: {each.why}.")
