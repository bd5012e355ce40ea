"""The report as files: whole, safe, the same each time, and careful with what is there."""

from __future__ import annotations

import base64
import hashlib
import os
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import BinaryIO

import msgspec
import pytest

from ringback.canonical import Json, digest
from ringback.domain import Task
from ringback.episode import identity
from ringback.episode.episode import Episode
from ringback.episode.events import AnyEvent, Call, Draw, Limits, Setup
from ringback.episode.participants import Reply
from ringback.episode.parting import Parting
from ringback.errors import InputError
from ringback.report import results_json
from ringback.report.compute import compute
from ringback.report.model import EpisodeRow, StudyFacts, StudyResults
from ringback.report.page import study_page, transcript_page, write_report
from ringback.report.session_view import session_view
from ringback.report.summary import summary
from ringback.report.transcript import Transcript, transcript
from tests.lamp import LAMP
from tests.report.calls import TELECOM, UGLY, played, repair, ugly
from tests.report.studies import TASKS, arm_facts, rows, study

FACTS = study(
    [
        arm_facts("baseline", "baseline"),
        arm_facts("noise", "noise"),
        arm_facts("careless", agent="careless"),
        arm_facts("do-nothing", "floor", agent="do-nothing"),
    ]
)
OUTCOMES = {
    "baseline": ["yyyn"],
    "noise": ["yyny"],
    "careless": ["nyix"],
    "do-nothing": ["nn.n"],
}


def with_sessions(found: list[EpisodeRow]) -> list[EpisodeRow]:
    """The rows with ids like those of recorded sessions."""
    return [
        msgspec.structs.replace(row, session=digest([row.arm, row.task, row.trial])[:16])
        for row in found
    ]


def results(facts: StudyFacts = FACTS) -> StudyResults:
    return compute(facts, with_sessions(rows(facts, OUTCOMES)))


def told(session: str) -> Transcript:
    return transcript(repair(), TELECOM)


class _Page(HTMLParser):
    """Tags, links, ids and text of a page, as a browser would see them."""

    def __init__(self, page: bytes) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.words: list[str] = []
        self.feed(page.decode())
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def all(self, name: str) -> list[str]:
        return [value for key, value in self.attributes if key == name]


def test_the_report_is_a_page_results_summary_and_transcripts(tmp_path: Path) -> None:
    found = results()
    asked: list[str] = []

    def transcript_of(session: str) -> Transcript:
        asked.append(session)
        return told(session)

    index = write_report(found, transcript_of, tmp_path / "deep" / "report")
    out = index.parent
    assert index == tmp_path / "deep" / "report" / "index.html"
    assert {path.name for path in out.iterdir()} == {
        "index.html",
        "results.json",
        "summary.md",
        "transcripts",
    }
    assert results_json.decode((out / "results.json").read_bytes()) == found
    sessions = [cell.session for row in found.grid for cells in row.cells for cell in cells]
    expected = [session for session in sessions if session]
    assert asked == expected
    assert {path.stem for path in (out / "transcripts").iterdir()} == set(expected)


def test_another_worlds_fields_and_callers_stand_under_their_own_names() -> None:
    start = identity.opening(
        LAMP,
        identity.condition(LAMP, Setup("u", "1"), Limits()),
        identity.arm(LAMP, Setup("a", "1"), "short"),
        "a",
        Draw("dark", 0, 0),
    )
    episode = Episode(start, LAMP)
    for reply in (Reply("Dark!"), Reply(calls=(Call("set_fuse", {}),)), Reply("Lit. ###STOP###")):
        episode.take(reply)
    view = session_view(transcript(episode.events, LAMP))
    groups = [group for row in view.rows for group in row.changes]
    assert [(group.title, group.changes[0].name) for group in groups] == [("Lamp", "fuse")]
    assert "phone" not in _Page(transcript_page(transcript(episode.events, LAMP))).text.lower()
    facts = study([arm_facts("baseline", "baseline")], tasks=LAMP.tasks("all"))
    page = study_page(compute(facts, []), lambda _: None).decode()
    assert "· Hard" in page


