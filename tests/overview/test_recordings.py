"""Real recordings of others: counted as their files have it, worth what was expected."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from ringback.formats import tau2
from ringback.formats.importing import Importer
from ringback.overview import overview_of, transcript_of, write_overview
from ringback.overview.model import Overview
from ringback.sessions import Store, parse_selection

FILES = ("rec020-tau2.json.gz", "rec004-tau2.json.gz", "rec018-tau2.json.gz")


@pytest.fixture(scope="module")
def told(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Overview, Path]:
    """The report over some of the recorded files, and its folder."""
    folder = tmp_path_factory.mktemp("recordings")
    with Store.open(folder / "s.db") as store:
        importer = Importer(store)
        for name in FILES:
            for entry in tau2.read(shared / "recordings" / name):
                importer.take(entry)
        found = overview_of(store, parse_selection([]))
        page = write_overview(found, folder / "out", transcript_of(store))
    return found, page.parent


def simulations(shared: Path, name: str) -> list[dict[str, Any]]:
    """A file's simulations as they stand there."""
    return json.loads(gzip.decompress((shared / "recordings" / name).read_bytes()))["simulations"]


def test_each_session_is_worth_what_was_expected(told: tuple[Overview, Path], shared: Path) -> None:
    lines = (shared / "recordings" / "expected.jsonl").read_text().splitlines()
    expected = {(each["file"], each["id"]): each["reward"] for each in map(json.loads, lines)}
    seen = 0
    for line in told[0].sessions:
        key = (line.origin_file, line.origin_id)
        if key in expected and line.reward is not None:
            assert line.reward == expected[key]
            seen += 1
    assert seen > 10


def test_who_called_what_is_what_the_files_hold(told: tuple[Overview, Path], shared: Path) -> None:
    in_files: Counter[tuple[str, str]] = Counter()
    for name in FILES:
        for simulation in simulations(shared, name):
            for message in simulation["messages"]:
                for call in message.get("tool_calls") or ():
                    side = "agent" if call["requestor"] == "assistant" else "user"
                    in_files[side, call["name"]] += 1
    counted: Counter[tuple[str, str]] = Counter()
    for condition in told[0].conditions:
        for arm in condition.arms:
            for use in arm.tools:
                counted[use.side, use.tool] += use.calls
    assert counted == in_files
    assert {side for side, _ in counted} == {"agent", "user"}


def test_every_recorded_call_has_a_page(told: tuple[Overview, Path]) -> None:
    found, folder = told
    assert {path.stem for path in (folder / "transcripts").iterdir()} == {
        line.id for line in found.sessions
    }
    assert all(condition.origins[0].name == "tau2" for condition in found.conditions)
    assert found.left_out.unreadable == ()
