"""A call at the desk in a real browser, from greeting to grade."""

from __future__ import annotations

from pathlib import Path

import pytest

from ringback.episode.events import Turn
from ringback.sessions import Store
from ringback.sessions.selection import Selection
from tests.browser import Browser
from tests.record.reenacted import CALLS
from tests.web.desk.serving import begin, call, give, open_desk, say, step

TALK = "document.querySelector('#talk').innerText"


def operators_turns(store: Path) -> list[Turn]:
    with Store.open(store, write=False) as opened:
        row = list(opened.rows(Selection()))[-1]
        return [e for e in opened.events(row.id) if isinstance(e, Turn) and e.by == "agent"]


def test_the_easy_call_is_played_by_typing_and_clicking(browser: Browser, tmp_path: Path) -> None:
    easy = CALLS["easy"]
    with open_desk(tmp_path / "s.db", "--as", "Ada") as desk:
        begin(browser, desk, easy.task, easy.seed)
        assert "Hello, you have reached customer support." in browser.ask(TALK)
        assert browser.ask("document.querySelector('#stand').innerText").split() == (
            ["Steps", "left", "99", "Errors", "left", "10"]
        )
        give(browser, easy.commands)
        browser.wait("!!document.querySelector('#result')")
        result = browser.ask("document.querySelector('#result').innerText")
        assert result.startswith("Solved")
        assert "33 steps, 0 tool errors" in result
        assert "Reward 1.0." in result
        assert result.count("\tmet\t") == 5
        browser.wait("document.activeElement.id === 'result'")
        browser.click("#result a.button")
        browser.wait("location.pathname.endsWith('/transcript')")
        assert "data mode off" in browser.ask("document.querySelector('h1').innerText")
        assert browser.ask("getComputedStyle(document.querySelector('.log')).listStyle") == (
            "outside none none"  # its style sheet is taken
        )
        browser.click(".back a")
        browser.wait("!!document.querySelector('#result')")
        browser.click(".brand a")
        browser.wait("!!document.querySelector('.begin')")
        history = browser.ask("document.querySelector('table').innerText")
        assert "solved, user stop\t33" in history
    turns = operators_turns(tmp_path / "s.db")
    assert [turn.text for turn in turns if turn.text] == [
        command[1] for command in easy.commands if command[0] == "say"
    ]
    assert [(each.tool, each.arguments) for turn in turns for each in turn.calls] == [
        command[1:] for command in easy.commands if command[0] == "call"
    ]
    assert {turn.rule for turn in turns} == {"browser"}


