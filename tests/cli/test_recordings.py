"""``ringback import tau2`` and ``ringback regrade`` as people use them."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Cli, refused
from tests.formats.tau2.made import Talk, result_file, solved, write

NO_REPAIR = "[service_issue]lock_sim_card_pin[PERSONA:Hard]"


def _file(path: Path) -> Path:
    wrong = Talk().say("user", "Hello.").say("agent", "Yes?").say("user", "###STOP###")
    simulations = [
        solved().simulation(),
        solved(NO_REPAIR).simulation(),
        wrong.simulation(id="wrong"),
        Talk(greet=False).simulation(
            id="never", termination_reason="infrastructure_error", reward_info=None
        ),
    ]
    return write(path, result_file(simulations))


def test_importing_twice_adds_nothing_and_says_so(cli: Cli, tmp_path: Path) -> None:
    _file(tmp_path / "a.json.gz")
    first = cli("import", "tau2", "a.json.gz")
    assert (first.returncode, first.stderr) == (0, "")
    assert first.stdout == "Imported 4 sessions into .ringback/ringback.db.\n"
    again = cli("import", "tau2", "a.json.gz", "--json")
    assert again.returncode == 0
    said = json.loads(again.stdout)
    assert (said["imported"], said["already_there"], said["unreadable"]) == (0, 4, 0)
    assert "4 sessions were there already" in cli("import", "tau2", "a.json.gz").stdout
    listed = json.loads(cli("sessions", "list", "origin=tau2", "--json").stdout)
    assert listed["count"] == 4
    shown = cli("sessions", "show", "origin=tau2", "solved=yes")
    assert shown.returncode == 0
    assert "made-up" in shown.stdout


def test_what_cannot_be_read_is_said_and_the_rest_goes_on(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    _file(folder / "good.json")
    (folder / "empty\x1b[31m.json").write_bytes(b"")
    (folder / "notes.txt").write_text("Hello.")
    for words in (["import", "tau2", "many"], ["regrade", "many"], ["regrade", "many", "--json"]):
        done = cli(*words)
        assert done.returncode == 2
        assert "Traceback" not in done.stderr
        assert "\x1b" not in done.stderr + done.stdout
        assert "empty\\x1b[31m.json: it is empty.\n" in done.stderr
        assert "Passed over 1: it is not a .json or .json.gz file." in done.stdout + done.stderr
    assert "4 sessions" in cli("import", "tau2", "many").stdout
    assert cli("import", "tau2", "nowhere.json").returncode == 2


def test_regrading_says_a_line_a_simulation(cli: Cli, tmp_path: Path) -> None:
    _file(tmp_path / "a.json")
    done = cli("regrade", "a.json", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    wanted = "file index id task ending stored reward env act strict conduct"
    assert all(" ".join(list(line)[:11]) == wanted for line in lines)
    assert len(lines) == 4
    assert [(line["stored"], line["reward"]) for line in lines] == [
        (1.0, 1.0),
        (1.0, 1.0),
        (1.0, 0.0),
        (None, 0.0),
    ]
    assert lines[0]["env"] == [True, True]
    assert lines[1]["act"] == [True]
    assert lines[3]["env"] is None
    assert lines[3]["act"] is None
    assert {line["file"] for line in lines} == {"a.json"}


def test_differences_come_first_for_people(cli: Cli, tmp_path: Path) -> None:
    _file(tmp_path / "a.json")
    lines = cli("regrade", "a.json").stdout.splitlines()
    assert lines[1].split()[:5] == ["a.json", "2", "user_stop", "1", "0"]
    assert "differs" in lines[1]
    assert lines[-1] == (
        "4 sessions graded again: 2 as recorded, 1 otherwise, 1 without a recorded reward, "
        "0 that cannot be graded."
    )


def test_stored_sessions_are_graded_again_too(cli: Cli, tmp_path: Path) -> None:
    _file(tmp_path / "a.json")
    cli("import", "tau2", "a.json")
    cli("run", "--tasks", "small")
    theirs = cli("regrade", "origin=tau2", "--json")
    assert theirs.returncode == 0
    assert theirs.stdout == cli("regrade", "a.json", "--json").stdout
    ours = [
        json.loads(line)
        for line in cli("regrade", "agent=reference", "--json").stdout.split("\n")[:-1]
    ]
    assert ours
    assert all(line["file"] is None and line["stored"] == line["reward"] for line in ours)


def test_what_is_neither_file_nor_session_is_refused(cli: Cli) -> None:
    cli("run", "--tasks", "small")
    refused(cli("regrade", "nothing-such"), "nothing-such")
    refused(cli("regrade"), "regrade")
    refused(cli("import", "tau2"), "import tau2")
