"""Whom a failure is laid to, and what went wrong, stand in the transcript with their steps."""

from __future__ import annotations

from io import StringIO

from msgspec.structs import replace
from rich.console import Console

from ringback.grading.grade import grade
from ringback.report.session_view import session_view
from ringback.report.terminal import print_transcript
from ringback.report.transcript import transcript
from ringback.telecom import domain
from tests.grading.stories import Line, story, task

SAVER = task("mobile_data_issue", "data_saver_mode_on")
LINES: list[Line] = [
    ("user", "It is slow."),
    ("agent", "transfer_to_human_agents", {"summary": "s"}),
    ("agent", "Goodbye."),
    ("user", "###TRANSFER###"),
]
EPISODE = story(SAVER, *LINES)


def test_the_page_links_each_sign_to_its_turn() -> None:
    view = session_view(transcript(EPISODE.events, domain, grade(EPISODE))).blame
    assert view is not None
    assert view.words == "Laid to the agent"
    assert (view.why.href, view.why.where) == ("#e2", "step 2")
    assert "premature transfer" in {sign.kind for sign in view.signs}


def test_an_ending_is_linked_to_the_end() -> None:
    cut = story(SAVER, *LINES[:1], ending="timeout")
    view = session_view(transcript(cut.events, domain, grade(cut))).blame
    assert view is not None
    clock = next(sign for sign in view.signs if sign.kind == "clock")
    assert (clock.href, clock.where) == ("#end", "the end")


def test_the_terminal_says_it_too() -> None:
    out = StringIO()
    print_transcript(
        transcript(EPISODE.events, domain, grade(EPISODE)), Console(file=out, width=100)
    )
    assert "blame     agent, at step 2 (event 2): " in out.getvalue()
    assert "failure   premature_transfer at step 2 (event 2): " in out.getvalue()


def test_the_terminal_names_steps_as_its_margin_counts_them_and_the_end_as_such() -> None:
    called = story(
        SAVER,
        LINES[0],
        ("agent", "get_customer_by_phone", {"phone_number": "555-123-2002"}),
        *LINES[1:],
    )
    out = StringIO()
    print_transcript(transcript(called.events, domain, grade(called)), Console(file=out, width=100))
    margin = next(line for line in out.getvalue().splitlines() if "transfer_to_human" in line)
    step = margin.split()[0]
    assert f"premature_transfer at step {step} (event " in out.getvalue()

    cut = story(SAVER, *LINES[:1], ending="timeout")
    out = StringIO()
    print_transcript(transcript(cut.events, domain, grade(cut)), Console(file=out, width=100))
    assert f"clock at the end (event {cut.events[-1].seq}): " in out.getvalue()


def test_a_grade_that_is_older_than_blame_is_asked_for_it_here() -> None:
    old = replace(grade(EPISODE, blame=False))
    told = transcript(EPISODE.events, domain, old)
    assert told.grade == old
    assert told.failure == grade(EPISODE).failure
    assert any("was asked for this transcript" in remark for remark in told.remarks)


def test_a_solved_call_shows_none() -> None:
    solved = story(
        SAVER,
        ("user", "It is slow."),
        ("agent", "Please switch data saver off."),
        ("user", "toggle_data_saver_mode", {}),
        ("user", "Done. ###STOP###"),
    )
    told = transcript(solved.events, domain, grade(solved))
    assert (told.failure, session_view(told).blame) == (None, None)
