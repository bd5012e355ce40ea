"""Charts over two axes: cost against rate, and failures by fault and arm."""

# matplotlib's own annotations leave keyword arguments and paths unknown
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import TYPE_CHECKING

from msgspec import Struct

from ringback.report.charts import COLOUR, SHAPE
from ringback.report.drawing import (
    BAD,
    FAINT,
    INK,
    PAPER,
    SOFT,
    Frame,
    Labels,
    Side,
    drawing,
    fitted,
    text_width,
)
from ringback.report.model import Role
from ringback.report.plain import one_line
from ringback.report.wording import percent, usd

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["CostMark", "FaultRow", "cost_chart", "fault_chart", "names_fit"]

_APART = 13.0  # units between points that would cover each other
_LINE = 15  # units from line to line


class CostMark(Struct, frozen=True):
    """An arm: what its agent costs an episode in US dollars, and its rate with the interval.

    `low` and `high` are None where the rate has no interval. `kind` is the arm's role.
    """

    label: str
    usd: float
    rate: float
    low: float | None
    high: float | None
    kind: Role = "arm"


class FaultRow(Struct, frozen=True):
    """A fault: in each arm how many episodes with it were planned, and how many not solved."""

    label: str
    cells: tuple[tuple[int, int], ...]


def cost_chart(name: str, title: str, marks: Sequence[CostMark], *, narrow: bool = False) -> str:
    """Rates, upward, against the agent's cost of an episode, as an `<svg>` element.

    Points that would cover each other are set apart, side by side. On a phone they have the numbers
    of their rows in `marks`, from 1. `name` begins every id in the drawing.
    """
    frame = _plane(narrow)
    most = max([mark.usd for mark in marks], default=0.0) or 1.0
    step = next(m * 10.0**e for e in range(-9, 12) for m in (1, 2, 5) if most <= 4 * m * 10.0**e)
    limit = -int(-most // step) * step

    def place(cost: float, rate: float) -> tuple[float, float]:
        up = frame.height - frame.foot - 14
        return frame.x(cost / limit), frame.foot + rate * up

    def draw(axes: Axes, labels: Labels) -> None:
        for index in range(5):
            axes.axhline(index / 4, color=FAINT, linewidth=0.7, zorder=0)
            words = "100%" if index == 4 else str(25 * index)
            labels.put(words, frame.left - 8, place(0, index / 4)[1] - 4, "right", SOFT)
        ticks = round(limit / step)
        for index in range(ticks + 1):
            axes.axvline(index * step, color=FAINT, linewidth=0.7, zorder=0)
            if narrow and 0 < index < ticks:
                continue
            labels.put(
                usd(index * step), place(index * step, 0)[0], frame.foot - 18, "center", SOFT
            )
        labels.put("cost of the agent, an episode →", frame.x(1.0), 4, "right", SOFT)
        shifts = _shifts([place(mark.usd, mark.rate) for mark in marks])
        unit = limit / (frame.width - frame.left - frame.right)
        for mark, shift in zip(marks, shifts, strict=True):
            colour, at = COLOUR[mark.kind], mark.usd + shift * unit
            if mark.low is not None and mark.high is not None:
                ends = [mark.low, mark.high]
                axes.plot([at] * 2, ends, color=colour, linewidth=1.6, clip_on=False)
            axes.plot(
                [at],
                [mark.rate],
                linestyle="none",
                marker=SHAPE[mark.kind],
                markersize=8,
                color=colour,
                clip_on=False,
                zorder=4,
            )
        points = [
            (place(mark.usd, mark.rate)[0] + shift, place(mark.usd, mark.rate)[1])
            for mark, shift in zip(marks, shifts, strict=True)
        ]
        words = [
            str(index + 1) if narrow else fitted(mark.label, 250)
            for index, mark in enumerate(marks)
        ]
        for said, (x, y, side) in zip(words, _spots(points, words, frame), strict=True):
            labels.put(said, x, y - 4, side, INK)

    said = "; ".join(
        f"{one_line(mark.label, 60)}: {percent(mark.rate)} at {usd(mark.usd)} an episode"
        for mark in marks
    )
    return drawing(name, title, f"{said}.", frame, draw, across=(0.0, limit), up=(0.0, 1.0))


def _plane(narrow: bool) -> Frame:
    width, height = (350, 300) if narrow else (920, 380)
    left, right = (50, 22) if narrow else (60, 60)
    foot = 46
    return Frame(1, narrow, width, height, left, right, foot, height - foot - 14)


def _shifts(points: Sequence[tuple[float, float]]) -> list[float]:
    """How far to the right each point is moved, so that none covers another."""
    taken: list[tuple[float, float]] = []
    shifts: list[float] = []
    for x, y in points:
        at = x
        while any(abs(at - a) < _APART and abs(y - b) < _APART for a, b in taken):
            at += 1.0
        taken.append((at, y))
        shifts.append(at - x)
    return shifts


def _spots(
    points: Sequence[tuple[float, float]], words: Sequence[str], frame: Frame
) -> list[tuple[float, float, Side]]:
    """Where each point's words stand: beside it, moved up or down until they cover nothing.

    Nothing but lines, which can be seen behind them.
    """
    taken = [(x - 7, y - 7, x + 7, y + 7) for x, y in points]
    found: list[tuple[float, float, Side]] = []
    for (x, y), said in zip(points, words, strict=True):
        wide = text_width(said)
        ways: list[tuple[tuple[float, float, float, float], tuple[float, float, Side]]] = []
        for move in range(2 * frame.height // _LINE):
            up = y + (move + 1) // 2 * (_LINE if move % 2 else -_LINE)
            if not 14 <= up <= frame.height - 7:
                continue
            if x + 10 + wide <= frame.width:
                ways.append(((x + 10, up - 7, x + 10 + wide, up + 7), (x + 10, up, "left")))
            if x - 10 - wide >= 0:
                ways.append(((x - 10 - wide, up - 7, x - 10, up + 7), (x - 10, up, "right")))
        ways.append(((x, y, x, y), (x, y, "center")))  # in a drawing too small for it
        box, spot = next(
            (way for way in ways if not any(_meet(way[0], other) for other in taken)), ways[0]
        )
        taken.append(box)
        found.append(spot)
    return found


def _meet(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def names_fit(rows: Sequence[FaultRow], arms: Sequence[str]) -> bool:
    """Whether the columns of the wide `fault_chart` have the arms' names, whole, and no numbers."""
    return _heads(arms, (920 - _faults_left(rows) - 8) / max(len(arms), 1)) is not None


def _faults_left(rows: Sequence[FaultRow]) -> int:
    longest = max((text_width(one_line(row.label, 60)) for row in rows), default=0.0)
    return round(min(max(200, longest + 16), 330))


def _heads(arms: Sequence[str], column: float) -> list[tuple[str, ...]] | None:
    """The names of the columns, in one line or two; None where one of them has no room."""
    found: list[tuple[str, ...]] = []
    for arm in arms:
        name = one_line(arm, 60)
        ways = [(name,)]
        ways += [(name[:at].rstrip(), name[at:].lstrip()) for at in _breaks(name)]
        fit = [way for way in ways if max(map(text_width, way)) <= column - 2]
        if not fit:
            return None
        found.append(min(fit, key=lambda way: (len(way), max(map(text_width, way)))))
    return found


def _breaks(name: str) -> list[int]:
    """After which characters a name may go on in the next line."""
    return [at + 1 for at in range(len(name) - 1) if name[at] in "-_/:. "]


def fault_chart(
    name: str, title: str, rows: Sequence[FaultRow], *, arms: Sequence[str], narrow: bool = False
) -> str:
    """Shares of episodes not solved, by fault and arm, as an `<svg>` element.

    A disc's area is the share; a ring without a disc means that all were solved, nothing that no
    episode had the fault. Columns have the arms' names where there is room for all (`names_fit`),
    else their numbers from 1. `name` begins every id in the drawing.
    """
    count = max(len(arms), 1)
    width = 350 if narrow else 920
    left = 8 if narrow else _faults_left(rows)
    column = (width - left - 8) / count
    heads = None if narrow else _heads(arms, column)
    lines = max(map(len, heads)) if heads else 1
    top, pitch = 8 + 16 * lines, 46 if narrow else 30
    height = top + pitch * max(len(rows), 1) + 6
    frame = Frame(max(len(rows), 1), narrow, width, height, left, 8, 6, pitch)
    radius = min(column / 2 - 2, pitch / 2 - 3, 11.0) if not narrow else min(column / 2 - 1, 10.0)

    def draw(axes: Axes, labels: Labels) -> None:
        for index in range(len(arms)):
            head = heads[index] if heads else (str(index + 1),)
            for line, words in enumerate(reversed(head)):
                at = height - top + 10 + 16 * line
                labels.put(words, left + column * (index + 0.5), at, "center", SOFT)
        for index, row in enumerate(rows):
            at = index + (0.2 if narrow else 0.0)
            middle = frame.middle(index)
            if narrow:
                labels.put(fitted(row.label, width), 0, middle + 10, "left", INK)
            else:
                labels.put(fitted(row.label, left - 14), left - 14, middle - 4, "right", INK)
            for place, (planned, failed) in enumerate(row.cells):
                if not planned:
                    continue
                for share, fill, edge in ((1.0, PAPER, SOFT), (failed / planned, BAD, BAD)):
                    if share:
                        axes.plot(
                            [place + 0.5],
                            [at],
                            linestyle="none",
                            marker="o",
                            markersize=2 * radius * sqrt(share),
                            markerfacecolor=fill,
                            markeredgecolor=edge,
                            markeredgewidth=0.8,
                            clip_on=False,
                        )

    said = "; ".join(
        f"{one_line(row.label, 60)}: "
        + ", ".join(
            f"{one_line(arm, 40)} {failed} of {planned}"
            for arm, (planned, failed) in zip(arms, row.cells, strict=True)
            if planned
        )
        for row in rows
    )
    words = f"Not solved, of the episodes with the fault. {said}."
    return drawing(name, title, words, frame, draw, across=(0.0, float(count)))
