"""``ringback import``: recordings of other programs into the store, each once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

from cyclopts import Parameter

from ringback.cli.options import AsJson, StorePath

if TYPE_CHECKING:
    from ringback.cli.counting import Counting
    from ringback.formats import Recording, Skipped
    from ringback.formats.importing import Tally

__all__ = [
    "Benchmarks",
    "Harnesses",
    "Paths",
    "bring_in",
    "exgentic",
    "kitaru",
    "passed_over",
    "tau2",
    "unreadable",
]

_MOST_SAID = 20

Paths: TypeAlias = Annotated[
    tuple[Path, ...],
    Parameter(name="PATH", help="Files, or folders with files in them.", show_default=False),
]

Benchmarks: TypeAlias = Annotated[
    tuple[str, ...],
    Parameter(
        name="--benchmark",
        help="Only this benchmark, such as tau2_telecom; may be given again.",
        metavar="NAME",
        show_default=False,
    ),
]

Harnesses: TypeAlias = Annotated[
    tuple[str, ...],
    Parameter(
        name="--harness",
        help="Only this harness, such as tool_calling; may be given again.",
        metavar="NAME",
        show_default=False,
    ),
]


def tau2(paths: Paths, /, *, json: AsJson = False, store: StorePath = None) -> int:
    """Read result files of tau2-bench into the store: one session a simulation, each once."""
    from ringback.formats.tau2 import read

    return bring_in((entry for path in paths for entry in read(path)), store, json=json)


def kitaru(paths: Paths, /, *, json: AsJson = False, store: StorePath = None) -> int:
    """Read Kitaru's JSONL into the store: sessions written here as they were, others as theirs."""
    from ringback.formats.kitaru import read

    return bring_in((entry for path in paths for entry in read(path)), store, json=json)


def exgentic(
    paths: Paths,
    /,
    *,
    benchmark: Benchmarks = (),
    harness: Harnesses = (),
    json: AsJson = False,
    store: StorePath = None,
) -> int:
    """Read Exgentic's traces into the store: one session a run, with the agent's calls, each once.

    A run has no task and no world, so it is not graded here; what is recorded of its outcome stands
    in it.
    """
    from ringback.cli.counting import Counting
    from ringback.formats.exgentic import Chosen, read

    counting = Counting("rows read")
    entries = read(paths, Chosen(benchmark, harness), progress=counting.reach)
    return bring_in(entries, store, json=json, counting=counting)


def bring_in(
    entries: Iterable[Recording | Skipped],
    store: Path | None,
    *,
    json: bool,
    counting: Counting | None = None,
) -> int:
    """Store, grade and count what a reader gives; say what became of it, with its exit code.

    `counting` is there where the reader itself says how far it is.
    """
    from ringback.cli.counting import Counting
    from ringback.cli.options import store_path
    from ringback.cli.output import print_json, print_lines
    from ringback.formats.importing import Importer
    from ringback.sessions import Store

    where = store_path(store)
    with Store.open(where) as opened, counting or Counting("recordings read") as shown:
        importer = Importer(opened)
        for entry in entries:
            importer.take(entry)
            if counting is None:
                shown.one()
    tally = importer.tally
    if json:
        print_json(_json(tally, where))
    else:
        print_lines(_lines(tally, where))
    unreadable(tally.broken, tally.unreadable)
    return 2 if tally.unreadable else 0


def _lines(tally: Tally, where: Path) -> Iterator[str]:
    from ringback.report.wording import plural

    if tally.added or not tally.there:
        yield f"Imported {plural(tally.added, 'session')} into {where}."
    if tally.there:
        yield f"{plural(tally.there, 'session')} were there already; nothing was added for them."
    if tally.ungraded:
        yield (
            f"{plural(tally.ungraded, 'session')} could not be graded: the domain, the task or "
            "the ending is not known here."
        )
    yield from passed_over(tally.passed)


def passed_over(reasons: dict[str, int]) -> Iterator[str]:
    """How many entries were passed over, by reason, the commonest first."""
    for why, count in sorted(reasons.items(), key=lambda item: (-item[1], item[0])):
        yield f"Passed over {count:,}: {why}."


def unreadable(broken: Iterable[Skipped], count: int) -> None:
    """Say on stderr what could not be read, a sentence each, of many the first."""
    from ringback.cli.output import complain

    said = 0
    for entry in broken:
        if said == _MOST_SAID:
            break
        place = "" if entry.place is None else f", entry {entry.place}"
        complain(f"{entry.source}{place}: {entry.why.rstrip('.')}.")
        said += 1
    if count > said:
        complain(f"{count - said:,} more could not be read.")


def _json(tally: Tally, where: Path) -> dict[str, object]:
    return {
        "store": str(where),
        "imported": tally.added,
        "already_there": tally.there,
        "ungraded": tally.ungraded,
        "passed_over": [{"why": why, "count": count} for why, count in tally.passed.items()],
        "unreadable": tally.unreadable,
        "problems": [
            {"file": entry.source, "entry": entry.place, "why": entry.why} for entry in tally.broken
        ],
    }
