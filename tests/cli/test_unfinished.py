"""A run that is not complete says why, what goes on with it, and exits with 3."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from ringback.testing import ChaosServer, played_by
from tests.cli.conftest import Cli
from tests.cli.test_terminal import in_terminal

KEY = "not-a-real-key-0123456789"


@pytest.fixture
def server() -> Iterator[ChaosServer]:
    with ChaosServer(played_by("reference"), key=KEY) as running:
        yield running


@pytest.fixture
def described(server: ChaosServer, tmp_path: Path) -> tuple[str, ...]:
    """The options that name the server as a model, in a file of models alone."""
    (tmp_path / "ours.toml").write_text(
        "[models.ours]\n"
        'model = "openai:chaos-1"\n'
        f'base_url = "{server.base_url}"\n'
        'key_env = "OURS_KEY"\n'
        "price = { input = 100.0, output = 100.0 }\n"
        "settings = { max_retries = 0 }\n"
    )
    return ("--models-file", "ours.toml", "--agent", "ours")


def test_faults_on_the_way_are_named_and_played_again(
    cli: Cli, server: ChaosServer, described: tuple[str, ...]
) -> None:
    command = ("run", "--tasks", "small", *described)
    env = {"OURS_KEY": KEY}
    server.faults = {"server_error": 1.0}
    done = cli(*command, env=env)
    assert done.returncode == 3, done.stderr
    assert "No episode was graded" in done.stdout
    assert "%" not in done.stdout
    assert "20 of 20 episodes ended as infrastructure_error" in done.stderr
    assert "500" in done.stderr
    assert "Run the same command again to play those 20 again." in done.stderr

    found = cli(*command, "--json", env=env)
    assert found.returncode == 3
    said = json.loads(found.stdout)
    assert (said["rate"], said["interval"], said["graded"]) == (None, None, 0)
    assert said["repairable"]["rate"] is None
    assert said["stopped"].startswith("20 of 20 episodes")

    server.faults = {}
    again = cli(*command, env=env)
    assert (again.returncode, again.stderr) == (0, "")
    assert "20 of 20" in again.stdout


def test_a_study_says_the_same(cli: Cli, server: ChaosServer, tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(
        'name = "s"\n'
        'tasks = ["[service_issue]airplane_mode_on[PERSONA:None]"]\n'
        f'models.ours = {{ model = "openai:chaos-1", base_url = "{server.base_url}", '
        'key_env = "OURS_KEY", settings = { max_retries = 0 } }\n'
        "[baseline]\n"
        'agent = "ours"\n'
    )
    server.faults = {"server_error": 1.0}
    done = cli("study", "run", "study.toml", env={"OURS_KEY": KEY})
    assert done.returncode == 3, done.stderr
    assert "1 of 1 episode ended as infrastructure_error and is not graded" in done.stderr
    # What a study file describes is there for `run` too, where it is named.
    server.faults = {}
    tasks = ("--tasks", "[service_issue]airplane_mode_on[PERSONA:None]")
    named = cli(
        "run", *tasks, "--agent", "ours", "--models-file", "study.toml", env={"OURS_KEY": KEY}
    )
    assert (named.returncode, named.stderr) == (0, "")
    unnamed = cli("run", *tasks, "--agent", "ours")
    assert unnamed.returncode == 2
    assert "--models-file" in unnamed.stderr


class Rude(BaseHTTPRequestHandler):
    """Fails with words that would clear the screen."""

    def do_POST(self) -> None:
        body = json.dumps({"error": {"message": "\x1b[2Jgone away"}}).encode()
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(500)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as it is called there
        pass


def test_what_a_server_says_cannot_act_on_the_terminal(cli: Cli, tmp_path: Path) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Rude) as rude:
        threading.Thread(target=rude.serve_forever, daemon=True).start()
        (tmp_path / "rude.toml").write_text(
            f'[models.rude]\nmodel = "openai:m"\nkey_env = "OURS_KEY"\n'
            f'base_url = "http://127.0.0.1:{rude.server_port}/v1"\n'
            "settings = { max_retries = 0 }\n"
        )
        command = ("run", "--tasks", "small", "--models-file", "rude.toml", "--agent", "rude")
        done = cli(*command, env={"OURS_KEY": KEY})
        rude.shutdown()
    assert done.returncode == 3, done.stderr
    assert "gone away" in done.stderr
    assert "\x1b" not in done.stdout + done.stderr


def test_a_spent_budget_says_what_is_left(cli: Cli, described: tuple[str, ...]) -> None:
    command = ("run", "--tasks", "small", *described, "--budget", "6", "--jobs", "4")
    done = cli(*command, env={"OURS_KEY": KEY})
    assert done.returncode == 3, done.stderr
    assert "of 20 episodes are left to play" in done.stderr
    assert "cost of the agent, over all commands: $" in done.stdout


def test_a_models_file_that_is_none(cli: Cli, tmp_path: Path) -> None:
    command = ("run", "--tasks", "small", "--agent", "ours", "--models-file")
    done = cli(*command, "none.toml")
    assert (done.returncode, "none.toml" in done.stderr) == (2, True)
    (tmp_path / "bad.toml").write_text("[models\n")
    done = cli(*command, "bad.toml")
    assert (done.returncode, "bad.toml" in done.stderr) == (2, True)


def test_how_runs_differ_stands_in_their_first_line(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "customer.json").write_text(json.dumps(["###STOP###"] * 40))
    heads: set[str] = set()
    task = ("--tasks", "[service_issue]airplane_mode_on[PERSONA:None]")
    for more in (
        ("--guard", "off"),
        ("--guard", "record"),
        ("--guard", "correct"),
        ("--user-setting", "retries=1"),
        ("--user-setting", "model.temperature=0"),
    ):
        done = cli("run", *task, "--user", "script:customer.json", *more)
        assert done.returncode == 0, done.stderr
        heads.add(done.stdout.splitlines()[0])
        assert "with guard" in done.stdout.splitlines()[0]
    assert len(heads) == 5


def test_a_slip_in_a_name_is_answered_with_the_name(cli: Cli) -> None:
    for option, typed, meant in (
        ("--agent", "refrence", "reference"),
        ("--agent", "transfer-at-onse", "transfer-at-once"),
        ("--user", "rulez", "rules"),
    ):
        done = cli("run", "--tasks", "small", option, typed)
        assert done.returncode == 2
        assert f"did you mean {meant}?" in done.stderr
        assert len(done.stderr.splitlines()) == 1


def test_calls_are_counted_before_an_episode_has_ended(
    server: ChaosServer, described: tuple[str, ...], tmp_path: Path
) -> None:
    server.delay = 0.3
    task = ("--tasks", "[service_issue]airplane_mode_on[PERSONA:None]")
    code, seen = in_terminal("run", *task, *described, cwd=tmp_path, COLUMNS="80", OURS_KEY=KEY)
    assert code == 0
    counted = re.findall(r"0/1 solved 0 +([0-9]+) calls?", re.sub(r"\x1b\[[0-9;?]*\w", "", seen))
    assert {"0", "2"} <= set(counted)
