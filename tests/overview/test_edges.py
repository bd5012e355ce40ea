"""What a report makes of the rare: no task, no end, nobody asked, more conditions than letters."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from ringback.episode.events import Limits
from ringback.grading.grade import Grade
from ringback.overview.arms import by_case
from ringback.overview.reading import Seen, read
from ringback.sessions import Store
from tests.formats.tau2.made import solved
from tests.overview.made import TASKS, arm, change, import_tau2, record, report

CUT = Limits(steps=40)


def seen(store: Path) -> list[Seen]:
    """The sessions of a store as they are counted."""
    with Store.open(store, write=False) as opened:
        found = list(read(opened, list(opened.rows())))
    return [each[0] for each in found if isinstance(each, tuple)]


def ungrade(store: Path) -> None:
    """Take the grades out of a store."""
    change(store, "DELETE FROM grades")
    change(store, "UPDATE sessions SET grader = NULL")


def test_an_agent_of_others_that_is_called_operator_is_none_of_ours(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    import_tau2(
        store,
        tmp_path / "r.json",
        [solved().simulation()],
        agent_info={"implementation": "operator", "llm": "made-up", "llm_args": {}},
    )
    change(store, "UPDATE sessions SET agent = 'operator', ending = NULL, grader = NULL")
    found = report(store)
    assert len(found.sessions) == 1
    assert (found.left_out.operated, found.left_out.others) == ((), 0)
    record(store, "hasty", tasks=[found.sessions[0].task])
    assert len(report(store).sessions) == 2


def test_each_session_of_no_known_task_is_a_case_of_its_own(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    record(store, "hasty")
    one, other, known = seen(store)
    lost = [replace(each, row=replace(each.row, task=None)) for each in (one, other)]
    cases = by_case([*lost, known])
    assert list(cases.values()) == [[known], [lost[0]], [lost[1]]]


def test_a_case_that_no_world_knows_is_neither_repairable_nor_not(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    record(store, "reference")
    whole = arm(report(store), "reference")
    assert (whole.repairable.graded, whole.unrepairable.graded) == (2, 1)
    change(store, "UPDATE sessions SET task = 'gone' WHERE task = ?", TASKS[0])
    found = arm(report(store), "reference")
    assert found.rate.graded == 3
    assert (found.repairable.graded, found.unrepairable.graded) == (1, 1)


@pytest.mark.parametrize("graded", [True, False])
def test_strict_checks_are_counted_of_graded_sessions_alone(tmp_path: Path, graded: bool) -> None:
    store = tmp_path / "s.db"
    record(store, "reference")
    before = arm(report(store), "reference").strict_differs
    with Store.open(store) as opened:
        (row, *_) = opened.rows()
        stored = opened.grade(row.id, Grade)
        assert stored is not None
        (first, *rest) = stored.verdict.actions
        assert first.met == first.strict
        lax = replace(first, met=True, strict=False)
        told = replace(
            stored,
            verdict=replace(stored.verdict, actions=(lax, *rest)),
            graded=graded,
            reward=stored.reward if graded else None,
            solved=stored.solved if graded else None,
        )
        opened.save_grade(
            row.id, told, version="3", reward=told.reward, solved=told.solved, graded=graded
        )
    found = arm(report(store), "reference")
    assert (found.graded, found.strict_differs) == (3 if graded else 2, before + graded)


def test_of_conditions_with_as_many_outcomes_the_larger_is_the_first(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    record(store, "hasty", tasks=TASKS[:1], limits=CUT)
    record(store, "reference")
    ungrade(store)
    change(store, "UPDATE sessions SET ending = NULL")
    found = report(store).conditions
    assert [(each.name, each.sessions) for each in found] == [("A", 3), ("B", 1)]


def test_after_z_come_two_letters(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    record(store, "hasty", tasks=TASKS[:1], trials=29)
    change(store, "UPDATE sessions SET condition = id")
    found = report(store)
    assert [each.name for each in found.conditions] == [
        *"ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        "AA",
        "AB",
        "AC",
    ]
    assert sorted(line.condition or "" for line in found.sessions) == sorted(
        each.name for each in found.conditions
    )


def test_what_could_not_be_graded_was_not_graded_for_the_report(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    import_tau2(
        store,
        tmp_path / "r.json",
        [
            solved().simulation(),
            solved().simulation(id="b", trial=1, termination_reason="infrastructure_error"),
        ],
    )
    ungrade(store)
    found = report(store)
    assert found.graded_now == 1
    assert any("no grade of 1 session that ended" in rest for _, rest in found.limits)


def test_a_recording_without_messages_that_was_cut_off_has_failed(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    import_tau2(
        store,
        tmp_path / "r.json",
        [solved().simulation(messages=[], termination_reason="max_steps")],
    )
    (condition,) = report(store).conditions
    (only,) = condition.arms
    assert (only.graded, only.rate.solved, only.reasons) == (1, 0, ())


def test_the_baseline_comes_first_in_the_short_answer(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    record(store, "hasty")
    record(store, "reference")
    rates = report(store, baseline="reference").headline[1]
    assert rates.startswith("reference solved ")
    assert "; hasty solved " in rates


def test_that_conditions_are_read_apart_is_said_where_several_are_read(tmp_path: Path) -> None:
    lead = "Each condition is read by itself."
    store = tmp_path / "s.db"
    for agent in ("reference", "hasty"):
        record(store, agent)
    record(store, "reference", limits=CUT)
    assert lead not in [words for words, _ in report(store).limits]
    record(store, "hasty", limits=CUT)
    assert lead in [words for words, _ in report(store).limits]


def test_failures_of_which_nobody_has_asked_are_counted(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    record(store, "hasty")
    assert report(store).headline[-1].endswith("are laid to: the agent 2.")
    change(
        store,
        "UPDATE grades SET body = CAST(json_set(CAST(body AS TEXT), '$.failure', NULL) AS BLOB) "
        "WHERE session = (SELECT number FROM sessions WHERE task = ?)",
        TASKS[0],
    )
    found = report(store)
    assert arm(found, "hasty").unblamed == 1
    assert found.headline[-1] == (
        "2 sessions that ended and were not solved are laid to: the agent 1, not asked 1."
    )
