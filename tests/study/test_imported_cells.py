"""Our own sessions, exported and imported elsewhere: a study takes them as if played there."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ringback.episode.events import Turn
from ringback.formats import Skipped, kitaru
from ringback.formats.importing import Importer, Tally
from ringback.formats.session import Session
from ringback.sessions import Store, parse_selection
from ringback.study.engine import Played
from ringback.study.plan import plan_run
from ringback.study.run import run_plan

TASK = "[service_issue]airplane_mode_on[PERSONA:None]"
PLAN = plan_run(tasks=TASK, agent="reference", user="rules")


def run(store: Path) -> Played:
    done: list[Played] = []
    run_plan(PLAN, store, done=done.append)
    (played,) = done
    return played


def exported(store: Path, *, ended: bool = True) -> bytes:
    """The one session of a store as a line, or what had been recorded of it before its end."""
    with Store.open(store, write=False) as opened:
        (row,) = opened.rows(parse_selection([]))
        events = tuple(opened.events(row.id))
    return kitaru.line(Session(events if ended else events[:4], {}))


def imported(store: Path, line: bytes) -> Tally:
    file = store.with_suffix(".jsonl")
    file.write_bytes(line)
    with Store.open(store) as opened:
        importer = Importer(opened)
        for entry in kitaru.read(file):
            importer.take(entry)
    return importer.tally


def spoken(store: Path) -> list[Any]:
    with Store.open(store, write=False) as opened:
        (row,) = opened.rows(parse_selection([]))
        return [
            (event.by, event.text, event.calls)
            for event in opened.events(row.id)
            if isinstance(event, Turn)
        ]


def test_a_session_that_was_played_elsewhere_is_not_played_again(tmp_path: Path) -> None:
    here, there = tmp_path / "a.db", tmp_path / "b.db"
    first = run(here)
    assert imported(there, exported(here)).added == 1
    again = run(there)
    assert (again.session, again.reused, again.solved) == (first.session, True, first.solved)


def test_one_that_had_not_ended_is_gone_on_with(tmp_path: Path) -> None:
    here, there = tmp_path / "a.db", tmp_path / "b.db"
    first = run(here)
    tally = imported(there, exported(here, ended=False))
    assert (tally.added, tally.unfinished, tally.ungraded) == (1, 1, 0)
    with Store.open(there) as opened:
        assert opened.holder(first.session) is None  # whoever is next may go on with it
    again = run(there)
    assert (again.session, again.reused, again.solved) == (first.session, False, first.solved)
    assert spoken(there) == spoken(here)


def _other_words(value: Any) -> None:
    next(n for n in value["nodes"] if n["name"] == "agent turn")["outputs"]["text"] = "Solved!"


def _no_call(value: Any) -> None:
    value["nodes"] = [each for each in value["nodes"] if each["node_type"] != "tool_call"]


def _other_ending(value: Any) -> None:
    value["metadata"]["ringback"]["end"]["ending"] = "timeout"


def _huge_trial(value: Any) -> None:
    value["metadata"]["ringback"]["start"]["draw"]["trial"] = 10**30


@pytest.mark.parametrize("change", [_other_words, _no_call, _other_ending, _huge_trial])
def test_one_that_was_changed_on_the_way_stands_for_nothing(
    tmp_path: Path, change: Callable[[Any], None]
) -> None:
    here, there = tmp_path / "a.db", tmp_path / "b.db"
    run(here)
    value = json.loads(exported(here))
    change(value)
    tally = imported(there, json.dumps(value).encode())
    assert (tally.added, tally.unreadable) == (0, 1)
    assert not run(there).reused


def test_one_of_an_older_version_is_said(tmp_path: Path) -> None:
    here, file = tmp_path / "a.db", tmp_path / "k.jsonl"
    run(here)
    value = json.loads(exported(here))
    value["metadata"]["ringback"]["form"] = 1
    file.write_text(json.dumps(value))
    (found,) = kitaru.read(file)
    assert isinstance(found, Skipped)
    assert "the version that wrote it" in found.why
