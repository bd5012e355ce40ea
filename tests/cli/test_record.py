"""``ringback record``: what people type, what they read, and what lies on the disk then."""

from __future__ import annotations

import json
from pathlib import Path

from msgspec.structs import replace

from ringback.record.schema import schema
from tests.cli.conftest import Cli, refused
from tests.record.recorded import operated
from tests.record.reenacted import CALLS, EASY


def test_all_operated_calls_are_told_and_what_was_written_is_said(cli: Cli, tmp_path: Path) -> None:
    store = tmp_path / ".ringback" / "ringback.db"
    operated(store, CALLS["easy"])
    operated(store, CALLS["medium"])
    still = operated(store, replace(CALLS["hard"], commands=EASY[:1]))
    done = cli("record", "-o", "out.json")
    assert done.returncode == 0, done.stderr
    assert "passed, user_stop" in done.stdout
    assert "out.json is written, with 2 transcripts beside it." in done.stdout
    assert done.stderr == (
        f"ringback: Session {still} is left out: it is still being operated by A. Person: bring "
        f"it to its end, or give it up with `ringback operate abandon --session {still}`.\n"
    )
    names = {path.name for path in tmp_path.glob("*.json")}
    assert names == {"out.json", "easy-transcript.json", "medium-transcript.json"}
    again = cli("record", "-o", "out.json", "--json")
    found = json.loads(again.stdout)
    assert [case["official_reward"] for case in found["cases"]] == [1.0, 1.0]
    assert found["transcripts"] == ["easy-transcript.json", "medium-transcript.json"]
    (left,) = found["left_out"]
    assert left["session"] == still
    assert left["why"].startswith("it is still being operated by A. Person")


def test_a_selection_names_what_is_told(cli: Cli, tmp_path: Path) -> None:
    store = tmp_path / "calls.db"
    operated(store, CALLS["easy"])
    medium = operated(store, CALLS["medium"])
    done = cli("record", medium[:6], "-o", "one.json", "--store", "calls.db")
    assert done.returncode == 0, done.stderr
    (case,) = json.loads((tmp_path / "one.json").read_bytes())["cases"]
    assert case["session"] == medium


def test_the_schema_needs_no_store_and_writes_nothing(cli: Cli, tmp_path: Path) -> None:
    done = cli("record", "--schema")
    assert done.returncode == 0
    assert json.loads(done.stdout) == schema()
    assert not list(tmp_path.iterdir())


def test_mistakes_are_one_sentence_and_leave_everything_as_it_was(cli: Cli, tmp_path: Path) -> None:
    refused(cli("record"), "-o FILE.json")
    refused(cli("record", "-o", "out.json"), "ringback.db")
    store = tmp_path / ".ringback" / "ringback.db"
    operated(store, CALLS["easy"])
    refused(cli("record", "abcdef", "-o", "out.json"), "abcdef")
    refused(cli("record", "agent=reference", "-o", "out.json"), "agent=reference")
    refused(cli("record", "-o", "-"), "no file")
    refused(cli("record", "-o", str(store)), "session store")
    mine = tmp_path / "mine.json"
    mine.write_text("{}")
    refused(cli("record", "-o", "mine.json"), "not written over")
    assert mine.read_text() == "{}"
    assert [path.name for path in tmp_path.glob("*.json")] == ["mine.json"]
