"""``ringback export``: recorded sessions in the forms of other programs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

from cyclopts import Parameter

from ringback.cli.options import StorePath, named_path

if TYPE_CHECKING:
    from ringback.episode.events import Start
    from ringback.formats.session import Session
    from ringback.formats.tau2.write import Run
    from ringback.sessions import SessionRow, Store

__all__ = ["kitaru", "otel", "tau2"]

_MOST_SAID = 20

_Selection: TypeAlias = Annotated[
    tuple[str, ...],
    Parameter(
        name="SELECTION",
        help="Session ids or unique beginnings of them, latest, or filters such as ending=timeout, "
        "as `ringback sessions list` takes them; nothing selects all.",
        show_default=False,
    ),
]
_Out: TypeAlias = Annotated[
    Path,
    Parameter(
        name=("--out", "-o"),
        converter=named_path,
        allow_leading_hyphen=True,
        help="The file to write, in place of what it holds; one named .gz is packed; - for "
        "standard output.",
        metavar="FILE",
    ),
]


def kitaru(selection: _Selection = (), /, *, out: _Out, store: StorePath = None) -> int:
    """Write sessions as Kitaru's JSONL, one a line, which `ringback import kitaru` reads too."""
    from ringback.formats.kitaru import line

    return _export(selection, out, store, lambda sessions: map(line, sessions))


def otel(selection: _Selection = (), /, *, out: _Out, store: StorePath = None) -> int:
    """Write sessions as OpenTelemetry spans: OTLP as JSON, a trace for each session."""
    from ringback.formats.otel import document

    return _export(selection, out, store, document)


def tau2(selection: _Selection = (), /, *, out: _Out, store: StorePath = None) -> int:
    """Write the sessions of one arm as a results file of tau2-bench.

    Sessions that have not ended, attempts that a later one replaced and sessions of no known task
    have no place in that form; they are counted and left out.
    """
    from ringback.formats.tau2.write import results_file

    with _open(store) as opened:
        rows = list(_rows(opened, selection))
        chosen = _playable(opened, rows)
        run = _run(opened, chosen)
        unreadable: list[str] = []
        sessions = _sessions(opened, chosen, unreadable)
        _write(out, results_file(run, sessions), opened)
    _say(len(chosen) - len(unreadable), out, len(rows) - len(chosen))
    return _unreadable(unreadable)


def _playable(store: Store, rows: list[SessionRow]) -> list[SessionRow]:
    """Those of the rows that a results file has a place for."""
    from ringback.errors import InputError

    last = {row.id for row in store.latest(row.cell for row in rows).values()}
    found = [row for row in rows if row.id in last and row.ending and row.task]
    if not found:
        raise InputError(
            "Of the sessions selected none has ended, counts and has a known task; tau2-bench's "
            "form has no place for others."
        )
    return found


def _run(store: Store, rows: list[SessionRow]) -> Run:
    """What the file says of all of them; `InputError` where they are no one run."""
    from ringback.cli.typed import word
    from ringback.errors import InputError
    from ringback.formats.tau2.write import Run
    from ringback.report.wording import listing

    starts = _one_of_each(store, rows)
    for kind, key, names in (
        ("agent", "agent", sorted({row.agent for row in rows})),
        ("arm", "arm", sorted({row.arm_name for row in rows})),
        ("operator", "as", sorted(_operators(starts))),
    ):
        if len(names) > 1:
            shown = ", ".join(names[:5]) + (" and more" if len(names) > 5 else "")
            raise InputError(
                f"The sessions selected are of several {kind}s ({shown}), and a file of tau2-bench "
                f"holds one: add {word(f'{key}={names[0]}')}, say, to the selection."
            )
    if differing := _differing(starts):
        files = {row.origin_file for row in rows}
        file = next((name for name in sorted(map(str, files)) if len(files) > 1), None)
        by = "study=NAME" if None in files or file is None else word(f"file={file}")
        raise InputError(
            f"The sessions selected differ in {listing(differing)}, and a file of tau2-bench says "
            f"this once: select fewer, by {by}, user=NAME or their ids."
        )
    trials = [row.trial for row in rows if row.trial is not None]
    seeds = {row.seed for row in rows}
    return Run(
        trials=max(trials, default=0) + 1,
        seed=seeds.pop() if len(seeds) == 1 else None,
        at=max((row.created_at for row in rows if row.created_at is not None), default=None),
    )


def _one_of_each(store: Store, rows: list[SessionRow]) -> list[Start]:
    """The first event of a session of each condition and arm that there is."""
    from ringback.episode.events import Start

    one_of_each = {(row.condition, row.arm): row.id for row in rows}
    starts = [store.events(name)[0] for name in one_of_each.values()]
    return [start for start in starts if isinstance(start, Start)]


