"""``ringback import``: recordings of other programs into the store, each once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

from cyclopts import Parameter

from ringback.cli.options import AsJson, StorePath, named_paths

if TYPE_CHECKING:
    from ringback.cli.counting import Counting
    from ringback.formats import Recording, Skipped
    from ringback.formats.importing import Tally
    from ringback.sessions import Store

__all__ = [
    "Benchmarks",
    "Harnesses",
    "PassedOver",
    "Paths",
    "bring_in",
    "exgentic",
    "kitaru",
    "of_paths",
    "tau2",
    "unreadable",
]

_MOST_SAID = 20
_MOST_NAMED = 5
_ID = re.compile(r"[0-9a-f]{16}")


Paths: TypeAlias = Annotated[
    tuple[Path, ...],
    Parameter(
        name="PATH",
        help="Files, or folders with files in them.",
        converter=named_paths,
        show_default=False,
    ),
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

    return bring_in(of_paths(paths, read, "tau2"), store, json=json, warn_of_own=True)


def kitaru(paths: Paths, /, *, json: AsJson = False, store: StorePath = None) -> int:
    """Read Kitaru's JSONL into the store: sessions written here as they were, others as theirs."""
    from ringback.formats.kitaru import read

    return bring_in(of_paths(paths, read, "kitaru"), store, json=json)


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
    from ringback.cli.output import complain
    from ringback.formats import Skipped
    from ringback.formats.exgentic import Chosen, Seen, read

    seen = Seen()
    counting = Counting("rows read")
    found = read(paths, Chosen(benchmark, harness), seen, progress=counting.reach)
    entries = (
        entry if isinstance(entry, Skipped) else entry.read_from(seen.kept[entry.origin.source])
        for entry in found
    )
    asked = [each for name in benchmark for each in ("--benchmark", name)]
    asked += [each for name in harness for each in ("--harness", name)]
    code = bring_in(entries, store, json=json, counting=counting, asked=asked, paths=paths)
    remarks = list(seen.remarks())
    for remark in remarks[:_MOST_SAID]:
        complain(remark)
    if len(remarks) > _MOST_SAID:
        complain(f"So it is in {len(remarks) - _MOST_SAID:,} more files.")
    return code


def of_paths(
    paths: Sequence[Path], read: Callable[[Path], Iterable[Recording | Skipped]], form: str
) -> Iterator[Recording | Skipped]:
    """What a reader of a form gives of each path in turn.

    Skipped files are told apart, and so are those that are kept, by their folders.
    """
    from msgspec.structs import replace

    from ringback.formats import Skipped
    from ringback.formats.naming import kept_in, naming

    shortened = naming(paths, passed_on=True)
    for (path, before), (_, shorter) in zip(naming(paths), shortened, strict=True):
        folders = shorter or kept_in(path)
        for entry in read(path):
            if isinstance(entry, Skipped):
                yield replace(entry, source=before + entry.source) if before else entry
            elif entry.start.origin is None or entry.origin.form != form:
                line = entry.line and (before + entry.line[0], entry.line[1])
                yield replace(entry, line=line)  # a session of ours, as it was
            else:
                yield entry.read_from(folders + entry.origin.source)


