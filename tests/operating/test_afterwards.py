"""An operated session is a session: replayed, forked, compared, graded again, exported, read."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ringback.domains import load
from ringback.episode.events import End, Start, Turn
from ringback.report.session_view import session_view
from ringback.report.transcript import transcript
from ringback.sessions import Store
from tests import warm
from tests.cli.conftest import environment
from tests.operating.conftest import Shell
from tests.operating.test_reenacted import recorded, typed
from tests.record.reenacted import CALLS

SOLVED, FAILED = "easy", "medium"


@pytest.fixture(scope="module")
def operated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with four sessions of Ada's: one solved, one failed, one given up, one open."""
    store = tmp_path_factory.mktemp("operated") / "s.db"
    for command in (
        ("start", CALLS[SOLVED].task, "--as", "Ada"),
        *map(typed, CALLS[SOLVED].commands),
        *(("start", CALLS[FAILED].task, "--as", "Ada"), ("end", "Goodbye.")),
        *(("start", "2", "--as", "Ada"), ("say", "Hello?"), ("abandon", "Lunch.")),
        *(("start", "3", "--as", "Ada"), ("say", "Please check the status bar.")),
    ):
        words = ("operate", *command, "--store", str(store))
        assert warm.run(*words, cwd=store.parent, env=environment()).returncode == 0
    return store


@pytest.fixture
def told(shell: Shell, operated: Path) -> dict[str, str]:
    """A copy of it as the shell's store; its sessions by what became of them."""
    shutil.copy(operated, shell.store)
    rows = shell.seen("list")["episodes"]
    assert [row["ending"] for row in rows] == ["user_stop", "agent_stop", "abandoned", None]
    names = ("solved", "failed", "given_up", "open")
    return dict(zip(names, (row["session"] for row in rows), strict=True))


@pytest.fixture
def model(tmp_path: Path) -> str:
    """A model that does what the operator of the solved call did."""
    replies: list[Any] = []
    for command in CALLS[SOLVED].commands:
        if len(command) == 2:
            replies.append(command[1])
        else:
            replies.append({"calls": [{"tool": command[1], "arguments": command[2]}]})
    file = tmp_path / "agent.json"
    file.write_bytes(msgspec.json.encode(replies))
    return f"script:{file}"


def said(shell: Shell, *words: str) -> dict[str, Any]:
    done = shell(*words, "--json")
    assert done.code == 0, done
    return json.loads(done.out)


def start_of(shell: Shell, session: str) -> Start:
    with Store.open(shell.store, write=False) as store:
        start = store.events(session)[0]
    assert isinstance(start, Start)
    return start


def test_a_replay_puts_a_model_in_the_persons_place_before_the_same_customer(
    shell: Shell, told: dict[str, str], model: str
) -> None:
    found = said(shell, "replay", told["solved"], told["failed"], "--model", model)
    arm = found["arms"][0]
    assert arm["changes"][0] == {"what": "agent", "was": "operator", "now": model}
    pairs = {pair["parent"]: pair for pair in found["sessions"]}
    assert all(pair["paired"] for pair in pairs.values())
    solved = pairs[told["solved"]]
    assert (solved["before"], solved["after"]) == (True, True)
    was, now = start_of(shell, told["solved"]), start_of(shell, solved["session"])
    assert (was.draw, was.user_seed, was.condition) == (now.draw, now.user_seed, now.condition)
    with Store.open(shell.store, write=False) as store:
        one, other = (
            [event.text for event in store.events(session) if isinstance(event, Turn)]
            for session in (told["solved"], solved["session"])
        )
    assert one == other

    by_hand = said(shell, "compare", told["failed"], pairs[told["failed"]]["session"])
    assert by_hand["parting"] is not None
    assert said(shell, "compare", told["solved"], solved["session"])["parting"] is None


def test_a_model_goes_on_from_a_step_of_a_call_by_hand(shell: Shell, told: dict[str, str]) -> None:
    done = said(shell, "fork", told["solved"], "--at", "8", "--agent", "reference")
    (pair,) = done["sessions"]
    assert (pair["before"], pair["after"], pair["paired"]) == (True, True, False)
    with Store.open(shell.store, write=False) as store:
        fork, whole = store.events(pair["session"]), store.events(told["solved"])
    kept = [event for event in fork[1:] if event.seq < len(whole) and event == whole[event.seq]]
    assert len(kept) > 5


