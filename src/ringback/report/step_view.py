"""A step check on the study page, in words."""

from __future__ import annotations

from msgspec import Struct

from ringback.report import step_words, wording
from ringback.report.step_model import OUTCOMES, StepCheckResults, StepPart, StepTarget

__all__ = ["Counted", "StepLine", "StepView", "step_view"]


class Counted(Struct, frozen=True):
    """A count of how many, and its share: both empty where there is nothing of the kind."""

    count: str
    percent: str


class StepLine(Struct, frozen=True, kw_only=True):
    """One model's row."""

    model: str
    repeat: bool
    answered: tuple[str, ...]
    same: Counted
    interval: str
    design_effect: str
    exact: str
    calls: Counted
    texts: Counted
    difference: str
    intervals: tuple[str, ...]
    reading: str
    outcomes: tuple[str, ...]
    cost: str
    missing: str


class StepView(Struct, frozen=True, kw_only=True):
    """The section: what was sampled, what was left out and why, the models, the remarks.

    `cut` says that not all of a request went to every model; `beside` says what, among the remarks.
    """

    sampled: str
    excluded: tuple[str, ...]
    lines: tuple[StepLine, ...]
    outcomes: tuple[str, ...]
    cut: bool
    beside: tuple[str, ...]
    largest: str


def step_view(found: StepCheckResults) -> StepView:
    """The section of a step check."""
    sample = found.sample
    names = [name for name in OUTCOMES if any(_of(target, name) for target in found.targets)]
    largest = sample.largest / sample.sampled if sample.sampled else None
    left = tuple(words for target in found.targets for words in step_words.not_sent(target))
    return StepView(
        sampled=step_words.sampled(sample),
        excluded=tuple(step_words.excluded(sample.excluded)),
        lines=tuple(_line(target, names) for target in found.targets),
        outcomes=tuple(map(step_words.outcome, names)),
        cut=bool(left),
        beside=(*left, *found.notes),
        largest=f"{wording.plural(sample.clusters, 'session')}, the largest with "
        f"{wording.percent(largest)} of the calls",
    )


def _of(target: StepTarget, name: str) -> int:
    return sum(count.count for count in target.whole.outcomes if count.name == name)


def _counted(part: StepPart | None) -> Counted:
    if part is None:
        return Counted("", "")
    count, _, percent = step_words.same(part).partition(" (")
    return Counted(count, percent.rstrip(")"))


def _line(target: StepTarget, names: list[str]) -> StepLine:
    _, interval = step_words.rate(target.whole)
    versus = target.versus
    calls = target.whole.rate.calls
    return StepLine(
        model=target.model,
        repeat=target.repeat,
        answered=tuple(
            f"answered as {each.name or wording.UNKNOWN}, {each.count:,} times"
            for each in target.answered
            if each.other
        ),
        same=_counted(target.whole),
        interval=interval,
        design_effect=step_words.design_effect(target.whole.rate.design_effect),
        exact=step_words.exact(target),
        calls=_counted(target.call),
        texts=_counted(target.text),
        difference="" if versus is None else wording.points(versus.difference),
        intervals=() if versus is None else step_words.intervals(versus),
        reading="" if versus is None else step_words.reading(versus),
        outcomes=tuple(f"{_of(target, name):,} of {calls:,}" for name in names),
        cost=wording.cost(target.cost),
        missing=f"{target.missing:,} of {calls + target.missing:,} not answered yet"
        if target.missing
        else "",
    )
