"""The report as files: whole in itself, nothing recorded acts in it, nothing of others is lost."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Literal

import msgspec
import pytest

from ringback.errors import InputError
from ringback.overview import overview_of, transcript_of, write_overview
from ringback.overview.model import Overview
from ringback.replay.changes import Changes
from ringback.replay.places import at_event
from ringback.sessions import Store, parse_selection
from tests.browser import chromium, open_browser
from tests.formats.tau2.made import DATA_OFF, Talk, solved
from tests.overview.made import change, import_tau2, record, report
from tests.replay.stores import fork, replay

_HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</style><style>*{display:none}",
    "{{ 7*7 }}{% for x in y %}",
    "\x1b[31mred\x07\u202egnp",
    "[click](javascript:alert(1)) | a | b `c` **d** <!-- e",
    "x" * 400,
    "日本語のモデル",
)


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def tags(path: Path) -> list[tuple[str, dict[str, str | None]]]:
    parser = _Tags()
    parser.feed(path.read_text("utf-8"))
    return parser.found


def written(store: Path, out: Path, *words: str, transcripts: bool = True) -> tuple[Overview, Path]:
    with Store.open(store, write=False) as opened:
        found = overview_of(opened, parse_selection(words), command="ringback report --out out")
        return found, write_overview(found, out, transcript_of(opened) if transcripts else None)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs, a replay, a fork and recordings of others, in several conditions."""
    path = tmp_path_factory.mktemp("store") / "s.db"
    record(path, "hasty")
    replay(path, Changes(agent="reference"), "arm=hasty", name="again")
    fork(path, at_event(3), Changes(agent="reference"), "arm=hasty", name="rescue")
    talk = Talk(DATA_OFF).say("user", "My data does not work.")
    talk.call("agent", ("get_customer_by_phone", {"phone_number": "no"}))
    talk.say("user", "A pity. ###STOP###")
    import_tau2(
        path, path.with_name("r.json"), [solved().simulation(), talk.simulation(id="b", trial=1)]
    )
    return path


@pytest.fixture(scope="module")
def out(store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(store, tmp_path_factory.mktemp("out"))[1].parent


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    for number, text in enumerate(_HOSTILE):
        talk = Talk(DATA_OFF).say("user", text)
        talk.call("agent", (text, {text: text})).say("user", "###STOP###")
        import_tau2(
            folder / "s.db",
            folder / f"{number}.json",
            [talk.simulation(id=text, seed=number)],
            agent_info={"implementation": text, "llm": text, "llm_args": {text: text}},
            user_info={"implementation": text, "llm": text, "llm_args": None},
        )
    return written(folder / "s.db", folder / "out")[1].parent


def test_every_session_is_listed_and_leads_to_its_page(store: Path, out: Path) -> None:
    sessions = {line.id for line in report(store).sessions}
    assert len(sessions) == 11
    links = {
        (attributes.get("href") or "").removeprefix("transcripts/").removesuffix(".html")
        for _, attributes in tags(out / "index.html")
        if (attributes.get("href") or "").startswith("transcripts/")
    }
    assert links == sessions
    assert {path.stem for path in (out / "transcripts").iterdir()} == sessions


def test_no_link_leads_nowhere(out: Path) -> None:
    for page in [out / "index.html", *(out / "transcripts").iterdir()]:
        found = tags(page)
        ids = {attributes["id"] for _, attributes in found if attributes.get("id")}
        for _, attributes in found:
            href = attributes.get("href")
            if href is None:
                continue
            where, _, place = href.partition("#")
            if where:
                assert (page.parent / where).is_file(), href
            else:
                assert place in ids, href


def test_a_transcript_leads_to_its_neighbours_and_to_its_draw_in_other_arms(
    store: Path, out: Path
) -> None:
    found = report(store)
    first = next(line for line in found.sessions if line.arm == "hasty")
    other = next(line for line in found.sessions if line.arm == "again" and line.task == first.task)
    links = {
        attributes.get("href") for _, attributes in tags(out / "transcripts" / f"{first.id}.html")
    }
    assert f"{other.id}.html" in links
    arm = [line for line in found.sessions if line.arm == "hasty"]
    assert f"{arm[1].id}.html" in links
    assert f"{arm[2].id}.html" not in links
    assert "../index.html#sessions" in links


def test_results_are_data_and_the_same_each_time(store: Path, out: Path, tmp_path: Path) -> None:
    found, again = written(store, tmp_path / "again")
    data = (out / "results.json").read_bytes()
    assert msgspec.json.decode(data, type=Overview) == found
    names = ["results.json", "summary.md", "index.html"]
    names += [f"transcripts/{line.id}.html" for line in found.sessions]
    for name in names:
        assert (again.parent / name).read_bytes() == (out / name).read_bytes(), name


def test_nothing_recorded_acts_on_a_page(hostile: Path) -> None:
    for page in [hostile / "index.html", *(hostile / "transcripts").iterdir()]:
        text = page.read_text("utf-8")
        found = tags(page)
        names = [tag for tag, _ in found]
        assert not {"script", "img", "iframe", "link", "object", "form"} & set(names)
        assert names.count("style") == 1
        for _, attributes in found:
            assert not [name for name in attributes if name.startswith("on") or name == "style"]
            href = attributes.get("href")
            assert href is None or re.fullmatch(
                r"#.*|results\.json|summary\.md|(transcripts/)?[0-9a-f]{16}\.html"
                r"|\.\./index\.html#sessions",
                href,
            )
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", text)
        css = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
        assert css is not None
        digest = base64.b64encode(hashlib.sha256(css[1].encode()).digest()).decode()
        assert f"sha256-{digest}" in text


def test_nothing_recorded_acts_in_the_summary(hostile: Path) -> None:
    text = (hostile / "summary.md").read_text("utf-8")
    assert "<script" not in text
    assert "<img" not in text
    assert not re.search(r"(?<!\\)\]\(javascript", text)
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert rows
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in rows} == {12}


