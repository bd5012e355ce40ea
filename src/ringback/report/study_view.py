"""What the study page shows, in words: everything decided here, nothing in the template.

All text is as it came; the template engine escapes it.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from ringback.report import wording
from ringback.report.arm_lines import SENSITIVITY, ArmLine, arm_line, few_told, floors_last
from ringback.report.chart_rows import fault_rows
from ringback.report.failing import NO_RATE, FailureRow, failure_rows
from ringback.report.grid_lines import FlipGroup, GridGroup, Href, flip_groups, grid_groups
from ringback.report.held import HELD, HeldPart, held
from ringback.report.limits import again, limits
from ringback.report.method import ArmClause, Clause, arm_clauses, clauses
from ringback.report.model import FEW_TASKS, FaultCount, StudyResults, Tied
from ringback.report.planes import names_fit
from ringback.report.step_view import StepView, step_view
from ringback.report.took import TOOK

__all__ = ["StudyView", "study_view"]


class TiedLine(Struct, frozen=True):
    """A candidate for the best arm."""

    name: str
    difference: str
    interval: str
    reading: str


class FaultLine(Struct, frozen=True):
    """A fault with the episodes not solved, an arm a cell."""

    name: str
    cells: tuple[str, ...]


class StudyView(Struct, frozen=True, kw_only=True):
    """The study page."""

    title: str
    level: str
    trials: int
    strip: tuple[tuple[str, str], ...]
    clauses: tuple[Clause, ...]
    arm_clauses: tuple[ArmClause, ...]
    limits: tuple[tuple[str, str], ...]
    lines: tuple[ArmLine, ...]
    groups: tuple[tuple[ArmLine, ...], ...]
    compared: tuple[tuple[ArmLine, ...], ...]
    floors: tuple[ArmLine, ...]
    noise: tuple[ArmLine, ...]
    noises: bool
    noise_band: bool
    readings: tuple[str, str]
    readings_told: str
    few: int
    tied: tuple[TiedLine, ...]
    tied_words: str
    part_names: tuple[tuple[str, str], ...]
    arm_names: tuple[str, ...]
    grid: tuple[GridGroup, ...]
    flips: tuple[FlipGroup, ...]
    graded_sentence: str
    sensitivity: tuple[str, ...]
    failures: tuple[FailureRow, ...]
    failed_arms: tuple[str, ...]
    no_rate: str
    names_fit: bool
    faults: tuple[FaultLine, ...]
    took: tuple[str, ...]
    agent_asked: bool
    user_asked: bool
    total_cost: str
    step: StepView | None
    held: tuple[HeldPart, ...]
    held_title: str
    again: str
    versions: tuple[tuple[str, str], ...]


def study_view(results: StudyResults, href: Href) -> StudyView:
    """The page of a study. `href` says where a session's own page is."""
    facts = results.facts
    about = {arm.name: arm for arm in facts.arms}
    lines = tuple(arm_line(arm, about[arm.name]) for arm in results.arms)
    roles = {arm.name: arm.role for arm in results.arms}
    main = tuple(line for line in lines if roles[line.name] != "floor")
    floors = tuple(line for line in lines if roles[line.name] == "floor")
    noise = tuple(line for line in lines if roles[line.name] == "noise")
    versus = [arm.versus for arm in results.arms if arm.role == "noise" and arm.versus]
    return StudyView(
        title=f"{facts.name} · Ringback study",
        level=wording.level(facts.level),
        trials=facts.trials,
        strip=_strip(results),
        clauses=clauses(results),
        arm_clauses=arm_clauses(facts),
        limits=tuple(_lead(words) for words in limits(facts)),
        lines=lines,
        groups=tuple(group for group in (main, floors) if group),
        compared=tuple(
            group
            for group in (tuple(line for line in part if line.versus) for part in (main, floors))
            if group
        ),
        floors=floors,
        noise=noise,
        noises=bool(noise),
        noise_band=any(
            each.difference.interval and not (each.by_construction and not each.flips)
            for each in versus
        ),
        readings=wording.readings(results.compared),
        readings_told=wording.readings_told(results.compared),
        few=FEW_TASKS if any(few_told(arm.versus) for arm in results.arms) else 0,
        tied=_tied(results.tied),
        tied_words=_tied_words(results),
        part_names=_part_names(results),
        arm_names=tuple(arm.name for arm in results.arms),
        grid=grid_groups(results, href),
        flips=flip_groups(results, href),
        graded_sentence=_graded_sentence(results),
        sensitivity=tuple(SENSITIVITY[each.name] for each in results.arms[0].sensitivity),
        failures=failure_rows(floors_last(results.arms)),
        failed_arms=tuple(arm.name for arm in floors_last(results.arms)),
        no_rate=NO_RATE,
        names_fit=names_fit(fault_rows(results), [arm.name for arm in results.arms]),
        faults=_faults([arm.by_fault for arm in results.arms]),
        total_cost=wording.cost(results.cost),
        took=TOOK,
        agent_asked=any(arm.agent_took for arm in results.arms),
        user_asked=any(arm.user_took for arm in results.arms),
        step=None if results.step_check is None else step_view(results.step_check),
        held=held(),
        held_title=HELD,
        again=again(facts),
        versions=_versions(results),
    )