def _operators(starts: list[Start]) -> set[str]:
    """The names of those who answered by hand."""
    from ringback.episode.participants import OPERATOR

    agents = [start.arm.agent for start in starts if start.arm.agent.name == OPERATOR]
    return {name for agent in agents if isinstance(name := agent.settings.get("as"), str)}


def _differing(starts: list[Start]) -> list[str]:
    """What of all that a file says once is not the same in all of them.

    How the agent opened is no such thing, for each simulation has it among its messages.
    """
    said = [
        {
            "their agent": start.arm.agent,
            "their policy": (start.arm.policy, start.arm.texts),
            "their user": start.condition.user,
            "what their user reads": start.condition.texts,
            "their limits": start.condition.limits,
            "the version of their world": start.condition.world,
            "the version of their grader": start.condition.grader,
            "where they were forked": start.condition.forked,
        }
        for start in starts
    ]
    return [name for name in said[0] if any(each[name] != said[0][name] for each in said)]


def _export(
    words: tuple[str, ...],
    out: Path,
    store: Path | None,
    spell: Callable[[Iterable[Session]], Iterable[bytes]],
) -> int:
    written = 0
    unreadable: list[str] = []

    def counted(sessions: Iterable[Session]) -> Iterator[Session]:
        nonlocal written
        for session in sessions:
            yield session
            written += 1

    with _open(store) as opened:
        rows = _rows(opened, words)
        _write(out, spell(counted(_sessions(opened, rows, unreadable))), opened)
    _say(written, out, 0)
    return _unreadable(unreadable)


def _unreadable(sentences: list[str]) -> int:
    """Say which sessions could not be written; the exit code of the command."""
    from ringback.cli.output import complain

    for sentence in sentences[:_MOST_SAID]:
        complain(sentence)
    if len(sentences) > _MOST_SAID:
        complain(f"{len(sentences) - _MOST_SAID:,} more sessions could not be written.")
    return 2 if sentences else 0


def _say(written: int, out: Path, left: int) -> None:
    from ringback.cli.output import complain, print_lines
    from ringback.formats.output import STDOUT
    from ringback.report.wording import plural

    words = f"{plural(written, 'session')} written to {out}."
    if left:
        words += f" {plural(left, 'session')} left out: not ended, replaced, or without a task."
    if out == STDOUT:
        if left:
            complain(words)
    else:
        print_lines([words])


def _write(out: Path, chunks: Iterable[bytes], store: Store) -> None:
    from ringback.formats.output import write

    if out.suffix.lower() == ".gz":
        chunks = _packed(chunks)
    write(out, chunks, beside=store.path)


def _packed(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The chunks as gzip, the same bytes each time."""
    import zlib

    packer = zlib.compressobj(wbits=31)
    for chunk in chunks:
        if part := packer.compress(chunk):
            yield part
    yield packer.flush()


def _open(path: Path | None) -> Store:
    from ringback.cli.options import store_path
    from ringback.sessions import Store

    return Store.open(store_path(path), create=False, write=False)


def _rows(store: Store, words: tuple[str, ...]) -> Iterator[SessionRow]:
    """The selected sessions; `InputError` if there is none."""
    from ringback.errors import InputError
    from ringback.sessions import parse_selection

    rows = store.rows(parse_selection(words))
    first = next(rows, None)
    if first is None:
        raise InputError(f"There is no session in {store.path} to export.")
    yield first
    yield from rows


def _sessions(store: Store, rows: Iterable[SessionRow], unreadable: list[str]) -> Iterator[Session]:
    """One session after the other, so that no more than one is held.

    Of one that cannot be read a sentence goes to `unreadable`; `InputError` where none can.
    """
    from ringback.errors import InputError
    from ringback.formats.session import Session
    from ringback.grading.grade import Grade
    from ringback.sessions import Unreadable, named_contents

    found = False
    for row in rows:
        try:
            events = store.events(row.id)
            named = named_contents(events)
            contents = store.contents(sorted(named)) if named else {}
        except Unreadable as problem:
            again = (
                f" Import {row.origin_file} again: texts that are missing are added."
                if row.origin_file
                else ""
            )
            unreadable.append(f"Session {row.id} was not written. {problem}{again}")
            continue
        found = True
        yield Session(tuple(events), contents, store.grade(row.id, Grade))
    if unreadable and not found:
        _unreadable(unreadable)
        raise InputError("No session could be written, so that no file was.")