def test_a_call_is_played_by_keys_alone(browser: Browser, tmp_path: Path) -> None:
    focus = "document.activeElement.id || document.activeElement.name"
    with open_desk(tmp_path / "s.db") as desk:
        browser.visit(desk.url)
        browser.wait(f"{focus} === 'case'")
        browser.type("2")
        browser.key("Enter")
        browser.wait(f"{focus} === 'words'")
        browser.wait("document.querySelector('#turn').innerText.trim() === 'Your turn.'")
        browser.type("One line,")
        browser.key("Shift+Enter")
        browser.type("and another.")
        assert browser.ask("document.querySelector('#words').value") == "One line,\nand another."
        browser.key("Enter")
        browser.wait("document.querySelectorAll('#talk .user').length === 2")
        assert browser.ask("document.querySelector('#words').value") == ""

        browser.key("Alt+p")
        browser.type("refuel")
        browser.wait("document.querySelector('#find-count').innerText === '1 of 7'")
        browser.key("Enter")
        browser.wait("document.querySelector('#find-count').innerText === '2 of 7'")
        browser.key("Shift+Enter")
        browser.key("Shift+Enter")
        browser.wait("document.querySelector('#find-count').innerText === '7 of 7'")
        assert browser.ask("CSS.highlights.get('here').size") == 1
        assert browser.ask("CSS.highlights.get('found').size") == 6
        assert browser.ask("[...CSS.highlights.get('here')][0].toString()").lower() == "refuel"
        assert browser.ask(
            "(() => { const b = [...CSS.highlights.get('here')][0].getBoundingClientRect(),"
            " p = document.querySelector('#policy-text').getBoundingClientRect();"
            " return b.top >= p.top && b.bottom <= p.bottom })()"
        )
        browser.key("Escape")
        assert browser.ask(focus) == "words"
        browser.key("Escape")
        assert browser.ask(focus) == "talk"
        browser.key("m")
        assert browser.ask(focus) == "words"

        browser.key("Alt+t")
        browser.type("by phone")
        browser.wait("document.querySelector('#tool-count').innerText === '1 of 14'")
        browser.key("Enter")
        browser.wait(f"{focus} === 't1-1'")
        browser.type("555-123-2002")
        browser.key("Enter")
        browser.wait("document.querySelectorAll('#talk .result').length === 1")
        assert "C1001" in browser.ask(TALK)
        assert browser.ask(
            "[...document.querySelector('#known-customer_id').options].map(o => o.value)"
        ) == ["C1001"]

        browser.key("Escape")
        browser.key("Alt+h")
        browser.wait("document.querySelector('#keys').open")
        browser.key("Escape")
        browser.wait("!document.querySelector('#keys').open")
        browser.key("Alt+l")
        browser.key("Enter")
        browser.wait(f"{focus} === 'end-text'")
        browser.type("Goodbye.")
        browser.key("Tab")
        browser.key("Enter")
        browser.wait("!!document.querySelector('#result')")
        assert "Not solved" in browser.ask("document.querySelector('#result').innerText")
    assert operators_turns(tmp_path / "s.db")[-1].text == "Goodbye. ###STOP###"


def test_every_control_is_reached_by_tab_has_a_name_and_shows_its_focus(
    browser: Browser, tmp_path: Path
) -> None:
    with open_desk(tmp_path / "s.db") as desk:
        begin(browser, desk, "2")
        browser.click("#side-tools")
        browser.ask("document.activeElement.blur()")
        wanted = browser.ask(
            "[...document.querySelectorAll('a[href], button, input, textarea, select, summary,"
            " [tabindex=\"0\"]')].filter(e => e.checkVisibility() && e.type !== 'hidden'"
            " && e.tabIndex >= 0).length"
        )
        seen: set[str] = set()
        for _ in range(wanted + 1):
            browser.key("Tab")
            seen.add(browser.ask("document.activeElement.outerHTML.slice(0, 300)"))
            assert browser.ask(
                "document.activeElement === document.body ||"
                " getComputedStyle(document.activeElement).outlineStyle !== 'none'"
            ), browser.ask("document.activeElement.outerHTML.slice(0, 300)")
        assert len(seen) >= wanted
        unnamed = browser.ask(
            "[...document.querySelectorAll('input:not([type=hidden]), textarea, select')]"
            ".filter(e => !e.labels.length).map(e => e.id)"
        )
        assert unnamed == []
        assert browser.ask("document.querySelector('#talk').getAttribute('aria-live')") == "polite"


def test_a_wrong_call_is_answered_as_any_agents(browser: Browser, tmp_path: Path) -> None:
    with open_desk(tmp_path / "s.db") as desk:
        begin(browser, desk, "2")
        call(browser, "get_customer_by_id", {"customer_id": "C9999"})
        assert browser.ask("document.querySelectorAll('#talk .result.error').length") == 1
        assert "left 9" in browser.ask("document.querySelector('#stand').innerText").replace(
            "\n", " "
        )
        before = step(browser)
        browser.key("Alt+t")
        browser.type("any call")
        browser.key("Enter")
        browser.type("no_such_tool")
        browser.click("#free-json")
        browser.type('{"x": 1}')
        browser.click("details[open] .primary")
        browser.wait(f"+document.querySelector('[name=expect_step]').value > {before}")
        assert "no_such_tool" in browser.ask(TALK)
        browser.ask("document.querySelector('#free-tool').value = ''")
        browser.ask(
            "document.querySelector('#free-json').value = JSON.stringify(["
            "{tool: 'get_customer_by_id', arguments: {customer_id: 'C1001'}},"
            "{tool: 'get_details_by_id', arguments: {id: 'L1001'}}])"
        )
        browser.click("details[open] .primary")
        browser.wait("document.querySelectorAll('#talk .result').length === 4")
    assert [len(turn.calls) for turn in operators_turns(tmp_path / "s.db")] == [1, 1, 2]


