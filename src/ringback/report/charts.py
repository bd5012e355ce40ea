"""Charts of one row an arm: rates, paired differences, steps; how they are made: `drawing`."""

# matplotlib's own annotations leave keyword arguments and paths unknown
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil
from typing import TYPE_CHECKING

from msgspec import Struct

from ringback.report.drawing import (
    ACCENT,
    FAINT,
    INK,
    PAPER,
    SOFT,
    Frame,
    Labels,
    Side,
    band,
    drawing,
    fitted,
    rule,
    text_width,
)
from ringback.report.model import Role
from ringback.report.plain import one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["COLOUR", "SHAPE", "Mark", "Spread", "difference_chart", "rate_chart", "steps_chart"]


class Mark(Struct, frozen=True):
    """One row: a value with its interval, in fractions of one (0.25 is 25% or 25 points).

    `text` stands at the right end of the row. `value` is None where there is nothing to show.
    `clear` is False for a difference that cannot be told from none.
    """

    label: str
    text: str
    value: float | None
    low: float | None
    high: float | None
    kind: Role = "arm"
    clear: bool = True


class Spread(Struct, frozen=True):
    """One row of counts: the least, both quartiles, the median, the most; None where no count is.

    `text` stands at the right end of the row.
    """

    label: str
    text: str
    ends: tuple[float, float, float, float, float] | None
    kind: Role = "arm"


COLOUR: dict[Role, str] = {"baseline": INK, "noise": SOFT, "arm": ACCENT, "floor": SOFT}
SHAPE: dict[Role, str] = {"baseline": "D", "noise": "o", "arm": "o", "floor": "s"}
_GAP = 16  # between the points and the text at a row's end
_SIZE: dict[Role, float] = {"baseline": 7.5, "noise": 8.0, "arm": 8.0, "floor": 6.5}


def rate_chart(name: str, title: str, marks: Sequence[Mark], *, narrow: bool = False) -> str:
    """Rates from 0 to 100% with their intervals, as an `<svg>` element.

    `name` begins every id in the drawing and must be unlike that of any other drawing on the page;
    `narrow` draws for a phone, labels above their rows. The baseline's rate is a dotted line.
    """
    frame = Frame.of(_labels(marks), narrow, right=_room(marks, 140))

    def ground(axes: Axes) -> None:
        for mark in marks:
            if mark.kind == "baseline" and mark.value is not None:
                rule(axes, frame, mark.value, SOFT, 1.0, dashes=(0, (1.5, 2.5)))

    ticks = {0.0: "0", 0.25: "25", 0.5: "50", 0.75: "75", 1.0: "100%"}
    return _marks(name, title, marks, frame, (0.0, 1.0), ticks, ground)


