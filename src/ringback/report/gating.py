"""The gate: whether an arm of a study may pass, in words, as Markdown and as JUnit XML.

The arithmetic is `ringback.stats.gate`. What it cannot know is decided here: a study that is
incomplete (a planned episode of any arm has no graded outcome), or says nothing about the agents,
settles nothing and never passes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias
from xml.etree import ElementTree

from msgspec import Struct

from ringback.errors import InputError
from ringback.report import wording
from ringback.report.markdown import code, table, text
from ringback.report.model import ArmResults, StudyResults
from ringback.report.plain import visible
from ringback.stats import Gate, GateOutcome
from ringback.stats import gate as against_margin

__all__ = [
    "GateVerdict",
    "Obstacle",
    "gate_arms",
    "junit",
    "lines",
    "markdown",
    "overall",
    "points",
]

Obstacle: TypeAlias = Literal["incomplete", "says nothing", "by construction"]


class GateVerdict(Struct, frozen=True, kw_only=True):
    """What the gate says of an arm, and why in one line.

    `obstacle` says what keeps the arm from passing whatever its interval; None where nothing does.
    `figures` is None where there is one: they would read as an outcome.
    `allowed` says whether ``--inconclusive=pass`` lets this one pass: an inconclusive outcome
    without an obstacle.
    """

    arm: str
    outcome: GateOutcome
    why: str
    figures: Gate | None
    obstacle: Obstacle | None
    allowed: bool


def gate_arms(
    results: StudyResults, margin: float, arm: str | None = None
) -> tuple[GateVerdict, ...]:
    """The arm named, or every arm that is neither noise nor a control, against the margin.

    Raises `InputError` for an arm that is not there or is the baseline, for a study without arms,
    and for a margin that is not between 0 and 1.
    """
    if not 0 < margin < 1:
        raise InputError(
            f"A margin of {margin:g} cannot be held; give what may be lost as a share between 0 "
            "and 1, such as 0.05 for 5 points."
        )
    others = [each for each in results.arms if each.versus is not None]
    if arm is not None:
        found = [each for each in others if each.name == arm]
        if not found:
            raise InputError(
                f"There is no arm {arm!r} to hold against the baseline; the arms are "
                f"{wording.listing([each.name for each in others]) or 'none'}."
            )
    else:
        found = [each for each in others if each.role == "arm"]
        if not found:
            raise InputError(
                "The study has no arm to hold against its baseline, but for noise and controls; "
                "add one, or name one of these with --arm."
            )
    return tuple(_verdict(results, each, margin) for each in found)


def overall(verdicts: Sequence[GateVerdict], *, inconclusive_passes: bool = False) -> GateOutcome:
    """What they come to together: one that fails fails all, then one that settles nothing."""
    outcomes: set[GateOutcome] = {
        "pass" if inconclusive_passes and each.allowed else each.outcome for each in verdicts
    }
    if "fail" in outcomes:
        return "fail"
    return "pass" if outcomes == {"pass"} else "inconclusive"


def lines(verdicts: Sequence[GateVerdict]) -> list[tuple[GateOutcome, str, str]]:
    """What is said of the arms: the outcome, whose it is, and why; what is said of several, once.

    Whose is empty where the reason names the arm, or there is only one.
    """
    said: dict[tuple[GateOutcome, str], list[str]] = {}
    for each in verdicts:
        said.setdefault((each.outcome, each.why), []).append(each.arm)
    return [
        (outcome, wording.listing(arms) if len(arms) > 1 else "", why)
        for (outcome, why), arms in said.items()
    ]


def points(margin: float) -> str:
    """A margin in points: ``5`` for 0.05."""
    return f"{100 * margin:g}"


def _verdict(results: StudyResults, arm: ArmResults, margin: float) -> GateVerdict:
    assert arm.versus is not None
    obstacle, why = _obstacle(results, arm)
    if obstacle is None:
        figures = against_margin(arm.versus.difference, margin)
        return GateVerdict(
            arm=arm.name,
            outcome=figures.outcome,
            why=f"{arm.name} {_why(figures, arm, margin)}",
            figures=figures,
            obstacle=None,
            allowed=figures.outcome == "inconclusive",
        )
    return GateVerdict(
        arm=arm.name,
        outcome="inconclusive",
        why=why,
        figures=None,
        obstacle=obstacle,
        allowed=False,
    )


def _obstacle(results: StudyResults, arm: ArmResults) -> tuple[Obstacle | None, str]:
    assert arm.versus is not None
    totals = results.totals
    if totals.ungraded:
        return "incomplete", (
            f"the study is incomplete: {wording.without_outcome(totals)} "
            f"({wording.counts(totals.reasons)}), {_whose(results)}; run it to its end"
        )
    if results.silent is not None:
        return "says nothing", f"the study says nothing about the agents: {results.silent}"
    if arm.versus.by_construction:
        return "by construction", f"{arm.name} could not have differed, so it shows nothing"
    return None, ""


def _whose(results: StudyResults) -> str:
    """The arms that lack outcomes: ``of the arm a``, ``of the arms a (12) and b (3)``."""
    lacking = [arm for arm in results.arms if arm.totals.ungraded]
    if len(lacking) == 1:
        return f"of the arm {lacking[0].name}"
    counts = [f"{arm.name} ({arm.totals.ungraded:,})" for arm in lacking]
    return f"of the arms {wording.listing(counts)}"


def _why(figures: Gate, arm: ArmResults, margin: float) -> str:
    assert arm.versus is not None
    found = wording.difference(arm.versus.difference)
    allowed = f"{points(margin)} {'point' if points(margin) == '1' else 'points'}"
    match figures.outcome:
        case "pass":
            return f"does not lose {allowed} or more: {found}"
        case "fail":
            return f"loses more than {allowed}: {found}"
        case "inconclusive":
            return f"may or may not lose {allowed}: {found}; {_more(figures)}"


def _more(figures: Gate) -> str:
    """What keeps it open, and what would settle it."""
    if figures.interval is None:
        return "there is no interval to hold against the margin"
    words = ""
    if figures.score is not None:
        low, high = wording.points(figures.score.low), wording.points(figures.score.high)
        words = f"so few tasks changed that Tango's interval, {low} to {high}, counts too; "
    if figures.tasks_needed is None:
        return f"{words}no number of tasks would settle it, so near is the difference to the margin"
    return (
        f"{words}about {wording.plural(figures.tasks_needed, 'task')} like these would settle it, "
        f"{figures.tasks:,} {'was' if figures.tasks == 1 else 'were'} played"
    )


def markdown(
    results: StudyResults,
    verdicts: Sequence[GateVerdict],
    margin: float,
    *,
    inconclusive_passes: bool = False,
    again: str = "",
) -> str:
    """The gate as Markdown, for a pull request; whatever was recorded is escaped.

    `again` is the command that asks the gate this once more.
    """
    facts = results.facts
    sure = wording.level(facts.level)
    marks = {"pass": "passes", "fail": "**fails**", "inconclusive": "inconclusive"}
    head = ["Arm", "Gate", f"Difference, points ({sure} interval)", "Tasks", "Needed", "Solved"]
    rows = [
        [
            text(verdict.arm, 80),
            marks[verdict.outcome],
            _ends(verdict.figures),
            *_counts(verdict.figures),
            next(wording.solved(arm.rate) for arm in results.arms if arm.name == verdict.arm),
        ]
        for verdict in verdicts
    ]
    found = [
        f"### Gate of {text(facts.name, 100)}: "
        f"{overall(verdicts, inconclusive_passes=inconclusive_passes)}",
        "",
        *(
            f"- {marks[outcome]}{f' for {text(whose, 2000)}' if whose else ''}: {text(why, 2000)}."
            for outcome, whose, why in lines(verdicts)
        ),
        "",
        *table(head, rows, [False, False, False, True, True, True]),
        "",
        f"Margin {points(margin)} points against the baseline "
        f"({wording.solved(results.arms[0].rate)} solved), paired by task and trial.",
        "",
        f"Run it again: {code(facts.command)}" + (f", then {code(again)}" if again else ""),
    ]
    return "\n".join(found) + "\n"


def _counts(figures: Gate | None) -> tuple[str, str]:
    """The tasks played and those needed, empty where not known."""
    if figures is None:
        return "", ""
    needed = figures.tasks_needed
    return f"{figures.tasks:,}", "" if needed is None else f"{needed:,}"


def _ends(figures: Gate | None) -> str:
    if figures is None:
        return ""
    words = wording.points(figures.difference)
    if figures.interval is None:
        return words
    low, high = wording.points(figures.interval.low), wording.points(figures.interval.high)
    return f"{words} ({low} to {high})"


def junit(
    results: StudyResults,
    verdicts: Sequence[GateVerdict],
    margin: float,
    *,
    inconclusive_passes: bool = False,
) -> bytes:
    """The gate as JUnit XML, an arm a test case.

    A loss is a failure, what settles nothing an error, and what is let through all the same is
    skipped. There is no time in it.
    """
    name = visible(results.facts.name)
    suite = ElementTree.Element("testsuite", {"name": f"ringback gate {name}"})
    properties = ElementTree.SubElement(suite, "properties")
    for key, value in (
        ("margin", f"{margin:g}"),
        ("level", f"{results.facts.level:g}"),
        ("condition", results.facts.condition),
    ):
        ElementTree.SubElement(properties, "property", {"name": key, "value": visible(value)})
    counts = {"failure": 0, "error": 0, "skipped": 0}
    for verdict in verdicts:
        case = ElementTree.SubElement(
            suite, "testcase", {"classname": name, "name": visible(verdict.arm)}
        )
        kind = _kind(verdict, inconclusive_passes=inconclusive_passes)
        why = visible(verdict.why)
        if kind is None:
            ElementTree.SubElement(case, "system-out").text = why
            continue
        counts[kind] += 1
        found = ElementTree.SubElement(case, kind, {"message": why})
        if kind != "skipped":
            found.set("type", verdict.obstacle or verdict.outcome)
            found.text = why
    suite.attrib.update(
        {
            "tests": str(len(verdicts)),
            "failures": str(counts["failure"]),
            "errors": str(counts["error"]),
            "skipped": str(counts["skipped"]),
        }
    )
    root = ElementTree.Element("testsuites")
    root.append(suite)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"


def _kind(
    verdict: GateVerdict, *, inconclusive_passes: bool
) -> Literal["failure", "error", "skipped"] | None:
    if verdict.outcome == "pass":
        return None
    if verdict.outcome == "fail":
        return "failure"
    return "skipped" if inconclusive_passes and verdict.allowed else "error"
