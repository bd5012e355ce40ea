"""Hostile text in Markdown, judged by a Markdown parser."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from ringback.report.markdown import code, table, text
from ringback.report.plain import one_line

MARKDOWN = MarkdownIt("commonmark").enable("table").enable("strikethrough")
NASTY = st.text("ab1 `*_[]()<>|~#!-+=.:/\\&;@$\"'\n\t{}^é\x1b\u202e", max_size=40)


def shown(rendered: str) -> str:
    """What a reader sees of HTML without tags but the paragraph's."""
    return (
        html.unescape(re.sub(r"</?(?:p|li|ul|code|h1|td)>", "", rendered))
        .replace("\u200b", "")
        .strip()
    )


@given(NASTY)
def test_a_paragraph_or_an_item_shows_the_text_and_nothing_else(value: str) -> None:
    expected = one_line(value, 500)
    for before, allowed in (("", "p"), ("- ", "ul|li"), ("# ", "h1")):
        rendered = MARKDOWN.render(before + text(value))
        assert not re.search(rf"<(?!/?(?:{allowed})>)", rendered), rendered
        assert shown(rendered) == expected


@given(NASTY, NASTY)
def test_a_cell_stays_a_cell(one: str, other: str) -> None:
    lines = table(["a", "b"], [[text(one), text(other)]], [False, True])
    rendered = MARKDOWN.render("\n".join(lines))
    assert rendered.count("<tr>") == 2
    assert rendered.count("<td") == 2
    assert not re.search(r"<(?!/?(?:table|thead|tbody|tr|th|td))", rendered)
    cells = re.findall(r"<td[^>]*>(.*?)</td>", rendered)
    assert [shown(cell) for cell in cells] == [one_line(one, 500), one_line(other, 500)]


@given(NASTY)
def test_code_shows_the_text_and_nothing_else(value: str) -> None:
    rendered = MARKDOWN.render(f"Run {code(value)} now")
    assert rendered.count("<code>") == 1
    assert not re.search(r"<(?!/?(?:p|code)>)", rendered)
    inside = re.findall(r"<code>(.*?)</code>", rendered)[0]
    assert html.unescape(inside).strip() == one_line(value, 500)


@pytest.mark.parametrize(
    "value",
    [
        "@octocat",
        "a@b.example",
        "#12",
        "other/repo#12",
        "https://evil.example/x",
        "www.evil.example",
        "mailto:a@b.example",
        "HTTPS://EVIL.example",
    ],
)
def test_nobody_is_notified_and_nothing_links(value: str) -> None:
    written = html.unescape(text(value))  # mentions and links are looked for after parsing
    assert not re.search(r"[@#]\w|://|www\.|mailto:\w", written, re.IGNORECASE)
    assert shown(MARKDOWN.render(text(value))) == value


def test_huge_text_is_cut() -> None:
    assert len(text("x" * 1_000_000, 80)) == 80
    assert len(code("x" * 1_000_000, 80)) == 82