def test_a_records_places_are_told_apart() -> None:
    view = session_view(transcript(repair(), TELECOM))
    titles = {group.title for row in view.rows for group in row.changes}
    assert {"Phone", "Line L1002"} <= titles


def test_the_state_before_a_call_and_all_that_it_changed_are_there() -> None:
    view = session_view(transcript(repair(), TELECOM))
    before = {group.title: dict(group.fields) for group in view.opening}
    assert before["Phone"]["airplane mode"] == "true"
    assert before["Line L1002"]["data used gb"] == "15.1"
    assert "Line L1003" not in before  # a line that the call has nothing to do with
    net = {group.title: {each.name: each for each in group.changes} for group in view.net}
    assert (net["Phone"]["airplane mode"].before, net["Phone"]["airplane mode"].after) == (
        "true",
        "false",
    )
    assert net["Line L1002"]["data refueling gb"].after == "2.0"
    page = transcript_page(transcript(repair(), TELECOM)).decode()
    assert "<summary>The state before the call</summary>" in page
    assert "<summary>What the call changed in all</summary>" in page
    unknown = session_view(transcript(repair(), None))
    assert (unknown.opening, unknown.net) == ((), ())


def test_an_arm_is_never_shown_without_its_agents_settings() -> None:
    arms = [arm_facts("baseline", "baseline")]
    for name, skip in (("little", 0.1), ("much", 0.9)):
        settings: dict[str, Json] = {"passes": 1, "skip": skip}
        arms.append(
            msgspec.structs.replace(
                arm_facts(name, agent="careless"),
                agent=Setup("careless", "1", settings),
                own_settings={"skip": skip},
            )
        )
    found = compute(study(arms), [])
    page = _Page(study_page(found, lambda _: None)).text
    for text in (page, summary(found)):
        assert "agent careless with skip 0.1" in text
        assert "agent careless with skip 0.9" in text
    assert "agent careless version 1 policy workflow passes 1 skip 0.9 digest" in page


def test_a_verdict_on_few_changes_says_so_wherever_it_stands() -> None:
    tasks = [msgspec.structs.replace(TASKS[0], id=f"t{n}") for n in range(20)]
    facts = study([arm_facts("baseline", "baseline"), arm_facts("arm")], tasks=tasks)
    found = compute(facts, rows(facts, {"baseline": ["y" * 20], "arm": ["n" * 6 + "y" * 14]}))
    page = study_page(found, lambda _: None).decode()
    assert page.count("worse (few changes)") == 1
    assert page.count(", few changes") >= 2  # the chart, drawn twice
    assert "fewer than 10 tasks changed outcome" in page
    assert "worse (few changes)" in summary(found)
    assert b'"few": true' in results_json.encode(found)


def test_the_band_of_the_noise_arm_is_called_an_interval_of_its_difference() -> None:
    facts = study([arm_facts("baseline", "baseline"), arm_facts("noise", "noise")])
    page = study_page(compute(facts, rows(facts, {"baseline": ["yyyy"], "noise": ["nyyy"]})), str)
    text = _Page(page).text
    assert "The shaded band is the 95% interval of the noise arm’s difference" in text
    assert "Another rerun may fall outside it." in text


def test_every_link_leads_somewhere(tmp_path: Path) -> None:
    index = write_report(results(), told, tmp_path)
    pages = {
        path: _Page(path.read_bytes())
        for path in (index.resolve(), *(tmp_path / "transcripts").resolve().iterdir())
    }
    for path, page in pages.items():
        for href in page.all("href"):
            file, _, anchor = href.partition("#")
            target = (path.parent / file).resolve() if file else path
            assert target.is_file(), href
            if anchor:
                assert anchor in pages[target].all("id"), href
        ids = page.all("id")
        assert len(ids) == len(set(ids))


