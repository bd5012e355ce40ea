"""Whole episodes, from the first turn to the grade in the store."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.rows import Row

__all__ = ["rows"]

_QUICKSTART = Path(__file__).parent.parent / "examples" / "quickstart.toml"


def rows() -> Iterator[Row]:
    """Episodes a second on one core, the whole official set on two, and the quickstart study."""
    from ringback.study.engine import Played
    from ringback.study.plan import plan_run
    from ringback.study.run import run_plan

    with tempfile.TemporaryDirectory() as folder:
        plan = plan_run(tasks="base", agent="reference", user="rules")
        unsolved: list[str] = []

        def note(played: Played) -> None:
            if not played.solved:
                unsolved.append(played.session)

        began = time.process_time()
        run_plan(plan, Path(folder) / "one.db", done=note)
        rate = len(plan.tasks) / (time.process_time() - began)
        yield Row(
            "reference with rules, recorded and graded", rate, "episodes/s/core", 50, "higher"
        )

        plan = plan_run(tasks="full", agent="reference", user="rules")
        began = time.perf_counter()
        run_plan(plan, Path(folder) / "all.db", workers=2, done=note)
        took = time.perf_counter() - began
        yield Row("all 2,285 official tasks, two workers", took, "s", 40)
        yield Row("  of these and of base, not solved", float(len(unsolved)), "episodes", 0)

        command = [sys.executable, "-m", "ringback", "study", "run", str(_QUICKSTART)]
        where = ["--store", f"{folder}/study.db", "--out", f"{folder}/report"]
        began = time.perf_counter()
        subprocess.run([*command, *where], check=True, capture_output=True, env=dict(os.environ))
        yield Row("quickstart study with its report", time.perf_counter() - began, "s", 20)
