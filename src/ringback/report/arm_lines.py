"""An arm's row in the tables of the page, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from ringback.report import wording
from ringback.report.method import arm_text
from ringback.report.model import (
    ArmFacts,
    ArmResults,
    Comparison,
    Rate,
    Sensitivity,
    SensitivityName,
    Totals,
)
from ringback.report.took import MeanWords, steps_mean, took
from ringback.stats import CostPerSolved, PairedDifference

__all__ = [
    "BY_CONSTRUCTION",
    "SENSITIVITY",
    "ArmLine",
    "ArmName",
    "RateWords",
    "VersusWords",
    "arm_line",
    "few_told",
    "floors_last",
    "per_solved_words",
    "rate_words",
    "versus_words",
]

SENSITIVITY: dict[SensitivityName, str] = {
    "without_infrastructure": "without infrastructure failures",
    "without_simulator_faults": "without episodes in which the simulator was at fault",
}
"""What each sensitivity line leaves out."""

BY_CONSTRUCTION = "by construction"
"""Stands for the interval of a difference that could not have been another."""

_TAGS = {"baseline": "baseline", "noise": "noise", "floor": "control", "arm": ""}


class RateWords(Struct, frozen=True):
    """A rate in words; `worth` says what episodes that hang together are worth, where they do."""

    solved: str
    planned: str
    percent: str
    interval: str
    share: str
    worth: str


class VersusWords(Struct, frozen=True, kw_only=True):
    """A paired difference in words; `reverse_*` is the baseline minus the arm."""

    points: str
    interval: str
    reverse_points: str
    reverse_interval: str
    remark: str
    better: int
    worse: int
    pairs: int
    verdict: str
    verdict_class: str
    unadjusted: str
    tests: tuple[str, ...]
    remarks: tuple[str, ...]


class ArmName(Struct, frozen=True):
    """An arm's name with its role and what it is."""

    name: str
    tag: str
    about: str


class SensitiveWords(Struct, frozen=True):
    """A sensitivity line: how many of the arm's episodes it leaves out, and what is left."""

    left_out: str
    rate: RateWords
    difference: str


class ArmLine(Struct, frozen=True, kw_only=True):
    """One arm's row in the tables."""

    name: str
    tag: str
    about: str
    short: ArmName
    rate: RateWords
    repairable: RateWords
    unrepairable: RateWords
    part_rates: tuple[RateWords, ...]
    part_differences: tuple[str, str]
    versus: VersusWords | None
    ungraded: str
    ended: str
    steps: str
    steps_middle: str
    steps_range: str
    steps_mean: MeanWords
    agent_took: tuple[MeanWords, ...]
    user_took: tuple[MeanWords, ...]
    pass_k: tuple[str, ...]
    sensitivity: tuple[SensitiveWords, ...]
    pairs: str
    totals: Totals
    reasons: str
    endings: str
    conduct: str
    strict: str
    agent_cost: str
    user_cost: str
    per_solved: tuple[str, str]
    faults: str


def arm_line(arm: ArmResults, facts: ArmFacts) -> ArmLine:
    """The row of an arm."""
    about = arm_text(facts)
    tag = _TAGS[arm.role] if _TAGS[arm.role] != arm.name else ""
    steps, versus = arm.steps, arm.versus
    parts = (versus.repairable, versus.unrepairable) if versus else (None, None)
    known = steps is not None and steps.lower is not None
    return ArmLine(
        name=arm.name,
        tag=tag,
        about=about,
        short=ArmName(arm.name, tag, ""),
        rate=rate_words(arm.rate),
        repairable=rate_words(arm.repairable),
        unrepairable=rate_words(arm.unrepairable),
        part_rates=(
            rate_words(arm.repairable),
            rate_words(arm.unrepairable),
            *(rate_words(group.rate) for group in arm.families),
        ),
        part_differences=(
            "" if parts[0] is None else _points_and_ends(parts[0]),
            "" if parts[1] is None else _points_and_ends(parts[1]),
        ),
        versus=None if versus is None else versus_words(versus),
        ungraded=f"{arm.totals.ungraded:,}",
        ended=f"{0 if steps is None else steps.episodes:,} of {arm.totals.planned:,}",
        steps="none" if steps is None else f"{steps.median:g}",
        steps_middle=f"{steps.lower} to {steps.upper}" if known and steps else "none",
        steps_range=f"{steps.least} to {steps.most}" if known and steps else "none",
        steps_mean=steps_mean(steps),
        agent_took=took(arm.agent_took),
        user_took=took(arm.user_took),
        pass_k=tuple(
            "undefined"
            if each.value is None
            else f"{wording.percent(each.value)}"
            + (f" ({wording.percent_interval(each.interval)})" if each.interval else "")
            for each in arm.pass_k
        ),
        sensitivity=tuple(_sensitive(each, arm.totals.planned) for each in arm.sensitivity),
        pairs="" if versus is None else _pairs(versus),
        totals=arm.totals,
        reasons=wording.counts(arm.totals.reasons) or "none",
        endings=wording.counts(arm.endings) or "none",
        conduct=wording.counts(arm.conduct) or "none",
        strict=f"{arm.strict_differs:,}",
        agent_cost=wording.cost(arm.agent_cost),
        user_cost=wording.cost(arm.user_cost),
        per_solved=per_solved_words(arm.cost_per_solved),
        faults=wording.faults(arm.faults, arm.user_cost),
    )


