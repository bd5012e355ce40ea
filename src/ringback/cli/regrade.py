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
_MOST_PLACE = 40  # characters of a file's name beyond which its beginning is left off


def regrade(what: _What, /, *, json: _AsLines = False, store: StorePath = None) -> int:
    """Grade recorded calls again and compare with what was recorded; nothing is stored."""
    from ringback.cli.counting import Counting
    from ringback.cli.importing import PassedOver, unreadable
    from ringback.cli.output import complain, print_json_line, print_paragraphs
    from ringback.formats import Skipped

    passed = PassedOver()
    broken: list[Skipped] = []
    rows: list[Regraded] = []
    with Counting("sessions graded") as counting:
        for found in _all(what, store):
            counting.one()
            if isinstance(found, Skipped):
                passed.note(found)
                if found.broken:
                    broken.append(found)
            elif json:
                print_json_line(found)
            else:
                rows.append(found)
    if json:
        sys.stdout.flush()
        for line in passed.lines():
            complain(line)
    else:
        _table(rows)
        # Of nothing there is no summary; why stands in the sentences on stderr.
        summary = _summary(rows) if rows or not broken else ()
        print_paragraphs([*summary, *passed.lines()])
    unreadable(broken, len(broken))
    return 2 if broken else 0


def _all(what: Sequence[str], store: Path | None) -> Iterator[Regraded | Skipped]:
    """Files in the order given, then the sessions that the other words select."""
    from ringback.formats.naming import naming

    files: list[str] = []
    words: list[str] = []
    for word in what:
        (files if _is_file(word) else words).append(word)
    for path, before in naming([Path(name) for name in files]):
        yield from _of_file(path, before)
    if words:
        yield from _of_store(words, store)


def _is_file(word: str) -> bool:
    if not word:
        from ringback.errors import InputError

        raise InputError("The empty word names no path and no session.")
    if Path(word).exists():
        return True
    from ringback.sessions import FILTERS

    key, filters, _ = word.partition("=")
    if filters and key in FILTERS:
        return False
    return word.lower().endswith(_ENDS) or ("/" in word and not filters)


def _of_file(path: Path, before: str) -> Iterator[Regraded | Skipped]:
    from msgspec.structs import replace

    from ringback.episode.protocol import ProtocolError
    from ringback.errors import InputError
    from ringback.formats import Skipped
    from ringback.formats.recording import SURPRISES, surprise
    from ringback.formats.regrade import regrade as graded
    from ringback.formats.tau2 import read

    for entry in read(path, lean=True):
        if isinstance(entry, Skipped):
            yield replace(entry, source=before + entry.source)
            continue
        source, place = before + entry.origin.source, entry.origin.place
        try:
            yield replace(graded(entry.events), file=source)
        except (ProtocolError, InputError) as problem:
            yield Skipped(source, place, _why(problem), broken=True)
        except SURPRISES as problem:
            yield Skipped(source, place, f"it cannot be graded ({surprise(problem)})", broken=True)


def _of_store(words: Sequence[str], store: Path | None) -> Iterator[Regraded | Skipped]:
    from ringback.cli.options import store_path
    from ringback.episode.protocol import ProtocolError
    from ringback.errors import InputError
    from ringback.formats import Skipped
    from ringback.formats.recording import SURPRISES, surprise
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
                yield Skipped(f"session {row.id}", None, _why(problem), broken=True)
            except SURPRISES as problem:
                why = f"it cannot be graded ({surprise(problem)})"
                yield Skipped(f"session {row.id}", None, why, broken=True)


def _why(problem: Exception) -> str:
    return " ".join(str(problem).split()).rstrip(".")


def _table(rows: Sequence[Regraded]) -> None:
    from ringback.cli.listing import print_listing
    from ringback.cli.output import print_paragraphs

    if not rows:
        return
    ordered = sorted(rows, key=lambda row: (not row.differs, not row.divergences))
    print_listing(
        [
            ("file", "left"),
            ("entry", "right"),
            ("stored", "right"),
            ("reward", "right"),
            ("strict", "right"),
            ("conduct", "right"),
            ("remark", "left"),
            ("ending and task", "left"),
        ],
        (_cells(row) for row in ordered),
    )
    print_paragraphs(line for row in ordered for line in _remarks(row))


def _remarks(row: Regraded) -> Iterator[str]:
    """What is to be said of a session beyond its line: why its reward is another, what differs."""
    name = f"{row.file or 'session'} {row.id if row.index is None else row.index}"
    if row.differs:
        yield f"{name}: recorded {_reward(row.stored)}, here {_reward(row.reward)}: {_by(row)}"
    if row.set_aside is not None:
        yield f"{name}: its recorded reward, {row.set_aside}, is no number and was set aside"
    if row.task_differs:
        parts = ", ".join(row.task_differs)
        yield f"{name}: what its file grades the task by is not what we do ({parts})"
    for one in row.divergences:
        yield f"{name}, step {one.step}: {one.what}"


def _by(row: Regraded) -> str:
    """What a reward comes from, in words."""
    if row.env is None:
        return f"the ending {row.ending} is worth 0"
    unmet = [
        f"{checks.count(False)} of {len(checks)} {what} not met"
        for what, checks in (("states", row.env), ("actions", row.act or ()))
        if False in checks
    ]
    return ", ".join(unmet) or "every check is met"


def _cells(row: Regraded) -> tuple[str, ...]:
    remark = "differs" if row.differs else "state differs" if row.divergences else ""
    remark = remark or ("task differs" if row.task_differs else "")
    return (
        _place(row.file or row.id),
        "-" if row.index is None else str(row.index),
        _reward(row.stored),
        _reward(row.reward),
        _reward(row.strict),
        str(len(row.conduct)) if row.conduct else "-",
        remark,
        f"{row.ending or 'not ended'} {row.task or '-'}",
    )


def _place(name: str) -> str:
    """The end of a long name; the lines below, and the JSON, have all of it."""
    return name if len(name) <= _MOST_PLACE else f"…{name[1 - _MOST_PLACE :]}"


def _reward(value: float | None) -> str:
    return "-" if value is None else f"{value:g}"


def _summary(rows: Sequence[Regraded]) -> Iterator[str]:
    from ringback.report.wording import plural, reason

    differing = sum(row.differs for row in rows)
    unknown = sum(row.stored is None and row.reward is not None for row in rows)
    ungraded = sum(row.reward is None and row.stored is not None for row in rows)
    neither = sum(row.reward is None and row.stored is None for row in rows)
    equal = len(rows) - differing - unknown - ungraded - neither
    both = f", {neither:,} of which neither is known" if neither else ""
    yield (
        f"{plural(len(rows), 'session')} graded again: {equal:,} as recorded, {differing:,} "
        f"otherwise, {unknown:,} without a recorded reward, {ungraded:,} that cannot be graded"
        f"{both}."
    )
    kinds = Counter(kind for row in rows for kind in {note.kind for note in row.conduct})
    if kinds:
        found = ", ".join(f"{reason(kind)} {count:,}" for kind, count in kinds.most_common())
        yield f"Conduct, in sessions: {found}; --json has the steps and what was done."
    if diverging := sum(bool(row.divergences) for row in rows):
        yield f"In {plural(diverging, 'session')} a recorded state is not that of our world."
