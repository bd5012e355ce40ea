"""A study's file and what the store has of it, for the commands that take one."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ringback.models import Models
    from ringback.report.rules import RuleFacts
    from ringback.study.plan import Plan
    from ringback.study.run import Stock

__all__ = ["command", "planned_study", "planned_with_models", "rules_of", "stock_of"]


def planned_study(file: Path) -> Plan:
    """The plan of a study file."""
    return planned_with_models(file, None)[0]


def planned_with_models(file: Path, budget: float | None) -> tuple[Plan, Models]:
    """The plan of a study file, and what opens its models, within a budget in US dollars."""
    from ringback.cli.playing import models
    from ringback.study.file import read
    from ringback.study.plan import plan_study

    study = read(file)
    opened = models(study.models, budget, file.parent)
    return plan_study(study, opened.open), opened


def stock_of(planned: Plan, store: Path | None) -> Stock:
    """What the store has of the plan; nothing where there is no store yet."""
    from ringback.cli.options import store_path
    from ringback.sessions import Store
    from ringback.study.run import Stock, stock

    path = store_path(store)
    if not path.exists():
        return Stock(planned.episodes)
    with Store.open(path, write=False) as opened:
        return stock(planned, opened)


def rules_of(planned: Plan, store: Path | None) -> dict[str, tuple[RuleFacts, ...]]:
    """By arm, what each text that it adds to its instructions names, and when it was first seen."""
    from ringback.cli.options import store_path
    from ringback.sessions import Store
    from ringback.study.rules import rule_facts

    path = store_path(store)
    if not path.exists():
        return rule_facts(planned, None)
    with Store.open(path, write=False) as opened:
        return rule_facts(planned, opened)


def command(file: Path, store: Path | None, *verb: str, more: Sequence[str] = ()) -> str:
    """The line that runs the study again, as a shell reads it; or does with it what `verb` says.

    It goes into the report, which is passed around: of an absolute path, only the name.
    """
    words = ["ringback", *(verb or ("study", "run")), _said(file)]
    return shlex.join([*words, *more, *(["--store", _said(store)] if store is not None else [])])


def _said(path: Path) -> str:
    return path.name if path.is_absolute() else str(path)
