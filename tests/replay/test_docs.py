"""What docs/replay.md tells people to type works."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest

from ringback.replay.places import parse_at
from tests.replay.stores import record, rows

DOCS = (Path(__file__).parents[2] / "docs" / "replay.md").read_text(encoding="utf-8")


def test_the_lines_that_fork_every_failure_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    record(Path(".ringback/ringback.db"))
    (code,) = re.findall(r"^```python\n(.*?)^```", DOCS, re.MULTILINE | re.DOTALL)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(code, "docs/replay.md", "exec"), {})
    lines = said.getvalue().splitlines()
    assert len(lines) == 2
    assert all(line.endswith(" solved") and "not" not in line for line in lines)
    assert [row.parent for row in rows(Path(".ringback/ringback.db"), "arm=fork")] == [
        line.split(" -> ")[0] for line in lines
    ]


def test_the_places_in_its_commands_are_places() -> None:
    places = [
        words[words.index("--at") + 1]
        for block in re.findall(r"^```sh\n(.*?)^```", DOCS, re.MULTILINE | re.DOTALL)
        for line in block.splitlines()
        if "--at" in (words := shlex.split(line, comments=True))
    ]
    assert len(places) == 3
    for word in places:
        parse_at(word)
