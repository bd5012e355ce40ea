"""Which session leads where: attempts that were replaced stand apart, on the page and in links."""

from __future__ import annotations

import pytest

from ringback.episode.events import Limits
from ringback.overview.links import around
from ringback.overview.model import Overview, SessionLine
from ringback.overview.session_list import session_groups
from tests.overview.made import TASKS, change, record, report


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Overview:
    """Two arms, an attempt of one of which was replaced, and another condition."""
    store = tmp_path_factory.mktemp("links") / "s.db"
    record(store, "reference")
    record(store, "hasty")
    change(
        store,
        "UPDATE sessions SET ending = 'infrastructure_error', grader = NULL "
        "WHERE arm_name = 'hasty' AND task = ?",
        TASKS[0],
    )
    record(store, "hasty")
    record(store, "hasty", tasks=TASKS[:2], limits=Limits(steps=40))
    return report(store)


def replaced(found: Overview) -> SessionLine:
    """The attempt that is in no figure."""
    (line,) = [line for line in found.sessions if not line.counted]
    return line


def test_a_replaced_attempt_is_no_session_of_its_draw(found: Overview) -> None:
    gone, links = replaced(found), around(found.sessions)
    assert gone.condition == "A"
    assert links[gone.id].siblings == ()
    for line in found.sessions:
        if line.counted and line.condition == "A":
            there = links[line.id].siblings
            assert [each.name for each in there] == ["reference", "hasty"]
            assert [each.here for each in there].count(True) == 1
            assert f"{gone.id}.html" not in [each.href for each in there]


def test_what_is_in_no_figure_is_listed_last(found: Overview) -> None:
    pages = [line.id for line in found.sessions]
    groups = list(session_groups(found, pages))
    assert [(each.name, len(each.rows)) for each in groups] == [
        ("reference", 3),
        ("hasty", 3),
        ("hasty", 2),
        ("hasty", 1),
    ]
    assert "condition B" in groups[2].words
    assert groups[3].words.endswith("under condition A, replaced by a later attempt")
    assert [row.id for row in groups[3].rows] == [replaced(found).id]
