"""``ringback gate``: may a change pass, by a study?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from ringback.cli.options import AsJson, StorePath, StudyFile, named_path

__all__ = ["gate"]

_CODES = {"pass": 0, "fail": 1, "inconclusive": 3}


def gate(
    file: StudyFile,
    /,
    *,
    margin: Annotated[
        float, Parameter(help="What may be lost, as a share: 0.05 is 5 points.", metavar="SHARE")
    ] = 0.05,
    arm: Annotated[
        str | None, Parameter(help="Hold this arm alone against the baseline.", metavar="NAME")
    ] = None,
    inconclusive: Annotated[
        Literal["stop", "pass"], Parameter(help="What an arm does of which too little is known.")
    ] = "stop",
    junit: Annotated[
        Path | None,
        Parameter(help="Write JUnit XML there.", converter=named_path, metavar="PATH"),
    ] = None,
    markdown: Annotated[
        Path | None,
        Parameter(
            help="Write a summary for a pull request there.", converter=named_path, metavar="PATH"
        ),
    ] = None,
    store: StorePath = None,
    json: AsJson = False,
) -> int:
    """Say whether the arms of a study may pass, for use in CI; it runs nothing."""
    from ringback.cli.output import print_json, print_paragraphs
    from ringback.cli.study_files import command, planned_study
    from ringback.cli.writing import is_gate_markdown, is_junit, refuse_other, write
    from ringback.report import gating
    from ringback.report.compute import compute
    from ringback.sessions import Store, default_path
    from ringback.study.results import facts, results

    planned = planned_study(file)
    path = default_path() if store is None else store
    again = command(file, store)
    if path.exists():
        with Store.open(path, write=False) as opened:
            found = results(planned, opened, again, partings=False)
    else:
        found = compute(facts(planned, again), [])
    verdicts = gating.gate_arms(found, margin, arm)
    lenient = inconclusive == "pass"
    outcome = gating.overall(verdicts, inconclusive_passes=lenient)
    if json:
        print_json({"study": found.facts.name, "outcome": outcome, "arms": verdicts})
    else:
        print_paragraphs(
            f"{said}{f' for {whose}' if whose else ''}: {why}."
            for said, whose, why in gating.lines(verdicts)
        )
    if junit is not None:
        refuse_other(junit, "--junit", is_junit)
    if markdown is not None:
        refuse_other(markdown, "--markdown", is_gate_markdown)
    if junit is not None:
        xml = gating.junit(found, verdicts, margin, inconclusive_passes=lenient)
        write(junit, xml, "--junit", is_junit)
    if markdown is not None:
        asked = ["--margin", str(margin), *([] if arm is None else ["--arm", arm])]
        asked += ["--inconclusive=pass"] if lenient else []
        once_more = command(file, store, "gate", more=asked)
        text = gating.markdown(
            found, verdicts, margin, inconclusive_passes=lenient, again=once_more
        )
        write(markdown, text.encode(), "--markdown", is_gate_markdown)
    return _CODES[outcome]
