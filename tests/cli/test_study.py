"""``study``: planned, run, looked at, extended."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Cli

STUDY = """
name = "floors"
question = "What does doing nothing earn?"
tasks = "test"
[baseline]
agent = "transfer-at-once"
[arms.noise]
[arms.idle]
agent = "do-nothing"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "study.toml"
    path.write_text(STUDY)
    return path


def test_a_plan_says_what_would_run_and_touches_nothing(
    cli: Cli, file: Path, tmp_path: Path
) -> None:
    done = cli("study", "plan", "study.toml")
    assert done.returncode == 0
    for word in ("floors", "What does doing nothing earn?", "baseline", "noise", "idle", "120"):
        assert word in done.stdout
    found = json.loads(cli("study", "plan", "study.toml", "--json").stdout)
    assert (found["episodes"], found["there"], found["missing"]) == (120, 0, 120)
    assert [arm["role"] for arm in found["arms"]] == ["baseline", "noise", "floor"]
    assert list(tmp_path.iterdir()) == [file]


def test_a_plan_says_when_a_rule_was_first_seen_and_what_it_names(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "talk.json").write_text('["Hello.", "Goodbye. ###STOP###"]')
    (tmp_path / "named.md").write_text("Turn airplane mode off first.")
    study = (
        'name = "ruled"\ntasks = ["[service_issue]airplane_mode_on[PERSONA:None]"]\n'
        '[models.said]\nmodel = "script:talk.json"\n[baseline]\nagent = "said"\n'
        '[arms.plain]\nsettings = {instructions_append = "Work through what is left."}\n'
    )
    file = tmp_path / "study.toml"
    file.write_text(study)
    plain = "The rule of the arm plain"
    without = cli("study", "plan", file.name)
    assert f"{plain} was not seen by this store yet. It names no task, fault," in without.stdout
    found = json.loads(cli("study", "plan", file.name, "--json").stdout)
    rule = found["rules"]["plain"][0]
    assert (rule["seen"], rule["names"]) == ("unknown", [])
    assert cli("study", "run", file.name).returncode == 0
    file.write_text(f'{study}[arms.late]\nsettings = {{instructions_append_file = "named.md"}}\n')
    lines = cli("study", "plan", file.name).stdout
    assert f"{plain} was first seen by this store on " in lines
    assert ", before the baseline was run. It names no task" in lines
    assert "The rule of the arm late was not seen by this store yet. It names, of the" in lines
    assert "'airplane mode'" in lines
    assert cli("study", "run", file.name).returncode == 0
    late = json.loads(cli("study", "plan", file.name, "--json").stdout)["rules"]["late"]
    assert late[0]["seen"] == "after"


def test_a_study_is_run_and_reported(cli: Cli, file: Path, tmp_path: Path) -> None:
    done = cli("study", "run", "study.toml", "--out", "out")
    assert done.returncode == 0, done.stderr
    assert "12 of 40" in done.stdout
    assert "equal by construction" in done.stdout
    assert "worse" in done.stdout
    for name in ("index.html", "results.json", "summary.md"):
        assert (tmp_path / "out" / name).is_file()
    status = cli("study", "status", "study.toml")
    assert "120 of 120" in status.stdout


def test_an_arm_more_reruns_nothing(cli: Cli, file: Path) -> None:
    cli("study", "run", "study.toml")
    file.write_text(STUDY + '[arms.hasty]\nagent = "hasty"\n')
    plan = json.loads(cli("study", "plan", "study.toml", "--json").stdout)
    assert (plan["episodes"], plan["there"], plan["missing"]) == (160, 120, 40)
    found = json.loads(cli("study", "run", "study.toml", "--json").stdout)
    assert (found["planned"], found["reused"]) == (160, 120)


def test_a_changed_condition_is_said_and_not_mixed(cli: Cli, file: Path) -> None:
    cli("study", "run", "study.toml")
    file.write_text(STUDY.replace("[baseline]", "[limits]\nsteps = 90\n[baseline]"))
    plan = cli("study", "plan", "study.toml")
    assert "another condition" in plan.stdout
    found = json.loads(cli("study", "plan", "study.toml", "--json").stdout)
    assert found["there"] == 0
    assert sum(item["cells"] for item in found["earlier"]) == 120
