"""``ringback regrade``: recorded calls graded again, beside what was recorded of their worth."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

from cyclopts import Parameter

from ringback.cli.options import StorePath

if TYPE_CHECKING:
    from ringback.formats import Skipped
    from ringback.formats.regrade import Regraded

__all__ = ["regrade"]

_What: TypeAlias = Annotated[
    tuple[str, ...],
    Parameter(
        name="FILE_OR_SESSION",
        help="Result files of tau2-bench, folders of them, or sessions: ids or unique beginnings "
        "of them, latest, or filters such as origin=tau2.",
        show_default=False,
    ),
]
_AsLines: TypeAlias = Annotated[
    bool, Parameter(help="Print one JSON object a line and session.", show_default=False)
]
_ENDS = (".json", ".gz", ".jsonl")


def regrade(what: _What, /, *, json: _AsLines = False, store: StorePath = None) -> int:
    """Grade recorded calls again and compare with what was recorded; nothing is stored."""
    import msgspec

    from ringback.cli.counting import Counting
    from ringback.cli.importing import passed_over, unreadable
    from ringback.cli.output import complain, print_lines
    from ringback.formats import Skipped

    passed: Counter[str] = Counter()
    broken: list[Skipped] = []
    rows: list[Regraded] = []
    encoder = msgspec.json.Encoder()
    with Counting("sessions graded") as counting:
        for found in _all(what, store):
            counting.one()
            if isinstance(found, Skipped):
                if found.broken:
                    broken.append(found)
                else:
                    passed[found.why] += 1
            elif json:
                sys.stdout.buffer.write(encoder.encode(found) + b"\n")
            else:
                rows.append(found)
    if json:
        sys.stdout.buffer.flush()
        for line in passed_over(passed):
            complain(line)
    else:
        _table(rows)
        print_lines([*_summary(rows), *passed_over(passed)])
    unreadable(broken, len(broken))
    return 2 if broken else 0


def _all(what: Sequence[str], store: Path | None) -> Iterator[Regraded | Skipped]:
    """Files in the order given, then the sessions that the other words select."""
    files = [word for word in what if _is_file(word)]
    words = [word for word in what if word not in files]
    for name in files:
        yield from _of_file(Path(name))
    if words:
        yield from _of_store(words, store)


def _is_file(word: str) -> bool:
    path = Path(word)
    return path.exists() or word.endswith(_ENDS) or ("/" in word and "=" not in word)


def _of_file(path: Path) -> Iterator[Regraded | Skipped]:
    from ringback.formats import Skipped
    from ringback.formats.regrade import regrade as graded
    from ringback.formats.tau2 import read

    for entry in read(path, lean=True):
        yield entry if isinstance(entry, Skipped) else graded(entry.events)


def _of_store(words: Sequence[str], store: Path | None) -> Iterator[Regraded | Skipped]:
    from ringback.cli.options import store_path
    from ringback.episode.protocol import ProtocolError
    from ringback.errors import InputError
    from ringback.formats import Skipped
    from ringback.formats.regrade import regrade as graded
    from ringback.sessions import Store, Unreadable, parse_selection

    selection = parse_selection(words)
    with Store.open(store_path(store), create=False, write=False) as opened:
        for row in opened.rows(selection):
            try:
                # What a recording was worth stands in its events; a session of ours has a grade.
                stored = None if row.origin else row.reward
                yield graded(opened.events(row.id), stored)
            except (ProtocolError, Unreadable, InputError) as problem:
                why = " ".join(str(problem).split()).rstrip(".")
                yield Skipped(f"session {row.id}", None, why, broken=True)


def _table(rows: Sequence[Regraded]) -> None:
    from ringback.cli.output import print_lines, print_table

    if not rows:
        return
    ordered = sorted(rows, key=lambda row: (not row.differs, not row.divergences))
    print_table(
        [
            ("file", "left"),
            ("entry", "right"),
            ("ending", "left"),
            ("stored", "right"),
            ("reward", "right"),
            ("strict", "right"),
            ("conduct", "right"),
            ("remark", "left"),
            ("task", "left"),
        ],
        (_cells(row) for row in ordered),
        fit=False,
    )
    print_lines(
        f"{row.file or 'session'} {row.id if row.index is None else row.index}, step {one.step}: "
        f"{one.what}"
        for row in ordered
        for one in row.divergences
    )


def _cells(row: Regraded) -> tuple[str, ...]:
    remark = "differs" if row.differs else "state differs" if row.divergences else ""
    return (
        row.file or row.id,
        "-" if row.index is None else str(row.index),
        row.ending or "not ended",
        _reward(row.stored),
        _reward(row.reward),
        _reward(row.strict),
        str(len(row.conduct)) if row.conduct else "-",
        remark,
        row.task or "-",
    )


def _reward(value: float | None) -> str:
    return "-" if value is None else f"{value:g}"


def _summary(rows: Sequence[Regraded]) -> Iterator[str]:
    from ringback.report.wording import plural

    differing = sum(row.differs for row in rows)
    unknown = sum(row.stored is None for row in rows)
    ungraded = sum(row.reward is None for row in rows)
    equal = len(rows) - differing - sum(None in (row.stored, row.reward) for row in rows)
    yield (
        f"{plural(len(rows), 'session')} graded again: {equal:,} as recorded, {differing:,} "
        f"otherwise, {unknown:,} without a recorded reward, {ungraded:,} that cannot be graded."
    )
    if diverging := sum(bool(row.divergences) for row in rows):
        yield f"In {plural(diverging, 'session')} a recorded state is not that of our world."
