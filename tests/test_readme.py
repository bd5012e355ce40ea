"""What the README tells people to type works, and in the order in which it stands there."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from ringback.sessions import parse_selection
from tests import warm
from tests.cli.conftest import Cli, cli, environment

__all__ = ["cli"]

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


OFFLINE, _, ONLINE = README.partition("## Your own model")


def commands(text: str = OFFLINE) -> list[list[str]]:
    """The lines of its shell blocks that begin with ringback, as words."""
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    return [shlex.split(line, comments=True) for line in lines if line.startswith("ringback ")]


def printed() -> list[str]:
    """Its blocks of output."""
    blocks: list[tuple[str, str]] = re.findall(
        r"^```(\w*)\n(.*?)^```", OFFLINE, re.MULTILINE | re.DOTALL
    )
    return [text for language, text in blocks if not language]


def test_every_command_works_and_prints_what_is_shown(tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    assert len(commands()) > 8
    said = ""
    for _, *words in commands():
        done = warm.run(*words, cwd=tmp_path, env=environment(), cold=True)
        assert (done.returncode, done.stderr) == (0, ""), words
        assert "No session fits" not in done.stdout, words
        said += " ".join(done.stdout.split()) + "\n"
    for block in printed():
        assert " ".join(block.replace("─", " ").split()) in said


def test_a_hosted_model_without_a_key_names_the_variable(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    hosted = [words for _, *words in commands(ONLINE) if any("openai:" in word for word in words)]
    assert len(hosted) == 2
    for words in hosted:
        done = cli(*words)
        assert done.returncode == 2, words
        assert "OPENAI_API_KEY" in done.stderr


def test_what_its_commands_write_in_a_clone_is_ignored_by_git(tmp_path: Path) -> None:
    if shutil.which("git") is None:
        pytest.skip("there is no git")
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    shutil.copy(ROOT / ".gitignore", tmp_path)
    named = set(re.findall(r"(?:--out|-o|--junit|--markdown) ([\w.-]+)", README))
    gated = {
        "gate.xml",
        "gate.md",
        "easy-transcript.json",
        "calls",
        "replies.json",
        ".ringback/x.db",
    }
    for name in sorted(named | gated):
        found = subprocess.run(
            ["git", "check-ignore", "-q", name if "." in name else f"{name}/index.html"],
            cwd=tmp_path,
            check=False,
        )
        assert found.returncode == 0, name


def test_every_filter_named_in_passing_is_one() -> None:
    for words in re.findall(r"`([a-z]+=[\w-]+(?: [a-z]+=[\w-]+)*)`", README):
        assert parse_selection(words.split()).filters
