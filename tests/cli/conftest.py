"""The command line is tested as people use it: the installed program, in a process of its own."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.warm import PROGRAM, Done, run

__all__ = ["PROGRAM", "Cli", "Done", "cli", "environment", "refused"]

Cli: TypeAlias = Callable[..., Done]


def environment(**extra: str) -> dict[str, str]:
    """This process's variables without those that change how a terminal program speaks."""
    drop = {"RINGBACK_STORE", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "TERM", "PYTHONIOENCODING"}
    return {key: value for key, value in os.environ.items() if key not in drop} | extra


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    """Run ``ringback`` in an empty folder; gives its exit code and what it wrote."""

    def told(*arguments: str, env: dict[str, str] | None = None, cwd: Path | None = None) -> Done:
        return run(*arguments, cwd=cwd or tmp_path, env=environment(**(env or {})))

    return told


def refused(done: Done, *words: str) -> str:
    """The one sentence with which a command refused; fails if it did otherwise."""
    assert done.returncode == 2, (done.returncode, done.stdout, done.stderr)
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    lines = done.stderr.splitlines()
    assert len(lines) == 1, lines
    assert lines[0].startswith("ringback: ")
    assert lines[0].endswith(".")
    for word in words:
        assert word in lines[0], (word, lines[0])
    return lines[0]
