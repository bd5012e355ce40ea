"""Charts as static SVG: points with their 95% intervals, one row each.

matplotlib draws the geometry, through its SVG backend and without pyplot. It never sees text of
others: it draws placeholders, and the labels are put in afterwards as XML text. So no label can be
markup or math, a glyph that its font lacks cannot matter, and no font's measures reach the bytes:
equal rows give an equal drawing on any machine. Colours become classes that the page's style sheet
sets, for light and for dark.
"""

# matplotlib's own annotations leave keyword arguments and paths unknown
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias
from xml.etree import ElementTree

from msgspec import Struct

from ringback.report.model import Role
from ringback.report.plain import one_line, visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Mark", "difference_chart", "rate_chart"]

_Side: TypeAlias = Literal["left", "center", "right"]


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


# Placeholder colours, each standing for a class of the page's style sheet.
_INK, _SOFT, _FAINT, _ACCENT, _BAND, _PAPER = (f"#00000{i}" for i in range(1, 7))
_CLASSES = {
    _INK: "ink",
    _SOFT: "soft",
    _FAINT: "faint",
    _ACCENT: "accent",
    _BAND: "band",
    _PAPER: "paper",
}
_COLOUR: dict[Role, str] = {"baseline": _INK, "noise": _SOFT, "arm": _ACCENT, "floor": _SOFT}
_SHAPE: dict[Role, str] = {"baseline": "D", "noise": "o", "arm": "o", "floor": "s"}
_SIZE: dict[Role, float] = {"baseline": 7.5, "noise": 8.0, "arm": 8.0, "floor": 6.5}

_SVG = "http://www.w3.org/2000/svg"
_LINK = "{http://www.w3.org/1999/xlink}href"


def rate_chart(name: str, title: str, marks: Sequence[Mark], *, narrow: bool = False) -> str:
    """Rates from 0 to 100% with their intervals, as an `<svg>` element.

    `name` begins every id in the drawing and must be unlike that of any other drawing on the page;
    `narrow` draws for a phone, labels above their rows. The baseline's rate is a dotted line.
    """
    frame = _Frame.of(len(marks), narrow, right=140)

    def ground(axes: Axes) -> None:
        for mark in marks:
            if mark.kind == "baseline" and mark.value is not None:
                _rule(axes, frame, mark.value, _SOFT, 1.0, dashes=(0, (1.5, 2.5)))

    ticks = {0.0: "0", 0.25: "25", 0.5: "50", 0.75: "75", 1.0: "100%"}
    return _draw(name, title, marks, frame, (0.0, 1.0), ticks, ground)


