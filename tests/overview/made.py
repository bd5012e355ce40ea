"""Stores with recorded sessions for the tests of reports over them."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from ringback.formats import tau2
from ringback.formats.importing import Importer
from ringback.models import Models
from ringback.overview.compute import overview_of
from ringback.overview.model import Arm, Overview, Versus
from ringback.sessions import Store, parse_selection
from ringback.study.file import read
from ringback.study.plan import Plan, plan_run, plan_study
from ringback.study.run import run_plan
from tests.formats.tau2.made import Json, result_file, write

__all__ = [
    "TASKS",
    "arm",
    "change",
    "import_tau2",
    "play",
    "record",
    "report",
    "study",
    "versus",
]

TASKS = (
    "[service_issue]overdue_bill_suspension|unseat_sim_card[PERSONA:Easy]",
    "[mobile_data_issue]airplane_mode_on|data_usage_exceeded[PERSONA:Easy]",
    "[service_issue]lock_sim_card_pin[PERSONA:Hard]",
)
"""Two cases that `hasty` fails and `reference` solves, and one to hand over."""


def play(plan: Plan, store: Path, models: Models | None = None) -> None:
    """Play a plan to its end."""
    run_plan(plan, store, done=lambda _: None, models=models)


def record(store: Path, agent: str = "hasty", **more: Any) -> None:
    """Play the cases of `TASKS` with an agent, as one run, or as `more` says."""
    arguments: dict[str, Any] = {"tasks": TASKS, "agent": agent, "user": "rules", **more}
    play(plan_run(**arguments), store)


def study(folder: Path, store: Path, text: str) -> Plan:
    """Play a study to its end."""
    file = folder / "study.toml"
    file.write_text(text, encoding="utf-8")
    plan = plan_study(read(file))
    play(plan, store)
    return plan


def import_tau2(store: Path, file: Path, simulations: Sequence[Json], **more: Any) -> None:
    """Read a results file of these simulations into the store."""
    path = write(file, result_file(simulations, **more))
    with Store.open(store) as opened:
        importer = Importer(opened)
        for entry in tau2.read(path):
            importer.take(entry)
        assert importer.tally.added == len(simulations)


def change(store: Path, statement: str, *values: object) -> None:
    """Change a store behind its back."""
    with closing(sqlite3.connect(store)) as file, file:
        assert file.execute(statement, values).rowcount
    file.close()


def report(store: Path, *words: str, baseline: str | None = None) -> Overview:
    """The report over a selection."""
    with Store.open(store, write=False) as opened:
        return overview_of(opened, parse_selection(words), baseline=baseline, command="again")


def arm(found: Overview, name: str) -> Arm:
    """The arm of this name, wherever it is."""
    (one,) = [each for of in found.conditions for each in of.arms if each.name == name]
    return one


def versus(found: Overview, name: str) -> Versus:
    """The comparison of the arm of this name."""
    (one,) = [each for of in found.conditions for each in of.versus if each.arm == name]
    return one