def bring_in(
    entries: Iterable[Recording | Skipped],
    store: Path | None,
    *,
    json: bool,
    counting: Counting | None = None,
    asked: Sequence[str] = (),
    paths: Sequence[Path] = (),
    warn_of_own: bool = False,
) -> int:
    """Store, grade and count what a reader gives; say what became of it, with its exit code.

    `counting` is there where the reader itself says how far it is, and `asked` what was wanted of
    the files at `paths`: where nothing of it is there, that is said and the exit code is 2.
    `warn_of_own`: say how many sessions of this store were exported, read back, and so are there
    twice.
    """
    from ringback.cli.counting import Counting
    from ringback.cli.options import store_path
    from ringback.cli.output import complain, print_json, print_paragraphs
    from ringback.cli.typed import command, word
    from ringback.formats import Skipped
    from ringback.formats.importing import Importer
    from ringback.report.wording import plural
    from ringback.sessions import Store

    where, passed, own = store_path(store), PassedOver(), 0
    with Store.open(where) as opened, counting or Counting("recordings read") as shown:
        importer = Importer(opened)
        for entry in entries:
            importer.take(entry)
            if isinstance(entry, Skipped):
                passed.note(entry)
            elif warn_of_own:
                own += _is_there(opened, entry.origin.id)
            if counting is None:
                shown.one()
    tally = importer.tally
    if json:
        print_json(_json(tally, where, passed))
    else:
        print_paragraphs(_lines(tally, where, passed))
    if own:
        complain(
            f"{plural(own, 'session')} of this store had been exported to these files; read back "
            "they are sessions of their own, so that each is there twice."
        )
    none = bool(asked) and not tally.added + tally.there
    if none and not tally.unreadable:
        complain(
            f"Nothing fits {' '.join(map(word, asked))}; "
            f"{command('recordings', 'report', *paths)} says what is there."
        )
    unreadable(tally.broken, tally.unreadable)
    return 2 if none or tally.unreadable else 0


def _is_there(store: Store, name: str | None) -> bool:
    """Whether a recording's own id is that of a session which was played into this store."""
    from ringback.errors import InputError

    if name is None or _ID.fullmatch(name) is None:
        return False
    try:
        return store.row(name).origin is None
    except InputError:
        return False


def _lines(tally: Tally, where: Path, passed: PassedOver) -> Iterator[str]:
    from ringback.report.wording import plural

    if tally.added or not (tally.there or tally.unreadable):
        yield f"Imported {plural(tally.added, 'session')} into {where}."
    if tally.there:
        were, them = ("was", "it") if tally.there == 1 else ("were", "them")
        yield (
            f"{plural(tally.there, 'session')} {were} there already; nothing was added for {them}."
        )
    if tally.behind:
        have = "has its beginning" if tally.behind == 1 else "have their beginnings"
        yield f"Of {plural(tally.behind, 'session')} the store has more; what was read {have}."
    if tally.unfinished:
        are = "is" if tally.unfinished == 1 else "are"
        yield f"{plural(tally.unfinished, 'session')} {are} not over, and so without a grade."
    if tally.ungraded:
        yield (
            f"{plural(tally.ungraded, 'session')} could not be graded: the domain, the task, the "
            "ending or what was said is not known here."
        )
    yield from passed.lines()


class PassedOver:
    """What was passed over: by reason, how many entries of which files."""

    def __init__(self) -> None:
        self._count: Counter[str] = Counter()
        self._files: dict[str, dict[str, None]] = {}

    def note(self, entry: Skipped) -> None:
        """Count an entry, unless it is one that could not be read."""
        if not entry.broken:
            self._count[entry.why] += 1
            self._files.setdefault(entry.why, {})[entry.source] = None

    def lines(self) -> Iterator[str]:
        """A sentence a reason, the commonest first, with the first few of its files."""
        for why, count in sorted(self._count.items(), key=lambda item: (-item[1], item[0])):
            files = list(self._files[why])
            more = f" and {len(files) - _MOST_NAMED:,} more" if len(files) > _MOST_NAMED else ""
            yield f"Passed over {count:,}: {why} ({', '.join(files[:_MOST_NAMED])}{more})."

    def objects(self) -> list[dict[str, object]]:
        """The same for a program, with every file."""
        return [
            {"why": why, "count": count, "files": list(self._files[why])}
            for why, count in self._count.items()
        ]


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
        complain(f"{count - said:,} more could not be read or kept.")


def _json(tally: Tally, where: Path, passed: PassedOver) -> dict[str, object]:
    return {
        "store": str(where),
        "imported": tally.added,
        "already_there": tally.there,
        "store_has_more": tally.behind,
        "not_over": tally.unfinished,
        "ungraded": tally.ungraded,
        "passed_over": passed.objects(),
        "unreadable": tally.unreadable,
        "problems": [
            {"file": entry.source, "entry": entry.place, "why": entry.why} for entry in tally.broken
        ],
    }
