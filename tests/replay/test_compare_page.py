"""The page of two sessions side by side, in a real browser: it runs nothing and fits."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Literal

import pytest

from ringback.replay.compare import Recorded, compare
from ringback.replay.compare_page import compare_page
from tests.report.browser import Browser, chromium, open_browser
from tests.report.calls import TELECOM, UGLY, repair, ugly

needs_browser = pytest.mark.skipif(
    chromium() is None, reason="there is no Chromium on this machine"
)


@pytest.fixture(scope="module")
def browser() -> Generator[Browser]:
    path = chromium()
    assert path is not None
    with open_browser(path) as opened:
        yield opened


def page(text: str) -> bytes:
    return compare_page(compare(Recorded(ugly(text), TELECOM), Recorded(repair(), TELECOM)))


def test_a_page_is_whole_in_itself() -> None:
    made = page("Hello").decode()
    assert "default-src &#39;none&#39;" in made
    assert "<script" not in made
    assert "http" not in made.replace("http-equiv", "")


@needs_browser
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_loads_alone_and_fits(
    browser: Browser, tmp_path: Path, width: int, scheme: Literal["light", "dark"]
) -> None:
    path = tmp_path / "c.html"
    path.write_bytes(page("word " * 40 + "x" * 400))
    seen = browser.load(path, width=width, scheme=scheme)
    assert seen.complaints == []
    assert [url for url in seen.requests if not url.startswith("file:")] == []
    assert browser.ask("document.documentElement.scrollWidth") <= width
    sides = browser.ask(
        "[...document.querySelectorAll('.log .pair')[0].children]"
        ".map(e => e.getBoundingClientRect().left)"
    )
    assert (sides[0] < sides[1]) == (width == 1280)  # beside each other, or below


@needs_browser
@pytest.mark.parametrize("text", UGLY)
def test_recorded_text_does_nothing_to_the_page(
    browser: Browser, tmp_path: Path, text: str
) -> None:
    path = tmp_path / "c.html"
    path.write_bytes(page(text))
    seen = browser.load(path)
    assert seen.complaints == []
    assert " beside " in browser.ask("document.title")
    assert browser.ask("getComputedStyle(document.body).display") != "none"
