"""Failures stand in the report by arm, kind and blame, and move no rate."""

from __future__ import annotations

from msgspec.structs import replace

from ringback.report.compute import compute
from ringback.report.failing import NO_RATE, failure_rows, failures_text
from ringback.report.model import Count, Failures
from tests.report.studies import arm_facts, rows, study

FACTS = study([arm_facts("base", "baseline"), arm_facts("new")])
PLAIN = rows(FACTS, {"base": ["yyyy"], "new": ["ynni"]})
BLAMED = [
    *PLAIN[:5],
    replace(PLAIN[5], blame="agent", kinds=("repair_left", "premature_transfer")),
    replace(PLAIN[6], blame="simulator", kinds=("ended_early", "repair_left")),
    replace(PLAIN[7], blame="infrastructure", kinds=("infrastructure",)),
]


def test_failures_are_counted_by_whom_they_are_laid_to_and_kind() -> None:
    base, new = compute(FACTS, BLAMED).arms
    assert (base.failures, base.unblamed) == ((), 0)
    assert new.failures == (
        Failures("agent", 1, (Count("premature_transfer", 1), Count("repair_left", 1))),
        Failures("simulator", 1, (Count("ended_early", 1), Count("repair_left", 1))),
        Failures("infrastructure", 1, (Count("infrastructure", 1),)),
    )
    assert failures_text(new) == "the agent 1, the simulator 1, the infrastructure 1"


def test_blame_moves_no_rate() -> None:
    plain, blamed = compute(FACTS, PLAIN), compute(FACTS, BLAMED)
    assert [arm.rate for arm in plain.arms] == [arm.rate for arm in blamed.arms]
    assert [arm.versus for arm in plain.arms] == [arm.versus for arm in blamed.arms]
    assert "no fault of the agent" in NO_RATE


def test_failures_that_nobody_asked_about_are_said() -> None:
    new = compute(FACTS, PLAIN).arms[1]
    assert (new.failures, new.unblamed) == ((), 2)
    assert failures_text(new) == "not asked 2"


def test_the_table_has_each_kind_once_and_says_of_how_many() -> None:
    found = failure_rows(compute(FACTS, BLAMED).arms)
    shown = [(row.name, *(f"{cell.count} of {cell.of}" for cell in row.cells)) for row in found]
    assert shown == [
        ("ended unsolved", "0 of 4", "3 of 4"),
        ("laid to the agent", "0 of 0", "1 of 3"),
        ("laid to the simulator", "0 of 0", "1 of 3"),
        ("laid to the infrastructure", "0 of 0", "1 of 3"),
        ("undecided", "0 of 0", "0 of 3"),
        ("repair left", "0 of 0", "2 of 3"),
        ("ended early", "0 of 0", "1 of 3"),
        ("infrastructure", "0 of 0", "1 of 3"),
        ("premature transfer", "0 of 0", "1 of 3"),
    ]
    assert [row.kind for row in found] == [False] * 5 + [True] * 4
    assert [cell.by for row in found for cell in row.cells if cell.by] == [
        ("agent 1", "simulator 1")
    ]


def test_what_nobody_asked_about_has_a_row() -> None:
    rows_ = failure_rows(compute(FACTS, PLAIN).arms)
    assert ("nobody asked to whom", 2, 2) in [
        (row.name, row.cells[1].count, row.cells[1].of) for row in rows_
    ]
    solved = compute(FACTS, rows(FACTS, {"base": ["yyyy"], "new": ["yyyy"]}))
    assert failure_rows(solved.arms) == ()
