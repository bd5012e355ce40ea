"""Texts of customers, tools and operators are shown as they are, and do nothing."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest

from ringback.canonical import Json
from ringback.domain import Tool
from ringback.operating import Item, Look, Seen
from ringback.web.desk import pages
from ringback.web.desk.views import standing
from tests.browser import Browser
from tests.report.calls import UGLY
from tests.report.test_page_browser import untouched
from tests.web.desk.serving import begin, open_desk, say

BAD = "\n".join(
    (*UGLY, "[a](javascript:alert(1)) <a href=javascript:alert(1)>x</a>", "<hx-partial>")
)
QUIET = {"ran": False, "hidden": False, "scripts": 2, "images": 0, "handlers": 0}


class Parsed(HTMLParser):
    """The tags of a page, with what would act."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.acting: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            acts = name.startswith(("on", "hx-on")) or name == "style"
            links = name in ("href", "src", "action", "hx-get", "hx-post", "formaction")
            if acts or (links and not (value or "").startswith(("/", "#"))):
                self.acting.append(f"{tag} {name}={value}")


def look() -> Look:
    seen = Seen("0123456789abcdef", BAD, "yours", 3, 97, 0, 10, (), None, BAD)
    named: Json = {BAD: {BAD: [BAD, {BAD: BAD}]}}
    tool = Tool(
        BAD,
        "agent",
        BAD,
        {
            "type": "object",
            "properties": {
                BAD: {"type": "string", "description": BAD, "default": BAD},
                "kind": {"enum": [BAD, "b"], "description": BAD},
            },
            "required": [BAD],
        },
        True,
    )
    return Look(
        seen,
        (
            Item("greeting", 0, text=BAD),
            Item("customer", 1, text=BAD),
            Item("said", 2, text=BAD),
            Item("called", 3, tool=BAD, arguments=named),
            Item("called", 3, tool="x", arguments=BAD),
            Item("result", 4, tool=BAD, text=msgspec.json.encode([named]).decode()),
            Item("result", 4, tool="x", text=BAD, error=True),
        ),
        (tool,),
        BAD,
        f"# {BAD}\n\n- {BAD}\n\n1. `{BAD}` **{BAD}**\n\n{BAD}\n",
    )


def test_every_text_of_a_page_is_escaped() -> None:
    shown = look()
    now = standing(shown.stands, "elsewhere", at=BAD, ended=0)
    plain = Look(
        shown.stands, (Item("greeting", 0, text="Hello."),), shown.tools[:0], "workflow", "Text."
    )
    calm = standing(plain.stands, "elsewhere", at="x", ended=0)
    for page, usual in (
        (pages.console(shown, now, BAD), pages.console(plain, calm, "x")),
        (pages.pieces(shown, now, BAD), pages.pieces(plain, calm, "x")),
        (pages.nothing_here(BAD), pages.nothing_here("x")),
    ):
        found = Parsed(page)
        assert found.acting == []
        assert {"img", "style"}.isdisjoint(found.tags)
        for tag in ("script", "a", "body", "title", "hx-partial"):
            assert found.tags.count(tag) == Parsed(usual).tags.count(tag)
        for character in "\x1b\x00\u202e\u2066\u2028\u200b":
            assert character not in page


@pytest.mark.parametrize("width", [1280, 390])
def test_hostile_words_of_both_sides_do_nothing_in_a_browser(
    browser: Browser, tmp_path: Path, width: int
) -> None:
    script = tmp_path / "script.json"
    script.write_bytes(msgspec.json.encode([BAD, BAD, BAD]))
    with open_desk(
        tmp_path / "s.db", "--user", f"script:{script}", "--guard", "off", "--as", "<b>Ada</b>"
    ) as desk:
        begin(browser, desk, "2")
        browser.see(width=width, height=900, scheme="light")
        say(browser, BAD)
        browser.ask("document.querySelector('#free-json').value = ''")
        browser.ask("document.querySelector('#tab-tools').click()")
        browser.ask("document.querySelector('#free-json').closest('details').open = true")
        browser.ask(
            f"document.querySelector('#free-tool').value = {msgspec.json.encode(BAD).decode()};"
            f"document.querySelector('#free-json').value = JSON.stringify({{"
            f"'<img src=x onerror=alert(1)>': {msgspec.json.encode(BAD).decode()}}})"
        )
        browser.ask("document.querySelector('#free-json').form.requestSubmit()")
        browser.wait("document.querySelectorAll('#talk .result.error').length === 1")
        seen = browser.visit(desk.place + browser.ask("location.pathname"), width=width)
        assert seen.complaints == []
        assert {
            each.split("?")[0].split(desk.place)[1].split("/")[1] for each in seen.requests
        } == {
            "e",
            "static",
        }
        browser.ask(
            "document.querySelectorAll('*').forEach(e => e.dispatchEvent(new Event('mouseover')))"
        )
        assert untouched(browser) == QUIET
        assert browser.ask("document.documentElement.scrollWidth") == width
        shown = browser.ask("document.querySelector('#talk').textContent")
        assert shown.count("<script>document.title='ran'</script>") >= 4
        assert "safe \\u202egnp.exe" in shown
        browser.visit(desk.place, width=width)
        assert untouched(browser) == QUIET
        assert "<b>Ada</b>" in browser.ask("document.body.textContent")


def test_a_broken_open_page_still_runs_nothing(browser: Browser, tmp_path: Path) -> None:
    with open_desk(tmp_path / "s.db") as desk:
        begin(browser, desk, "2")
        browser.ask(
            "(() => { const s = document.createElement('script'); s.textContent ="
            " \"document.title='ran'\"; document.body.append(s);"
            " const d = document.createElement('div'); d.innerHTML ="
            ' \'<img src="x:" onerror="document.title=1"><a hx-on:click="document.title=2">\';'
            " document.body.append(d); })()"
        )
        browser.ask("setTimeout('document.title = 3'), 0")
        browser.ask("window.later = 0, setTimeout(() => { window.later = 1 }, 100), 0")
        browser.wait("window.later")
        assert browser.ask("document.title").startswith("Ringback desk")
