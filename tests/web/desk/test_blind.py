"""Before the end nothing of a case goes over the wire: all traffic of whole calls is searched."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from ringback.domains import load
from ringback.operating import named_case
from tests.browser import Browser, Exchange
from tests.operating.secrets import CASES, leaks
from tests.web.desk.serving import Desk, begin, call, open_desk, say

TALK = "[...document.querySelectorAll('#talk .user .words')].map(e => e.textContent)"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Generator[Desk]:
    with open_desk(tmp_path_factory.mktemp("desk") / "s.db") as opened:
        yield opened
    assert opened.said == {"out": "", "err": ""}, "nothing is told in the terminal either"


def searched(exchanges: list[Exchange], case: str, spoken: list[str]) -> None:
    task = named_case(load("telecom"), case)
    paths = [each.url.split("/", 3)[-1] for each in exchanges]
    assert any(path.endswith("/say") for path in paths)
    assert any(path.endswith("/call") for path in paths)
    with_body = [each for each in exchanges if each.body]
    assert len(with_body) >= 8, "the browser has kept what came back"
    text = "\n".join(each.text() for each in exchanges)
    assert "Hello, you have reached customer support." in text
    assert leaks(text, task, spoken) == []


@pytest.mark.parametrize("case", CASES[::3])  # the shell is searched for all of them
def test_all_traffic_of_a_call_tells_nothing_of_its_case(
    browser: Browser, desk: Desk, case: str
) -> None:
    before = len(browser.exchanges())
    begin(browser, desk, case)
    say(browser, "I am sorry. Which phone number is it about?")
    call(browser, "get_customer_by_phone", {"phone_number": "555-123-2002"})
    call(browser, "get_details_by_id", {"id": "L1001"})
    call(browser, "get_customer_by_id", {"customer_id": "C9999"})
    say(browser, "Please run check_status_bar and check_network_status.")
    spoken = browser.ask(TALK)
    address = desk.place + browser.ask("location.pathname")
    browser.visit(address)
    browser.visit(f"{address}/transcript")
    assert "Nothing here" in browser.ask("document.body.innerText")
    browser.visit(desk.place)
    shown = browser.ask("document.documentElement.outerHTML")
    assert leaks(shown, named_case(load("telecom"), case), spoken) == []
    browser.visit(address)
    browser.click("[data-open=abandon]")
    browser.type("Lunch.")
    browser.click("#abandon .primary")
    browser.wait("!!document.querySelector('#result')")
    browser.visit(f"{address}/transcript")
    browser.visit(desk.place)
    searched(browser.exchanges()[before:], case, spoken)


def test_after_the_end_the_case_is_told(browser: Browser, desk: Desk) -> None:
    """So that the search above would find something."""
    task = named_case(load("telecom"), "base:61")
    before = len(browser.exchanges())
    begin(browser, desk, "base:61")
    browser.click("[data-open=end]")
    browser.click("#end .primary")
    browser.wait("!!document.querySelector('#result')")
    browser.click("#result a.button")
    browser.wait("location.pathname.endsWith('/transcript')")
    browser.wait("!!document.querySelector('.log')")
    text = "\n".join(each.text() for each in browser.exchanges()[before:])
    assert task.id in leaks(text.replace("&#39;", "'"), task)
