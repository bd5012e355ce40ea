"""A program that is forked off a warm one says and does what one started in the common way does."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests import warm
from tests.cli.conftest import environment


def told(folder: Path, *, cold: bool) -> list[tuple[int, str, str]]:
    """What some commands come to, of each kind: help, a list, a run, a read, a mistake."""
    folder.mkdir()
    commands = (
        "--help",
        "tasks list --split small",
        "run --tasks small --agent hasty --jobs 1 --json",
        "run --tasks [service_issue]airplane_mode_on[PERSONA:None] --workers 2 --store other.db",
        "sessions list solved=yes",
        "export tau2 -o out.json",
        "stats out.json",
        "sessions shwo",
    )
    found = [warm.run(*each.split(), cwd=folder, env=environment(), cold=cold) for each in commands]
    assert (folder / "out.json").stat().st_size > 1000
    return [(done.returncode, done.stdout, done.stderr) for done in found]


def test_a_warm_start_is_as_a_cold_one(tmp_path: Path) -> None:
    seen = told(tmp_path / "warm", cold=False)
    assert seen == told(tmp_path / "cold", cold=True)
    assert [code for code, _, _ in seen] == [0, 0, 0, 0, 0, 0, 2, 2]


def test_what_the_interpreter_is_told_holds(tmp_path: Path) -> None:
    env = environment(PYTHONIOENCODING="latin-1", PYTHONVERBOSE="1")
    assert "import 'ringback.cli'" in warm.run("--version", cwd=tmp_path, env=env).stderr


def test_one_that_takes_too_long_is_killed(tmp_path: Path) -> None:
    for cold in (False, True):
        with pytest.raises(subprocess.TimeoutExpired):
            warm.run(
                *("run", "--tasks", "full"),
                cwd=tmp_path,
                env=environment(),
                seconds=1.0,
                cold=cold,
            )
