"""A study's arms as tables of plain text, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

from msgspec import Struct

from ringback.report import wording
from ringback.report.arm_lines import per_solved_words
from ringback.report.model import Comparison, StudyResults
from ringback.report.took import TOOK, steps_mean, took
from ringback.stats import ArmTest

__all__ = ["ArmTable", "arm_tables"]

Column: TypeAlias = tuple[str, Literal["left", "right", "wrap"]]


_TOOK: tuple[Column, ...] = tuple((head, "wrap") for head in TOOK)


class ArmTable(Struct, frozen=True):
    """Headings with how their columns are set, a row an arm, and what is to be said below."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    below: str = ""


def arm_tables(results: StudyResults) -> tuple[ArmTable, ...]:
    """The rates, the differences from the baseline, what episodes took and what they cost.

    The latter two are there where a model was asked, the differences where there is a second arm.
    """
    found = [_rates(results)]
    if len(results.arms) > 1:
        found.append(_differences(results))
    if results.asked_models:
        found += [*_took(results), _costs(results)]
    return tuple(found)


def _rates(results: StudyResults) -> ArmTable:
    return ArmTable(
        (
            ("arm", "left"),
            ("solved", "right"),
            ("rate", "right"),
            (f"{wording.level(results.facts.level)} interval", "left"),
        ),
        tuple(
            (
                arm.name,
                wording.solved(arm.rate),
                wording.percent(arm.rate.rate),
                wording.percent_interval(arm.rate.interval),
            )
            for arm in results.arms
        ),
    )


def _differences(results: StudyResults) -> ArmTable:
    compared = results.compared
    return ArmTable(
        (
            ("arm", "left"),
            (f"points, {wording.level(results.facts.level)} interval", "wrap"),
            ("unadjusted", "wrap"),
            (wording.readings(compared)[1], "wrap"),
            ("Holm's p" if compared > 1 else "p", "right"),
        ),
        tuple(
            (
                arm.name,
                _difference(arm.versus),
                wording.unadjusted(arm.versus),
                wording.reading(arm.versus),
                _p(arm.versus.test),
            )
            for arm in results.arms
            if arm.versus is not None
        ),
        wording.readings_told(compared),
    )


def _p(test: ArmTest | None) -> str:
    """The p by which an arm is called, for a narrow column; of a single arm its own."""
    return "" if test is None else wording.p_value(test.adjusted).replace("below ", "<")


def _difference(versus: Comparison) -> str:
    """The difference in points with its interval, or what stands in the interval's place."""
    found = versus.difference
    match found.remark:
        case None:
            return f"{wording.points(found.difference)}, {wording.difference_ends(found)}"
        case "same difference in every task":
            return f"{wording.points(found.difference)} in every task"
        case remark:
            return remark if versus.by_construction else wording.difference_ends(found)


def _took(results: StudyResults) -> Iterator[ArmTable]:
    sure = wording.level(results.facts.level)
    sides = {
        "agent": [arm.agent_took for arm in results.arms],
        "user": [arm.user_took for arm in results.arms],
    }
    for side, all_took in sides.items():
        if any(all_took):
            yield ArmTable(
                (("arm", "left"), ("steps", "wrap"), *_TOOK),
                tuple(
                    (
                        arm.name,
                        steps_mean(arm.steps).line,
                        *(words.line for words in took(arm_took)),
                    )
                    for arm, arm_took in zip(results.arms, all_took, strict=True)
                ),
                f"An episode's steps, and what the {side}'s model took in it: means with their "
                f"{sure} intervals, over the episodes that ended.",
            )


def _costs(results: StudyResults) -> ArmTable:
    return ArmTable(
        (
            ("arm", "left"),
            ("cost of the agent", "wrap"),
            ("a solved task", "left"),
            ("cost of the user", "wrap"),
            ("faults of the simulator", "wrap"),
        ),
        tuple(
            (
                arm.name,
                wording.cost(arm.agent_cost),
                per_solved_words(arm.cost_per_solved)[0],
                wording.cost(arm.user_cost),
                wording.faults(arm.faults, arm.user_cost),
            )
            for arm in results.arms
        ),
        f"All model calls of this study: {wording.cost(results.cost)}.",
    )
