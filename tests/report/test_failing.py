"""Failures stand in the report by arm, kind and blame, and move no rate."""

from __future__ import annotations

from msgspec.structs import replace

from ringback.report.compute import compute
from ringback.report.failing import NO_RATE, failure_groups, failures_text
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


def test_the_table_has_an_arm_then_its_kinds() -> None:
    (group,) = failure_groups(compute(FACTS, BLAMED).arms)
    assert (group.whole.name, group.whole.total, group.whole.by) == ("new", 3, (1, 1, 1, 0))
    assert [(row.name, row.total, row.by) for row in group.kinds] == [
        ("repair left", 2, (1, 1, 0, 0)),
        ("ended early", 1, (0, 1, 0, 0)),
        ("infrastructure", 1, (0, 0, 1, 0)),
        ("premature transfer", 1, (1, 0, 0, 0)),
    ]