def test_the_page_says_what_the_results_say(tmp_path: Path) -> None:
    found = results()
    text = _Page(write_report(found, told, tmp_path).read_bytes()).text
    assert FACTS.question in text
    for sentence in found.headline:
        assert sentence in text
    for words in (
        "3/4",
        "not run 1",
        "infrastructure error 1",
        "max steps",
        FACTS.command,
        FACTS.condition,
        "still not its scores",
        "Wilson score 95% intervals",
        "2,000 resamples",
        "difference of nothing",
    ):
        assert words in text, words
    for arm in FACTS.arms:
        assert arm.name in text
        assert arm.digest in text


def test_equal_results_give_equal_bytes(tmp_path: Path) -> None:
    def files(out: Path) -> dict[str, bytes]:
        write_report(results(), told, out)
        return {
            str(path.relative_to(out)): path.read_bytes()
            for path in out.rglob("*")
            if path.is_file()
        }

    assert files(tmp_path / "one") == files(tmp_path / "two")


def test_pages_of_an_earlier_report_go_and_other_files_stay(tmp_path: Path) -> None:
    write_report(results(), told, tmp_path)
    folder = tmp_path / "transcripts"
    stale = folder / "00000000deadbeef.html"
    stale.write_bytes(transcript_page(told("")))
    theirs = {
        folder / "00000000deadbee0.html": b"<p>my own notes",
        folder / "notes.html": transcript_page(told("")),
        folder / "00000000deadbeef.txt": b"text",
        tmp_path / "extra.css": b"p {}",
    }
    for path, data in theirs.items():
        path.write_bytes(data)
    write_report(results(), told, tmp_path)
    assert not stale.exists()
    for path, data in theirs.items():
        assert path.read_bytes() == data
    assert not list(tmp_path.rglob("*.tmp"))


def test_a_report_that_fails_half_way_leaves_the_old_page(tmp_path: Path) -> None:
    index = write_report(results(), told, tmp_path)
    before = index.read_bytes()

    def fails(session: str) -> Transcript:
        raise InputError("The store is gone.")

    other = msgspec.structs.replace(FACTS, question="Another question?")
    with pytest.raises(InputError, match="store is gone"):
        write_report(results(other), fails, tmp_path)
    assert index.read_bytes() == before
    assert not list(tmp_path.rglob("*.tmp"))


def test_a_report_whose_page_cannot_be_made_leaves_all_of_the_old_one(tmp_path: Path) -> None:
    write_report(results(), told, tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    assert len(before) == 3
    found = results()
    arms = (found.arms[0], *(msgspec.structs.replace(arm, by_fault=()) for arm in found.arms[1:]))
    other = msgspec.structs.replace(found, headline=("Otherwise.",), arms=arms)
    with pytest.raises(IndexError):
        write_report(other, told, tmp_path)
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.parametrize(
    "session",
    ["../../evil", "a/b", "ABCDEF0123456789", "x" * 16, "", "1" * 300, "0123456789abcdef\n"],
)
def test_only_our_ids_become_names_of_files(tmp_path: Path, session: str) -> None:
    found = [
        msgspec.structs.replace(row, session=session if place == 0 else None)
        for place, row in enumerate(rows(FACTS, OUTCOMES))
    ]
    out = tmp_path / "report"
    index = write_report(compute(FACTS, found), told, out)
    assert not list((out / "transcripts").iterdir())
    assert not [href for href in _Page(index.read_bytes()).all("href") if "transcripts" in href]
    assert [path.name for path in tmp_path.iterdir()] == ["report"]


def test_a_session_without_a_transcript_is_not_linked(tmp_path: Path) -> None:
    index = write_report(results(), lambda _: None, tmp_path)
    assert not [href for href in _Page(index.read_bytes()).all("href") if "transcripts" in href]


def test_a_folder_that_cannot_be_written_is_said_in_a_sentence(tmp_path: Path) -> None:
    file = tmp_path / "taken"
    file.write_text("a file")
    with pytest.raises(InputError, match=r"cannot be written to .*taken.*--out"):
        write_report(results(), told, file)


@pytest.mark.skipif(os.name != "posix", reason="needs /dev/full")
def test_a_full_disk_is_said_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Path, mode: str) -> BinaryIO:
        if mode == "rb":
            return open(self, mode)  # noqa: PTH123 - in place of a Path
        assert "b" in mode
        self.touch()
        return open("/dev/full", "wb", buffering=0)  # noqa: PTH123 - in place of a Path

    index = write_report(results(), told, tmp_path)
    before = index.read_bytes()
    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", full)
        with pytest.raises(InputError, match="No space left"):
            write_report(results(), told, tmp_path)
    assert index.read_bytes() == before


