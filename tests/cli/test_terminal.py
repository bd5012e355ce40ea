"""In a terminal there is colour and progress; in a pipe there is plain text and nothing else."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from ringback.domains import load
from tests.cli.conftest import PROGRAM, Cli, environment
from tests.warm import run_in_terminal


def in_terminal(*arguments: str, cwd: Path, **extra: str) -> tuple[int, str]:
    """Run the program with a terminal on all three streams; gives exit code and what it wrote."""
    env = environment(**({"TERM": "xterm-256color", "COLUMNS": "100", "LINES": "40"} | extra))
    return run_in_terminal(*arguments, cwd=cwd, env=env)


def test_a_terminal_gets_style_and_a_pipe_does_not(cli: Cli, tmp_path: Path) -> None:
    code, seen = in_terminal("tasks", "list", "--split", "small", cwd=tmp_path)
    assert code == 0
    assert "\x1b[" in seen
    piped = cli("tasks", "list", "--split", "small")
    assert "\x1b" not in piped.stdout
    assert "─" not in piped.stdout


def test_no_color_is_honoured(tmp_path: Path) -> None:
    _, seen = in_terminal("tasks", "list", "--split", "small", cwd=tmp_path, NO_COLOR="1")
    coloured = [part for part in seen.split("\x1b[")[1:] if part.split("m")[0][:1] in set("349")]
    assert not coloured


def test_a_pipe_gets_long_cells_whole(cli: Cli) -> None:
    lines = cli("tasks", "list", "--split", "full").stdout.splitlines()
    assert len(lines) == 2286
    assert "…" not in "".join(lines)
    assert not any(line != line.rstrip() for line in lines)


def test_progress_stays_off_stdout_and_out_of_pipes(cli: Cli, tmp_path: Path) -> None:
    done = cli("run", "--tasks", "small", "--agent", "transfer-at-once", "--user", "rules")
    assert done.returncode == 0
    assert "\x1b" not in done.stdout + done.stderr
    assert "\r" not in done.stdout + done.stderr
    _, seen = in_terminal(
        *("run", "--tasks", "test", "--agent", "transfer-at-once", "--user", "rules"),
        cwd=tmp_path,
    )
    assert "episodes" in seen


def test_no_progress_is_shown_of_a_run_that_cannot_begin_or_has_nothing_to_play(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    code, seen = in_terminal(
        *("run", "--tasks", "small", "--agent", "openai:gpt-5-mini"), cwd=tmp_path
    )
    assert code == 2
    assert "OPENAI_API_KEY" in seen
    assert "episodes" not in seen
    scripted = ("run", "--tasks", "small", "--agent", "transfer-at-once")
    assert cli(*scripted).returncode == 0
    _, again = in_terminal(*scripted, cwd=tmp_path)
    assert "20 of them before" in again
    assert "episodes  " not in again


def test_a_list_of_tasks_says_which_sets_there_are(cli: Cli) -> None:
    told = cli("tasks", "list", "--help").stdout
    assert all(split in told for split in load("telecom").splits)


def test_a_reader_that_leaves_is_no_error(tmp_path: Path) -> None:
    for command in (["tasks", "list", "--split", "full"], ["policy", "show"], ["tools"]):
        process = subprocess.Popen(
            [PROGRAM, *command],
            cwd=tmp_path,
            env=environment(PYTHONUNBUFFERED="1"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        errors = process.stderr.read()
        process.stderr.close()
        assert process.wait(timeout=60) == 128 + signal.SIGPIPE
        assert errors == b""


def test_a_closed_stderr_is_no_error(tmp_path: Path) -> None:
    for redirect in ("2>&-", "2>/dev/full"):
        line = f'"{PROGRAM}" run --tasks small --agent transfer-at-once {redirect}'
        done = subprocess.run(["sh", "-c", line], cwd=tmp_path, env=environment(), check=False)
        assert done.returncode == 0
        line = f'"{PROGRAM}" sessions list arm=none --limit 0 {redirect}'
        done = subprocess.run(["sh", "-c", line], cwd=tmp_path, env=environment(), check=False)
        assert done.returncode == 2


PRINTING = (
    "--help",
    "sessions --help",
    "policy show",
    "tasks list --split full --json",
    "sessions list",
    "sessions show latest",
    "compare latest latest",
    "regrade arm=transfer-at-once",
    "regrade latest --json",
    "export kitaru -o -",
    "export otel -o - latest",
    "export tau2 -o out.json",
    "import kitaru own.jsonl",
)
"""One of each way in which commands print."""


def test_what_cannot_be_printed_is_said_and_no_success(cli: Cli, tmp_path: Path) -> None:
    assert cli("run", "--tasks", "small", "--agent", "transfer-at-once").returncode == 0
    assert cli("export", "kitaru", "latest", "-o", "own.jsonl").returncode == 0
    ways = [(">&-", "it is closed"), (">/dev/full", "No space left on device")]
    for number, command in enumerate(PRINTING):
        redirect, why = ways[number % 2]
        line = f'"{PROGRAM}" {command} {redirect}'
        done = subprocess.run(
            ["sh", "-c", line],
            cwd=tmp_path,
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 2, (line, done.stderr)
        (said,) = done.stderr.splitlines()
        assert said.startswith(f"ringback: Standard output cannot be written ({why})"), line


@pytest.mark.parametrize(
    "command", ["sessions show latest", "sessions --help", "compare latest latest"]
)
def test_a_reader_that_left_ends_every_kind_of_output_alike(
    cli: Cli, tmp_path: Path, command: str
) -> None:
    assert cli("run", "--tasks", "small", "--agent", "transfer-at-once").returncode == 0
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [PROGRAM, *command.split()],
        cwd=tmp_path,
        env=environment(),
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (128 + signal.SIGPIPE, b"")


def test_a_full_disk_is_said(tmp_path: Path) -> None:
    full = Path("/dev/full")
    if not full.exists() or sys.platform != "linux":
        return
    with full.open("w") as stdout:
        done = subprocess.run(
            [PROGRAM, "policy", "show"],
            cwd=tmp_path,
            env=environment(),
            stdout=stdout,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert "space" in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_model_that_does_not_answer_is_said_to_be_tried_again(cli: Cli, tmp_path: Path) -> None:
    with socket.socket() as unheard:
        unheard.bind(("127.0.0.1", 0))  # not listening: every connection is refused
        address = f"http://127.0.0.1:{unheard.getsockname()[1]}/v1"
        (tmp_path / "m.toml").write_text(
            f'[models.ours]\nmodel = "openai:x"\nbase_url = "{address}"\n'
            "settings = { max_retries = 1 }\n"
        )
        task = "[service_issue]airplane_mode_on[PERSONA:None]"
        for words in (
            ("models", "check", "ours"),
            ("run", "--tasks", task, "--agent", "ours"),
        ):
            command = (*words, "--models-file", "m.toml")
            code, seen = in_terminal(*command, cwd=tmp_path)
            assert code == 2
            assert seen.count("No answer from ours yet: ") == 1
            assert "; trying again." in " ".join(seen.split())
            assert "No answer" not in cli(*command).stderr
