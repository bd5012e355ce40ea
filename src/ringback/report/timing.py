"""How long episodes took: kept apart from the results, which must not differ between runs."""

from __future__ import annotations

from collections.abc import Iterable
from math import fsum
from statistics import median

from msgspec import Struct

from ringback.report.model import EpisodeRow, StudyFacts

__all__ = ["ArmTiming", "timing"]


class ArmTiming(Struct, frozen=True):
    """Active seconds per episode, over the `episodes` for which they are known.

    `mean` and `median` are None where they are known for none.
    """

    name: str
    episodes: int
    mean: float | None
    median: float | None


def timing(facts: StudyFacts, rows: Iterable[EpisodeRow]) -> tuple[ArmTiming, ...]:
    """The time of each arm's ended episodes, in the order of `facts.arms`."""
    seconds: dict[str, list[float]] = {arm.name: [] for arm in facts.arms}
    for row in rows:
        if row.ending is not None and row.seconds is not None:
            seconds[row.arm].append(row.seconds)
    return tuple(
        ArmTiming(name, len(known), fsum(known) / len(known), median(known))
        if known
        else ArmTiming(name, 0, None, None)
        for name, known in seconds.items()
    )
