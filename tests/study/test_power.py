"""What a plan could tell, by what its noise arms came to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgspec import defstruct
from msgspec.structs import replace

from ringback.stats import Tally, detectable
from ringback.study.file import read
from ringback.study.plan import Plan, plan_study
from ringback.study.power import power
from ringback.study.run import State

STUDY = """
name = "noisy"
tasks = "small"
[baseline]
agent = "reference"
[arms.once]
[arms.twice]
"""

Row: Any = defstruct("Row", [("graded", bool), ("solved", bool)])


def planned(folder: Path) -> Plan:
    """As if chance played a part in it."""
    path = folder / "study.toml"
    path.write_text(STUDY)
    found = plan_study(read(path))
    return replace(found, arms=tuple(replace(arm, deterministic=False) for arm in found.arms))


def test_several_noise_arms_are_no_more_tasks(tmp_path: Path) -> None:
    plan = planned(tmp_path)
    assert [arm.role for arm in plan.arms] == ["baseline", "noise", "noise"]
    lost = {task.id for task in plan.tasks[:4]}
    states = [
        State(cell, Row(True, cell.arm.role == "baseline" or cell.task.id not in lost))
        for cell in plan.cells()
    ]
    found = power(plan, states)
    tasks = len(plan.tasks)
    assert (found.noise, found.pairs, found.changed) == (("once", "twice"), 2 * tasks, 8)
    by_task = [Tally(2, 0, 2)] * 4 + [Tally(2, 0, 0)] * (tasks - 4)
    assert found.detectable == detectable(by_task, tasks=tasks)
    as_if_more = [Tally(1, 0, 1)] * 8 + [Tally(1, 0, 0)] * (2 * tasks - 8)
    other = detectable(as_if_more, tasks=tasks)
    assert found.detectable.noise_upper is not None
    assert other.noise_upper is not None
    assert found.detectable.noise_upper > other.noise_upper