def test_the_policy_allows_the_one_style_sheet_and_nothing_else(tmp_path: Path) -> None:
    index = write_report(results(), told, tmp_path)
    for path in (index, next((tmp_path / "transcripts").iterdir())):
        page = path.read_text("utf-8")
        styles = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
        assert len(styles) == 1
        sha = base64.b64encode(hashlib.sha256(styles[0].encode()).digest()).decode()
        policy = _Page(path.read_bytes()).all("content")[0]
        assert policy.startswith(f"default-src 'none'; style-src 'sha256-{sha}';")
        assert "unsafe" not in policy
        assert "url(" not in styles[0]
        assert "@import" not in styles[0]
        tags = set(_Page(path.read_bytes()).tags)
        assert not tags & {"script", "iframe", "img", "object", "embed", "link", "form", "base"}
        for name in ("src", "srcset", "style"):
            assert not _Page(path.read_bytes()).all(name)


def hostile(text: str) -> tuple[StudyResults, Callable[[str], Transcript]]:
    """A study and its transcripts in which every word that is not ours is this text."""
    task = Task(text, text, (text,), text, True)
    arms = [
        msgspec.structs.replace(
            arm, name=f"{arm.name}{text}", policy=text, changes={text: text, "agent": text}
        )
        for arm in FACTS.arms
    ]
    facts = msgspec.structs.replace(
        study(arms, tasks=[task]),
        name=text,
        question=text,
        domain=text,
        selection=text,
        command=text,
        versions={text: text},
    )
    found = [
        EpisodeRow(
            arm=arm.name,
            task=text,
            trial=0,
            session=digest(arm.name.encode("utf-8", "replace").decode())[:16],
            ending="infrastructure_error",
            ungraded=text,
            conduct=(text,),
        )
        for arm in facts.arms
    ]
    events: list[AnyEvent] = ugly(text) if text else played([])
    return compute(facts, found), lambda _: transcript(events, TELECOM)


@pytest.mark.parametrize("text", [*UGLY, "\n".join(UGLY)])
def test_hostile_text_is_text(tmp_path: Path, text: str) -> None:
    found, transcript_of = hostile(text)
    index = write_report(found, transcript_of, tmp_path)
    plain, _ = hostile("plain")
    ours = write_report(plain, transcript_of, tmp_path / "plain")
    assert _Page(index.read_bytes()).tags == _Page(ours.read_bytes()).tags
    for path in tmp_path.rglob("*.html"):
        page = _Page(path.read_bytes())
        assert not [name for name, _ in page.attributes if name.startswith("on")]
        assert not set(page.tags) & {"script", "img", "iframe"}
        assert page.tags.count("body") == page.tags.count("style") == 1
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e]", page.text)


def test_half_a_surrogate_pair_is_spelled(tmp_path: Path) -> None:
    """A store cannot hold one, but names and questions come from elsewhere."""
    broken = "half \ud800 pair"
    facts = msgspec.structs.replace(FACTS, question=broken)
    page = study_page(compute(facts, rows(facts, OUTCOMES)), lambda _: None)
    assert "half \\ud800 pair" in page.decode()


def test_a_megabyte_of_text_does_not_make_a_megabyte_of_page(tmp_path: Path) -> None:
    events = ugly("w" * 1_000_000)
    page = transcript_page(transcript(events, TELECOM))
    assert len(page) < 200_000
    assert "996,000 more characters in the record" in page.decode()


