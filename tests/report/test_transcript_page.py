"""A transcript's page beside others: what it links to, what its sides were told, where it began."""

from __future__ import annotations

import io
from pathlib import Path

from msgspec.structs import replace
from rich.console import Console

from ringback.canonical import digest
from ringback.episode.events import AnyEvent, Forked, ModelCall, Start
from ringback.episode.wire import Answer, Message, Price, RecordedRequest, Text, Usage
from ringback.report.around import around
from ringback.report.compute import compute
from ringback.report.model import StudyResults
from ringback.report.page import transcript_page, write_report
from ringback.report.session_view import session_view
from ringback.report.terminal import print_transcript
from ringback.report.transcript import Transcript, transcript
from tests.report.calls import TELECOM, UGLY, repair
from tests.report.studies import TASKS, arm_facts, rows, study

FACTS = study([arm_facts("base", "baseline"), arm_facts("other")], trials=2)
OUTCOMES = {"base": ["yyyn", "yyyy"], "other": ["nyyn", "yy.y"]}


def results() -> StudyResults:
    found = [
        replace(row, session=digest([row.arm, row.task, row.trial])[:16])
        for row in rows(FACTS, OUTCOMES)
    ]
    return compute(FACTS, found)


def page(arm: str, task: int, trial: int) -> str:
    return f"{digest([arm, TASKS[task].id, trial])[:16]}.html"


def ways(arm: str, task: int, trial: int, lacking: tuple[str, ...] = ()) -> dict[str, str]:
    found = around(results(), lacking)[page(arm, task, trial).removesuffix(".html")]
    return {way.key: way.href for way in found.ways}


def test_a_call_leads_to_the_next_of_its_arm_and_to_the_arms_beside_it() -> None:
    assert ways("base", 0, 0) == {"n": page("base", 0, 1), "j": page("other", 0, 0)}
    assert ways("base", 0, 1) == {
        "p": page("base", 0, 0),
        "n": page("base", 1, 0),
        "j": page("other", 0, 1),
    }
    assert ways("other", 3, 1) == {"p": page("other", 3, 0), "k": page("base", 3, 1)}


def test_what_has_no_page_is_passed_over() -> None:
    assert ways("other", 2, 0)["n"] == page("other", 3, 0)  # its second trial was not run
    assert "j" not in ways("base", 2, 1)
    gone = page("base", 1, 0).removesuffix(".html")
    assert ways("base", 0, 1, (gone,))["n"] == page("base", 1, 1)
    assert "k" not in ways("other", 1, 0, (gone,))


def test_no_link_leads_to_a_page_that_is_not_there(tmp_path: Path) -> None:
    gone = page("base", 1, 0).removesuffix(".html")

    def told(session: str) -> Transcript | None:
        return None if session == gone else transcript(repair(), TELECOM)

    write_report(results(), told, tmp_path)
    pages = [path.read_text("utf-8") for path in tmp_path.rglob("*.html")]
    assert len(pages) == 15
    assert not [text for text in pages if gone in text]


def call(seq: int, by: str, system: str) -> ModelCall:
    answer = Answer(Message("assistant", (Text("Hm."),)), "m", 1.0, Usage(), Price(0.0, ""))
    return ModelCall(
        seq=seq,
        cause=seq - 1,
        by=by,  # pyright: ignore[reportArgumentType]
        model="m",
        request=RecordedRequest(digest(system), (), "1" * 32),
        answer=answer,
    )


AGENT, CALLER = "You are the agent.\n\n" + "Be kind. " * 3000, "You are the caller."


def asked() -> list[AnyEvent]:
    """A beginning in which both sides are models."""
    start, opens, *_ = repair()
    return [
        start,
        call(1, "user", CALLER),
        replace(opens, seq=2),
        call(3, "agent", AGENT),
    ]


def told(events: list[AnyEvent]) -> Transcript:
    return transcript(events, TELECOM, None, {digest(AGENT): AGENT})


def test_instructions_can_be_seen_whole() -> None:
    found = told(asked())
    assert [(each.side, each.text) for each in found.instructions] == [
        ("agent", AGENT),
        ("user", None),
    ]
    shown = transcript_page(found).decode()
    assert AGENT in shown
    assert f"as its model was sent them ({len(AGENT):,} characters)" in shown
    assert "Instructions of the customer, as its model was sent them (not in the store)" in shown
    assert transcript(asked(), TELECOM).instructions == ()  # unless they are asked for


def test_a_customer_that_is_no_model_goes_by_the_scenario() -> None:
    (only,) = told(repair()).instructions
    task = TELECOM.task("[mobile_data_issue]airplane_mode_on|data_usage_exceeded[PERSONA:Easy]")
    assert (only.side, only.text) == ("user", TELECOM.scenario(task).text)


def test_the_terminal_shows_them_where_everything_is_asked_for() -> None:
    def printed(limit: int | None) -> str:
        out = io.StringIO()
        print_transcript(told(asked()), Console(file=out, width=100), limit=limit)
        return out.getvalue()

    assert "told      agent, as its model was sent them: 27,020 characters" in printed(None)
    assert printed(None).count("kind.") == 3000
    assert "told      user, as its model was sent them: not in the store" in printed(None)
    assert "Be kind." not in printed(4000)


def test_hostile_instructions_stay_text() -> None:
    for text in UGLY:
        events = [*asked()[:3], call(3, "agent", text)]
        shown = transcript_page(transcript(events, TELECOM, None, {digest(text): text})).decode()
        assert "<script" not in shown
        assert "<img" not in shown
        assert "\x1b" not in shown


def forked() -> list[AnyEvent]:
    """The whole call as a fork of another before event 6, its fifth step."""
    start, *rest = repair()
    assert isinstance(start, Start)
    condition = replace(start.condition, forked=Forked("feedbeefcafe0123", 6))
    return [replace(start, condition=condition, parent="feedbeefcafe0123"), *rest]


def test_a_fork_says_where_it_began_and_what_is_copied() -> None:
    found = transcript(forked(), TELECOM)
    words = (
        "session feedbeefcafe0123, before its step 6 (event 6); the 5 events before are copies, "
        "and paid for there"
    )
    view = session_view(found, lambda session: f"{session}.html")
    facts = {fact.name: fact for fact in view.facts}
    assert facts["Forked from"].words == words
    assert facts["Forked from"].href == "feedbeefcafe0123.html#e6"
    assert "Parent" not in facts
    copied = [row.seq for row in view.rows if row.copied]
    assert copied == [0, 1, 2, 4]
    assert [row.seq for row in view.rows if row.goes_on] == [6]
    assert transcript_page(found).decode().count("From here on it is the fork’s own") == 1
    out = io.StringIO()
    print_transcript(found, Console(file=out, width=200))
    assert f"forked    from {words}" in out.getvalue()
    before, after = out.getvalue().split("what follows is the fork's own")
    assert "get_customer_by_phone" in before
    assert "get_data_usage" in after


def test_a_parent_is_linked_where_it_has_a_page() -> None:
    start, *rest = repair()
    events = [replace(start, parent="feedbeefcafe0123"), *rest]
    found = transcript(events, TELECOM)
    here = transcript_page(found, page_of=lambda session: f"{session}.html").decode()
    assert '<a href="feedbeefcafe0123.html"><bdi>feedbeefcafe0123</bdi></a>' in here
    assert "feedbeefcafe0123.html" not in transcript_page(found).decode()
    out = io.StringIO()
    print_transcript(found, Console(file=out, width=100))
    assert "parent    feedbeefcafe0123, which this call replays" in out.getvalue()
