"""Agents and users of other packages, found by their entry points; the documentation's example."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "participants.md"
USER = """
from ringback.episode.events import Setup
from ringback.episode.participants import Reply

class Silent:
    deterministic = True
    setup = Setup("silent", "1")
    def take(self, brief):
        assert brief.scenario.text
        return self
    async def act(self, view, random):
        return Reply("Never mind. ###STOP###")

def silent(settings):
    return Silent()

def misnamed(settings):
    return Silent()
"""


def _package(folder: Path, name: str, code: str, entries: str) -> None:
    (folder / f"{name}.py").write_text(code, "utf-8")
    info = folder / f"{name}-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n", "utf-8")
    (info / "entry_points.txt").write_text(entries, "utf-8")


def _ringback(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    store = folder / "s.db"
    path = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))
    return subprocess.run(
        [sys.executable, "-m", "ringback", *words, "--store", str(store)],
        env={**os.environ, "PYTHONPATH": path, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    blocks = dict(re.findall(r"```(python|toml)\n(.*?)```", PAGE.read_text("utf-8"), re.S))
    project = tomllib.loads(blocks["toml"])["project"]
    entries = project["entry-points"]["ringback.agents"].items()
    agents = "[ringback.agents]\n" + "".join(f"{name} = {what}\n" for name, what in entries)
    _package(tmp_path, "greeter", blocks["python"], agents)
    users = "[ringback.users]\nsilent = quiet:silent\nother = quiet:misnamed\n"
    _package(tmp_path, "quiet", USER, users + "[ringback.agents]\ngone = quiet:nothing\n")
    return tmp_path


def test_the_example_of_the_documentation_plays_and_is_graded(packages: Path) -> None:
    done = _ringback(packages, "run", "--tasks", "small", "--agent", "greeter", "--json")
    assert done.returncode == 0, done.stderr
    assert '"name":"greeter"' in done.stdout.replace(" ", "")
    assert re.search(r'"ungraded":\s*0', done.stdout)


def test_a_user_of_another_package_plays(packages: Path) -> None:
    done = _ringback(packages, "run", "--tasks", "small", "--user", "silent", "--json")
    assert done.returncode == 0, done.stderr
    assert '"name":"silent"' in done.stdout.replace(" ", "")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--agent", "nobody"), "reference, hasty, careless"),
        (("--agent", "nobody"), "greeter"),
        (("--agent", "gone"), "cannot be loaded from quiet:nothing"),
        (("--user", "other"), "calls itself 'silent'"),
        (("--user", "nobody"), "rules, other, silent"),
    ],
)
def test_what_cannot_be_used_is_said_in_a_sentence(
    packages: Path, words: tuple[str, str], said: str
) -> None:
    done = _ringback(packages, "run", "--tasks", "small", *words)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_a_name_of_ringbacks_own_cannot_be_taken(tmp_path: Path) -> None:
    _package(tmp_path, "thief", USER, "[ringback.users]\nrules = thief:silent\n")
    done = _ringback(tmp_path, "run", "--tasks", "small")
    assert done.returncode == 2
    assert "offered by Ringback itself and thief" in " ".join(done.stderr.split())
