"""A step check on the study page, in words."""

from __future__ import annotations

from msgspec import Struct

from ringback.report import step_words, wording
from ringback.report.step_model import OUTCOMES, StepCheckResults, StepTarget

__all__ = ["StepLine", "StepView", "step_view"]


class StepLine(Struct, frozen=True, kw_only=True):
    """One model's row."""

    model: str
    repeat: bool
    answered: tuple[str, ...]
    same: str
    interval: str
    design_effect: str
    exact: str
    calls: str
    texts: str
    difference: str
    studentized: str
    reading: str
    outcomes: tuple[str, ...]
    cost: str
    missing: str
    not_sent: tuple[str, ...]


class StepView(Struct, frozen=True, kw_only=True):
    """The section: what was sampled, what was left out and why, the models, the remarks."""

    sampled: str
    excluded: tuple[str, ...]
    lines: tuple[StepLine, ...]
    outcomes: tuple[str, ...]
    notes: tuple[str, ...]
    largest: str


def step_view(found: StepCheckResults) -> StepView:
    """The section of a step check."""
    sample = found.sample
    names = [name for name in OUTCOMES if any(_of(target, name) for target in found.targets)]
    largest = sample.largest / sample.sampled if sample.sampled else None
    return StepView(
        sampled=step_words.sampled(sample),
        excluded=tuple(step_words.excluded(sample.excluded)),
        lines=tuple(_line(target, names) for target in found.targets),
        outcomes=tuple(map(step_words.outcome, names)),
        notes=found.notes,
        largest=f"{wording.plural(sample.clusters, 'session')}, the largest with "
        f"{wording.percent(largest)} of the calls",
    )


def _of(target: StepTarget, name: str) -> int:
    return sum(count.count for count in target.whole.outcomes if count.name == name)


def _line(target: StepTarget, names: list[str]) -> StepLine:
    _, interval = step_words.rate(target.whole)
    versus = target.versus
    return StepLine(
        model=target.model,
        repeat=target.repeat,
        answered=tuple(
            f"answered as {each.name or wording.UNKNOWN}, {each.count:,} times"
            for each in target.answered
            if each.other
        ),
        same=step_words.same(target.whole),
        interval=interval,
        design_effect=step_words.design_effect(target.whole.rate.design_effect),
        exact=f"{target.whole.exact:,}",
        calls=step_words.same(target.call),
        texts=step_words.same(target.text),
        difference="" if versus is None else step_words.versus(versus),
        studentized="" if versus is None else step_words.interval_ends(versus.studentized),
        reading="" if versus is None else step_words.reading(versus),
        outcomes=tuple(f"{_of(target, name):,}" for name in names),
        cost=wording.cost(target.cost),
        missing=f"{target.missing:,} not answered yet" if target.missing else "",
        not_sent=tuple(step_words.not_sent(target)),
    )
