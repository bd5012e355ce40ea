"""The desk over time: slow customers, two tabs, servers that die, and how it ends."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Generator
from pathlib import Path

import pytest

from ringback.testing import ChaosServer
from ringback.testing.brains import played_by
from tests.browser import Browser, chromium, open_browser
from tests.web.desk.serving import begin, open_desk, say, step

NOTICE = "document.querySelector('#notice').innerText"
TURN = "document.querySelector('#turn').innerText"
TALK = "document.querySelector('#talk').innerText"
WORDS = "document.querySelector('#words').value"


@pytest.fixture
def model(tmp_path: Path) -> Generator[ChaosServer]:
    """A customer that is a model, as slow as one asks for."""
    with ChaosServer(played_by("rules")) as server:
        (tmp_path / "models.toml").write_text(
            f'[models.slow]\nmodel = "openai:chaos-1"\nbase_url = "{server.base_url}"\n'
            "settings = {max_retries = 0}\n",
            encoding="utf-8",
        )
        yield server


def slow(tmp_path: Path) -> tuple[str, ...]:
    return ("--user", "slow", "--guard", "off", "--models-file", str(tmp_path / "models.toml"))


def send(browser: Browser, text: str) -> None:
    browser.key("Alt+m")
    browser.type(text)
    browser.key("Enter")


def test_while_the_customer_is_asked_the_page_says_so_and_sends_nothing_twice(
    browser: Browser, tmp_path: Path, model: ChaosServer
) -> None:
    with open_desk(tmp_path / "s.db", *slow(tmp_path)) as desk:
        begin(browser, desk, "2")
        model.delay = 2.5
        send(browser, "Which number is it?")
        browser.wait(f"{TURN}.includes('is being asked')")
        assert browser.ask(WORDS) == ""
        assert "Which number is it?" in browser.ask(TALK)
        asked = len(model.log)
        send(browser, "Are you there?")
        browser.wait(f"{NOTICE}.includes('Nothing was sent')")
        assert browser.ask(WORDS) == "Are you there?"
        browser.visit(desk.place + browser.ask("location.pathname"))  # reloaded, it says the same
        assert "is being asked" in browser.ask(TURN)
        assert browser.ask(WORDS) == "Are you there?"
        browser.wait(f"{TURN}.trim() === 'Your turn.'")
        assert browser.ask("document.querySelectorAll('#talk .user').length") == 2
        assert "Are you there?" not in browser.ask(TALK)
        model.delay = 0.0
        browser.key("Alt+m")
        browser.key("Enter")
        browser.wait("document.querySelectorAll('#talk .user').length === 3")
        assert len(model.log) > asked


def test_a_customer_who_is_away_is_a_message_and_can_be_asked_again(
    browser: Browser, tmp_path: Path, model: ChaosServer
) -> None:
    with open_desk(tmp_path / "s.db", *slow(tmp_path)) as desk:
        begin(browser, desk, "2")
        model.faults = {"server_error": 1.0}
        send(browser, "Which number is it?")
        browser.wait(f"{NOTICE}.includes('did not answer')", 60)
        assert "nobody is asking" in browser.ask(TURN)
        assert "chaos" not in browser.ask(NOTICE)
        assert browser.ask(WORDS) == ""
        model.faults = {}
        browser.click("#ask-on")
        browser.wait(f"{TURN}.trim() === 'Your turn.'")
        assert browser.ask(NOTICE) == ""
        assert browser.ask("document.querySelectorAll('#talk .user').length") == 2


def test_of_two_tabs_the_one_that_is_behind_is_refused_and_keeps_its_text(
    browser: Browser, tmp_path: Path
) -> None:
    path = chromium()
    assert path is not None
    with open_desk(tmp_path / "s.db") as desk, open_browser(path) as other:
        begin(browser, desk, "2")
        address = desk.place + browser.ask("location.pathname")
        other.visit(desk.url)
        other.wait("!!document.querySelector('.going')")
        other.visit(address)
        other.ask("window.addEventListener('focus', e => e.stopImmediatePropagation(), true)")
        say(browser, "Which number is it?")
        assert step(other) == 1
        send(other, "Hello there!")
        other.wait(f"{NOTICE}.includes('was behind')")
        assert other.ask(WORDS) == "Hello there!"
        assert "Which number is it?" in other.ask(TALK)
        assert "Hello there!" not in other.ask(TALK)
        assert step(other) == step(browser)
        other.key("Alt+m")
        other.key("Enter")
        other.wait(f"{TALK}.includes('Hello there!')")
        assert other.ask(NOTICE) == ""
        # The first one learns of it when somebody comes back to it.
        browser.ask("document.dispatchEvent(new Event('visibilitychange'))")
        browser.wait(f"{TALK}.includes('Hello there!')")


def test_a_desk_that_was_killed_goes_on_where_it_was(
    browser: Browser, tmp_path: Path, model: ChaosServer
) -> None:
    store = tmp_path / "s.db"
    with open_desk(store, *slow(tmp_path)) as desk:
        begin(browser, desk, "2")
        model.delay = 30.0
        send(browser, "Which number is it?")
        browser.wait(f"{TURN}.includes('is being asked')")
        desk.kill()
        browser.wait(f"{NOTICE}.includes('does not answer')")
    model.delay = 0.0
    with open_desk(store, *slow(tmp_path)) as desk:
        browser.visit(desk.url)
        browser.wait("!!document.querySelector('.going a')")
        browser.click(".going a")
        browser.wait("!!document.querySelector('#ask-on')")
        assert "Which number is it?" in browser.ask(TALK)
        browser.click("#ask-on")
        browser.wait(f"{TURN}.trim() === 'Your turn.'")
        assert browser.ask("document.querySelectorAll('#talk .user').length") == 2


def test_ctrl_c_ends_within_a_second_whatever_is_under_way(
    browser: Browser, tmp_path: Path, model: ChaosServer
) -> None:
    with open_desk(tmp_path / "s.db", *slow(tmp_path)) as desk:
        begin(browser, desk, "2")
        model.delay = 30.0
        send(browser, "Which number is it?")
        browser.wait(f"{TURN}.includes('is being asked')")
        began = time.monotonic()
        desk.process.send_signal(signal.SIGINT)
        desk.process.wait(10)
        assert time.monotonic() - began < 2.0  # a second, and as much for a machine that is busy
        assert desk.process.returncode == 130
        assert desk.process.stderr.read().splitlines() == [
            "ringback: The desk is closed; every call is kept, and `ringback desk` goes on with "
            "those that are open."
        ]


def test_a_customer_who_hangs_can_be_left(
    browser: Browser, tmp_path: Path, model: ChaosServer
) -> None:
    off = "document.querySelector('{}').ariaDisabled === 'true'"
    with open_desk(tmp_path / "s.db", *slow(tmp_path)) as desk:
        begin(browser, desk, "2")
        assert not browser.ask(off.format("#send"))
        model.delay = 30.0
        send(browser, "Which number is it?")
        browser.wait(f"{TURN}.includes('is being asked')")
        for button in ("#send", "[data-open=end]", "[data-open=transfer]", "#tools .primary"):
            browser.wait(off.format(button))
        assert not browser.ask(off.format("[data-open=abandon]"))
        browser.click("[data-open=end]")
        browser.wait(f"{NOTICE}.includes('not your turn')")
        assert not browser.ask("!!document.querySelector('dialog[open]')")
        browser.click("#stop")
        browser.wait(f"{TURN}.includes('nobody is asking')", 5)
        model.delay = 0.0
        browser.click("#ask-on")
        browser.wait(f"{TURN}.trim() === 'Your turn.'")
        browser.wait(f"!({off.format('#send')})")
        assert browser.ask("document.querySelectorAll('#talk .user').length") == 2
        model.delay = 30.0
        send(browser, "And which is it now?")
        browser.wait(f"{TURN}.includes('is being asked')")
        browser.click("[data-open=abandon]")
        browser.wait("document.querySelector('#abandon').open")
        browser.click("#abandon .primary")
        browser.wait("!!document.querySelector('#result')", 5)
        assert "ended as abandoned" in browser.ask("document.querySelector('#result').innerText")
    assert desk.said["err"] == ""


def elsewhere(store: Path, *words: str) -> None:
    """Do something at the shell's door."""
    done = subprocess.run(
        [sys.executable, "-m", "ringback", "operate", *words, "--store", str(store)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_what_was_being_written_when_the_call_ended_elsewhere_is_kept(
    browser: Browser, tmp_path: Path
) -> None:
    store = tmp_path / "s.db"
    unsent = "document.querySelector('#unsent')"
    with open_desk(store) as desk:
        begin(browser, desk, "2")
        address = desk.place + browser.ask("location.pathname")
        browser.click("#words")
        browser.type("Please <b>restart</b>\nthe phone.")
        browser.click("[data-open=transfer]")
        browser.type("Nothing helps.")
        elsewhere(store, "end", "Goodbye.")
        browser.click("#transfer .primary")
        browser.wait("!!document.querySelector('#result')")
        for _ in range(2):
            assert browser.ask(f"{unsent}.checkVisibility()")
            said = browser.ask(f"{unsent}.innerText")
            assert "before this was sent" in said
            assert "Please <b>restart</b>\nthe phone." in said
            assert "Nothing helps." in said
            browser.visit(address)
        browser.click("#unsent-done")
        assert not browser.ask(f"{unsent}.checkVisibility()")
        browser.visit(address)
        assert not browser.ask(f"{unsent}.checkVisibility()")


def test_a_dialog_that_was_behind_stays_open_and_says_it(browser: Browser, tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    told = "document.querySelector('#end [data-told]').innerText"
    with open_desk(store) as desk:
        begin(browser, desk, "2")
        browser.click("[data-open=end]")
        browser.wait("document.querySelector('#end').open")
        browser.type("Goodbye then.")
        elsewhere(store, "say", "Hello from a shell.")
        browser.click("#end .primary")
        browser.wait(f"{told}.includes('was behind')")
        assert browser.ask("document.querySelector('#end').open")
        assert browser.ask("document.querySelector('#end-text').value") == "Goodbye then."
        assert "Hello from a shell." in browser.ask("document.querySelector('#talk').textContent")
        browser.click("#end .primary")
        browser.wait("!!document.querySelector('#result')")
        assert not browser.ask("document.querySelector('#unsent').checkVisibility()")
        browser.visit(desk.place + browser.ask("location.pathname"))
        assert not browser.ask("document.querySelector('#unsent').checkVisibility()")


def test_a_store_that_is_locked_is_said_soon_and_the_text_stays(
    browser: Browser, tmp_path: Path
) -> None:
    store = tmp_path / "s.db"
    with open_desk(store) as desk:
        begin(browser, desk, "2")
        lock = sqlite3.connect(store, isolation_level=None)
        lock.execute("BEGIN IMMEDIATE")
        try:
            began = time.monotonic()
            send(browser, "Hello there!")
            browser.wait(f"{NOTICE}.includes('locked by another process')")
            with desk.client() as client:
                typed = {"case": "3", "seed": "7", "trial": "0"}
                answer = client.post("/start", data=typed)
            assert time.monotonic() - began < 12
        finally:
            lock.close()
        assert answer.status_code == 409
        assert "locked by another process" in answer.text
        assert 'name="seed" value="7"' in answer.text
        assert browser.ask(WORDS) == "Hello there!"
        assert "Hello there!" not in browser.ask(TALK)
        browser.key("Alt+m")
        browser.key("Enter")
        browser.wait(f"{TALK}.includes('Hello there!')")
        assert browser.ask(WORDS) == ""


def test_another_program_at_the_call_is_seen(browser: Browser, tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    with open_desk(store) as desk:
        begin(browser, desk, "2")
        elsewhere(store, "say", "Hello from a shell.")
        browser.ask("document.dispatchEvent(new Event('visibilitychange'))")
        browser.wait(f"{TALK}.includes('Hello from a shell.')")
