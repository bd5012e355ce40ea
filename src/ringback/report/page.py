"""The report as files: a page of the study, a page for each transcript, the results, the summary.

Pages are whole in themselves: no network, no script, and a content policy that allows neither.
Everything is written to a temporary file and renamed, the study's page last, so that whoever looks
sees either the old report or the new one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from ringback.report import results_json
from ringback.report.around import NOTHING, Around, around, is_id, page_name
from ringback.report.chart_rows import (
    cost_marks,
    difference_marks,
    fault_rows,
    part_marks,
    rate_marks,
    step_marks,
    steps_marks,
)
from ringback.report.charts import difference_chart, rate_chart, steps_chart
from ringback.report.folder import remove_pages, replace_files, writing
from ringback.report.grid_lines import Href
from ringback.report.model import StudyResults
from ringback.report.planes import cost_chart, fault_chart
from ringback.report.rendering import both, render, replace_file
from ringback.report.session_view import session_view
from ringback.report.study_view import study_view
from ringback.report.summary import summary
from ringback.report.transcript import Transcript

if TYPE_CHECKING:
    from markupsafe import Markup

__all__ = ["TranscriptOf", "study_page", "transcript_page", "write_report"]

TranscriptOf: TypeAlias = Callable[[str], Transcript | None]
"""From a session's id to its transcript; None where the session cannot be had."""


def write_report(results: StudyResults, transcript_of: TranscriptOf, out: Path) -> Path:
    """Write the whole report into the folder `out` and return the path of its ``index.html``.

    Also there then: ``results.json``, ``summary.md``, and ``transcripts/<session>.html`` for each
    session in the grid for which `transcript_of`, asked once for each, has a transcript (twice
    where it has none for some of them). Pages of an earlier report that this one does not have are
    removed; files of others are left alone.

    Raises `InputError` if the folder cannot be written, and, before anything is, if it holds what
    another program has written under the name of a file of ours.
    """
    with writing(out, "study"):
        return _write_report(results, transcript_of, out)


def _write_report(results: StudyResults, transcript_of: TranscriptOf, out: Path) -> Path:
    folder = out / "transcripts"
    folder.mkdir(parents=True, exist_ok=True)
    written = _write_transcripts(results, transcript_of, folder)

    def href(session: str) -> str | None:
        return f"transcripts/{session}.html" if session in written else None

    files = {
        "results.json": results_json.encode(results),
        "summary.md": summary(results).encode(),
        "index.html": study_page(results, href),
    }
    replace_files(out, files)
    remove_pages(folder, written)
    return out / "index.html"


def _write_transcripts(
    results: StudyResults, transcript_of: TranscriptOf, folder: Path
) -> Collection[str]:
    """Write a page for each session that can be had; returns their ids."""
    cells = [cell for row in results.grid for cells in row.cells for cell in cells]
    wanted = dict.fromkeys(cell.session for cell in cells if cell.session and is_id(cell.session))
    lacking: set[str] = set()

    def write(links: Mapping[str, Around], there: Collection[str]) -> None:
        def page_of(session: str) -> str | None:
            return page_name(session) if session in there else None

        for session in there:
            found = transcript_of(session)
            if found is None:
                lacking.add(session)
            else:
                page = transcript_page(found, links[session], page_of=page_of)
                replace_file(folder / page_name(session), page)

    write(around(results), wanted)
    there = [session for session in wanted if session not in lacking]
    if lacking:  # once more, so that no link leads to a page that is not there
        write(around(results, lacking), there)
    return there


def study_page(results: StudyResults, href: Href) -> bytes:
    """The study's page as UTF-8. `href` says where a session's own page is, None for nowhere."""
    arms = [arm.name for arm in results.arms]
    costs, rows = cost_marks(results), fault_rows(results)
    step = step_marks(results.step_check) if results.step_check else ()
    charts = {
        "rates": both(rate_chart, "rates", "Solve rates by arm", rate_marks(results)),
        "differences": _if_any(
            difference_chart,
            "differences",
            "Paired differences by arm",
            difference_marks(results),
        ),
        "repairable": both(
            rate_chart,
            "repairable",
            "Solve rates by arm, repairable tasks",
            part_marks(results, repairable=True),
        ),
        "unrepairable": both(
            rate_chart,
            "unrepairable",
            "Solve rates by arm, tasks that cannot be repaired",
            part_marks(results, repairable=False),
        ),
        "faults": both(
            partial(fault_chart, arms=arms), "faults", "Episodes not solved, by fault and arm", rows
        ),
        "steps": both(
            partial(steps_chart, limit=results.facts.limits.steps),
            "steps",
            "Steps to an episode, by arm",
            steps_marks(results),
        ),
        "cost": _if_any(
            cost_chart,
            "cost",
            "Solve rate against the agent's cost",
            costs if len(costs) > 1 and any(mark.usd for mark in costs) else (),
        ),
        "costs": costs,
        "step": _if_any(
            partial(difference_chart, ends=("less often the same", "more often the same")),
            "step",
            "Same replies, against the repeat",
            step,
        ),
    }
    view = study_view(results, href)
    return render("page", facts=results.facts, results=results, view=view, charts=charts)


def _if_any(
    draw: Callable[..., str], name: str, title: str, marks: Sequence[object]
) -> tuple[Markup, Markup] | None:
    return both(draw, name, title, marks) if marks else None


def transcript_page(
    transcript: Transcript,
    links: Around = NOTHING,
    back: tuple[str, str] = ("../index.html#grid", "the study"),
    page_of: Href = lambda _: None,
) -> bytes:
    """A transcript's page as UTF-8. `links` are what lies around it in the study.

    `back` is the address that the page leads back to, and what is there; `page_of` says where the
    page of another session is, the one that it replays or was forked from.
    """
    view = session_view(transcript, page_of)
    return render("transcript", view=view, links=links, back=back)
