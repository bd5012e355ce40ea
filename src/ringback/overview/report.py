"""The report as files: a page, a page for each session, the results, the summary."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from msgspec.structs import replace

from ringback.canonical import canonical
from ringback.episode.events import Start
from ringback.grading.grade import Grade
from ringback.overview.links import around
from ringback.overview.model import Overview, SessionLine
from ringback.overview.page import page
from ringback.overview.reading import domain_of
from ringback.overview.summary import summary
from ringback.report.around import is_id, page_name
from ringback.report.folder import remove_pages, replace_files, writing
from ringback.report.page import transcript_page
from ringback.report.plain import json_bytes
from ringback.report.rendering import replace_file
from ringback.report.transcript import Transcript, transcript
from ringback.sessions import Store, Unreadable, named_contents

__all__ = ["transcript_of", "write_overview"]

_BACK = ("../index.html#sessions", "the report")


def write_overview(
    found: Overview,
    out: Path,
    transcripts: Callable[[str], Transcript] | None = None,
    one: Callable[[], object] = lambda: None,
) -> Path:
    """Write the report into the folder `out` and return the path of its ``index.html``.

    Also there then: ``results.json``, ``summary.md`` and, where `transcripts` gives them, a page of
    each session in ``transcripts``, after which `one` is called. The page comes last, each file
    whole or not at all; then pages of an earlier report that this one has not are removed, and with
    the last of them their folder. Files of others are left alone. Raises `InputError` if the folder
    cannot be written, and, before anything is, if it holds what another program has written under
    the name of a file of ours.
    """
    with writing(out, "sessions"):
        return _write(found, out, transcripts, one)


def _write(
    found: Overview,
    out: Path,
    transcripts: Callable[[str], Transcript] | None,
    one: Callable[[], object],
) -> Path:
    folder = out / "transcripts"
    out.mkdir(parents=True, exist_ok=True)
    written: Mapping[str, SessionLine] = {}
    if transcripts is not None:
        written = {line.id: line for line in found.sessions if is_id(line.id)}
    files = {
        "results.json": json_bytes(canonical(found), indent=1) + b"\n",
        "summary.md": summary(found).encode(),
        "index.html": page(found, written),
    }
    if transcripts is not None:
        folder.mkdir(exist_ok=True)
        _transcripts(found, written, folder, transcripts, one)
    replace_files(out, files)
    if folder.is_dir() and not folder.is_symlink():
        _clear(folder, written)
    return out / "index.html"


def _clear(folder: Path, written: Collection[str]) -> None:
    """Remove an earlier report's pages, and the folder where it held nothing else."""
    there = any(folder.iterdir())
    remove_pages(folder, written)
    if there and not any(folder.iterdir()):
        folder.rmdir()


def _transcripts(
    found: Overview,
    written: Collection[str],
    folder: Path,
    transcripts: Callable[[str], Transcript],
    one: Callable[[], object],
) -> None:
    links = around(found.sessions)

    def page_of(session: str) -> str | None:
        return page_name(session) if session in written else None

    for session in written:
        told = transcript_page(transcripts(session), links[session], _BACK, page_of)
        replace_file(folder / page_name(session), told)
        one()


def transcript_of(store: Store) -> Callable[[str], Transcript]:
    """What gives a session's transcript, with the texts that both sides were told.

    Where the store has lost one of these the call is told without them, and the transcript says so.
    """

    def told(session: str) -> Transcript:
        events = store.events(session)
        start = events[0]
        name = start.condition.domain if isinstance(start, Start) else ""
        stored = store.grade(session, Grade)
        try:
            texts = store.contents(sorted(named_contents(events)))
        except Unreadable as problem:
            without = transcript(events, domain_of(name), stored)
            return replace(without, remarks=(*without.remarks, str(problem)))
        return transcript(events, domain_of(name), stored, texts)

    return told
