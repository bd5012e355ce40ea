"""A browser that runs no scripts: the desk says so, and sends no word anywhere."""

from __future__ import annotations

from pathlib import Path

from tests.browser import Browser
from tests.web.desk.serving import open_desk

NOTICE = "document.querySelector('noscript p')?.innerText || ''"
OFF = "[...document.querySelectorAll('form button:not([type=button])')].every(b => b.disabled)"


def test_without_scripts_it_says_so_and_nothing_is_sent(browser: Browser, tmp_path: Path) -> None:
    with open_desk(tmp_path / "s.db") as desk, desk.client() as client:
        call = client.post("/start", data={"case": "2", "seed": "0", "trial": "0"})
        browser.allow_scripts(False)
        try:
            browser.visit(desk.url)
            browser.wait("!!document.querySelector('#begin')")
            assert "needs JavaScript" in browser.ask(NOTICE)
            assert browser.ask(OFF)
            browser.visit(desk.place + call.headers["location"])
            before = browser.ask("location.href")
            assert "needs JavaScript" in browser.ask(NOTICE)
            assert browser.ask(OFF)
            assert browser.ask(
                "[...document.forms].every(f => f.method === 'post' || f.id === 'find')"
            )
            browser.click("#words")
            browser.type("My secret word")
            browser.click("#send")
            assert browser.ask("location.href") == before
        finally:
            browser.allow_scripts(True)
        browser.visit(desk.place)
        assert "needs JavaScript" not in browser.ask(NOTICE)
        assert not browser.ask(OFF)