def test_what_is_no_number_the_browser_does_not_send(browser: Browser, tmp_path: Path) -> None:
    with open_desk(tmp_path / "s.db") as desk:
        begin(browser, desk, "2")
        browser.click("#side-tools")
        form = "details.tool:has(input[value=refuel_data])"
        browser.click(f"{form} summary")
        for name, text in (("customer_id", "C1001"), ("line_id", "L1001"), ("gb_amount", "2,5")):
            browser.click(f'{form} [name="arg.{name}"]')
            browser.type(text)
        browser.key("Enter")
        number = f"document.querySelector('{form} [name=\"arg.gb_amount\"]')"
        browser.wait(f"document.activeElement === {number} && {number}.matches(':invalid')")
        assert browser.ask(f"{number}.title") == "a number, such as 2.5, not 2,5"
        assert browser.ask(f"document.querySelector('{form} [name=\"arg.gb_amount\"]').value") == (
            "2,5"
        )
        assert step(browser) == 1
        say(browser, "Hello.")
        assert browser.ask("document.querySelector('#notice').innerText") == ""


@pytest.mark.parametrize(("dialog", "ending"), [("transfer", "not solved"), ("abandon", "abandon")])
def test_a_call_is_handed_over_or_given_up(
    browser: Browser, tmp_path: Path, dialog: str, ending: str
) -> None:
    with open_desk(tmp_path / "s.db") as desk:
        begin(browser, desk, "2")
        browser.click(f"[data-open={dialog}]")
        if dialog == "abandon":  # a transfer needs no summary, as in the shell
            browser.type("Nothing helps.")
        browser.click(f"#{dialog} .primary")
        browser.wait("!!document.querySelector('#result')")
        shown = browser.ask("document.querySelector('#result').innerText").lower()
        assert ending in shown
        if dialog == "abandon":
            assert "nothing is told of it" in shown
            page = browser.ask("document.documentElement.outerHTML")
            assert "transcript" not in page
            begin(browser, desk, "2")
            assert step(browser) == 1


@pytest.mark.parametrize(
    ("tier", "counts"),
    [("medium", "41 steps, 1 tool error"), ("hard", "77 steps, 0 tool errors")],
)
def test_the_other_calls_come_out_as_at_every_door(
    browser: Browser, tmp_path: Path, tier: str, counts: str
) -> None:
    played = CALLS[tier]
    with open_desk(tmp_path / "s.db") as desk:
        begin(browser, desk, played.task, played.seed)
        give(browser, played.commands)
        browser.wait("!!document.querySelector('#result')")
        result = browser.ask("document.querySelector('#result').innerText")
        assert result.startswith("Solved")
        assert counts in result
        assert "Reward 1.0." in result


@pytest.mark.parametrize(
    ("key", "code", "takes"),
    [
        ("l", "KeyL", True),
        ("@", "KeyL", False),  # Option and L on a German Mac
        ("µ", "KeyM", False),
        ("ь", "KeyM", True),  # a layout whose letters are others
        ("m", "Semicolon", True),  # one whose letters stand elsewhere
        ("q", "KeyM", False),
    ],
)
def test_alt_takes_the_letter_that_was_meant_and_no_character_that_was_typed(
    browser: Browser, tmp_path: Path, key: str, code: str, takes: bool
) -> None:
    with open_desk(tmp_path / "s.db") as desk:
        begin(browser, desk, "2")
        browser.ask("document.querySelector('#find-words').focus()")
        event = f"new KeyboardEvent('keydown', {{key: '{key}', code: '{code}', altKey: true,"
        sent = f"document.activeElement.dispatchEvent({event} bubbles: true, cancelable: true}}))"
        assert browser.ask(sent) is not takes
        assert (browser.ask("document.activeElement.id") == "find-words") is not takes
