"""``replay``, ``fork`` and ``compare`` as people use them."""

from __future__ import annotations

import json
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest

from ringback.testing import ChaosServer, played_by
from tests import warm
from tests.cli.conftest import Cli, Done, environment, refused
from tests.replay.stores import TASKS
from tests.study.wire import Desk

RUN = ("run", "--tasks", ",".join(TASKS), "--agent", "hasty")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recorded")
    assert warm.run(*RUN, cwd=folder, env=environment()).returncode == 0
    return folder


@pytest.fixture
def ran(cli: Cli, recorded: Path, tmp_path: Path) -> Cli:
    shutil.copytree(recorded / ".ringback", tmp_path / ".ringback")
    return cli


def said(done: Done) -> dict[str, Any]:
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return json.loads(done.stdout)


def ids(cli: Cli, *words: str) -> list[str]:
    found = said(cli("sessions", "list", *words, "--json"))
    return [session["id"] for session in found["sessions"]]


def test_replay_says_what_changed_outcome(ran: Cli) -> None:
    done = ran("replay", "agent=hasty", "--agent", "reference")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("3 replays\n")
    assert (
        "replay, of the arm hasty as recorded; changed: agent hasty -> reference\n" in done.stdout
    )
    assert "of 3 pairs, 1 solved as recorded and 3 as replayed." in done.stdout
    assert "Difference: +66.7 points, 95% interval" in done.stdout
    both = "; unadjusted, by the interval alone: not distinguishable; ours: not distinguishable."
    assert both in " ".join(done.stdout.split())
    assert "adjusted across" not in done.stdout
    assert done.stdout.count("now solved") == 2
    again = ran("replay", "agent=hasty", "--agent", "reference")
    assert again.stdout.startswith("3 replays, 3 of them there before\n")


def test_replay_in_json_says_the_same(ran: Cli) -> None:
    found = said(ran("replay", "solved=no", "--agent", "reference", "--trials", "2", "--json"))
    assert (found["planned"], found["paired"], found["reused"]) == (4, 4, 0)
    (compared,) = found["compared"]
    assert (compared["solved_before"], compared["solved_after"]) == (0, 4)
    assert compared["difference"] is None
    assert (found["chosen_by_outcome"], found["difference_unread"]) == (True, "outcome")
    assert [arm["name"] for arm in found["arms"]] == ["replay", "replay-2"]
    assert {pair["parent"] for pair in found["sessions"]} == set(
        ids(ran, "agent=hasty", "solved=no")
    )
    assert set(ids(ran, "arm=replay-2")) <= {pair["session"] for pair in found["sessions"]}


def test_what_was_chosen_by_its_outcome_is_not_read_as_better(ran: Cli) -> None:
    chosen = "Chosen by their outcome, so the difference says nothing"
    for words, said_of_it in (
        (("latest",), "One call says nothing of a difference: another draw of it may"),
        (("solved=no",), chosen),
        (("solved=yes", "arm=hasty"), chosen),
        (ids(ran, "agent=hasty", "solved=no"), "Those named had all come out alike, as if chosen"),
        (ids(ran, "agent=hasty")[:1], "One call says nothing of a difference: another draw of it"),
    ):
        done = ran("replay", *words, "--agent", "reference")
        assert said_of_it in done.stdout
        assert (chosen in done.stdout) == (said_of_it == chosen)
        assert "Difference" not in done.stdout
        assert "better" not in done.stdout


def test_replays_are_not_selected_with_what_they_were_made_of(ran: Cli) -> None:
    said(ran("replay", "solved=no", "--name", "r1", "--json"))
    found = said(ran("replay", "solved=no", "--agent", "careless", "--name", "q", "--json"))
    assert (found["planned"], found["reused"], found["left_out"]) == (2, 0, 2)
    assert len({pair["session"] for pair in found["sessions"]}) == 2
    text = ran("replay", "solved=no", "--agent", "careless", "--name", "q").stdout
    assert "Left out: 2 sessions that are replays or forks themselves" in text
    assert said(ran("replay", "arm=r1", "--name", "r2", "--json"))["planned"] == 2
    child = ids(ran, "arm=r1")[0]
    assert said(ran("replay", child, "--name", "r3", "--json"))["planned"] == 1


def test_setups_are_told_apart_and_an_equal_cell_is_counted_once(ran: Cli) -> None:
    done = ran("run", "--tasks", ",".join(TASKS), "--agent", "careless")
    assert done.returncode == 0
    found = said(ran("replay", "seed=0", "--agent", "reference", "--json"))
    assert (found["planned"], found["reused"], len(found["sessions"])) == (3, 0, 6)
    assert [each["parent_arm"] for each in found["compared"]] == ["hasty", "careless"]
    text = ran("replay", "seed=0", "--agent", "reference").stdout
    assert text.startswith("3 replays, 3 of them there before\n")
    assert "replay of hasty: of 3 pairs" in text
    assert "replay of careless: of 3 pairs" in text
    assert "Each of the 2 differences is read as if it were the only one" in text


def test_many_episodes_are_announced_before_they_are_played(ran: Cli, tmp_path: Path) -> None:
    words = ("replay", "latest", "--trials", "200000")
    process = warm.start(*words, cwd=tmp_path, env=environment())
    assert process.stderr.readline() == "planned: 200,000 episodes\n"
    process.kill()
    process.communicate()


