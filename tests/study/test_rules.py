"""When a store first saw a rule relative to the baseline, and how it is told."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from ringback.canonical import digest
from ringback.models import Models
from ringback.report.rules import RuleFacts, told
from ringback.sessions import Store
from ringback.study.file import ArmEntry, BaselineEntry, StudyFile
from ringback.study.plan import Plan, plan_study
from ringback.study.rules import rule_facts
from ringback.study.run import run_plan

TASK = "[service_issue]airplane_mode_on[PERSONA:None]"
RULE = "Before you hand a call over, go through what is left of the manual."


@pytest.fixture(autouse=True)
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    Path("talk.json").write_text('["Hello.", "I am sorry.", "Goodbye. ###STOP###"]')


def study(*rules: str) -> Plan:
    models = Models()
    file = StudyFile(
        "ruled",
        [TASK],
        BaselineEntry("script:talk.json"),
        arms={
            f"rule-{number}": ArmEntry(settings={"instructions_append": rule})
            for number, rule in enumerate(rules, 1)
        },
    )
    return plan_study(file, models.open)


def run(plan: Plan) -> None:
    run_plan(plan, Path("s.db"), done=lambda _: None, models=Models())


def facts(plan: Plan) -> dict[str, tuple[RuleFacts, ...]]:
    with Store.open("s.db", write=False) as store:
        return rule_facts(plan, store)


def test_a_rule_that_is_there_from_the_start_was_seen_before_the_baseline() -> None:
    plan = study(RULE)
    run(plan)
    (rule,) = facts(plan)["rule-1"]
    assert (rule.digest, rule.seen, rule.names) == (digest(RULE), "before", ())
    assert rule.general
    assert "before the baseline was run" in told("rule-1", rule)
    assert "It names no task, fault, state or answer of the 2,285 tasks" in told("rule-1", rule)


def test_a_rule_that_is_added_later_was_seen_after_it_and_stays_so() -> None:
    run(study(RULE))
    later = study(RULE, "Turn airplane mode off first.")
    run(later)
    assert facts(later)["rule-2"][0].seen == "after"
    run(later)
    found = facts(later)
    assert found["rule-1"][0].seen == "before"
    assert found["rule-2"][0].seen == "after"
    words = told("rule-2", found["rule-2"][0])
    assert "after the baseline was run (until " in words
    assert "It names, of the 2,285 tasks of this world: the " in words
    assert "'airplane mode'" in words


def test_a_rule_that_came_while_the_baseline_ran_is_said_to_have() -> None:
    run(study())
    plan = study(RULE)
    with Store.open("s.db") as store:
        rows = list(store.rows())
        store.texts.note([digest(RULE)])
        running = [replace(row, created_at=0.0, finished_at=None) for row in rows]
        (rule,) = rule_facts(plan, store, baseline=running)["rule-1"]
        assert rule.seen == "during"
        assert "while the baseline was being run" in told("rule-1", rule)


def test_before_anything_is_run_nothing_is_known() -> None:
    plan = study(RULE)
    (rule,) = rule_facts(plan, None)["rule-1"]
    assert (rule.seen, rule.seen_at) == ("unknown", None)
    assert "was not seen by this store yet" in told("rule-1", rule)


def test_a_store_that_did_not_note_texts_goes_by_its_sessions() -> None:
    plan = study(RULE)
    run(plan)
    with closing(sqlite3.connect("s.db")) as raw, raw:
        raw.execute("DELETE FROM texts")
    raw.close()
    (rule,) = facts(plan)["rule-1"]
    assert rule.seen_at is not None
    assert rule.seen in ("during", "after")


def test_arms_without_instructions_of_their_own_have_no_rule() -> None:
    file = StudyFile("plain", [TASK], BaselineEntry("reference"), arms={"b": ArmEntry("hasty")})
    assert rule_facts(plan_study(file), None) == {}


def test_what_was_noted_once_keeps_its_time(tmp_path: Path) -> None:
    with Store.open(tmp_path / "t.db") as store:
        store.texts.note(["a", "b", "a"])
        first = store.texts.seen(["a", "b", "c"])
        store.texts.note(["b", "c"])
        again = store.texts.seen(["a", "b", "c"])
    assert set(first) == {"a", "b"}
    assert {name: again[name] for name in first} == first
    assert again["c"] >= first["b"]
