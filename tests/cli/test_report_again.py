"""The line that makes a report again, which is passed on: it works, and says nothing of a disk."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

from tests.cli.conftest import Cli


def test_of_absolute_paths_the_line_has_the_names_alone(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    store, out = tmp_path / "kept" / "calls.db", tmp_path / "kept" / "told here"
    assert cli("run", "--tasks", "small", "--agent", "hasty", "--store", str(store)).returncode == 0
    done = cli("report", "--out", str(out), "--store", str(store), "--no-transcripts", "--json")
    assert done.returncode == 0, done.stderr
    again = json.loads(done.stdout)["results"]["facts"]["command"]
    assert shlex.split(again) == [
        *("ringback", "report", "--out", "told here"),
        *("--no-transcripts", "--store", "calls.db"),
    ]
    for path in out.iterdir():
        assert str(tmp_path) not in path.read_text("utf-8"), path.name


def test_of_others_it_has_what_was_typed_and_works(cli: Cli, tmp_path: Path) -> None:
    assert cli("run", "--tasks", "small", "--agent", "hasty", "--store", "s.db").returncode == 0
    typed = ("report", "arm=hasty", "--out", "a/told", "--baseline", "hasty", "--store", "s.db")
    done = cli(*typed, "--json")
    again = shlex.split(json.loads(done.stdout)["results"]["facts"]["command"])
    assert again == ["ringback", *typed]
    before = (tmp_path / "a" / "told" / "results.json").read_bytes()
    assert cli(*again[1:]).returncode == 0
    assert (tmp_path / "a" / "told" / "results.json").read_bytes() == before