def test_sizes_hold_for_forty_tasks_and_ten_arms(tmp_path: Path) -> None:
    faults = ("airplane_mode_on", "bad_network_preference", "user_abroad_roaming_disabled_on")
    tasks = [
        Task(f"[mms_issue]{'|'.join(faults)}{n}[PERSONA:Hard]", f"f{n % 3}", faults, "Hard", n > 9)
        for n in range(40)
    ]
    arms = [arm_facts("baseline", "baseline")] + [
        arm_facts(f"a-longer-name-of-an-arm-{n}", agent=str(n)) for n in range(9)
    ]
    facts = study(arms, tasks=tasks)
    outcomes = {arm.name: ["yn" * 20] for arm in arms}
    found = compute(facts, with_sessions(rows(facts, outcomes)))
    index = write_report(found, told, tmp_path)
    assert index.stat().st_size < 500_000
    pages = list((tmp_path / "transcripts").iterdir())
    assert len(pages) == 400
    assert max(path.stat().st_size for path in pages) < 60_000


@pytest.mark.parametrize("trials", [1, 3])
def test_a_baseline_alone_is_a_study(tmp_path: Path, trials: int) -> None:
    facts = study([arm_facts("baseline", "baseline")], trials=trials, tasks=TASKS[:1])
    found = compute(facts, rows(facts, {"baseline": ["y"] * trials}))
    text = _Page(write_report(found, told, tmp_path).read_bytes()).text
    assert "no arm beside its baseline" in text
    assert "no such task" in text


def test_flips_lead_to_the_turns_in_which_the_calls_part(tmp_path: Path) -> None:
    def partings(baseline: str, session: str) -> Parting:
        return Parting("result", 4, 6, 6, "one", "other", "In step 4 a tool answers otherwise.")

    found = compute(FACTS, with_sessions(rows(FACTS, OUTCOMES)), partings)
    index = write_report(found, told, tmp_path)
    page = _Page(index.read_bytes())
    assert "In step 4 a tool answers otherwise." in page.text
    links = [link for link in page.all("href") if link.endswith(".html#e6")]
    assert len(links) == 2 * sum(
        len(arm.versus.flips) for arm in found.arms if arm.versus and arm.role != "floor"
    )
    for link in links:
        name, _, place = link.partition("#")
        assert place in _Page((tmp_path / name).read_bytes()).all("id")


def test_the_menu_leads_to_every_section() -> None:
    page = _Page(study_page(results(), lambda _: None))
    menu = [link[1:] for link in page.all("href") if link.startswith("#")]
    for place in ("method", "noise", "floor", "flips", "failures", "steps", "counted", "again"):
        assert place in menu
        assert place in page.all("id")


def test_only_a_study_of_seeds_alone_promises_the_same_figures() -> None:
    for seeded in (True, False):
        facts = msgspec.structs.replace(FACTS, seeded=seeded)
        text = _Page(study_page(compute(facts, rows(facts, OUTCOMES)), lambda _: None)).text
        assert ("to the last digit" in text) is seeded
        assert ("A fresh run need not come out the same" in text) is not seeded


def test_where_a_rule_in_the_prompt_comes_from_is_said() -> None:
    ruled = msgspec.structs.replace(
        arm_facts("ruled"), changes={"settings": {"instructions_append": "Check it again."}}
    )
    facts = study([arm_facts("baseline", "baseline"), ruled])
    text = _Page(study_page(compute(facts, []), lambda _: None)).text
    assert "ruled: a text of its own appended to the baseline's instructions" in text
    assert "When it was written relative to the baseline's run was not recorded." in text
    known = msgspec.structs.replace(ruled, rule="The store first saw it after the baseline.")
    facts = study([arm_facts("baseline", "baseline"), known])
    text = _Page(study_page(compute(facts, []), lambda _: None)).text
    assert "The store first saw it after the baseline." in text
    assert "was not recorded" not in text