def test_fork_goes_on_from_where_it_failed(ran: Cli) -> None:
    found = said(ran("fork", "solved=no", "--at", "failure", "--agent", "reference", "--json"))
    assert (found["planned"], found["paired"]) == (2, 0)
    assert [pair["after"] for pair in found["sessions"]] == [True, True]
    text = ran("fork", "solved=no", "--at", "failure", "--agent", "reference").stdout
    assert text.startswith("2 forks, 2 of them there before\n")
    assert "these counts are no rate of an arm" in text
    (first, *_) = ids(ran, "arm=fork")
    shown = ran("sessions", "show", first).stdout
    assert "forked: " in shown


def test_compare_names_where_they_part(ran: Cli, tmp_path: Path) -> None:
    said(ran("replay", "solved=no", "--agent", "reference", "--json"))
    a, b = ids(ran, "agent=hasty", "solved=no")[0], ids(ran, "arm=replay")[0]
    done = ran("compare", a[:8], b[:8])
    assert (done.returncode, done.stderr) == (0, "")
    assert "They part (" in done.stdout
    assert "In the end the worlds differ in" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 100
    found = said(ran("compare", a, b, "--json"))
    assert (found["a"], found["b"]) == (a, b)
    assert found["parting"]["step"] > 1
    assert found["worlds_differ_in_the_end"]
    done = ran("compare", a, b, "--html", "both.html")
    assert done.stdout == "The page is both.html.\n"
    assert "They part" not in done.stdout
    assert (tmp_path / "both.html").read_text("utf-8").startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("replay",), ("Say which sessions",)),
        (("fork", "--at", "3"), ("Say which sessions",)),
        (("replay", "agent=nobody"), ("fits 'agent=nobody'",)),
        (("replay", "mood=good"), ("'mood=good'",)),
        (("replay", "latest", "--agent", "nobody"), ("no agent 'nobody'",)),
        (("replay", "latest", "--agent", "hasty", "--model", "x:y"), ("--agent and --model",)),
        (("replay", "latest", "--model", "hasty"), ("scripted agent", "--agent hasty")),
        (("replay", "latest", "--policy", "none"), ("'none'",)),
        (("replay", "latest", "--setting", "moody=1"), ("moody",)),
        (("replay", "latest", "--setting", "skip"), ("KEY=VALUE",)),
        (("replay", "latest", "--instructions", "none.md"), ("none.md",)),
        (("replay", "latest", "--name", "a b"), ("'a b'",)),
        (("replay", "latest", "--trials", "0"), ("0 trials",)),
        (("replay", "latest", "--jobs", "0"), ("0 jobs",)),
        (("replay", "latest", "--name", "hasty"), ("--name",)),
        (("fork", "latest"), ("--at",)),
        (("fork", "latest", "--at", "soon"), ("'soon'",)),
        (("fork", "latest", "--at", "0"), ("'0'",)),
        (("fork", "latest", "--at", "999"), ("no step 999",)),
        (("fork", "latest", "--at", "e9999"), ("no turn at event 9999",)),
        (("fork", "solved=yes", "--at", "failure"), ("names no failure",)),
        (("compare", "latest"), ("B",)),
        (("compare", "latest", "ffffffffffffffff"), ("no session ffffffffffffffff",)),
        (("compare", "latest", "agent=hasty"), ("two are compared",)),
        (("compare", "latest", "latest", "--html", "none/x.html"), ("none",)),
    ],
)
def test_what_cannot_be_done_is_refused_in_a_sentence(
    ran: Cli, words: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    refused(ran(*words), *expected)


@pytest.mark.parametrize("words", [("replay", "latest"), ("compare", "latest", "latest")])
def test_without_a_store_nothing_is_made(cli: Cli, tmp_path: Path, words: tuple[str, ...]) -> None:
    refused(cli(*words), "ringback.db")
    assert list(tmp_path.iterdir()) == []


def test_stopped_and_given_again_it_goes_on(ran: Cli, tmp_path: Path) -> None:
    words = ["replay", "agent=hasty", "--agent", "careless", "--trials", "60", "--jobs", "2"]
    process = warm.start(*words, cwd=tmp_path, env=environment())
    while process.poll() is None and len(ids(ran, "agent=careless")) < 5:
        pass
    process.send_signal(signal.SIGINT)
    process.communicate()
    found = said(ran(*words, "--json"))
    assert found["planned"] == 180
    assert process.returncode in (0, 130)
    assert process.returncode == 0 or 0 < found["reused"] < 180
    assert all(pair["paired"] for pair in found["sessions"])
    assert len(ids(ran, "agent=careless")) == 180


def test_a_change_that_does_not_show_stops_after_the_first_session(tmp_path: Path) -> None:
    with ChaosServer(played_by("hasty"), model="m-1") as server:
        desk = Desk(tmp_path, base=server)
        config = tmp_path / "ringback" / "models.toml"
        tables = config.read_text()
        other = tables.replace("[models.base]", "[models.other]").replace(
            "openai:m-1", "openai:m-2"
        )
        config.write_text(tables + other)
        tasks = ",".join(TASKS)
        assert desk.run("run", "--tasks", tasks, "--agent", "base").returncode == 0
        done = desk.run("replay", "agent=base", "--model", "other")
        assert done.returncode != 0
        assert "Nothing is said of the arm replay" in done.stderr
        assert len(desk.rows()) == len(TASKS) + 1
        again = desk.run("replay", "agent=base", "--name", "more", "--json")
        found = json.loads(again.stdout)
        assert (found["planned"], found["reused"], len(desk.rows())) == (3, 0, 2 * len(TASKS) + 1)
