"""The pages in a real browser: they load alone, run nothing, fit, and can be read and reached."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any, Literal

import pytest

from ringback.report.page import transcript_page, write_report
from ringback.report.transcript import transcript
from tests.report.browser import Browser, chromium, open_browser
from tests.report.calls import TELECOM, UGLY, ugly
from tests.report.test_page import hostile, results, told

pytestmark = pytest.mark.skipif(chromium() is None, reason="there is no Chromium on this machine")

WIDE, PHONE = 1280, 390


@pytest.fixture(scope="module")
def browser() -> Generator[Browser]:
    path = chromium()
    assert path is not None
    with open_browser(path) as opened:
        yield opened


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report(results(), told, tmp_path_factory.mktemp("report")).parent


def pages(report: Path) -> list[Path]:
    return [report / "index.html", next((report / "transcripts").iterdir())]


@pytest.mark.parametrize("width", [WIDE, PHONE])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_loads_alone_and_fits(
    browser: Browser, report: Path, width: int, scheme: Literal["light", "dark"]
) -> None:
    for path in pages(report):
        seen = browser.load(path, width=width, scheme=scheme)
        assert seen.complaints == []
        assert seen.requests == [path.resolve().as_uri()]
        assert browser.ask("document.documentElement.scrollWidth") == width
        assert browser.ask("document.styleSheets.length") == 1


def test_light_and_dark_are_two_pages(browser: Browser, report: Path) -> None:
    found: list[tuple[float, float]] = []
    for scheme in ("light", "dark"):
        browser.load(report / "index.html", scheme=scheme)
        paper, ink = (
            brightness(browser.ask(f"getComputedStyle(document.body).{name}"))
            for name in ("backgroundColor", "color")
        )
        found.append((paper, ink))
    (light_paper, light_ink), (dark_paper, dark_ink) = found
    assert light_paper > 200 > 80 > light_ink
    assert dark_ink > 200 > 80 > dark_paper


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_charts_stand_out_from_the_paper(
    browser: Browser, report: Path, scheme: Literal["light", "dark"]
) -> None:
    browser.load(report / "index.html", scheme=scheme)
    paper = brightness(browser.ask("getComputedStyle(document.body).backgroundColor"))
    drawn: list[str] = browser.ask(
        "[...document.querySelectorAll('.chart text')].map(e => getComputedStyle(e).fill)"
    )
    assert drawn
    for colour in drawn:
        assert abs(brightness(colour) - paper) > 60
    marks: list[str] = browser.ask(
        "[...document.querySelectorAll('.chart use[class*=s-]')]"
        ".map(e => getComputedStyle(e).stroke)"
    )
    assert marks
    for colour in marks:
        assert abs(brightness(colour) - paper) > 60


@pytest.mark.parametrize(("width", "shown"), [(WIDE, 6), (PHONE, 6)])
def test_one_drawing_of_each_chart_is_shown(
    browser: Browser, report: Path, width: int, shown: int
) -> None:
    browser.load(report / "index.html", width=width)
    boxes: list[list[float]] = browser.ask(
        "[...document.querySelectorAll('svg')].map(e => e.getBoundingClientRect())"
        ".filter(b => b.width).map(b => [b.left, b.right])"
    )
    assert len(boxes) == shown
    assert all(left >= 0 and right <= width for left, right in boxes)
    texts: list[list[float]] = browser.ask(
        "[...document.querySelectorAll('svg text')].map(e => e.getBoundingClientRect())"
        ".filter(b => b.width).map(b => [b.left, b.right])"
    )
    assert all(left >= 0 and right <= width for left, right in texts)


def test_wide_tables_scroll_in_their_box_with_the_first_column_held(
    browser: Browser, report: Path
) -> None:
    browser.load(report / "index.html", width=PHONE)
    box = "document.querySelector('#differences .scroll')"
    assert browser.ask(f"{box}.scrollWidth > {box}.clientWidth")
    held = f"{box}.querySelector('tbody th').getBoundingClientRect().left"
    before = browser.ask(held)
    browser.ask(f"{box}.scrollLeft = 200")
    assert browser.ask(f"{box}.scrollLeft") > 50
    assert abs(browser.ask(held) - before) < 1


@pytest.mark.parametrize("width", [WIDE, PHONE])
def test_a_table_that_hides_columns_says_so_and_no_other_does(
    browser: Browser, report: Path, width: int
) -> None:
    browser.load(report / "index.html", width=width)
    found: list[list[bool]] = browser.ask(
        "[...document.querySelectorAll('.scroll')].filter(e => e.checkVisibility()).map(e => "
        "[e.scrollWidth > e.clientWidth, e.querySelector('.hint').offsetHeight > 0])"
    )
    assert all(hides == hinted for hides, hinted in found)
    assert any(hides for hides, _ in found) or width == WIDE
    words = browser.ask("document.querySelector('.hint').textContent")
    assert words.startswith("Scroll sideways")


def test_the_grid_leads_to_the_calls_and_back(browser: Browser, report: Path) -> None:
    browser.load(report / "index.html")
    link = browser.ask("document.querySelector('.grid a.cell').getAttribute('href')")
    words = browser.ask("document.querySelector('.grid a.cell').textContent")
    assert words == "baseline: solved"
    browser.load(report / link)
    assert browser.ask("document.querySelector('h1').textContent").startswith("mobile data issue")
    back = browser.ask("document.querySelector('.back a').href")
    assert back == (report / "index.html").resolve().as_uri() + "#grid"


def test_everything_can_be_reached_by_keyboard(browser: Browser, report: Path) -> None:
    for path in pages(report):
        browser.load(path)
        reached: list[str] = []
        wanted = browser.ask(
            "[...document.querySelectorAll('a[href], summary, [tabindex=\"0\"]')]"
            ".filter(e => e.checkVisibility()).length"
        )
        for _ in range(wanted):
            browser.press("Tab", 9)
            reached.append(browser.ask("document.activeElement.outerHTML.slice(0, 200)"))
        assert 'class="skip"' in reached[0]
        assert len(set(reached)) >= wanted - 2
        assert not any(each.startswith("<body") for each in reached)


def test_keys_lead_to_the_next_call_and_the_next_arm(browser: Browser, report: Path) -> None:
    found = results()
    page = {
        (place, row): f"{cells[place][0].session}.html"
        for row, cells in enumerate(each.cells for each in found.grid)
        for place in range(len(found.arms))
    }

    def arrive(place: int, row: int) -> None:
        browser.wait(f"location.pathname.endsWith('/{page[place, row]}')")
        browser.wait("document.readyState === 'complete'")

    browser.load(report / "transcripts" / page[0, 0])
    for key, place, row in (("n", 0, 1), ("j", 1, 1), ("p", 1, 0), ("k", 0, 0)):
        browser.access_key(key)
        arrive(place, row)
    assert browser.ask("document.querySelectorAll('.ways a').length") == 2  # none before it
    assert browser.ask("document.querySelector('.ways a').rel") == "next"
    browser.click("footer.bottom a")
    arrive(0, 1)


def test_a_transcript_shows_speech_beside_what_it_changed(browser: Browser, report: Path) -> None:
    path = pages(report)[1]
    box = "document.querySelector('.world:not(:empty)').getBoundingClientRect()"
    talk = "document.querySelector('.world:not(:empty)').previousElementSibling"
    browser.load(path, width=WIDE)
    assert browser.ask(f"{box}.left > {talk}.getBoundingClientRect().left + 400")
    assert browser.ask(f"{box}.top < {talk}.getBoundingClientRect().bottom")
    browser.load(path, width=PHONE)
    assert browser.ask(f"{box}.top >= {talk}.getBoundingClientRect().bottom - 1")
    assert "airplane mode" in browser.ask(
        "document.querySelector('.world:not(:empty)').textContent"
    )


def brightness(colour: str) -> float:
    """The mean of red, green and blue in ``rgb(1, 2, 3)``."""
    parts = colour.removeprefix("rgb(").removesuffix(")").split(",")
    return sum(float(part) for part in parts[:3]) / 3


def untouched(browser: Browser) -> dict[str, Any]:
    """What hostile text would have changed."""
    return browser.ask(
        "({ran: document.title === 'ran',"
        " hidden: getComputedStyle(document.body).display === 'none',"
        " scripts: document.scripts.length, images: document.images.length,"
        " handlers: [...document.querySelectorAll('*')].filter(e =>"
        "   [...e.attributes].some(a => a.name.startsWith('on'))).length})"
    )


@pytest.mark.parametrize("width", [WIDE, PHONE])
def test_hostile_text_neither_runs_nor_breaks_a_page(
    browser: Browser, tmp_path: Path, width: int
) -> None:
    found, transcript_of = hostile("\n".join(UGLY))
    index = write_report(found, transcript_of, tmp_path)
    for path in (index, next((tmp_path / "transcripts").iterdir())):
        seen = browser.load(path, width=width)
        assert seen.complaints == []
        assert len(seen.requests) == 1
        browser.ask(
            "document.querySelectorAll('*').forEach(e => e.dispatchEvent(new Event('mouseover')))"
        )
        assert untouched(browser) == {
            "ran": False,
            "hidden": False,
            "scripts": 0,
            "images": 0,
            "handlers": 0,
        }
        assert browser.ask("document.documentElement.scrollWidth") == width
        shown = browser.ask("document.body.textContent")
        assert "<script>document.title='ran'</script>" in shown
        assert "\\x1b[2J" in shown
        assert "safe \\u202egnp.exe" in shown


def test_the_content_policy_stops_what_escaping_might_miss(
    browser: Browser, report: Path, tmp_path: Path
) -> None:
    """A second lock: the page is broken open on purpose, and still nothing runs."""
    page = (report / "index.html").read_text("utf-8")
    bad = "<script>document.title='ran'</script><img src='data:,' onerror=\"document.title='ran'\">"
    path = tmp_path / "open.html"
    path.write_text(page.replace("<main>", f"<main>{bad}"), encoding="utf-8")
    seen = browser.load(path)
    assert seen.complaints
    assert browser.ask("document.title") != "ran"


def test_a_megabyte_of_one_word_keeps_the_page_narrow(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "long.html"
    path.write_bytes(transcript_page(transcript(ugly("w" * 1_000_000), TELECOM)))
    browser.load(path, width=PHONE)
    assert browser.ask("document.documentElement.scrollWidth") == PHONE
