"""How the desk looks: it fits at both widths, and can be read by light and by dark."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

from tests.browser import Browser
from tests.web.desk.serving import begin, call, open_desk, say

WIDE, PHONE = 1280, 390

# Every text that is shown, with the contrast to what lies behind it by the formula of WCAG 2.
CONTRASTS = """(() => {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const rgb = (colour) => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (e) => {
    for (; e; e = e.parentElement) {
      const found = rgb(getComputedStyle(e).backgroundColor);
      if (found[3] === 255) return found;
    }
    return rgb(getComputedStyle(document.body).backgroundColor);
  };
  return [...document.querySelectorAll('body *')].filter(e => e.checkVisibility()
    && !e.disabled && e.offsetWidth > 1
    && [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()))
    .map(e => {
      const a = light(rgb(getComputedStyle(e).color)), b = light(behind(e));
      return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), e.outerHTML.slice(0, 120)];
    });
})()"""

# Elements that stick out of the window to the side, and are in no box that scrolls.
STICK_OUT = """[...document.querySelectorAll('body *')].filter(e => e.checkVisibility()
  && !e.closest('.scroll, .sr, .skip, option, datalist')
  && (e.getBoundingClientRect().right > innerWidth + 0.5 || e.getBoundingClientRect().left < -0.5))
  .map(e => e.outerHTML.slice(0, 160))"""


def fits(browser: Browser, width: int) -> None:
    assert browser.ask("document.documentElement.scrollWidth") == width
    assert browser.ask("document.body.scrollWidth") == width
    assert browser.ask(STICK_OUT) == []


def reads(browser: Browser) -> None:
    found: list[tuple[float, str]] = browser.ask(CONTRASTS)
    assert len(found) > 5
    assert [each for each in found if each[0] < 4.5] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [WIDE, PHONE])
def test_every_view_fits_and_can_be_read(
    browser: Browser, tmp_path: Path, width: int, scheme: Literal["light", "dark"]
) -> None:
    def view() -> None:
        browser.see(width=width, height=800, scheme=scheme)
        fits(browser, width)
        reads(browser)

    with open_desk(tmp_path / "s.db", "--as", "Ada") as desk:
        begin(browser, desk, "2")
        say(browser, "w" * 300 + " and some more words")
        call(browser, "get_customer_by_phone", {"phone_number": "555-123-2002"})
        call(browser, "get_customer_by_id", {"customer_id": "C" + "9" * 200})
        for tab in ("tools", "policy", "call"):
            browser.ask(f"document.querySelector('#tab-{tab}').click()")
            view()
        browser.ask("document.querySelector('#tab-policy').click()")
        browser.ask(
            "(() => { const f = document.querySelector('#find-words'); f.value = 'the';"
            " f.dispatchEvent(new Event('input', {bubbles: true})) })()"
        )
        view()
        for dialog in ("keys", "end", "transfer", "abandon"):
            browser.ask(f"document.querySelector('[data-open={dialog}]').click()")
            browser.wait(f"document.querySelector('#{dialog}').open")
            view()
            browser.ask(f"document.querySelector('#{dialog}').close()")
        browser.ask("document.querySelector('#tab-call').click()")
        browser.ask(
            "(() => { const f = document.querySelector('#say'); f.elements.text.value = ' ';"
            " f.requestSubmit() })()"
        )
        browser.wait("document.querySelector('#notice').innerText.includes('is empty')")
        view()
        address = browser.ask("location.pathname")
        browser.visit(desk.place, width=width, scheme=scheme)
        view()
        browser.visit(desk.place + address, width=width, scheme=scheme)
        browser.ask("document.querySelector('[data-open=end]').click()")
        browser.ask("document.querySelector('#end form').requestSubmit()")
        browser.wait("!!document.querySelector('#result')")
        view()
        browser.visit(desk.place, width=width, scheme=scheme)
        view()


@pytest.mark.parametrize("name", ["N" * 80, "Ada " * 19 + "Ada"])
def test_a_long_name_widens_no_page_and_the_counts_stay_whole(
    browser: Browser, tmp_path: Path, name: str
) -> None:
    lines = "[...document.querySelectorAll('#stand dd')].map(e => e.offsetHeight)"
    with open_desk(tmp_path / "s.db", "--as", name) as desk:
        begin(browser, desk, "2")
        browser.see(width=WIDE, height=800, scheme="light")
        whole = browser.ask(lines)
        for width in (PHONE, 460, 560, 640, 700, 900):
            browser.see(width=width, height=800, scheme="light")
            assert browser.ask("document.body.scrollWidth") == width
            assert browser.ask("document.querySelector('#say').offsetWidth") < width
            assert browser.ask(lines) == whole
        browser.visit(desk.place, width=PHONE)
        fits(browser, PHONE)


@pytest.mark.parametrize("notice", [False, True])
def test_on_a_phone_the_case_has_a_line_to_itself(
    browser: Browser, tmp_path: Path, notice: bool
) -> None:
    width = "document.querySelector('#{}').offsetWidth"
    with open_desk(tmp_path / "s.db") as desk:
        browser.visit(desk.url, width=PHONE)
        browser.wait("!!document.querySelector('#begin')")
        if notice:
            browser.ask("document.querySelector('#case').value = '99999'")
            browser.click("#begin button")
            browser.wait("!!document.querySelector('#begin .notice')")
            browser.see(width=PHONE, height=800, scheme="light")
        assert browser.ask(width.format("case")) > 2 * browser.ask(width.format("seed"))


def test_the_message_and_the_last_words_are_in_sight(browser: Browser, tmp_path: Path) -> None:
    with open_desk(tmp_path / "s.db") as desk:
        begin(browser, desk, "2")
        for number in range(6):
            say(browser, f"This is sentence number {number}.")
        for width in (WIDE, PHONE):
            browser.see(width=width, height=700, scheme="light")
            browser.wait(
                "(() => { const l = document.querySelector('#talk > div:last-child')"
                ".getBoundingClientRect(), t = document.querySelector('#talk')"
                ".getBoundingClientRect(), w = document.querySelector('#send')"
                ".getBoundingClientRect();"
                " return l.bottom <= t.bottom + 1 && w.bottom <= innerHeight })()"
            )


def test_on_a_phone_the_answer_to_a_tool_is_shown(browser: Browser, tmp_path: Path) -> None:
    with open_desk(tmp_path / "s.db") as desk:
        begin(browser, desk, "2")
        browser.see(width=PHONE, height=800, scheme="light")
        browser.click("#tab-tools")
        form = "details.tool:has(input[value=get_customer_by_phone])"
        browser.click(f"{form} summary")
        browser.click(f"{form} [name='arg.phone_number']")
        browser.type("555-123-2002")
        browser.click(f"{form} .primary")
        browser.wait("document.querySelector('#talk .result')?.checkVisibility()")
        assert browser.ask("document.activeElement.id") == "talk"


def test_a_long_list_of_open_calls_leaves_the_form_in_sight(
    browser: Browser, tmp_path: Path
) -> None:
    with open_desk(tmp_path / "s.db") as desk:
        with desk.client() as client:
            for case in range(1, 9):
                form = {"case": str(case), "seed": "0", "trial": "0"}
                assert client.post("/start", data=form).status_code == 303
        browser.visit(desk.url, width=PHONE)
        browser.wait("!!document.querySelector('#begin')")
        fits(browser, PHONE)
        shown = "[...document.querySelectorAll('.going a')].filter(e => e.checkVisibility()).length"
        assert browser.ask(shown) == 5
        assert "1 step," in browser.ask("document.querySelector('.going').innerText")
        browser.click(".going-more summary")
        assert browser.ask(shown) == 8


def test_names_in_a_record_break_between_their_words(browser: Browser, tmp_path: Path) -> None:
    whole = "[...e.childNodes].filter(n => n.data?.includes('_') && !n.data.endsWith('_')).length"
    with open_desk(tmp_path / "s.db") as desk:
        begin(browser, desk, "2")
        call(browser, "get_customer_by_phone", {"phone_number": "555-123-2002"})
        browser.see(width=PHONE, height=800, scheme="light")
        names = "[...document.querySelectorAll('.result dt')]"
        assert browser.ask(f"{names}.length") > 5
        assert browser.ask(f"{names}.filter(e => e.scrollWidth > e.clientWidth || {whole})") == []


def test_on_a_narrow_page_a_form_that_was_refused_stays_and_says_which_field(
    browser: Browser, tmp_path: Path
) -> None:
    form = "details.tool:has(input[value=get_customer_by_id])"
    field = f"document.querySelector('{form} [name=\"arg.customer_id\"]')"
    told = f"document.querySelector('{form} [data-told]').innerText"
    with open_desk(tmp_path / "s.db") as desk:
        begin(browser, desk, "2")
        browser.see(width=PHONE, height=844, scheme="light")
        browser.click("#tab-tools")
        browser.click(f"{form} summary")
        browser.click(f'{form} [name="arg.customer_id"]')
        browser.type("   ")  # which a browser takes for something
        browser.key("Enter")
        browser.wait(f"{told} === 'customer_id is needed.'")
        assert browser.ask(f"{field}.ariaInvalid") == "true"
        assert browser.ask(f"document.activeElement === {field}")
        assert browser.ask("document.querySelector('#console').dataset.view") == "tools"
        fits(browser, PHONE)
        reads(browser)
        browser.type("C1001")
        browser.ask(f"{field}.value = 'C1001'")
        browser.key("Enter")
        browser.wait("document.querySelector('#console').dataset.view === 'call'")
        assert browser.ask(f"document.querySelector('{form} [data-told]').textContent") == ""
        assert browser.ask(f"{field}.ariaInvalid") is None
