"""``ringback import tau2`` and ``ringback regrade`` as people use them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Cli, refused
from tests.cli.test_listing import seen
from tests.cli.test_terminal import in_terminal
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
        assert (
            "Passed over 1: it is not a .json or .json.gz file (notes.txt)."
            in done.stdout + done.stderr
        )
    assert "4 sessions" in cli("import", "tau2", "many").stdout
    assert cli("import", "tau2", "nowhere.json").returncode == 2


@pytest.mark.parametrize("words", [("import", "tau2"), ("regrade",)])
def test_where_nothing_could_be_read_why_is_all_that_is_said(
    cli: Cli, tmp_path: Path, words: tuple[str, ...]
) -> None:
    (tmp_path / "wrong.json").write_text('{"simulations": 3}')
    for name in ("nosuch.json", "wrong.json"):
        assert name in refused(cli(*words, name), name)


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
    assert lines[1].split()[:5] == ["a.json", "2", "1", "0", "0"]
    assert "differs" in lines[1]
    assert "user_stop [mobile_data_issue]" in lines[1]
    assert "a.json 2: recorded 1, here 0: 2 of 2 states not met, 1 of 1 actions not met" in lines
    assert "Conduct, in sessions:" not in "".join(lines)
    assert lines[-1] == (
        "4 sessions graded again: 2 as recorded, 1 otherwise, 1 without a recorded reward, "
        "0 that cannot be graded."
    )


def test_regrading_names_the_conduct_that_it_counts(cli: Cli) -> None:
    task = "[service_issue]airplane_mode_on[PERSONA:None]"
    assert cli("run", "--tasks", task, "--agent", "transfer-at-once").returncode == 0
    assert (
        "Conduct, in sessions: needless transfer 1; --json has the steps and what was done."
        in cli("regrade", "latest").stdout.splitlines()
    )


def test_stored_sessions_are_graded_again_too(cli: Cli, tmp_path: Path) -> None:
    _file(tmp_path / "a.json")
    cli("import", "tau2", "a.json")
    cli("run", "--tasks", "small")
    theirs = cli("regrade", "origin=tau2", "--json")
    assert theirs.returncode == 0
    stored, read = (
        [json.loads(line) for line in text.splitlines()]
        for text in (theirs.stdout, cli("regrade", "a.json", "--json").stdout)
    )
    assert {line["file"] for line in stored} == {f"{tmp_path.name}/a.json"}
    assert [{**line, "session": None, "file": "a.json"} for line in stored] == read
    assert all(len(line["session"]) == 16 for line in stored)
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


def test_regraded_lines_are_records_for_statistics(cli: Cli, tmp_path: Path) -> None:
    _file(tmp_path / "a.json")
    (tmp_path / "r.jsonl").write_text(cli("regrade", "a.json", "--json").stdout)
    line = json.loads((tmp_path / "r.jsonl").read_text().splitlines()[0])
    assert (line["agent"], line["user"], line["trial"]) == ("made-up", "made-up-caller", 0)
    kept = [
        json.dumps({**json.loads(line), "trial": number}) + "\n"
        for number, line in enumerate((tmp_path / "r.jsonl").read_text().splitlines())
    ]
    (tmp_path / "r.jsonl").write_text("".join(kept))
    done = cli("stats", "r.jsonl", "--case", "task", "--trial", "trial", "--outcome", "reward")
    assert done.returncode == 0, done.stderr


def test_files_of_one_name_are_told_apart(cli: Cli, tmp_path: Path) -> None:
    for name in ("x", "y"):
        (tmp_path / name).mkdir()
        _file(tmp_path / name / "r.json")
        (tmp_path / name / "no.json").write_text("{")
    done = cli("import", "tau2", "x/no.json", "y/no.json", "x/r.json")
    assert done.returncode == 2
    assert [line.split(":")[1].strip() for line in done.stderr.splitlines()] == [
        "x/no.json",
        "y/no.json",
    ]
    done = cli("regrade", "x", "y", "--json")
    files = {json.loads(line)["file"] for line in done.stdout.splitlines()}
    assert files == {"x/r.json", "y/r.json"}
    assert "y/no.json" in done.stderr


def test_what_is_passed_over_is_named(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "many").mkdir()
    for number in range(7):
        (tmp_path / "many" / f"{number}.txt").write_text("Hello.")
    done = cli("import", "tau2", "many")
    files = "0.txt, 1.txt, 2.txt, 3.txt, 4.txt and 2 more"
    assert f"Passed over 7: it is not a .json or .json.gz file ({files})." in done.stdout
    (found,) = json.loads(cli("import", "tau2", "many", "--json").stdout)["passed_over"]
    assert (found["count"], len(found["files"])) == (7, 7)
    (tmp_path / "rows.jsonl").write_text('{"a": 1}\n{"a": 2}\n')
    for command in (["import", "tau2"], ["regrade"]):
        done = cli(*command, "rows.jsonl")
        assert done.returncode == 2
        assert done.stderr == "ringback: rows.jsonl: it is JSON lines, not a tau2 file.\n"


def test_own_sessions_that_come_back_are_said(cli: Cli, tmp_path: Path) -> None:
    cli("run", "--tasks", "small")
    assert cli("export", "tau2", "-o", "t.json").returncode == 0
    done = cli("import", "tau2", "t.json")
    assert done.returncode == 0
    assert "of this store had been exported" in done.stderr


def test_the_list_for_people_fits_a_terminal(cli: Cli, tmp_path: Path) -> None:
    _file(tmp_path / "recording-of-tau2.json")
    code, text = in_terminal("regrade", "recording-of-tau2.json", cwd=tmp_path, COLUMNS="80")
    assert code == 0
    lines = seen(text)
    assert max(len(line) for line in lines if not line.startswith(("record", "4 s"))) <= 80
    assert max(len(line) for line in lines[:3]) <= 80


def test_what_is_there_is_not_said_to_be_missing(cli: Cli, tmp_path: Path) -> None:
    _file(tmp_path / "a.json")
    cli("import", "tau2", "a.json")
    cli("run", "--tasks", "small", "--agent", "careless")
    done = cli("sessions", "list", "arm=made-up", "task=nosuch")
    assert "arm=" not in done.stdout
    assert "made-up" in cli("sessions", "list", "arm=other").stdout


def test_a_reward_that_is_no_number_is_said(cli: Cli, tmp_path: Path) -> None:
    write(tmp_path / "a.json", result_file([solved().simulation(reward_info={"reward": "1.0"})]))
    done = cli("regrade", "a.json")
    assert 'a.json 0: its recorded reward, "1.0", is no number and was set aside' in done.stdout
    assert "1 session graded again: 0 as recorded, 0 otherwise, 1 without" in done.stdout
