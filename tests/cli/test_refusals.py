"""Whatever a user gets wrong on the command line: one sentence, exit 2, no traceback."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import ringback
from tests.cli.conftest import PROGRAM, Cli, environment, refused


def test_version(cli: Cli) -> None:
    done = cli("--version")
    assert (done.returncode, done.stdout, done.stderr) == (
        0,
        f"ringback {ringback.__version__}\n",
        "",
    )


def test_help_names_every_command(cli: Cli) -> None:
    done = cli("--help")
    assert done.returncode == 0
    assert done.stderr == ""
    for command in ("run", "sessions", "study", "tasks", "policy", "tools", "world"):
        assert f"\n  {command} " in done.stdout
    assert cli().stdout == done.stdout


@pytest.mark.parametrize(
    "command",
    [
        "run",
        "sessions list",
        "sessions show",
        "study plan",
        "study run",
        "study status",
        "tasks list",
        "tasks show",
        "policy show",
        "tools",
        "world check",
    ],
)
def test_every_command_has_help(cli: Cli, command: str) -> None:
    done = cli(*command.split(), "--help")
    assert "[ARGS]" not in done.stdout
    assert done.returncode == 0
    assert done.stdout.startswith(f"Usage: ringback {command}")
    assert max(len(line) for line in done.stdout.splitlines()) <= 100


def test_usage_names_what_may_be_left_out(cli: Cli) -> None:
    for words, usage in (
        (("operate", "say"), "Usage: ringback operate say [OPTIONS] [TEXT]"),
        (("operate", "call"), "Usage: ringback operate call [OPTIONS] TOOL [KEY=VALUE]"),
        (("fork",), "Usage: ringback fork --at STEP [OPTIONS] [SELECTION]"),
    ):
        assert cli(*words, "--help").stdout.splitlines()[0] == usage
    assert refused(cli("stats"), "needs FILE. See")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["rnu"], ["rnu", "run", "ringback --help"]),
        (["tasks", "shwo"], ["shwo", "show", "ringback tasks --help"]),
        (["--jsno"], ["--jsno"]),
        (["tasks", "list", "--splt", "test"], ["--splt", "--split", "ringback tasks list --help"]),
        (["tasks", "show"], ["needs ID"]),
        (["tasks", "show", "a", "b"], ["'b'"]),
        (["tasks", "list", "--split"], ["--split"]),
        (["tasks", "list", "--split", "tset"], ["tset", "test", "train"]),
        (["tasks", "list", "--family", "tv_issue"], ["tv_issue", "mms_issue"]),
        (["tasks", "show", "[tv_issue]none"], ["[tv_issue]none"]),
        (["policy", "show", "--variant", "haiku"], ["haiku", "workflow", "manual"]),
        (["tools", "robot"], ["robot", "agent", "user"]),
        (["run"], ["--tasks"]),
        (["run", "--tasks", "tset"], ["tset", "test"]),
        (["run", "--tasks", ""], ["test"]),
        (["run", "--tasks", "small", "--agent", "jeeves"], ["jeeves", "reference"]),
        (["run", "--tasks", "small", "--user", "jeeves"], ["jeeves", "rules"]),
        (["run", "--tasks", "small", "--policy", "haiku"], ["haiku", "workflow"]),
        (["run", "--tasks", "small", "--trials", "0"], ["0 trials"]),
        (["run", "--tasks", "small", "--trials", "two"], ["--trials", "two"]),
        (["run", "--tasks", "small", "--jobs", "0"], ["0 jobs"]),
        (["run", "--tasks", "small", "--workers", "-1"], ["-1"]),
        (["sessions", "list"], ["store"]),
        (["sessions", "show", "latest"], ["store"]),
        (["sessions", "show"], ["SELECTION"]),
        (["study", "plan", "none.toml"], ["none.toml"]),
        (["study", "run", "."], ["folder"]),
        (["world", "check"], ["FILE"]),
        (["world", "check", "none.jsonl"], ["none.jsonl"]),
    ],
)
def test_refused_in_one_sentence(cli: Cli, arguments: list[str], words: list[str]) -> None:
    refused(cli(*arguments), *words)


def test_a_refused_command_leaves_nothing_behind(cli: Cli, tmp_path: Path) -> None:
    refused(cli("run", "--tasks", "tset"))
    refused(cli("sessions", "list"))
    assert list(tmp_path.iterdir()) == []


def test_json_keeps_stdout_empty_when_refused(cli: Cli) -> None:
    refused(cli("tasks", "list", "--split", "tset", "--json"), "tset")
    refused(cli("run", "--tasks", "small", "--agent", "jeeves", "--json"), "jeeves")


def test_what_was_typed_cannot_steer_the_terminal(cli: Cli) -> None:
    line = refused(cli("tasks", "show", "\x1b[2J\x07\x1b]0;gone\x07\nx"))
    assert "\x1b" not in line
    assert "\x07" not in line


def test_a_typed_name_that_is_not_utf8(cli: Cli) -> None:
    refused(cli("tasks", "list", "--split", b"caf\xe9".decode("utf-8", "surrogateescape")))


def test_an_encoding_that_cannot_write_it(cli: Cli) -> None:
    done = cli("policy", "show", env={"PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0
    assert done.stdout.isascii()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('name = "x"\ntasks = "test\n', ["study.toml", "line 2", "column"]),
        ('name = "x"\ntasks = "test"\nbaselin = 1\n', ["study.toml", "baselin"]),
        ("", ["study.toml", "name"]),
        (
            'name = "x"\ntasks = "test"\n[baseline]\nagent = "jeeves"\n',
            ["jeeves", "reference"],
        ),
        (
            'name = "x"\ntasks = "tset"\n[baseline]\nagent = "reference"\n',
            ["tset", "test"],
        ),
    ],
    ids=["not toml", "unknown key", "empty", "unknown agent", "unknown split"],
)
def test_a_study_file_that_is_wrong(cli: Cli, tmp_path: Path, text: str, words: list[str]) -> None:
    (tmp_path / "study.toml").write_text(text)
    for verb in ("plan", "run", "status"):
        refused(cli("study", verb, "study.toml"), *words)


def test_a_study_file_that_is_not_text(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_bytes(b"\xff\xfe\x00name")
    refused(cli("study", "plan", "study.toml"), "UTF-8")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'{"id": 1,\n', ["line 1", "column"]),
        (b"", ["walks"]),
        (b"[1, 2]\n", ["line 1"]),
        (b"\xff\xfe\n", ["line 1"]),
        (b"{}\n", ["line 1"]),
        (b"[" * 100_000 + b"\n", ["line 1"]),
    ],
    ids=["cut off", "empty", "not an object", "not text", "no fields", "nested"],
)
def test_walks_that_are_none(cli: Cli, tmp_path: Path, content: bytes, words: list[str]) -> None:
    (tmp_path / "walks.jsonl").write_bytes(content)
    done = cli("world", "check", "walks.jsonl")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == 1
    for word in ["walks.jsonl", *words]:
        assert word in done.stderr


def test_walks_in_a_broken_archive(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "walks.jsonl.gz").write_bytes(b"\x1f\x8b\x08\x00not really")
    refused(cli("world", "check", "walks.jsonl.gz"), "walks.jsonl.gz")
    (tmp_path / "walks.jsonl.gz").write_bytes(b"plain text")
    refused(cli("world", "check", "walks.jsonl.gz"), "walks.jsonl.gz")


@pytest.mark.parametrize("allowed", [6, 9, 15])
def test_too_few_open_files_are_said_before_anything_is_begun(tmp_path: Path, allowed: int) -> None:
    done = subprocess.run(
        ["sh", "-c", f'ulimit -n {allowed}; exec "{PROGRAM}" run --tasks small'],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    refused(done, f"{allowed} files", "ulimit -n")
    assert not list(tmp_path.iterdir())
