"""``ringback users``: how near a simulated customer is to those of recorded calls."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from ringback.cli.options import AsJson, named_paths

if TYPE_CHECKING:
    from ringback.formats.recording import Skipped
    from ringback.recordings.agreement import Compared

__all__ = ["check"]

_SHOWN = 12


def check(
    files: Annotated[
        tuple[Path, ...],
        Parameter(
            name="FILE",
            help="Result files of tau2, or folders of them.",
            converter=named_paths,
            negative=(),
        ),
    ],
    /,
    *,
    json: AsJson = False,
) -> int:
    """Compare what the customer `rules` does with what the users of recorded calls did."""
    from msgspec.structs import replace

    from ringback.cli.importing import PassedOver, unreadable
    from ringback.cli.output import print_json, print_lines, print_table
    from ringback.formats.naming import naming
    from ringback.formats.recording import Skipped
    from ringback.recordings.agreement import agreement

    rows: list[tuple[str, int, int]] = []
    misses: Counter[tuple[str, str]] = Counter()
    skipped: list[Skipped] = []
    passed = PassedOver()
    alike = 0
    for file, before in naming(files):
        turns = same = 0
        for found in agreement(file):
            if isinstance(found, Skipped):
                left = replace(found, source=before + found.source)
                skipped.append(left)
                passed.note(left)
                continue
            turns, same, alike = turns + 1, same + found.same, alike + found.alike
            if not found.same:
                misses[_kind(found)] += 1
        rows.append((str(file), turns, same))
    turns, same = sum(row[1] for row in rows), sum(row[2] for row in rows)
    if json:
        print_json(
            {
                "turns": turns,
                "same": same,
                "same_arguments": alike,
                "files": [{"file": f, "turns": n, "same": s} for f, n, s in rows],
                "misses": [
                    {"recorded": recorded, "rules": did, "turns": times}
                    for (recorded, did), times in misses.most_common()
                ],
                "skipped": [
                    {"file": s.source, "index": s.place, "why": s.why, "broken": s.broken}
                    for s in skipped
                ],
            }
        )
    else:
        counted = [row for row in rows if row[1]]
        if len(counted) > 1:
            print_table(
                [("turns", "right"), ("same", "right"), ("share", "right"), ("file", "left")],
                ([str(n), str(s), _share(n, s), f] for f, n, s in counted),
                fit=False,
            )
            print_lines([""])
        if misses:
            print_table(
                [("turns", "right"), ("recorded first", "left"), ("rules", "left")],
                ([str(n), recorded, did] for (recorded, did), n in misses.most_common(_SHOWN)),
            )
            print_lines([""])
        if alike != same:
            print_lines([f"{same - alike} of the same have other arguments"])
        print_lines([*passed.lines(), f"{turns} turns, {same} same ({_share(turns, same)})"])
    broken = [left for left in skipped if left.broken]
    unreadable(broken, len(broken))
    return 2 if broken else 0


def _kind(found: Compared) -> tuple[str, str]:
    first = found.first
    did = first.tool if first else f"says ({found.reply.rule})"
    return found.recorded[0].tool, did


def _share(turns: int, same: int) -> str:
    return f"{100 * same / turns:.1f}%" if turns else "unknown"
