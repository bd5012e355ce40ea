"""Ctrl-C and kill: it stops at once, says how to go on, and going on repeats nothing."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import PROGRAM, Cli, environment

LONG = ("run", "--tasks", "full", "--agent", "reference", "--user", "rules")


def started(tmp_path: Path, *arguments: str) -> subprocess.Popen[str]:
    """A run in a process group of its own, once it has recorded something."""
    process = subprocess.Popen(
        [PROGRAM, *arguments],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
    )
    until = time.monotonic() + 60
    while ended(tmp_path / ".ringback" / "ringback.db") < 3:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until
        time.sleep(0.02)
    return process


def ended(store: Path) -> int:
    """How many sessions in the store have ended; 0 while there is no store."""
    try:
        with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as connection:
            count = "select count(*) from sessions where ending is not null"
            return int(connection.execute(count).fetchone()[0])
    except sqlite3.OperationalError:
        return 0


@pytest.mark.parametrize("workers", ["1", "2"])
def test_ctrl_c_stops_within_a_second(cli: Cli, tmp_path: Path, workers: str) -> None:
    process = started(tmp_path, *LONG, "--workers", workers)
    asked = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    out, errors = process.communicate(timeout=30)
    took = time.monotonic() - asked
    assert process.returncode == 130
    assert out == ""
    assert "Traceback" not in errors
    assert len(errors.splitlines()) == 1
    assert "goes on" in errors
    assert took < 1.0
    recorded = json.loads(cli("sessions", "list", "--json").stdout)
    assert recorded["count"] > 0


@pytest.mark.parametrize("workers", ["1", "2"])
def test_an_impatient_ctrl_c_says_it_once(tmp_path: Path, workers: str) -> None:
    process = started(tmp_path, *LONG, "--workers", workers)
    for _ in range(4):
        os.killpg(process.pid, signal.SIGINT)
        time.sleep(0.01)
    out, errors = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, "")
    assert len(errors.splitlines()) == 1, errors


STUDY = """
name = "stopped"
tasks = "test"
[baseline]
agent = "reference"
[arms.noise]
[arms.careless]
agent = "careless"
"""


def study(cli: Cli, folder: Path) -> dict[str, Any]:
    done = cli("study", "run", "study.toml", "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_killed_study_goes_on_to_the_same_result(cli: Cli, tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    for folder in (whole, cut):
        folder.mkdir()
        (folder / "study.toml").write_text(STUDY)
    undisturbed = study(cli, whole)
    process = started(cut, "study", "run", "study.toml", "--jobs", "4")
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    status = json.loads(cli("study", "status", "study.toml", "--json", cwd=cut).stdout)
    assert 0 < status["missing"] <= 120
    resumed = study(cli, cut)
    assert resumed["reused"] == status["there"]
    assert resumed["arms"] == undisturbed["arms"]
    for name in ("results.json", "summary.md"):
        left = (whole / "report" / name).read_bytes()
        assert (cut / "report" / name).read_bytes() == left
    assert json.loads(cli("sessions", "list", "--json", cwd=cut).stdout)["count"] == 120