def floors_last(arms: Iterable[ArmResults]) -> list[ArmResults]:
    """The arms in order, controls at the end."""
    return sorted(arms, key=lambda arm: arm.role == "floor")


def rate_words(rate: Rate) -> RateWords:
    """A rate in words, ``none`` where nothing was planned."""
    return RateWords(
        solved=f"{rate.solved:,}",
        planned=f"{rate.planned:,}",
        percent=wording.percent(rate.rate) if rate.planned else "none",
        interval=wording.percent_interval(rate.interval) if rate.planned else "none",
        share=f"{rate.solved:,}/{rate.planned:,}",
        worth="" if rate.effective is None else f"worth {rate.effective:.1f} independent ones",
    )


def per_solved_words(value: CostPerSolved | None) -> tuple[str, str]:
    """The cost per solved task and its interval; why there is none."""
    if value is None:
        return "no model", ""
    if value.lacking == "none solved":
        return "undefined", "none solved"
    if value.value is None:
        return wording.UNKNOWN, "a price is unknown"
    if value.low is None:
        return wording.usd(value.value), "no spread"
    high = "no upper end: some resamples solve none" if value.unbounded else wording.usd(value.high)
    return wording.usd(value.value), f"{wording.usd(value.low)} to {high}"


def versus_words(versus: Comparison) -> VersusWords:
    """A comparison with the baseline in words."""
    found = versus.difference
    interval = reverse = found.remark or wording.UNKNOWN
    remark = ""
    if versus.by_construction and not (found.better or found.worse):
        interval = reverse = BY_CONSTRUCTION
    elif found.interval is not None:
        low, high = found.interval.low, found.interval.high
        interval = f"{wording.points(low)} to {wording.points(high)}"
        reverse = f"{wording.points(-high)} to {wording.points(-low)}"
        remark = found.remark or ""
    told = versus.settled and versus.claimed != "not distinguishable"
    return VersusWords(
        points=wording.points(found.difference),
        interval=interval,
        reverse_points=wording.points(-found.difference),
        reverse_interval=reverse,
        remark=remark,
        better=found.better,
        worse=found.worse,
        pairs=found.pairs,
        verdict=wording.reading(versus),
        verdict_class=f"verdict {'good' if versus.claimed == 'better' else 'bad'}"
        if told
        else "same",
        unadjusted=wording.unadjusted(versus),
        tests=tuple(_tests(versus)),
        remarks=tuple(_remarks(versus)),
    )


def few_told(versus: Comparison | None) -> bool:
    """Whether a verdict is printed that rests on few changes."""
    return versus is not None and versus.few and versus.claimed != "not distinguishable"


def _tests(versus: Comparison) -> Iterator[str]:
    test = versus.test
    if test is None:
        return
    name = test.test.removeprefix("exact ")
    yield f"{name[0].upper()}{name[1:]} p {wording.p_value(test.p)}"
    yield f"Holm p {wording.p_value(test.adjusted)}"


def _remarks(versus: Comparison) -> Iterator[str]:
    if not versus.settled:
        yield "the episodes without a graded outcome decide it"
    if versus.completed is not None:
        yield (
            f"both graded, {wording.plural(versus.completed.pairs, 'pair')}: "
            f"{wording.difference(versus.completed)}"
        )


def _pairs(versus: Comparison) -> str:
    pairs = versus.pairs
    said = [f"{pairs.both:,} of {pairs.planned:,} in both"]
    for what, count in (
        ("only in this arm", pairs.only_arm),
        ("only in the baseline", pairs.only_baseline),
        ("in neither", pairs.neither),
    ):
        if count:
            said.append(f"{count:,} {what}")
    return ", ".join(said)


def _sensitive(found: Sensitivity, planned: int) -> SensitiveWords:
    difference = "" if found.difference is None else _points_and_ends(found.difference)
    return SensitiveWords(f"{found.left_out:,} of {planned:,}", rate_words(found.rate), difference)


def _points_and_ends(found: PairedDifference) -> str:
    ends = found.remark or wording.UNKNOWN
    if found.interval is not None:
        ends = f"{wording.points(found.interval.low)} to {wording.points(found.interval.high)}"
    return f"{wording.points(found.difference)} ({ends})"