@pytest.mark.skipif(chromium() is None, reason="there is no Chromium on this machine")
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_loads_alone_and_fits(
    out: Path, hostile: Path, width: int, scheme: Literal["light", "dark"]
) -> None:
    path = chromium()
    assert path is not None
    with open_browser(path) as browser:
        for folder in (out, hostile):
            page = folder / "index.html"
            seen = browser.load(page, width=width, scheme=scheme)
            assert seen.complaints == []
            assert seen.requests == [page.resolve().as_uri()]
            assert browser.ask("document.documentElement.scrollWidth") == width
            assert not browser.ask("document.scripts.length")


@pytest.mark.parametrize("words", [("solved=no",), ("solved=no", "arm=hasty"), ()])
def test_of_what_was_chosen_by_its_outcome_no_rate_is_shown(
    store: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    _, page = written(store, tmp_path / "out", *words, transcripts=False)
    shown = page.read_text("utf-8").partition("</style>")[2]
    for text in (shown, page.with_name("summary.md").read_text("utf-8")):
        rates = re.findall(r"\b\d+\.\d%", text)
        assert bool(rates) is not bool(words)
    assert ("were chosen by how they came out" in shown) is bool(words)
    assert ("<svg" in shown) is not bool(words)


def test_a_condition_with_one_arm_is_drawn_where_it_is_the_only_one(
    store: Path, tmp_path: Path
) -> None:
    for words, drawn in ((("arm=hasty",), 2), (("origin=tau2",), 2), ((), 4)):
        found, page = written(store, tmp_path / "out", *words, transcripts=False)
        assert page.read_text("utf-8").count("<svg") == drawn, found.conditions


def test_without_transcripts_there_is_none_and_no_link_to_one(store: Path, tmp_path: Path) -> None:
    written(store, tmp_path / "out")
    _, page = written(store, tmp_path / "out", transcripts=False)
    assert not (tmp_path / "out" / "transcripts").exists()
    assert not [each for each in tags(page) if (each[1].get("href") or "").startswith("trans")]
    _, page = written(store, tmp_path / "new", transcripts=False)
    assert not (tmp_path / "new" / "transcripts").exists()
    (tmp_path / "mine" / "transcripts").mkdir(parents=True)
    written(store, tmp_path / "mine", transcripts=False)
    assert (tmp_path / "mine" / "transcripts").is_dir()


def test_a_report_takes_the_place_of_an_earlier_one_and_of_nothing_else(
    store: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    before, _ = written(store, folder, "arm=hasty")
    mine = folder / "transcripts" / "notes.html"
    mine.write_text("mine")
    theirs = folder / "transcripts" / f"{'a' * 16}.html"
    theirs.write_text("theirs")
    after, _ = written(store, folder, "arm=again")
    gone = {line.id for line in before.sessions}
    assert gone
    assert {path.stem for path in (folder / "transcripts").iterdir()} == {
        *(line.id for line in after.sessions),
        "notes",
        "a" * 16,
    }
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign" / "index.html").write_text("<h1>mine</h1>")
    with pytest.raises(InputError, match="no report of Ringback's"):
        written(store, tmp_path / "foreign")
    assert [path.name for path in (tmp_path / "foreign").iterdir()] == ["index.html"]


def test_what_is_left_out_stands_on_the_page_and_in_the_summary(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    record(store, "hasty")
    (first, second, _) = report(store).sessions
    change(
        store,
        "UPDATE events SET body = x'00' WHERE seq = 1 AND session = "
        "(SELECT number FROM sessions WHERE id = ?)",
        first.id,
    )
    change(
        store,
        "UPDATE sessions SET ending = 'infrastructure_error', grader = NULL WHERE id = ?",
        second.id,
    )
    record(store, "hasty")
    found, page = written(store, tmp_path / "out")
    (replaced,) = (line for line in found.sessions if not line.counted)
    for path in (page, page.with_name("summary.md")):
        text = path.read_text("utf-8")
        assert first.id in text
        assert "1 session cannot be read." in text
        assert "1 attempt that a later one replaced is listed and in no figure." in text
    assert f"transcripts/{replaced.id}.html" in page.read_text("utf-8")
    assert f"transcripts/{first.id}.html" not in page.read_text("utf-8")


def test_what_is_stopped_leaves_the_page_that_was_there(store: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    _, page = written(store, folder, "arm=hasty")
    before = page.read_bytes()
    with Store.open(store, write=False) as opened:
        found = overview_of(opened, parse_selection([]))
        told = transcript_of(opened)

        def stop(count: list[int] = [0]) -> None:  # noqa: B006
            count[0] += 1
            if count[0] == 3:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            write_overview(found, folder, told, stop)
    assert page.read_bytes() == before
    for _, attributes in tags(page):
        href = attributes.get("href") or ""
        if href.startswith("transcripts/"):
            assert (folder / href).is_file()


def test_a_call_whose_texts_are_lost_is_told_without_them(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    import_tau2(store, tmp_path / "r.json", [solved().simulation()])
    change(store, "DELETE FROM contents")
    found, page = written(store, tmp_path / "out")
    (line,) = found.sessions
    assert "is missing or damaged" in (page.parent / "transcripts" / f"{line.id}.html").read_text()
