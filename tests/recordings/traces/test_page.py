"""The report as files: whole in itself, the same each time, nothing recorded acts in it."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ringback.errors import InputError
from ringback.formats.exgentic.write import write
from ringback.recordings.traces import trace_results, write_traces
from ringback.recordings.traces.model import TraceResults
from tests.formats.exgentic.made import assistant, row, said, span
from tests.report.browser import chromium, open_browser

_HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</style><style>*{display:none}",
    "{{ 7*7 }}{% for x in y %}",
    "\x1b[31mred\x07\u202egnp",
    "[click](javascript:alert(1)) | a | b `c` **d** <!-- e",
    "$\\alpha$ \x00",
    "x" * 5000,
    "日本語のモデル",
    "",
)


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def hostile_rows() -> list[dict[str, Any]]:
    return [
        row(
            number,
            span([said(text)], assistant(text), model=text, gen_ai_dot_response_dot_model="x"),
            model=text,
            harness=text,
            benchmark=text,
            status=text,
            session_id=text,
            config_path=f"e/{text}/config.json",
        )
        for number, text in enumerate(_HOSTILE)
    ]


def written(path: Path, *rows: dict[str, Any]) -> tuple[TraceResults, Path]:
    data = path / "data"
    data.mkdir()
    write(data / "<b>made.parquet", rows)
    (data / "&broken.parquet").write_bytes(b"<script>alert(2)</script>")
    found = trace_results([data], card_rows=3, command="ringback recordings report data")
    return found, write_traces(found, path / "out")


def test_nothing_recorded_acts_on_the_page(tmp_path: Path) -> None:
    _, page = written(tmp_path, *hostile_rows())
    text = page.read_text("utf-8")
    parser = _Tags()
    parser.feed(text)
    tags = [tag for tag, _ in parser.found]
    assert not {"script", "img", "iframe", "link", "object", "form"} & set(tags)
    assert tags.count("style") == 1
    for _, attributes in parser.found:
        assert not [name for name in attributes if name.startswith("on") or name == "style"]
        href = attributes.get("href")
        assert href is None or href.startswith("#") or href in ("results.json", "summary.md")
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", text)
    assert "49" not in re.findall(r"\{\{ ?7\*7 ?\}\}|\b49\b", text)
    css = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    assert css is not None
    digest = base64.b64encode(hashlib.sha256(css[1].encode()).digest()).decode()
    assert f"sha256-{digest}" in text


def test_nothing_recorded_acts_in_the_summary(tmp_path: Path) -> None:
    _, page = written(tmp_path, *hostile_rows())
    text = page.with_name("summary.md").read_text("utf-8")
    assert "<script" not in text
    assert "<img" not in text
    assert not re.search(r"(?<!\\)\]\(javascript", text)
    rows = [line for line in text.splitlines() if line.startswith("|")]
    cells = {len(re.findall(r"(?<!\\)\|", line)) for line in rows}
    assert cells == {10}


def test_results_are_data_and_the_same_each_time(tmp_path: Path) -> None:
    found, page = written(tmp_path, row(1), row(2, success=False))
    data = page.with_name("results.json").read_bytes()
    assert msgspec.json.decode(data, type=TraceResults) == found
    again = trace_results(
        [tmp_path / "data"], card_rows=3, command="ringback recordings report data"
    )
    write_traces(again, tmp_path / "again")
    for name in ("results.json", "summary.md", "index.html"):
        assert (tmp_path / "again" / name).read_bytes() == page.with_name(name).read_bytes()


@pytest.mark.parametrize("name", ["index.html", "summary.md"])
def test_what_the_data_does_not_say_is_said(tmp_path: Path, name: str) -> None:
    _, page = written(tmp_path, row(1), row(2, model="b"))
    text = " ".join(page.with_name(name).read_text("utf-8").split())
    for words in (
        "not comparable across harnesses",
        "simulated customer is not in the data",
        "Prices and cached tokens are not in the data",
        "There are no task ids",
        "The card states 3 rows; 2 were read, 1 fewer",
        "could not be read",
        "success field",
    ):
        assert words in text, words


def test_long_lists_are_cut_and_counted(tmp_path: Path) -> None:
    rows = [row(number, spans=None) for number in range(230)]
    found, page = written(tmp_path, *rows)
    assert len(found.disagreements) == 230
    assert "30 more stand in results.json" in page.read_text("utf-8")


def test_a_folder_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    found, _ = written(tmp_path, row(1))
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="--out"):
        write_traces(found, tmp_path / "file")


@pytest.mark.skipif(chromium() is None, reason="there is no Chromium on this machine")
def test_the_page_fits_wide_and_narrow_light_and_dark(tmp_path: Path) -> None:
    path = chromium()
    assert path is not None
    many = [row(n, model=f"model-{n % 7}", harness=f"harness-{n % 2}") for n in range(40)]
    _, page = written(tmp_path, *many, *hostile_rows())
    with open_browser(path) as browser:
        papers: set[str] = set()
        for width in (1280, 390):
            for scheme in ("light", "dark"):
                seen = browser.load(page, width=width, scheme=scheme)
                assert seen.complaints == []
                assert seen.requests == [page.resolve().as_uri()]
                assert browser.ask("document.documentElement.scrollWidth") <= width
                papers.add(browser.ask("getComputedStyle(document.body).backgroundColor"))
                assert browser.ask("document.querySelectorAll('svg.chart').length") > 1
        assert len(papers) == 2


@pytest.mark.skipif(chromium() is None, reason="needs Chromium")
def test_a_cost_that_is_partly_known_wraps_and_a_table_that_scrolls_says_so(
    tmp_path: Path,
) -> None:
    path = chromium()
    assert path is not None
    rows = [row(number, agent_cost=None if number == 3 else 123.4567) for number in range(12)]
    write(tmp_path / "a.parquet", rows)
    page = write_traces(trace_results([tmp_path]), tmp_path / "out")
    with open_browser(path) as browser:
        browser.load(page, width=1280, scheme="light")
        assert browser.ask("document.querySelector('small.wraps').getClientRects()[0].width") <= 200
        name = "document.querySelector('table.wide tbody th bdi').getClientRects().length"
        assert browser.ask(name) == 1
        count = "document.querySelectorAll('{}').length"
        assert browser.ask(count.format(".scroll > .hint")) == browser.ask(count.format(".scroll"))
