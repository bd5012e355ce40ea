"""The rows of the study page's charts."""

from __future__ import annotations

from collections.abc import Callable

from ringback.report import wording
from ringback.report.arm_lines import (
    BY_CONSTRUCTION,
    few_told,
    floors_last,
    rate_words,
    versus_words,
)
from ringback.report.charts import Mark, Spread
from ringback.report.model import ArmResults, Rate, StudyResults
from ringback.report.planes import CostMark, FaultRow
from ringback.report.step_model import StepCheckResults

__all__ = [
    "cost_marks",
    "difference_marks",
    "fault_rows",
    "part_marks",
    "rate_marks",
    "step_marks",
    "steps_marks",
]


def rate_marks(results: StudyResults) -> tuple[Mark, ...]:
    """The rows of the chart of rates, floor controls last."""
    return _marks(results, lambda arm: arm.rate)


def part_marks(results: StudyResults, *, repairable: bool) -> tuple[Mark, ...]:
    """The rows of the chart of rates on the tasks that can, or cannot, be repaired."""
    return _marks(results, lambda arm: arm.repairable if repairable else arm.unrepairable)


def difference_marks(results: StudyResults) -> tuple[Mark, ...]:
    """The rows of the chart of differences, floor controls last.

    What is zero by construction has no interval: it is no evidence.
    """
    marks: list[Mark] = []
    for arm in floors_last(results.arms):
        if arm.versus is None:
            continue
        words = versus_words(arm.versus)
        found = arm.versus.difference
        interval = None if words.interval == BY_CONSTRUCTION else found.interval
        text = f"{words.points} [{words.interval}]"
        marks.append(
            Mark(
                arm.name,
                text + (f", {wording.FEW}" if few_told(arm.versus) else ""),
                found.difference,
                interval.low if interval else None,
                interval.high if interval else None,
                arm.role,
                clear=arm.versus.claimed != "not distinguishable",
            )
        )
    return tuple(marks)


def steps_marks(results: StudyResults) -> tuple[Spread, ...]:
    """The rows of the chart of steps."""
    marks: list[Spread] = []
    for arm in floors_last(results.arms):
        steps = arm.steps
        if steps is None or steps.least is None or steps.lower is None or steps.upper is None:
            marks.append(Spread(arm.name, "none ended", None, arm.role))
            continue
        ends = (steps.least, steps.lower, steps.median, steps.upper, steps.most)
        text = f"median {steps.median:g}, {steps.least} to {steps.most}"
        least, lower, middle, upper, most = map(float, ends)
        marks.append(Spread(arm.name, text, (least, lower, middle, upper, most), arm.role))
    return tuple(marks)


def cost_marks(results: StudyResults) -> tuple[CostMark, ...]:
    """The points of the chart of cost: arms whose whole cost is known, over the episodes begun."""
    marks: list[CostMark] = []
    for index, arm in enumerate(results.arms):
        cost = arm.agent_cost
        if cost is None or cost.unpriced or cost.maybe_charged or arm.rate.rate is None:
            continue
        begun = sum(cell.session is not None for row in results.grid for cell in row.cells[index])
        interval = arm.rate.interval
        marks.append(
            CostMark(
                arm.name,
                cost.usd / begun,
                arm.rate.rate,
                interval.low if interval else None,
                interval.high if interval else None,
                arm.role,
            )
        )
    return tuple(marks)


def fault_rows(results: StudyResults) -> tuple[FaultRow, ...]:
    """The rows of the chart of faults, those that failed most first."""
    faults = [each.fault for each in results.arms[0].by_fault]
    rows = [
        FaultRow(
            wording.reason(fault),
            tuple(
                (arm.by_fault[place].planned, arm.by_fault[place].failed) for arm in results.arms
            ),
        )
        for place, fault in enumerate(faults)
    ]
    return tuple(sorted(rows, key=_failed, reverse=True))


def step_marks(found: StepCheckResults) -> tuple[Mark, ...]:
    """The rows of the chart of a step check: each model's difference to the repeat."""
    marks: list[Mark] = []
    for target in found.targets:
        if target.versus is None:
            continue
        versus = target.versus
        interval = versus.percentile
        ends = (
            "no spread"
            if interval is None
            else (f"{wording.points(interval.low)} to {wording.points(interval.high)}")
        )
        marks.append(
            Mark(
                target.model,
                f"{wording.points(versus.difference)} [{ends}]",
                versus.difference,
                interval.low if interval else None,
                interval.high if interval else None,
                clear=versus.unadjusted != "not distinguishable",
            )
        )
    return tuple(marks)


def _failed(row: FaultRow) -> tuple[float, int]:
    planned = sum(cell[0] for cell in row.cells)
    failed = sum(cell[1] for cell in row.cells)
    return (failed / planned if planned else 0.0, failed)


def _marks(results: StudyResults, part: Callable[[ArmResults], Rate]) -> tuple[Mark, ...]:
    marks: list[Mark] = []
    for arm in floors_last(results.arms):
        rate = part(arm)
        words = rate_words(rate)
        marks.append(
            Mark(
                arm.name,
                f"{words.share} · {words.percent}" if rate.planned else "no such task",
                rate.rate,
                rate.interval.low if rate.interval else None,
                rate.interval.high if rate.interval else None,
                arm.role,
                clear=arm.role != "noise",
            )
        )
    return tuple(marks)
