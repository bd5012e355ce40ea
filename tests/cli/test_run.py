"""``run`` and ``sessions``: recorded, graded, summed up, and read again."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import PROGRAM, Cli, environment, refused

FLOOR = ("run", "--tasks", "test", "--agent", "transfer-at-once", "--user", "rules")


def run(cli: Cli, *arguments: str) -> dict[str, Any]:
    """The one object that ``--json`` prints."""
    done = cli(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("{")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_the_figures_of_a_run(cli: Cli, tmp_path: Path) -> None:
    found = run(cli, *FLOOR)
    assert (found["planned"], found["run"], found["graded"]) == (40, 40, 40)
    assert (found["ungraded"], found["ungraded_reasons"]) == (0, {})
    assert found["solved"] == 12
    assert found["rate"] == 12 / 40
    assert found["interval"] == pytest.approx([0.1807, 0.4543], abs=1e-4)
    assert found["repairable"] == {
        "planned": 28,
        "solved": 0,
        "rate": 0.0,
        "interval": [0.0, pytest.approx(0.1206, abs=1e-4)],
    }
    assert (found["unrepairable"]["planned"], found["unrepairable"]["solved"]) == (12, 12)
    assert len(set(found["sessions"])) == 40
    assert (tmp_path / ".ringback" / "ringback.db").is_file()


def test_the_figures_in_words(cli: Cli) -> None:
    done = cli(*FLOOR)
    words = done.stdout.split()
    for phrase in ("planned 40", "run 40", "graded 40", "ungraded 0", "12 of 40 30.0%"):
        assert phrase in " ".join(words)
    assert "18.1% to 45.4%" in done.stdout
    assert "unrepairable" in done.stdout
    assert max(len(line) for line in done.stdout.splitlines()) <= 100


def test_the_session_that_it_says_to_read_is_one_of_the_run(cli: Cli) -> None:
    task = "[service_issue]airplane_mode_on[PERSONA:None]"
    ours = ("run", "--tasks", task, "--agent", "transfer-at-once")
    assert cli(*ours).stdout.endswith("\n\nRead one with `ringback sessions show latest`.\n")
    other = cli("run", "--tasks", task, "--agent", "do-nothing", "--seed", "5")
    assert other.stdout.endswith("`ringback sessions show latest`.\n")
    (session,) = run(cli, *ours)["sessions"]
    again = cli(*ours, "--store", ".ringback/ringback.db")
    assert again.stdout.endswith(
        f"Read one with `ringback sessions show {session} --store .ringback/ringback.db`.\n"
    )


def test_a_rate_of_no_tasks_is_unknown(cli: Cli) -> None:
    found = run(
        cli,
        *("run", "--tasks", "[service_issue]lock_sim_card_pin[PERSONA:Hard]"),
        *("--agent", "transfer-at-once", "--user", "rules"),
    )
    assert found["planned"] == found["solved"] == 1
    assert (found["repairable"]["rate"], found["repairable"]["interval"]) == (None, None)


def test_the_same_command_again_repeats_nothing(cli: Cli) -> None:
    first = run(cli, *FLOOR)
    again = run(cli, *FLOOR)
    assert (first["reused"], again["reused"]) == (0, 40)
    assert first["sessions"] == again["sessions"]
    assert run(cli, "sessions", "list")["count"] == 40


def test_other_seeds_and_more_trials_are_other_episodes(cli: Cli) -> None:
    first = run(cli, *FLOOR)
    other = run(cli, *FLOOR, "--seed", "7")
    more = run(cli, *FLOOR, "--trials", "2")
    assert not set(first["sessions"]) & set(other["sessions"])
    assert (more["planned"], more["reused"]) == (80, 40)


def test_workers_and_jobs_change_nothing_but_the_clock(cli: Cli) -> None:
    alone = run(cli, *FLOOR, "--store", "a.db", "--jobs", "1")
    crowd = run(cli, *FLOOR, "--store", "b.db", "--jobs", "4", "--workers", "2")
    alone.pop("store")
    crowd.pop("store")
    assert alone == crowd


def test_the_store_by_option_and_by_environment(cli: Cli, tmp_path: Path) -> None:
    cli("run", "--tasks", "small", "--agent", "do-nothing", "--store", "here/a.db")
    assert (tmp_path / "here" / "a.db").is_file()
    env = {"RINGBACK_STORE": str(tmp_path / "here" / "a.db")}
    done = cli("sessions", "list", "--json", env=env)
    assert json.loads(done.stdout)["count"] == 20
    assert not (tmp_path / ".ringback").exists()


def test_sessions_are_selected(cli: Cli) -> None:
    run(cli, *FLOOR)
    listed = run(cli, "sessions", "list", "solved=yes")
    assert listed["count"] == 12
    session = listed["sessions"][0]["id"]
    assert run(cli, "sessions", "list", session[:10])["sessions"][0]["id"] == session
    assert run(cli, "sessions", "list", "latest")["count"] == 1
    assert run(cli, "sessions", "list", "--limit", "3")["count"] == 3
    assert run(cli, "sessions", "list", "ending=timeout")["count"] == 0
    refused(cli("sessions", "show", "ending=timeout"), "ending=timeout")
    refused(cli("sessions", "list", "zzzz"), "zzzz")
    refused(cli("sessions", "show", "colour=blue"), "colour")
    refused(cli("sessions", "list", "--limit", "0"), "--limit")


def test_a_session_is_shown(cli: Cli) -> None:
    run(cli, "run", "--tasks", "small", "--agent", "reference", "--user", "rules")
    text = cli("sessions", "show", "latest").stdout
    assert max(len(line) for line in text.splitlines()) <= 100
    for word in ("session", "agent", "user", "tools", "ending", "→"):
        assert word in text
    shown = run(cli, "sessions", "show", "latest")
    assert shown["count"] == 1
    session = shown["sessions"][0]
    assert session["events"][0]["kind"] == "start"
    assert session["events"][-1]["kind"] == "end"
    assert session["grade"]["solved"] is True


def test_a_store_that_is_not_ours(cli: Cli, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as connection, connection:
        connection.execute("create table recipes (name text)")
    connection.close()
    before = other.read_bytes()
    refused(cli(*FLOOR, "--store", "other.db"), "other.db")
    refused(cli("sessions", "list", "--store", "other.db"), "other.db")
    assert other.read_bytes() == before
    (tmp_path / "text.db").write_text("not a database at all, but long enough to be one" * 40)
    refused(cli(*FLOOR, "--store", "text.db"), "text.db")
    refused(cli(*FLOOR, "--store", "."))


def test_a_seed_too_large(cli: Cli) -> None:
    refused(cli(*FLOOR, "--seed", str(2**70)))


def test_a_disk_that_fills_up(cli: Cli, tmp_path: Path) -> None:
    """A limit on the size of files stands for the full disk: it fails in the same place."""
    limit = 400_000
    line = f"import resource as r, os, sys; r.setrlimit(r.RLIMIT_FSIZE, ({limit}, {limit})); "
    line += "os.execv(sys.argv[1], sys.argv[1:])"
    done = subprocess.run(
        [sys.executable, "-c", line, PROGRAM, *FLOOR],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    refused(done, "ringback.db")
    found = run(cli, *FLOOR)
    assert (found["run"], found["solved"]) == (40, 12)