@pytest.mark.parametrize("which", ["solved", "given_up", "open"])
def test_without_somebody_to_answer_it_says_who_could(
    shell: Shell, told: dict[str, str], which: str
) -> None:
    for words in (
        ("replay", told[which]),
        ("replay", told[which], "--agent", "operator"),
        ("fork", told[which], "--at", "1"),
    ):
        done = shell(*words)
        assert (done.code, done.out) == (2, "")
        assert len(done.err.splitlines()) == 1
        assert f"Session {told[which]} was answered by hand" in done.err
        assert "--model NAME" in done.err


@pytest.mark.parametrize("which", ["given_up", "open"])
def test_what_has_no_outcome_can_be_called_back_too(
    shell: Shell, told: dict[str, str], which: str
) -> None:
    found = said(shell, "replay", told[which], "--agent", "reference")
    (pair,) = found["sessions"]
    assert (pair["before"], pair["after"], pair["paired"]) == (None, True, False)
    assert pair["why"] == "the recorded session has no graded outcome"
    fork = said(shell, "fork", told[which], "--at", "2", "--agent", "reference", "--name", "on")
    assert fork["sessions"][0]["after"] is True
    assert said(shell, "compare", told[which], pair["session"])["parting"] is not None


def test_sessions_are_listed_and_shown_like_any(shell: Shell, told: dict[str, str]) -> None:
    listed = said(shell, "sessions", "list", "agent=operator")["sessions"]
    assert [row["id"] for row in listed] == list(told.values())
    assert [row["graded"] for row in listed] == [True, True, False, None]
    shown = shell("sessions", "show", told["given_up"]).out
    assert "abandoned, by the rule 'operator'" in shown
    assert "Lunch." in shown
    assert "not graded" in shown
    assert "rule: shell" in shown
    assert "operator, version 1, with as Ada" in shown
    assert "ending    none yet" in shell("sessions", "show", told["open"]).out
    assert shell("sessions", "list", "ending=abandoned").out.count(told["given_up"][:12]) == 1


def test_they_are_graded_again_as_they_were(shell: Shell, told: dict[str, str]) -> None:
    found = shell("regrade", "agent=operator")
    assert found.code == 0
    assert "4 sessions graded again: 2 as recorded, 0 otherwise" in found.out
    assert "abandoned" in found.out


def test_kitarus_form_gives_them_back_and_the_open_one_goes_on_elsewhere(
    shell: Shell, told: dict[str, str], tmp_path: Path
) -> None:
    file, here = tmp_path / "calls.jsonl", shell.store
    assert shell("export", "kitaru", "agent=operator", "-o", str(file)).code == 0
    shell.store = tmp_path / "other.db"
    assert shell("import", "kitaru", str(file)).code == 0
    for session in told.values():
        assert recorded(shell.store, session) == recorded(here, session)
    assert [row["session"] for row in shell.seen("list", "--open")["episodes"]] == [told["open"]]
    assert shell.seen("end", "Goodbye.")["over"]["ending"] == "agent_stop"
    assert "was played already" in shell.refused("start", CALLS[SOLVED].task, "--as", "Ada")


def test_tau2s_form_has_no_word_for_giving_up_and_keeps_it_beside(
    shell: Shell, told: dict[str, str], tmp_path: Path
) -> None:
    file = tmp_path / "results.json"
    done = shell("export", "tau2", "agent=operator", "-o", str(file))
    assert done.out.startswith("3 sessions written")
    assert "1 session left out" in done.out
    found = json.loads(file.read_bytes())["simulations"]
    endings = [one["termination_reason"] for one in found]
    assert endings == ["user_stop", "agent_stop", "infrastructure_error"]
    assert found[2]["info"]["ringback"]["session"] == told["given_up"]
    assert "abandoned" in json.dumps(found[2]["info"])
    assert [one["reward_info"]["reward"] for one in found[:2]] == [1.0, 0.0]


