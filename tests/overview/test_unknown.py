"""What recordings do not say is unknown in a report, and never nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from ringback.formats import exgentic, kitaru
from ringback.formats.importing import Importer
from ringback.grading.grade import Grade
from ringback.overview import words
from ringback.overview.model import Overview
from ringback.overview.page import page
from ringback.overview.summary import summary
from ringback.sessions import Store
from tests.cli import test_forged as made
from tests.formats.tau2.made import solved
from tests.overview.made import import_tau2, report


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Overview:
    """Sessions whose cases no world here knows, one of which has model calls alone."""
    folder = tmp_path_factory.mktemp("unknown")
    made.exgentic(folder, "")
    made.kitaru(folder, "")
    with Store.open(folder / "s.db") as store:
        importer = Importer(store)
        for entry in exgentic.read([folder / "traces.parquet"]):
            importer.take(entry)
        for entry in kitaru.read(folder / "k.jsonl"):
            importer.take(entry)
    return report(folder / "s.db")


def test_without_a_task_there_is_no_outcome_and_it_is_said_why(found: Overview) -> None:
    arms = [arm for condition in found.conditions for arm in condition.arms]
    assert sum(arm.sessions for arm in arms) == len(found.sessions) == 5
    for arm in arms:
        assert (arm.graded, arm.tasks, arm.unknown_tasks) == (0, 0, arm.sessions)
        assert (arm.rate.rate, arm.rate.interval) == (None, None)
        assert [(each.name, each.count) for each in arm.reasons] == [
            ("task not known", arm.sessions)
        ]
        assert words.could_be(arm) == ""
        assert words.user_cost(arm) == "none recorded"
        assert words.faults(arm) == "not looked for"
    for line in found.sessions:
        assert (line.task, line.trial, line.reward, line.condition is None) == (
            None,
            None,
            None,
            False,
        )
    assert "there is no rate" in " ".join(found.headline)


def test_where_model_calls_alone_are_recorded_tools_are_what_their_replies_called(
    found: Overview,
) -> None:
    uses = [
        use
        for condition in found.conditions
        for arm in condition.arms
        if arm.origin == "exgentic"
        for use in arm.tools
    ]
    assert {(use.side, use.tool) for use in uses} == {("agent", "look")}
    assert sum(use.calls for use in uses) == 3
    assert sum(use.unanswered for use in uses) == 0


def test_no_empty_word_stands_for_what_is_unknown(found: Overview) -> None:
    text = page(found).decode() + summary(found)
    assert "Domain ," not in text
    assert "Domain unknown" in text
    assert "the domain unknown, not telecom" in text


def test_a_recording_without_its_messages_has_no_outcome(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    import_tau2(
        store,
        tmp_path / "r.json",
        [solved().simulation(), solved().simulation(id="none", messages=[])],
    )
    with Store.open(store) as opened:
        rows = {row.origin_id: row.id for row in opened.rows()}
        (graded,) = (opened.grade(rows[name], Grade) for name in rows if name != "none")
        assert graded is not None
        # as a version that did not know better may have graded it
        opened.save_grade(rows["none"], graded, version="3", reward=1.0, solved=True, graded=True)
    (condition,) = report(store).conditions
    (both,) = condition.arms
    assert (both.graded, both.rate.solved, both.ungraded, both.failures) == (1, 1, 1, ())
    assert [(each.name, each.count) for each in both.reasons] == [("messages not known", 1)]