def difference_chart(
    name: str,
    title: str,
    marks: Sequence[Mark],
    *,
    narrow: bool = False,
    ends: tuple[str, str] = ("fewer solved", "more solved"),
) -> str:
    """Paired differences against the baseline with their intervals, as an `<svg>` element.

    Zero is a solid line, and the interval of the noise arm's difference a band across all rows. A
    mark that is not `clear` is hollow. `ends` say what less and more are. `name` as for
    `rate_chart`.
    """
    far = [abs(end) for mark in marks for end in (mark.low, mark.high, mark.value) if end]
    reach = max([0.1, *far])
    step = next((s for s in (0.05, 0.1, 0.25) if reach <= 4 * s), 0.5)
    count = min(round(1 / step), -int(-reach / step // 1))
    ticks = {index * step: _points(index * step) for index in range(-count, count + 1)}
    if narrow and len(ticks) > 5:
        ticks = {at: words for at, words in ticks.items() if at in (min(ticks), 0, max(ticks))}
    limit = count * step
    below = (f"← {ends[0]}", f"{ends[1]} →")
    frame = Frame.of(_labels(marks), narrow, right=_room(marks, 220), ends=below)

    def ground(axes: Axes) -> None:
        rule(axes, frame, 0.0, INK, 1.0)
        for mark in marks:
            if mark.kind == "noise" and mark.low is not None and mark.high is not None:
                band(axes, frame, mark.low, mark.high)

    return _marks(name, title, marks, frame, (-limit, limit), ticks, ground)


def steps_chart(
    name: str,
    title: str,
    marks: Sequence[Spread],
    *,
    narrow: bool = False,
    limit: float | None = None,
) -> str:
    """Steps to an episode: a thin line from least to most, a thick one over the middle half.

    A point stands at the median. `limit`, where an episode is ended, is a dotted line if it is in
    reach. `name` as for `rate_chart`.
    """
    most = max([10.0, *(mark.ends[-1] for mark in marks if mark.ends)])
    step = next(s for s in (5.0 * 10**e * m for e in range(12) for m in (1, 2, 4)) if most <= 5 * s)
    count = -int(-most // step)
    frame = Frame.of(_labels(marks), narrow, right=_room(marks, 220), ends=("", "steps"))
    ticks = {index * step: f"{index * step:,.0f}" for index in range(count + 1)}

    def ground(axes: Axes) -> None:
        if limit is not None and limit <= count * step:
            rule(axes, frame, limit, SOFT, 1.0, dashes=(0, (1.5, 2.5)))

    def row(axes: Axes, index: int) -> None:
        mark = marks[index]
        if mark.ends is None:
            return
        at = index + (0.22 if narrow else 0.0)
        least, low, middle, high, top = mark.ends
        colour = COLOUR[mark.kind]
        for ends, width in (((least, top), 1.4), ((low, high), 6.0)):
            axes.plot(
                ends, [at, at], color=colour, linewidth=width, solid_capstyle="butt", clip_on=False
            )
        _point(axes, middle, at, mark.kind, clear=False)

    texts = [(mark.label, mark.text) for mark in marks]
    return _rows(name, title, texts, frame, (0.0, count * step), ticks, ground, row)


def _labels(marks: Sequence[Mark] | Sequence[Spread]) -> list[str]:
    return [one_line(mark.label, 60) for mark in marks]


def _room(marks: Sequence[Mark] | Sequence[Spread], least: int) -> int:
    """The room at the end of the rows: what the longest text there needs, up to a third."""
    longest = max((text_width(_said(mark.text)) for mark in marks), default=0.0)
    return ceil(min(max(least, longest + _GAP), 310))


def _said(text: str) -> str:
    return one_line(text, 40)


def _points(value: float) -> str:
    points = round(value * 100)
    return "0" if points == 0 else f"{'+' if points > 0 else '−'}{abs(points)}"


def _marks(
    name: str,
    title: str,
    marks: Sequence[Mark],
    frame: Frame,
    span: tuple[float, float],
    ticks: Mapping[float, str],
    ground: Callable[[Axes], None],
) -> str:
    def row(axes: Axes, index: int) -> None:
        mark = marks[index]
        colour = COLOUR[mark.kind]
        at = index + (0.22 if frame.narrow else 0.0)
        if mark.low is not None and mark.high is not None:
            ends, both = [mark.low, mark.high], [at, at]
            axes.plot(ends, both, color=colour, linewidth=2, solid_capstyle="butt", clip_on=False)
            axes.plot(
                ends,
                both,
                linestyle="none",
                marker="|",
                markersize=9,
                markeredgewidth=1.4,
                color=colour,
                clip_on=False,
            )
        if mark.value is not None:
            _point(axes, mark.value, at, mark.kind, clear=mark.clear)

    texts = [(mark.label, mark.text) for mark in marks]
    return _rows(name, title, texts, frame, span, ticks, ground, row)


def _point(axes: Axes, value: float, at: float, kind: Role, *, clear: bool) -> None:
    axes.plot(
        [value],
        [at],
        linestyle="none",
        marker=SHAPE[kind],
        markersize=_SIZE[kind],
        markerfacecolor=COLOUR[kind] if clear else PAPER,
        markeredgecolor=COLOUR[kind],
        markeredgewidth=1.8,
        clip_on=False,
        zorder=4,
    )


def _rows(
    name: str,
    title: str,
    texts: Sequence[tuple[str, str]],
    frame: Frame,
    span: tuple[float, float],
    ticks: Mapping[float, str],
    ground: Callable[[Axes], None],
    row: Callable[[Axes, int], None],
) -> str:
    """A drawing of rows, each with its label and a text at its end."""

    def draw(axes: Axes, labels: Labels) -> None:
        for at, words in ticks.items():
            rule(axes, frame, at, FAINT, 0.7)
            x = frame.x((at - span[0]) / (span[1] - span[0]))
            inward: Side = "center"
            if frame.narrow and at in span:
                inward = "left" if at == span[0] else "right"
                x += -10 if at == span[0] else 10
            labels.put(words, x, frame.foot - 18, inward, SOFT)
        for side, words in zip(("left", "right"), frame.ends, strict=False):
            if words:
                x = frame.x(0.0) if side == "left" else frame.x(1.0)
                labels.put(words, x, frame.foot - 38, side, SOFT)
        ground(axes)
        for index, (label, text) in enumerate(texts):
            row(axes, index)
            said = _said(text) if frame.narrow else fitted(_said(text), frame.right - _GAP)
            x, base, side, room = frame.left - 16, frame.middle(index) - 4, "right", frame.left - 16
            if frame.narrow:
                x, base, side = 0, frame.middle(index) + 6, "left"
                room = frame.width - round(text_width(said)) - 10
            labels.put(fitted(label, room), x, base, side, INK)
            labels.put(said, frame.width, base, "right", SOFT)

    said = "; ".join(f"{one_line(label, 60)}: {one_line(text, 60)}" for label, text in texts)
    return drawing(name, title, f"{said}.", frame, draw, across=span)
