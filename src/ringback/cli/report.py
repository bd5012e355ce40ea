"""``ringback report``: any recorded sessions on a page."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

from cyclopts import Parameter

from ringback.cli.options import AsJson, StorePath, named_path

if TYPE_CHECKING:
    from ringback.cli.counting import Counting
    from ringback.overview.model import Arm, Condition, Overview

__all__ = ["report"]

_MOST_SAID = 20
_MOST_LISTED = 12
_LONGEST = 60

_Selection: TypeAlias = Annotated[
    tuple[str, ...],
    Parameter(
        name="SELECTION",
        help="Session ids or unique beginnings of them, latest, or filters such as arm=hasty or "
        "origin=tau2, as `ringback sessions list` takes them; nothing selects all.",
        show_default=False,
    ),
]


def report(
    selection: _Selection = (),
    /,
    *,
    out: Annotated[
        Path,
        Parameter(
            help="Folder for the report: a page, a summary, results, transcripts.",
            converter=named_path,
            metavar="DIR",
        ),
    ],
    baseline: Annotated[
        str | None,
        Parameter(
            help="The arm that the others are compared with; the one of most pairs if left out.",
            metavar="ARM",
        ),
    ] = None,
    no_transcripts: Annotated[
        bool,
        Parameter(
            name="--no-transcripts",
            help="Write no page of each session, which is quicker.",
            negative=(),
            show_default=False,
        ),
    ] = False,
    store: StorePath = None,
    json: AsJson = False,
) -> int:
    """Tell recorded sessions on a page: rates by arm, who failed, whose fault it was, differences.

    Nothing is played and nothing is stored.
    """
    from ringback.cli.counting import Counting
    from ringback.cli.options import store_path
    from ringback.cli.output import print_json
    from ringback.overview import overview_of, transcript_of, write_overview
    from ringback.report.folder import refuse_foreign
    from ringback.sessions import Store, parse_selection

    wanted = parse_selection(selection)
    refuse_foreign(out, "sessions")
    with Store.open(store_path(store), create=False, write=False) as opened:
        with Counting("sessions read") as counting:
            found = overview_of(
                opened,
                wanted,
                baseline=baseline,
                command=_command(selection, out, baseline, no_transcripts, store),
                reading=lambda total: _one(counting, total),
            )
        if no_transcripts:
            written = write_overview(found, out)
        else:
            with Counting("transcripts written") as counting:
                told = transcript_of(opened)
                written = write_overview(found, out, told, _one(counting, len(found.sessions)))
    if json:
        print_json({"report": str(written), "results": found})
    else:
        _print(found, written)
    return _unreadable(found)


def _one(counting: Counting, total: int) -> Callable[[], object]:
    return lambda: counting.reach(counting.done + 1, total)


def _command(
    selection: Sequence[str],
    out: Path,
    baseline: str | None,
    no_transcripts: bool,
    store: Path | None,
) -> str:
    """The line that makes the report again, which is passed on: of an absolute path the name."""
    from ringback.cli.options import store_path

    def said(path: Path) -> str:
        return path.name if path.is_absolute() else str(path)

    words = ["ringback", "report", *selection, "--out", said(out)]
    words += [] if baseline is None else ["--baseline", baseline]
    words += ["--no-transcripts"] if no_transcripts else []
    given = store or (store_path(None) if os.environ.get("RINGBACK_STORE") else None)
    words += [] if given is None else ["--store", said(given)]
    return shlex.join(words)


def _unreadable(found: Overview) -> int:
    """Say which sessions could not be read; the exit code of the command."""
    from ringback.cli.output import complain

    broken = found.left_out.unreadable
    for each in broken[:_MOST_SAID]:
        complain(f"Session {each.session} is not in the report: {each.why}.")
    if len(broken) > _MOST_SAID:
        complain(f"{len(broken) - _MOST_SAID:,} more sessions could not be read.")
    return 2 if broken else 0


def _print(found: Overview, written: Path) -> None:
    from ringback.cli.output import print_lines, print_paragraphs
    from ringback.overview import words

    for condition in found.conditions:
        if len(found.conditions) > 1:
            print_paragraphs(_head(condition))
        _rates(condition)
        if condition.versus:
            print_lines([""])
            _differences(condition)
        print_paragraphs(["", *_did(condition.arms), ""])
    left = found.left_out.operated
    print_paragraphs(
        [
            *found.headline,
            *words.left_out(found),
            *(f"  {each.session}: {each.why}" for each in left[:_MOST_LISTED]),
            *([f"  and {len(left) - _MOST_LISTED} more"] if len(left) > _MOST_LISTED else []),
        ]
    )
    print_lines(["", f"The report is {written}."])


def _head(condition: Condition) -> Iterator[str]:
    from ringback.overview import words
    from ringback.report.plain import one_line
    from ringback.report.wording import plural

    sessions = plural(condition.sessions, "session")
    yield f"Condition {condition.name}: {sessions}, recorded by {words.origins(condition)}"
    yield f"  customer {one_line(condition.user.name, _LONGEST)}"
    if condition.differs:
        yield f"  otherwise than A: {'; '.join(condition.differs)}"


def _rates(condition: Condition) -> None:
    from ringback.cli.output import print_table
    from ringback.overview import words
    from ringback.report import wording

    print_table(
        [
            ("arm", "wrap"),
            ("solved", "right"),
            ("rate", "right"),
            ("95% interval", "left"),
            ("no outcome", "right"),
        ],
        (
            [
                arm.name,
                words.solved(arm.rate),
                "-" if arm.rate.rate is None else wording.percent(arm.rate.rate),
                "-" if arm.rate.interval is None else wording.percent_interval(arm.rate.interval),
                f"{arm.ungraded:,}",
            ]
            for arm in condition.arms
        ),
    )


def _differences(condition: Condition) -> None:
    from ringback.cli.output import print_paragraphs, print_table
    from ringback.overview import words
    from ringback.report.plain import one_line

    print_table(
        [
            (f"against {one_line(condition.baseline or '', 30)}", "wrap"),
            ("pairs", "right"),
            ("points, 95% interval", "wrap"),
            ("unadjusted", "wrap"),
            ("ours", "wrap"),
        ],
        (
            [
                each.arm,
                f"{each.pairs:,}",
                words.versus(each),
                words.unadjusted(each),
                words.reading(each),
            ]
            for each in condition.versus
        ),
    )
    for each in condition.versus:
        if each.unpaired:
            print_paragraphs([f"  no pair, {one_line(each.arm, _LONGEST)}: {words.unpaired(each)}"])


def _did(arms: Sequence[Arm]) -> Iterator[str]:
    """What each arm came to besides, on a line or two."""
    from ringback.overview import words
    from ringback.report import wording
    from ringback.report.plain import one_line

    for arm in arms:
        steps = "unknown" if arm.steps is None else f"{arm.steps.median:g} in the middle"
        said = [f"endings {wording.counts(arm.endings) or 'none'}", f"steps {steps}"]
        if arm.reasons:
            said.append(f"without an outcome {wording.counts(arm.reasons)}")
        if arm.picked:
            said.append(f"the rate is not read, since {words.picked(arm)}")
        if could := words.could_be(arm):
            said.append(f"the rate could be {could}")
        if laid := words.failures(arm):
            said.append(f"failures laid to {laid}")
        if arm.agent_cost or arm.user_cost:
            said.append(f"agent {words.agent_cost(arm)}")
            said.append(f"customer {words.user_cost(arm)}")
        yield f"  {one_line(arm.name, _LONGEST)}: {'; '.join(said)}."
