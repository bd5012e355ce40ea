"""A desk that runs as its own process, and a browser that plays a call at it."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx2

from tests import warm
from tests.browser import Browser
from tests.record.reenacted import Command
from tests.warm import Program

__all__ = ["Desk", "begin", "call", "give", "open_desk", "say"]

TURN = "document.querySelector('#turn')?.innerText.trim()"


class Desk:
    """One that listens: its process, the address that lets one in, and where it is.

    `said` is what it wrote after that address, known once it has been ended.
    """

    def __init__(self, process: Program, url: str) -> None:
        self.process, self.url = process, url
        self.said = {"out": "", "err": ""}
        self.place = url.split("/open/")[0]

    @contextmanager
    def client(self) -> Generator[httpx2.Client]:
        """A client without a browser, which has been let in and says where it comes from."""
        with httpx2.Client(base_url=self.place, headers={"Origin": self.place}) as client:
            assert client.get(self.url.removeprefix(self.place)).status_code == 200
            yield client

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(10)


@contextmanager
def open_desk(store: Path, *options: str) -> Generator[Desk]:
    """A desk over this store, ended with the block if it still runs."""
    command = ("desk", "--no-browser", "--json", "--store", str(store), *options)
    process = warm.start(*command, cwd=Path.cwd(), env=os.environ, group=True)
    try:
        said = ""
        while not said.rstrip().endswith("}"):
            line = process.stdout.readline()
            assert line, process.communicate()[1]
            said += line
        desk = Desk(process, json.loads(said)["url"])
        yield desk
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            out, err = process.communicate(timeout=20)
            desk.said = {"out": out, "err": err}
    finally:
        process.kill()
        process.communicate()


def begin(browser: Browser, desk: Desk, case: str, seed: int = 0) -> None:
    """Come in and take a call, by typing and clicking."""
    browser.visit(desk.url)
    browser.wait("!!document.querySelector('#begin')")
    fill(browser, "#case", case)
    fill(browser, "#seed", str(seed))
    browser.click("#begin button")
    browser.wait(f"{TURN} === 'Your turn.'")


def fill(browser: Browser, selector: str, text: str) -> None:
    """Put a text into a field in place of what stands there."""
    browser.ask(f"document.querySelector({json.dumps(selector)}).select()")
    browser.ask(f"document.querySelector({json.dumps(selector)}).focus()")
    browser.type(text) if text else browser.key("Delete")


def say(browser: Browser, text: str) -> None:
    """Say something, and wait for what comes of it."""
    before = step(browser)
    browser.click("#words")
    browser.type(text)
    browser.key("Enter")
    _until_moved(browser, before)


def call(browser: Browser, tool: str, arguments: dict[str, object]) -> None:
    """Call a tool through its form with the mouse."""
    before = step(browser)
    browser.click("#side-tools")
    form = f"details.tool:has(input[value={tool}])"
    there = browser.ask(f"!!document.querySelector('{form}')")
    if not there:  # as an agent may call what is not there
        form = "details.tool:has(#free-tool)"
    if not browser.ask(f"document.querySelector('{form}').open"):
        browser.click(f"{form} summary")
    if there:
        for name, value in arguments.items():
            fill(browser, f'{form} [name="arg.{name}"]', str(value))
    else:
        fill(browser, "#free-tool", tool)
        fill(browser, "#free-json", json.dumps(arguments))
    browser.click(f"{form} .primary")
    _until_moved(browser, before)


def give(browser: Browser, commands: Sequence[Command]) -> None:
    """Give commands one after the other."""
    for command in commands:
        if command[0] == "say":
            say(browser, command[1])
        else:
            assert len(command) == 3
            call(browser, command[1], command[2])


def step(browser: Browser) -> int:
    """The step that the page shows."""
    return int(browser.ask("document.querySelector('[name=expect_step]').value"))


def _until_moved(browser: Browser, before: int) -> None:
    browser.wait(
        f"!document.querySelector('#turn') || ({TURN} === 'Your turn.' &&"
        f" +document.querySelector('[name=expect_step]').value > {before})"
    )
