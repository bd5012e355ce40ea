"""One version, in one place, and sources that are whole."""

from __future__ import annotations

import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

import ringback

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def pyproject() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_version_stands_in_one_place(pyproject: dict[str, Any]) -> None:
    assert "version" not in pyproject["project"]
    source = ROOT / pyproject["tool"]["hatch"]["version"]["path"]
    assert f'__version__ = "{ringback.__version__}"' in source.read_text(encoding="utf-8")


def test_the_source_distribution_leaves_nothing_out(pyproject: dict[str, Any]) -> None:
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.split()
    if not tracked:
        pytest.skip("this is no checkout")
    by_itself = {"pyproject.toml", ".gitignore"}
    packed = set(pyproject["tool"]["hatch"]["build"]["targets"]["sdist"]["include"])
    assert {name.split("/")[0] for name in tracked} - by_itself <= packed
