"""How far the figures of a step check carry, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ringback.report.step_model import StepSample, StepTarget
from ringback.report.wording import counts, listing, percent, plural
from ringback.stats import FEW_CLUSTERS

__all__ = ["notes"]


def notes(sample: StepSample, targets: Sequence[StepTarget], changed: int) -> Iterator[str]:
    """What has to be said beside the figures; `changed` calls were recorded of another identity."""
    yield from _of_sample(sample)
    repeat = next((target for target in targets if target.repeat), None)
    if repeat is None:
        yield "There is no repeat, so what chance alone changes is not known."
    else:
        yield from _of_repeat(sample, repeat, changed)
    for target in targets:
        yield from _of_target(sample, target)


def _of_sample(sample: StepSample) -> Iterator[str]:
    if sample.sampled < sample.asked_for:
        yield (
            f"{plural(sample.asked_for, 'call')} were asked for, and "
            f"{plural(sample.sampled, 'is', 'are')} all that can be sent again."
        )
    if sample.without_model:
        yield f"{plural(sample.without_model, 'session')}: the agent asked no model."
    if sample.unreadable:
        yield f"{plural(sample.unreadable, 'session')} cannot be read and took no part."
    without = {count.name: count.count for count in sample.schemas}
    bare, some = without.get("none", 0), without.get("some", 0)
    if bare or some:
        told = [f"any of the tools in {plural(bare, 'call')}"] if bare else []
        told += [f"some of them in {plural(some, 'call')}"] if some else []
        yield (
            f"The record has no schema of the arguments for {listing(told)}: there every model "
            "saw names and descriptions only."
        )
    if sample.texts_beside:
        yield (
            f"{plural(sample.texts_beside, 'recorded call')} had text beside the tool calls, which "
            "is not compared."
        )
    if sample.clusters < FEW_CLUSTERS:
        yield (
            f"The calls come from {plural(sample.clusters, 'session')}; with fewer than "
            f"{FEW_CLUSTERS} the intervals of differences are rough."
        )
    share = sample.largest / sample.sampled
    if sample.clusters > 1 and share > 2 / sample.clusters and share > 1 / 3:
        yield f"One session has {percent(share)} of the calls."


def _of_repeat(sample: StepSample, repeat: StepTarget, changed: int) -> Iterator[str]:
    recorded = [count.name for count in sample.recorded]
    if recorded != [repeat.model]:
        yield (
            f"The calls were recorded of {listing(recorded)}; {repeat.model} is taken for the "
            "repeat, as was asked."
        )
    if changed:
        yield (
            f"{repeat.model} has another endpoint, other weights or settings than when "
            f"{plural(changed, 'call was', 'calls were')} recorded."
        )


def _of_target(sample: StepSample, target: StepTarget) -> Iterator[str]:
    if target.missing:
        missing = f"{target.missing:,} of {plural(sample.sampled, 'call')}"
        yield f"{target.model} has not answered {missing} yet, and these are in no figure."
    others = [found for found in target.answered if found.other]
    if others:
        told = listing([f"{found.name} ({plural(found.count, 'call')})" for found in others])
        yield f"{target.model} was answered under another name: {told}."
    if target.failures:
        total = sum(count.count for count in target.failures)
        yield (
            f"{plural(total, 'call')} to {target.model} failed ({counts(target.failures)}) and "
            "count as not the same."
        )