def _strip(results: StudyResults) -> tuple[tuple[str, str], ...]:
    facts, cost = results.facts, results.cost
    found = [
        (f"{len(facts.tasks):,}", "task" if len(facts.tasks) == 1 else "tasks"),
        (f"{len(facts.arms):,}", "arm" if len(facts.arms) == 1 else "arms"),
        (f"{facts.trials:,}", "trial of each" if facts.trials == 1 else "trials of each"),
        (f"{results.totals.planned:,}", "episodes planned"),
        (f"{results.totals.graded:,}", "graded"),
        (f"{results.totals.ungraded:,}", f"left ungraded of {results.totals.planned:,}"),
    ]
    if cost is not None:
        whole = not cost.unpriced and not cost.maybe_charged
        found.append(
            (wording.usd(cost.usd if whole else None), "all model calls")
            if whole or not cost.usd
            else (f"{wording.usd(cost.usd)} and more", "all model calls; a part is unknown")
        )
    return tuple(found)


def _tied(found: Tied | None) -> tuple[TiedLine, ...]:
    if found is None:
        return ()
    lines: list[TiedLine] = []
    for arm in found.arms:
        best = arm.name == found.best
        interval = "came out best" if best else "no spread"
        if arm.interval is not None:
            interval = f"{wording.points(arm.interval.low)} to {wording.points(arm.interval.high)}"
        reading = "may be the best"
        if not arm.may_be_best:
            reading = f"not the best by these: beaten by {wording.listing(list(arm.beaten_by))}"
        lines.append(TiedLine(arm.name, wording.points(arm.difference), interval, reading))
    return tuple(lines)


def _tied_words(results: StudyResults) -> str:
    if results.tied is None:
        return ""
    words = (
        "The baseline and the arms, each against the one with the highest rate, with intervals "
        f"that hold for all of them at once at {wording.level(results.facts.level)}. Two that may "
        "both be the best are not thereby shown to be equal, and being tied is not handed on from "
        "one to the next. Noise arms and controls are no candidates. Against the baseline the "
        "short answer calls nothing beaten that the comparison of the two does not."
    )
    if not results.tied.settled:
        words += " Episodes without a graded outcome count as unsolved here, and may change this."
    return words


def _faults(arms: Sequence[Sequence[FaultCount]]) -> tuple[FaultLine, ...]:
    return tuple(
        FaultLine(
            wording.reason(first.fault),
            tuple(f"{arm[place].failed:,} of {arm[place].planned:,}" for arm in arms),
        )
        for place, first in enumerate(arms[0])
    )


def _lead(words: str) -> tuple[str, str]:
    """The first sentence, and the rest."""
    first, stop, rest = words.partition(". ")
    return first + stop.rstrip(), rest


def _part_names(results: StudyResults) -> tuple[tuple[str, str], ...]:
    base = results.arms[0]
    tasks = results.facts.tasks
    right = sum(not task.repairable for task in tasks)
    return (
        ("Repairable", wording.plural(len(tasks) - right, "task")),
        ("Not repairable", wording.plural(right, "task")),
        *(
            (wording.reason(group.name), wording.plural(group.tasks, "task"))
            for group in base.families
        ),
    )


def _graded_sentence(results: StudyResults) -> str:
    totals = results.totals
    text = (
        f"{wording.plural(totals.planned, 'episode')} planned, {totals.run:,} run to an end, "
        f"{totals.graded:,} graded. "
    )
    if totals.ungraded:
        return text + (
            f"{totals.ungraded:,} left ungraded ({wording.counts(totals.reasons)}): "
            "they count as unsolved in every rate above."
        )
    return text + "Nothing was left ungraded."


def _versions(results: StudyResults) -> tuple[tuple[str, str], ...]:
    facts = results.facts
    return (
        *facts.versions.items(),
        *facts.made_with.items(),
        ("condition", facts.condition),
        *((f"arm {arm.name}", arm.digest) for arm in facts.arms),
        ("study seed", str(facts.seed)),
        ("bootstrap seed", str(facts.bootstrap_seed)),
        ("results format", str(results.format)),
    )
