"""How a chart becomes static SVG: the ground that every drawing here stands on.

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
from unicodedata import east_asian_width
from xml.etree import ElementTree

from msgspec import Struct

from ringback.report.plain import one_line, visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "ACCENT",
    "BAD",
    "BAND",
    "FAINT",
    "INK",
    "PAPER",
    "SOFT",
    "Frame",
    "Labels",
    "Side",
    "band",
    "drawing",
    "fitted",
    "rule",
    "text_width",
]

Side: TypeAlias = Literal["left", "center", "right"]

# Placeholder colours, each standing for a class of the page's style sheet.
INK, SOFT, FAINT, ACCENT, BAND, PAPER, BAD = (f"#00000{i}" for i in range(1, 8))
_CLASSES = {
    INK: "ink",
    SOFT: "soft",
    FAINT: "faint",
    ACCENT: "accent",
    BAND: "band",
    PAPER: "paper",
    BAD: "bad",
}

_THIN, _NARROW, _BROAD = "ijl.,:;'|! ", "tfrI()[]-/", "mwMW@%"

_SVG = "http://www.w3.org/2000/svg"
_LINK = "{http://www.w3.org/1999/xlink}href"


class Frame(Struct, frozen=True):
    """Where things stand, in CSS pixels, which are the drawing's units."""

    rows: int
    narrow: bool
    width: int
    height: int
    left: int
    right: int
    foot: int
    pitch: int
    ends: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, labels: Sequence[str], narrow: bool, *, right: int, ends: tuple[str, ...] = ()
    ) -> Frame:
        """The frame of a chart of rows, `labels` beside them or, narrow, above them.

        `right` is the room for what stands at a row's end, `ends` the words below the axis. Longer
        labels get more room, up to a third of the drawing.
        """
        rows, longest = len(labels), max(map(text_width, labels), default=0.0)
        rows = max(rows, 1)
        pitch = 48 if narrow else 34
        foot = 46 if ends else 26
        left, right = (10, 10) if narrow else (round(min(max(170, longest + 18), 310)), right)
        width = 350 if narrow else 920
        return cls(rows, narrow, width, 8 + pitch * rows + foot, left, right, foot, pitch, ends)

    @property
    def strips(self) -> list[tuple[float, float]]:
        """Where things may stand behind the rows: on a phone not behind the labels above each."""
        if self.narrow:
            return [(row - 0.02, row + 0.46) for row in range(self.rows)]
        return [(-0.5, self.rows - 0.5)]

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
        """How far from the left a share of the plot's width is."""
        return self.left + fraction * (self.width - self.left - self.right)

    def middle(self, row: int) -> float:
        """How far from the bottom the middle of a row is."""
        return self.foot + self.pitch * (self.rows - row - 0.5)


def text_width(text: str) -> float:
    """About how wide a text is in a drawing, in its units: rather too much than too little.

    No font is measured, for no two machines have the same.
    """
    return sum(map(_width, text))


def _width(character: str) -> float:
    if character in _BROAD or east_asian_width(character) in "WF":
        return 13.8
    if character in _THIN or character in _NARROW:
        return 4.5 if character in _THIN else 5.8
    if character in "csxyz":
        return 8.0
    return 10.0 if character.isupper() else 8.9


def fitted(text: str, width: float) -> str:
    """The text on one line, and in so much room: cut with an ellipsis where it needs more."""
    line = one_line(text, 200)
    if text_width(line) <= width:
        return line
    while line and text_width(line) + text_width("…") > width:
        line = line[:-1].rstrip()
    return f"{line}…"


class Labels:
    """Placeholder texts in a figure, and the words that take their places."""

    def __init__(self, figure: Figure, frame: Frame) -> None:
        self._figure, self._frame = figure, frame
        self.words: dict[str, str] = {}

    def put(self, words: str, x: float, y: float, side: Side, colour: str) -> None:
        """Words at a place counted from the lower left, to be put in when all is drawn."""
        key = f"label-{len(self.words)}"
        self.words[key] = words
        across, up = x / self._frame.width, y / self._frame.height
        self._figure.text(across, up, "x", ha=side, va="baseline", color=colour, gid=key)


def drawing(
    name: str,
    title: str,
    said: str,
    frame: Frame,
    draw: Callable[[Axes, Labels], None],
    *,
    across: tuple[float, float],
    up: tuple[float, float] | None = None,
) -> str:
    """What `draw` draws into the plot of the frame, as an `<svg>` element.

    `name` begins every id in the drawing and must be unlike that of any other drawing on the page;
    `title` and `said` are its text alternative. `across` and `up` are the limits of the two axes,
    `up` the rows from top to bottom if None.
    """
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
        labels = Labels(figure, frame)
        axes = figure.add_axes(frame.plot)
        axes.set_axis_off()
        axes.set_xlim(*across)
        axes.set_ylim(*(up or (frame.rows - 0.5, -0.5)))
        draw(axes, labels)
        written = io.BytesIO()
        nothing = {"Date": None, "Creator": None, "Format": None, "Type": None}
        figure.savefig(written, format="svg", metadata=nothing)
    return _finish(written.getvalue(), name, title, said, labels.words, frame)


def rule(
    axes: Axes, frame: Frame, at: float, colour: str, width: float, dashes: Any = "solid"
) -> None:
    """An upright line through all rows."""
    starts, ends = zip(*frame.strips, strict=True)
    axes.vlines(
        [at] * len(starts),
        starts,
        ends,
        colors=colour,
        linewidths=width,
        linestyles=dashes,
        zorder=1,
    )


def band(axes: Axes, frame: Frame, low: float, high: float) -> None:
    """A wash behind all rows."""
    for start, end in frame.strips:
        axes.fill_between([low, high], start, end, color=BAND, linewidth=0, zorder=0)


def _finish(
    drawn: bytes,
    name: str,
    title: str,
    said: str,
    words: Mapping[str, str],
    frame: Frame,
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
    for tag, text in (("desc", visible(said)), ("title", visible(title))):
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
