"""Differences as drawn and told: a row has room for its ends, and says what it rests on."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from ringback.overview import words
from ringback.overview.model import Condition, Overview, Versus
from ringback.overview.page import page
from ringback.overview.report import write_overview
from ringback.overview.view import difference_marks
from ringback.report import wording
from ringback.stats import PairedDifference, Tally, arm_tests, paired_difference
from tests.overview.made import record, report


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Overview:
    """A report with a condition of two arms."""
    store = tmp_path_factory.mktemp("drawn") / "s.db"
    record(store, "reference")
    record(store, "hasty")
    return report(store)


def difference(*gains: int, pairs: int = 1) -> PairedDifference:
    """The difference of tasks that were gained (1), lost (-1) or came out the same."""
    tallies = [Tally(pairs, max(gain, 0), max(-gain, 0)) for gain in gains]
    return paired_difference(tallies, seed=0, resamples=2000)


def condition(base: Overview, *found: PairedDifference, again: bool = False) -> Condition:
    """The condition with these differences of arms called ``arm 0`` and so on."""
    (one,) = base.conditions
    tests = arm_tests([[Tally(1, 1, 0)] * 12] * len(found), seed=0, draws=2000, level=0.95)
    versus = tuple(
        Versus(
            arm=f"arm {place}",
            baseline="reference",
            pairs=each.pairs,
            unpaired=(),
            difference=each,
            test=None if again else test,
            claimed=each.verdict,
            again=again,
            flips=(),
        )
        for place, (each, test) in enumerate(zip(found, tests, strict=True))
    )
    return replace(one, versus=versus)


CLEAR = difference(*[-1] * 12, *[0] * 8)
FEW = difference(*[-1] * 8, *[0] * 8)
NONE = difference(*[0] * 12)
UNSURE = difference(1, -1, 1, *[0] * 9)
NO_INTERVAL = difference(*[1] * 8, pairs=3)


def test_a_row_of_the_drawing_has_the_ends_alone(base: Overview) -> None:
    found = condition(base, CLEAR, FEW, NONE, UNSURE, NO_INTERVAL)
    assert NONE.remark == "no task changed outcome"
    assert NO_INTERVAL.interval is None
    texts = [mark.text for mark in difference_marks(found)]
    assert texts[0] == f"−60.0 [{wording.difference_ends(CLEAR)}]"
    assert texts[1] == f"−50.0 [{wording.difference_ends(FEW)}], few changes"
    assert NONE.interval is not None
    ends = f"{wording.points(NONE.interval.low)} to {wording.points(NONE.interval.high)}"
    assert texts[2] == f"0.0 [{ends}]"
    assert "few" not in texts[3]
    assert texts[4].startswith("+33.3 [no interval]")
    assert all(len(text) <= 40 for text in texts)


def test_points_of_what_is_not_told_from_the_baseline_are_hollow(base: Overview) -> None:
    marks = difference_marks(condition(base, CLEAR, NONE, UNSURE))
    assert [mark.clear for mark in marks] == [True, False, False]
    assert [mark.value for mark in marks] == [-0.6, 0.0, pytest.approx(1 / 12)]


def test_the_caption_says_what_is_drawn(base: Overview) -> None:
    def caption(found: Condition) -> str:
        text = page(replace(base, conditions=(found,))).decode()
        return text.partition("Points are differences")[2].partition("</figcaption>")[0]

    assert "or Tango’s where every task shows the same difference" in caption(condition(base, NONE))
    assert "fewer than 10 tasks changed outcome" in caption(condition(base, FEW))
    for plain in (condition(base, CLEAR), condition(base, UNSURE)):
        assert "Few changes" not in caption(plain)
        assert "band" not in caption(plain)
    assert "The shaded band" in caption(condition(base, UNSURE, again=True))


def test_what_the_adjustment_leaves_out_is_said_in_the_words_of_this_report(base: Overview) -> None:
    told = words.readings_told(condition(base, CLEAR, FEW))
    assert "for 2 arms; an arm of the baseline's content stands outside that." in told
    assert "noise" not in told
    assert "controls" not in told
    assert "outside" not in words.readings_told(condition(base, CLEAR))
    assert "noise and controls stand outside that." in wording.readings_told(2)


def test_a_report_that_cannot_be_made_leaves_the_one_before(base: Overview, tmp_path: Path) -> None:
    index = write_overview(base, tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    assert len(before) == 3
    broken = [replace(line, blame="nobody") for line in base.sessions]
    other = replace(base, headline=("Otherwise.",), sessions=tuple(broken))
    with pytest.raises(KeyError):
        write_overview(other, tmp_path)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert index in before