def difference_chart(name: str, title: str, marks: Sequence[Mark], *, narrow: bool = False) -> str:
    """Paired differences against the baseline with their intervals, as an `<svg>` element.

    Zero is a solid line, and the noise arm's interval a band across all rows: what a rerun with
    nothing changed moves. A mark that is not `clear` is hollow. `name` as for `rate_chart`.
    """
    ends = [abs(end) for mark in marks for end in (mark.low, mark.high, mark.value) if end]
    reach = max([0.1, *ends])
    step = next((s for s in (0.05, 0.1, 0.25) if reach <= 4 * s), 0.5)
    count = min(round(1 / step), -int(-reach / step // 1))
    ticks = {index * step: _points(index * step) for index in range(-count, count + 1)}
    if narrow and len(ticks) > 5:
        ticks = {at: words for at, words in ticks.items() if at in (min(ticks), 0, max(ticks))}
    limit = count * step
    frame = _Frame.of(len(marks), narrow, right=220, ends=("← fewer solved", "more solved →"))

    def ground(axes: Axes) -> None:
        _rule(axes, frame, 0.0, _INK, 1.0)
        for mark in marks:
            if mark.kind == "noise" and mark.low is not None and mark.high is not None:
                _band(axes, frame, mark.low, mark.high)

    return _draw(name, title, marks, frame, (-limit, limit), ticks, ground)


def _points(value: float) -> str:
    points = round(value * 100)
    return "0" if points == 0 else f"{'+' if points > 0 else '−'}{abs(points)}"


class _Frame(Struct, frozen=True):
    """Where things stand, in CSS pixels, which are the drawing's units."""

    rows: int
    narrow: bool
    width: int
    height: int
    left: int
    right: int
    foot: int
    pitch: int
    ends: tuple[str, ...]

    @classmethod
    def of(cls, rows: int, narrow: bool, *, right: int, ends: tuple[str, ...] = ()) -> _Frame:
        rows = max(rows, 1)
        pitch = 48 if narrow else 34
        foot = 46 if ends else 26
        left, right = (10, 10) if narrow else (170, right)
        width = 350 if narrow else 920
        return cls(rows, narrow, width, 8 + pitch * rows + foot, left, right, foot, pitch, ends)

    @property
    def plot(self) -> tuple[float, float, float, float]:
        """The axes' box as matplotlib wants it: fractions of the figure."""
        across = self.width - self.left - self.right
        return (
            self.left / self.width,
            self.foot / self.height,
            across / self.width,
            self.pitch * self.rows / self.height,
        )

    def x(self, fraction: float) -> float:
        return self.left + fraction * (self.width - self.left - self.right)

    def middle(self, row: int) -> float:
        return self.foot + self.pitch * (self.rows - row - 0.5)


class _Labels:
    """Placeholder texts in a figure, and the words that take their places."""

    def __init__(self, figure: Figure, frame: _Frame) -> None:
        self._figure, self._frame = figure, frame
        self.words: dict[str, str] = {}

    def put(self, words: str, x: float, y: float, side: _Side, colour: str) -> None:
        key = f"label-{len(self.words)}"
        self.words[key] = words
        across, up = x / self._frame.width, y / self._frame.height
        self._figure.text(across, up, "x", ha=side, va="baseline", color=colour, gid=key)


def _draw(
    name: str,
    title: str,
    marks: Sequence[Mark],
    frame: _Frame,
    span: tuple[float, float],
    ticks: Mapping[float, str],
    ground: Callable[[Axes], None],
) -> str:
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    if not re.fullmatch(r"[a-z][a-z0-9-]*", name):
        raise ValueError(f"{name!r} cannot begin the ids of a drawing")
    style: dict[Any, Any] = {
        "svg.fonttype": "none",
        "svg.hashsalt": "ringback",
        "text.parse_math": False,
    }
    # matplotlib counts in points: at 72 dots an inch a point is one unit of the drawing
    with rc_context(style):
        figure = Figure(figsize=(frame.width / 72, frame.height / 72), dpi=72)
        figure.patch.set_visible(False)
        labels = _Labels(figure, frame)
        axes = figure.add_axes(frame.plot)
        axes.set_axis_off()
        axes.set_xlim(*span)
        axes.set_ylim(frame.rows - 0.5, -0.5)
        for at, words in ticks.items():
            _rule(axes, frame, at, _FAINT, 0.7)
            x = frame.x((at - span[0]) / (span[1] - span[0]))
            inward: _Side = "center"
            if frame.narrow and at in span:
                inward = "left" if at == span[0] else "right"
                x += -10 if at == span[0] else 10
            labels.put(words, x, frame.foot - 18, inward, _SOFT)
        for side, words in zip(("left", "right"), frame.ends, strict=False):
            x = frame.x(0.0) if side == "left" else frame.x(1.0)
            labels.put(words, x, frame.foot - 38, side, _SOFT)
        ground(axes)
        for row, mark in enumerate(marks):
            _row(axes, labels, frame, row, mark)
        written = io.BytesIO()
        nothing = {"Date": None, "Creator": None, "Format": None, "Type": None}
        figure.savefig(written, format="svg", metadata=nothing)
    return _finish(written.getvalue(), name, title, marks, labels.words, frame)


def _strips(frame: _Frame) -> list[tuple[float, float]]:
    """Where things may stand behind the rows: on a phone not behind the labels above each row."""
    if frame.narrow:
        return [(row - 0.02, row + 0.46) for row in range(frame.rows)]
    return [(-0.5, frame.rows - 0.5)]


def _rule(
    axes: Axes, frame: _Frame, at: float, colour: str, width: float, dashes: Any = "solid"
) -> None:
    starts, ends = zip(*_strips(frame), strict=True)
    axes.vlines(
        [at] * len(starts),
        starts,
        ends,
        colors=colour,
        linewidths=width,
        linestyles=dashes,
        zorder=1,
    )


def _band(axes: Axes, frame: _Frame, low: float, high: float) -> None:
    for start, end in _strips(frame):
        axes.fill_between([low, high], start, end, color=_BAND, linewidth=0, zorder=0)


def _row(axes: Axes, labels: _Labels, frame: _Frame, row: int, mark: Mark) -> None:
    colour = _COLOUR[mark.kind]
    at = row + (0.22 if frame.narrow else 0.0)
    if mark.low is not None and mark.high is not None:
        ends = [mark.low, mark.high]
        axes.plot(ends, [at, at], color=colour, linewidth=2, solid_capstyle="butt", clip_on=False)
        axes.plot(
            ends,
            [at, at],
            linestyle="none",
            marker="|",
            markersize=9,
            markeredgewidth=1.4,
            color=colour,
            clip_on=False,
        )
    if mark.value is not None:
        axes.plot(
            [mark.value],
            [at],
            linestyle="none",
            marker=_SHAPE[mark.kind],
            markersize=_SIZE[mark.kind],
            markerfacecolor=colour if mark.clear else _PAPER,
            markeredgecolor=colour,
            markeredgewidth=1.8,
            clip_on=False,
            zorder=4,
        )
    if frame.narrow:
        base = frame.middle(row) + 6
        labels.put(one_line(mark.label, 20), 0, base, "left", _INK)
    else:
        base = frame.middle(row) - 4
        labels.put(one_line(mark.label, 20), frame.left - 16, base, "right", _INK)
    labels.put(one_line(mark.text, 40), frame.width, base, "right", _SOFT)


def _finish(
    drawn: bytes,
    name: str,
    title: str,
    marks: Sequence[Mark],
    words: Mapping[str, str],
    frame: _Frame,
) -> str:
    """The drawing as an element of a page: labels in, styles as classes, a text alternative."""
    ElementTree.register_namespace("", _SVG)
    root = ElementTree.fromstring(drawn)
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{{{_SVG}}}metadata", f"{{{_SVG}}}style"):
                parent.remove(child)
    for element in root.iter():
        key = element.get("id")
        if key is not None and key in words:
            for text in element.iter(f"{{{_SVG}}}text"):
                text.text = words[key]
        if key is not None:
            element.set("id", f"{name}-{key}")
        if (link := element.attrib.pop(_LINK, None)) is not None:
            element.set("href", f"#{name}-{link.removeprefix('#')}")
        if (clip := element.get("clip-path")) is not None:
            element.set("clip-path", clip.replace("url(#", f"url(#{name}-"))
        if element.tag == f"{{{_SVG}}}text":
            element.attrib.pop("transform", None)
        _restyle(element)
    root.attrib.clear()
    root.attrib.update(
        {
            "viewBox": f"0 0 {frame.width} {frame.height}",
            "width": str(frame.width),
            "height": str(frame.height),
            "class": "chart",
            "role": "img",
            "aria-labelledby": f"{name}-title {name}-desc",
        }
    )
    said = "; ".join(f"{one_line(mark.label, 60)}: {one_line(mark.text, 60)}" for mark in marks)
    for tag, text in (("desc", f"{said}."), ("title", visible(title))):
        element = ElementTree.Element(f"{{{_SVG}}}{tag}", {"id": f"{name}-{tag}"})
        element.text = text
        root.insert(0, element)
    return ElementTree.tostring(root, encoding="unicode")


def _restyle(element: ElementTree.Element) -> None:
    """Move a style attribute, which the page's content policy forbids, into attributes."""
    style = element.attrib.pop("style", "")
    classes: set[str] = set()
    for part in style.split(";"):
        key, _, value = (piece.strip() for piece in part.partition(":"))
        if key in ("fill", "stroke") and value in _CLASSES:
            classes.add(f"{key[0]}-{_CLASSES[value]}")
        elif key and not key.startswith("font"):  # the page sets the type
            element.set(key, value)
    if classes:
        element.set("class", " ".join(sorted(classes)))
