"""Steps, time and tokens of an episode, in words: means with their intervals, for every medium."""

from __future__ import annotations

from msgspec import Struct

from ringback.report import wording
from ringback.report.model import PerEpisode, Steps
from ringback.stats import Interval, Mean

__all__ = ["TOOK", "MeanWords", "steps_mean", "took"]

TOOK = ("seconds at work", "tokens in", "of them cached", "tokens out")
"""The heads of the columns of `took`, in their order."""


class MeanWords(Struct, frozen=True):
    """A mean and its interval; `left_out` says of how many episodes the value is not known."""

    mean: str
    interval: str
    left_out: str

    @property
    def line(self) -> str:
        """All of it on one line: ``12.3 (10.1 to 14.0; 2 of 40 unknown)``."""
        beside = "; ".join(part for part in (self.interval, self.left_out) if part)
        return f"{self.mean} ({beside})" if beside else self.mean


def took(value: PerEpisode | None) -> tuple[MeanWords, ...]:
    """What a side's calls took in an episode, in the order of `TOOK`."""
    if value is None:
        return (MeanWords("no model", "", ""),) * len(TOOK)
    return (
        _words(value.seconds, 1),
        _words(value.input, 0),
        _words(value.cached, 0),
        _words(value.output, 0),
    )


def steps_mean(value: Steps | None) -> MeanWords:
    """The mean number of steps."""
    if value is None:
        return MeanWords("none ended", "", "")
    return MeanWords(f"{value.mean:.1f}", _ends(value.interval, 1), "")


def _words(value: Mean, digits: int) -> MeanWords:
    left_out = f"{value.unknown:,} of {value.unknown + value.episodes:,} unknown"
    if value.mean is None:
        return MeanWords(wording.UNKNOWN, "", "")
    return MeanWords(
        f"{value.mean:,.{digits}f}",
        _ends(value.interval, digits),
        left_out if value.unknown else "",
    )


def _ends(value: Interval | None, digits: int) -> str:
    return "" if value is None else f"{value.low:,.{digits}f} to {value.high:,.{digits}f}"
