"""What a chart promises: the same bytes, legible in light and dark, told in words, inert."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from ringback.report.charts import Mark, Spread, difference_chart, rate_chart, steps_chart
from ringback.report.drawing import fitted, text_width
from ringback.report.planes import CostMark, FaultRow, cost_chart, fault_chart, names_fit
from tests.report.calls import UGLY

RATES = (
    Mark("baseline", "36/40  90.0%", 0.9, 0.769, 0.96, "baseline"),
    Mark("noise", "38/40  95.0%", 0.95, 0.835, 0.986, "noise", clear=False),
    Mark("careless", "24/40  60.0%", 0.6, 0.446, 0.737),
    Mark("do-nothing", "0/40  0.0%", 0.0, 0.0, 0.088, "floor"),
    Mark("empty", "no such task", None, None, None),
)
DIFFERENCES = (
    Mark("noise", "+5.0", 0.05, -0.075, 0.175, "noise", clear=False),
    Mark("careless", "−30.0", -0.3, -0.475, -0.125),
    Mark("do-nothing", "−90.0", -0.9, -0.975, -0.8, "floor"),
    Mark("same", "no task changed outcome", 0.0, None, None, clear=False),
)
STEPS = (
    Spread("baseline", "median 23, 11 to 29", (11, 17, 23, 29, 29), "baseline"),
    Spread("careless", "median 21, 5 to 100", (5, 17, 21, 27, 100)),
    Spread("unplayed", "none ended", None),
)
COSTS = (
    CostMark("baseline", 0.012, 0.9, 0.77, 0.96, "baseline"),
    CostMark("careless", 0.011, 0.89, 0.75, 0.95),
    CostMark("dear", 0.05, 0.5, 0.4, 0.6),
    CostMark("free", 0.0, 0.0, None, None, "floor"),
)
FAULTS = (
    FaultRow("airplane mode on", ((8, 0), (8, 2), (0, 0))),
    FaultRow("bad vpn", ((3, 3), (3, 1), (3, 0))),
)
ARMS = ("baseline", "careless", "third")
CHARTS: list[Callable[[], str]] = [
    lambda: rate_chart("rates", "Solve rates", RATES),
    lambda: rate_chart("rates", "Solve rates", RATES, narrow=True),
    lambda: difference_chart("differences", "Differences", DIFFERENCES),
    lambda: difference_chart("differences", "Differences", DIFFERENCES, narrow=True),
]
SVG = "{http://www.w3.org/2000/svg}"


OTHERS: list[Callable[[], str]] = [
    lambda: steps_chart("steps", "Steps", STEPS, limit=100),
    lambda: steps_chart("steps", "Steps", STEPS, narrow=True),
    lambda: cost_chart("cost", "Cost", COSTS),
    lambda: cost_chart("cost", "Cost", COSTS, narrow=True),
    lambda: fault_chart("faults", "Faults", FAULTS, arms=ARMS),
    lambda: fault_chart("faults", "Faults", FAULTS, arms=ARMS, narrow=True),
]


@pytest.mark.parametrize("draw", CHARTS + OTHERS)
def test_equal_rows_give_equal_bytes(draw: Callable[[], str]) -> None:
    assert draw() == draw()


def test_another_process_draws_the_same() -> None:
    code = (
        "import sys; from tests.report.test_charts import CHARTS, OTHERS; "
        "sys.stdout.reconfigure(encoding='utf-8'); "
        "print(*(draw() for draw in CHARTS + OTHERS))"
    )
    drawn = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
        ).stdout
        for seed in ("1", "2")
    }
    assert drawn == {" ".join(draw() for draw in CHARTS + OTHERS).encode() + b"\n"}


@pytest.mark.parametrize("draw", CHARTS)
def test_a_chart_is_told_in_words(draw: Callable[[], str]) -> None:
    root = ElementTree.fromstring(draw())
    assert root.get("role") == "img"
    title, described = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert described is not None
    assert root.get("aria-labelledby") == f"{title.get('id')} {described.get('id')}"
    assert described.text is not None
    for mark in RATES if "Solve" in (title.text or "") else DIFFERENCES:
        assert f"{mark.label}: " in described.text
    written = {text.text for text in root.iter(f"{SVG}text")}
    assert "careless" in written
    assert "100%" in written or {"+100", "0", "−100"} <= written


@pytest.mark.parametrize(
    ("draw", "words"),
    [
        (OTHERS[0], ["careless: median 21, 5 to 100", "unplayed: none ended"]),
        (OTHERS[2], ["careless: 89.0% at $0.011 an episode", "free: 0.0% at $0 an episode"]),
        (OTHERS[4], ["airplane mode on: baseline 0 of 8, careless 2 of 8;", "baseline 3 of 3"]),
    ],
)
def test_every_figure_of_the_others_is_told_in_words(
    draw: Callable[[], str], words: list[str]
) -> None:
    described = ElementTree.fromstring(draw()).find(f"{SVG}desc")
    assert described is not None
    for each in words:
        assert each in (described.text or "")


def texts(drawn: str) -> list[tuple[str, float, float]]:
    root = ElementTree.fromstring(drawn)
    return [
        (text.text or "", float(text.get("x", "nan")), float(text.get("y", "nan")))
        for text in root.iter(f"{SVG}text")
    ]


def test_labels_of_points_that_lie_together_do_not_cover_each_other() -> None:
    close = [CostMark(f"arm {n}", 0.01, 0.5 + n / 1000, 0.4, 0.6) for n in range(8)]
    for narrow in (False, True):
        root = ElementTree.fromstring(cost_chart("cost", "Cost", close, narrow=narrow))
        boxes = [
            (float(use.get("x", "")) - 4, float(use.get("y", "")) - 4, 8.0)
            for use in root.iter(f"{SVG}use")
            if "f-accent" in use.get("class", "")
        ]
        assert len(boxes) == 8
        names = {str(n + 1) if narrow else f"arm {n}" for n in range(8)}
        for text in root.iter(f"{SVG}text"):
            if text.text in names and "f-ink" in text.get("class", ""):
                wide = text_width(text.text)
                x = float(text.get("x", "")) - (wide if text.get("text-anchor") == "end" else 0)
                boxes.append((x, float(text.get("y", "")) - 10, wide))
        assert len(boxes) == 16
        for place, (x, y, wide) in enumerate(boxes):
            for x2, y2, wide2 in boxes[place + 1 :]:
                assert x + wide <= x2 or x2 + wide2 <= x or abs(y - y2) >= 8


def test_many_arms_have_numbers_where_names_have_no_room() -> None:
    few = {words for words, _, _ in texts(fault_chart("f", "F", FAULTS, arms=ARMS))}
    assert {"baseline", "careless", "third"} <= few
    rows = [FaultRow("one", ((1, 0),) * 12)]
    names = [f"one-of-several-arms-{n}" for n in range(12)]
    many = {words for words, _, _ in texts(fault_chart("f", "F", rows, arms=names))}
    assert {str(n) for n in range(1, 13)} <= many
    assert names_fit(FAULTS, ARMS)
    assert not names_fit(rows, names)


def test_no_name_is_cut_at_the_head_of_a_column() -> None:
    names = ["impatient", "transfer-at-once", "do-nothing", "rule", *(f"arm {n}" for n in range(5))]
    rows = [FaultRow("user abroad roaming disabled off", ((1, 0),) * 9)]
    assert names_fit(rows, names)
    written = [words for words, _, _ in texts(fault_chart("f", "F", rows, arms=names))]
    assert {"impatient", "transfer-", "at-once", "rule", rows[0].label} <= set(written)
    assert not [words for words in written if "…" in words]


def test_a_long_name_of_an_arm_has_room() -> None:
    name = "openrouter:anthropic/claude-sonnet"
    for draw in (rate_chart, difference_chart):
        assert name in {words for words, _, _ in texts(draw("r", "R", [Mark(name, "", 0.5, 0, 1)]))}
        narrow = texts(draw("r", "R", [Mark(name, "", 0.5, 0, 1)], narrow=True))
        assert name in {words for words, _, _ in narrow}
    assert fitted("m" * 100, 50.0) == "mm…"


def test_points_at_one_place_stand_side_by_side() -> None:
    alike = [CostMark(f"arm {n}", 0.01, 0.5, 0.4, 0.6) for n in range(4)]
    root = ElementTree.fromstring(
        cost_chart("cost", "Cost", [*alike, CostMark("x", 0.04, 1, 0, 1)])
    )
    places = sorted(
        float(use.get("x", "nan"))
        for use in root.iter(f"{SVG}use")
        if use.get("y") is not None and "f-accent" in use.get("class", "")
    )
    assert len(places) == 5
    assert all(after - before >= 12 for before, after in pairwise(places))


@pytest.mark.parametrize("draw", CHARTS + OTHERS)
def test_colours_and_type_are_the_pages(draw: Callable[[], str]) -> None:
    root = ElementTree.fromstring(draw())
    for element in root.iter():
        assert element.tag.removeprefix(SVG) != "style"
        assert not {"style", "font-family", "font-size"} & set(element.attrib)
        for name in ("fill", "stroke"):
            assert element.get(name, "none") == "none"
    assert "1970" not in draw()
    assert "matplotlib.org" not in draw()


def test_drawings_of_one_page_share_no_ids() -> None:
    drawn = [rate_chart("a", "A", RATES), rate_chart("b", "B", RATES)]
    ids = [re.findall(r' id="([^"]+)"', each) for each in drawn]
    assert len(set(ids[0])) == len(ids[0])
    assert not set(ids[0]) & set(ids[1])
    for own, text in zip(ids, drawn, strict=True):
        assert set(re.findall(r'(?:href="#|url\(#)([^")]+)', text)) <= set(own)


def test_a_name_that_is_no_id_is_refused() -> None:
    for name in ("", "A b", '"><script>', "1"):
        with pytest.raises(ValueError, match="cannot begin"):
            rate_chart(name, "Title", RATES)


@pytest.mark.parametrize("text", [*UGLY, "\ud800 half", "$\\frac{1}{0}$", "z" * 1_000_000])
def test_labels_are_text(text: str) -> None:
    for draw in (rate_chart, difference_chart):
        drawn = draw("rates", text, [Mark(text, text, 0.5, 0.25, 0.75)])
        drawn.encode()
        root = ElementTree.fromstring(drawn)
        tags = {element.tag.removeprefix(SVG) for element in root.iter()}
        assert tags <= {
            "svg",
            "title",
            "desc",
            "defs",
            "g",
            "path",
            "use",
            "text",
            "clipPath",
            "rect",
        }
        assert len(drawn) < 30_000 + len(text)
        for element in root.iter():
            assert not [name for name in element.attrib if name.startswith("on")]


@pytest.mark.parametrize("reach", [0.0, 0.01, 0.1, 0.19, 0.5, 0.99, 1.0])
def test_differences_of_any_size_fit(reach: float) -> None:
    drawn = difference_chart("d", "D", [Mark("a", "", -reach, -reach, reach)])
    root = ElementTree.fromstring(drawn)
    width = float(root.get("width", "0"))
    places = [float(element.get("x", "0")) for element in root.iter() if "x" in element.attrib]
    assert all(0 <= place <= width for place in places)


def test_no_rows_is_an_empty_chart() -> None:
    assert "<svg" in rate_chart("none", "Nothing", ())


ENDS = (
    "−25.0 [−45.0 to −5.0], few changes",
    "+100.0 [−100.0 to +100.0], few changes",
    "+33.3 [same difference in every task]",
    "1,114 of 1,114 · 100.0%",
    "m" * 60,
)


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("draw", [rate_chart, difference_chart])
def test_what_stands_at_the_end_of_a_row_keeps_off_its_points(
    end: str, draw: Callable[[str, str, list[Mark]], str]
) -> None:
    root = ElementTree.fromstring(draw("r", "R", [Mark("arm", end, 1.0, -1.0, 1.0)]))
    written = {text.text or "": text for text in root.iter(f"{SVG}text")}
    (shown,) = [words for words in written if words[:5] == end[:5]]
    assert shown == end or "mmm" in end
    left = float(written[shown].get("x", "nan")) - text_width(shown)
    points = [float(use.get("x", "nan")) for use in root.iter(f"{SVG}use") if use.get("x")]
    assert points
    assert left > max(points) + 6
