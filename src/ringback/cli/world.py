"""``ringback world``: does the simulated world do what recorded walks say?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ringback.cli.options import named_paths

__all__ = ["check"]

_SHOWN = 10


def check(
    files: Annotated[
        tuple[Path, ...],
        Parameter(
            name="FILE",
            help="Walks to compare, .jsonl or .jsonl.gz.",
            converter=named_paths,
            negative=(),
        ),
    ],
    /,
) -> int:
    """Compare recorded walks with the world; the first differences are shown."""
    from ringback.cli.output import print_lines, shown
    from ringback.errors import InputError
    from ringback.report.plain import one_line, value_text
    from ringback.telecom.walks import check_walks

    walks = differences = 0
    empty: list[Path] = []
    for file in files:
        before = walks
        for walk in check_walks(file):
            walks += 1
            for found in walk.differences:
                differences += 1
                if differences <= _SHOWN:
                    step = "start or end" if found.step is None else f"step {found.step}"
                    print_lines(
                        [
                            f"walk {shown(walk.id)}, {step}, {shown(found.field)}",
                            f"  expected  {one_line(value_text(found.expected), 300)}",
                            f"  got       {one_line(value_text(found.got), 300)}",
                        ]
                    )
        if walks == before:
            empty.append(file)
    if differences > _SHOWN:
        print_lines([f"... and {differences - _SHOWN} more"])
    print_lines([f"{walks} walks, {differences} differences"])
    if empty:
        raise InputError(f"There are no walks in {empty[0]}, so nothing of it was compared.")
    return 1 if differences else 0
