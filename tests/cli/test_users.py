"""`ringback users check`: counts, misses, what was left out, as lines and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Cli
from tests.formats.tau2.made import Talk, result_file, write


def made(folder: Path, name: str = "results.json", actions: int = 1) -> Path:
    talk = Talk()
    talk.say("user", "My data is gone.")
    talk.say("agent", "Please run a speed test.")
    talk.call("user", ("run_speed_test", {}))
    talk.say("user", "It says no connection.")
    for _ in range(actions):
        talk.say("agent", "Is a VPN connected?")
        talk.call("user", ("check_sim_status", {}))
        talk.say("user", "I don't know.")
    return write(folder / name, result_file([talk.simulation()]))


def test_the_last_line_counts(cli: Cli, tmp_path: Path) -> None:
    done = cli("users", "check", str(made(tmp_path)))
    assert done.returncode == 0
    assert done.stderr == ""
    assert done.stdout.splitlines()[-1] == "2 turns, 1 same (50.0%)"
    assert "check_sim_status" in done.stdout
    assert "check_vpn_status" in done.stdout


def test_several_files_are_told_apart(cli: Cli, tmp_path: Path) -> None:
    one, two = made(tmp_path, "one.json"), made(tmp_path, "two.json", actions=0)
    done = cli("users", "check", str(one), str(two), "--json")
    found = json.loads(done.stdout)
    assert [(each["turns"], each["same"]) for each in found["files"]] == [(2, 1), (1, 1)]
    assert (found["turns"], found["same"], found["same_arguments"]) == (3, 2, 2)
    assert found["misses"] == [
        {"recorded": "check_sim_status", "rules": "check_vpn_status", "turns": 1}
    ]
    assert found["skipped"] == []


def test_what_cannot_be_read_is_one_sentence_and_exit_2(cli: Cli, tmp_path: Path) -> None:
    good = made(tmp_path)
    bad = tmp_path / "bad\x1b[31m.json"
    bad.write_bytes(b'{"info": ')
    done = cli("users", "check", str(bad), str(good), str(tmp_path / "missing.json"))
    assert done.returncode == 2
    lines = done.stderr.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("ringback: bad\\x1b[31m.json: it is not JSON")
    assert lines[1].startswith("ringback: missing.json: it cannot be opened")
    assert "\x1b" not in done.stderr + done.stdout
    assert done.stdout.splitlines()[-1] == "2 turns, 1 same (50.0%)"


def test_what_is_left_out_is_counted_with_its_reason_and_file(cli: Cli, tmp_path: Path) -> None:
    talk = Talk().say("user", "My data is gone.")
    ids = ("one", "two")
    strangers = [talk.simulation(id=name, task_id="[mms_issue]unheard_of") for name in ids]
    path = write(tmp_path / "some.json", result_file(strangers))
    done = cli("users", "check", str(path))
    assert (done.returncode, done.stderr) == (0, "")
    assert "Passed over 2: it is of a task that is not known here" in done.stdout
    assert "(some.json)." in done.stdout


def test_no_turns_have_no_share(cli: Cli, tmp_path: Path) -> None:
    path = write(tmp_path / "empty.json", result_file([]))
    done = cli("users", "check", str(path))
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == "0 turns, 0 same (unknown)"


def test_without_a_file_it_says_what_is_missing(cli: Cli) -> None:
    done = cli("users", "check")
    assert done.returncode == 2
    assert "FILE" in done.stderr


def test_files_of_one_name_are_told_apart(cli: Cli, tmp_path: Path) -> None:
    for folder in ("n1", "n2"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "r.json").write_text("{")
    done = cli("users", "check", "n1/r.json", "n2/r.json", "--json")
    files = ["n1/r.json", "n2/r.json"]
    assert [each["file"] for each in json.loads(done.stdout)["skipped"]] == files
    assert [line.split(": ")[1] for line in done.stderr.splitlines()] == files


def test_a_run_without_a_customer_is_left_out(cli: Cli, tmp_path: Path) -> None:
    talk = Talk(solo=True).call("agent", ("toggle_data", {})).say("agent", "###STOP###")
    file = result_file([talk.simulation()], user_info={"implementation": "dummy_user"})
    done = cli("users", "check", str(write(tmp_path / "solo.json", file)))
    assert (done.returncode, done.stderr) == (0, "")
    assert "Passed over 1: it has no customer on the line (a solo run) (solo.json)." in done.stdout
    assert done.stdout.splitlines()[-1] == "0 turns, 0 same (unknown)"