def test_spans_tell_who_answered(shell: Shell, told: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "spans.json"
    done = shell("export", "otel", "agent=operator", "-o", str(file))
    assert done.out.startswith(f"{len(told)} sessions written")
    text = file.read_text()
    assert all(session in text for session in told.values())
    assert "operator" in text


def test_no_study_and_no_run_can_have_somebody_answer_by_hand(shell: Shell, tmp_path: Path) -> None:
    study = tmp_path / "study.toml"
    study.write_text('name = "s"\ntasks = "small"\n[baseline]\nagent = "operator"\n')
    for words in (
        ("run", "--tasks", "small", "--agent", "operator"),
        ("study", "run", str(study), "--out", str(tmp_path / "report")),
    ):
        done = shell(*words)
        assert (done.code, done.out) == (2, "")
        assert "`ringback operate start` begins such an episode" in done.err
    assert said(shell, "sessions", "list")["count"] == 0


def test_the_ending_of_what_was_given_up_says_who_did(shell: Shell, told: dict[str, str]) -> None:
    with Store.open(shell.store, write=False) as store:
        end = store.events(told["given_up"])[-1]
    assert isinstance(end, End)
    assert (end.ending, end.rule, end.why) == ("abandoned", "operator", "Lunch.")


def test_a_page_says_by_which_door_a_turn_came(shell: Shell, told: dict[str, str]) -> None:
    with Store.open(shell.store, write=False) as store:
        view = session_view(transcript(store.events(told["failed"]), load("telecom")))
    asides = {row.side: row.asides for row in view.rows if row.asides}
    assert asides["agent"] == ("by hand, from the door shell",)
    assert "door" not in str(asides["user"])


def test_a_report_tells_what_is_over_and_leaves_out_what_an_operator_is_at(
    shell: Shell, told: dict[str, str], tmp_path: Path
) -> None:
    found = said(shell, "report", "--out", str(tmp_path / "out"))["results"]
    lines = {line["id"]: line for line in found["sessions"]}
    assert set(lines) == {told["solved"], told["failed"], told["given_up"]}
    assert lines[told["solved"]]["outcome"] == "solved"
    assert lines[told["failed"]]["outcome"] == "unsolved"
    assert lines[told["given_up"]]["reason"] == "abandoned"
    (condition,) = found["conditions"]
    (arm,) = condition["arms"]
    assert (arm["rate"]["solved"], arm["rate"]["graded"], arm["ungraded"]) == (1, 2, 1)
    assert found["left_out"]["operated"] == [{"session": told["open"], "why": "it is not over"}]
    assert not (tmp_path / "out" / "transcripts" / f"{told['open']}.html").exists()
    done = shell("report", "--out", str(tmp_path / "out"))
    assert done.code == 0
    assert f"{told['open']}: it is not over" in done.out
    done = shell("report", told["open"], "--out", str(tmp_path / "none"))
    assert (done.code, done.out) == (2, "")
    assert "There is nothing to report yet" in done.err


def test_a_report_says_nothing_of_a_case_that_is_being_played(
    shell: Shell, told: dict[str, str], tmp_path: Path
) -> None:
    with Store.open(shell.store, write=False) as store:
        task = store.row(told["open"]).task
    assert task is not None
    assert shell("run", "--tasks", task, "--agent", "reference").code == 0
    said(shell, "replay", told["open"], "--agent", "reference", "--name", "peek")
    grace = shell.seen("start", "3", "--as", "Grace")["session"]
    shell.operate("end", "Goodbye.", "--session", grace)
    with Store.open(shell.store, write=False) as store:
        theirs = [row.id for row in store.rows() if row.task == task and row.id != told["open"]]
    assert len(theirs) == 3
    out = tmp_path / "out"
    found = said(shell, "report", "--out", str(out))["results"]
    left = found["left_out"]
    assert {each["session"] for each in left["operated"]} == {told["open"], grace}
    assert left["others"] == 2
    for path in out.rglob("*"):
        if path.is_file():
            text = path.read_text("utf-8")
            assert task not in text, path
            assert not [one for one in theirs if one != grace and one in text], path
    shell.operate("abandon", "Lunch.", "--session", told["open"])
    found = said(shell, "report", "--out", str(out))["results"]
    assert found["left_out"]["operated"] == []
    assert {*theirs, told["open"]} <= {line["id"] for line in found["sessions"]}


def test_a_model_in_the_persons_place_is_compared_with_the_person(
    shell: Shell, told: dict[str, str], tmp_path: Path
) -> None:
    said(shell, "replay", told["solved"], told["failed"], "--agent", "reference")
    (condition,) = said(shell, "report", "--out", str(tmp_path / "out"), "--no-transcripts")[
        "results"
    ]["conditions"]
    (versus,) = condition["versus"]
    assert (versus["arm"], versus["pairs"]) == ("replay", 2)
    assert [flip["better"] for flip in versus["flips"]] == [True]
