"""Looking at the world from the command line: tasks, policy, tools, walks."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Cli


def test_tasks_as_lines_and_as_json(cli: Cli) -> None:
    lines = cli("tasks", "list", "--split", "test").stdout.splitlines()
    found = json.loads(cli("tasks", "list", "--split", "test", "--json").stdout)
    assert found["count"] == len(found["tasks"]) == 40
    assert [line.split()[-1] for line in lines[1:]] == [task["id"] for task in found["tasks"]]
    assert sum(not task["repairable"] for task in found["tasks"]) == 12


@pytest.mark.parametrize(
    ("split", "count"),
    [("full", 2285), ("base", 114), ("train", 74), ("test", 40), ("small", 20)],
)
def test_every_split_is_listed(cli: Cli, split: str, count: int) -> None:
    assert json.loads(cli("tasks", "list", "--split", split, "--json").stdout)["count"] == count


def test_family_narrows(cli: Cli) -> None:
    done = cli("tasks", "list", "--split", "full", "--family", "service_issue", "--json")
    found = json.loads(done.stdout)
    assert found["count"] == 47
    assert {task["family"] for task in found["tasks"]} == {"service_issue"}


def test_a_task_is_shown(cli: Cli) -> None:
    task = "[mobile_data_issue]data_usage_exceeded[PERSONA:Easy]"
    done = cli("tasks", "show", task)
    assert done.returncode == 0
    for word in (task, "mobile_data_issue", "refuel_data", "John Smith", "repair"):
        assert word in done.stdout
    found = json.loads(cli("tasks", "show", task, "--json").stdout)
    assert found["task"]["persona"] == "Easy"
    assert found["actions"][0]["name"] == "refuel_data"
    assert found["scenario"].strip()


def test_policy_is_what_the_agent_reads(cli: Cli) -> None:
    from ringback.domains import load

    for variant in load().policies:
        done = cli("policy", "show", "--variant", variant)
        assert done.stdout.strip() == load().policy(variant).strip()
    assert cli("policy", "show").stdout == cli("policy", "show", "--variant", "workflow").stdout


def test_tools_of_each_side(cli: Cli) -> None:
    found = json.loads(cli("tools", "--json").stdout)
    assert (len(found["agent"]), len(found["user"])) == (13, 30)
    text = cli("tools", "agent").stdout
    assert "agent: 13 tools" in text
    assert "reboot_device" not in text
    for tool in found["agent"]:
        assert f"  {tool['name']}(" in text


@pytest.fixture
def walks(shared: Path) -> list[dict[str, Any]]:
    with gzip.open(shared / "conformance" / "walks.jsonl.gz", "rt") as file:
        return [json.loads(line) for line, _ in zip(file, range(6), strict=False)]


def test_walks_that_agree(cli: Cli, walks: list[dict[str, Any]], tmp_path: Path) -> None:
    text = "".join(json.dumps(walk) + "\n" for walk in walks)
    (tmp_path / "walks.jsonl").write_text(text)
    (tmp_path / "walks.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    done = cli("world", "check", "walks.jsonl", "walks.jsonl.gz")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == "12 walks, 0 differences"


def test_walks_that_differ(cli: Cli, walks: list[dict[str, Any]], tmp_path: Path) -> None:
    walks[0]["reward"] = 1.0 - walks[0]["reward"]
    walks[1]["start"]["phone.airplane_mode"] = "\x1b[31mred"
    (tmp_path / "walks.jsonl").write_text("".join(json.dumps(walk) + "\n" for walk in walks))
    done = cli("world", "check", "walks.jsonl")
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[-1] == "6 walks, 2 differences"
    assert f"walk {walks[0]['id']}, start or end, reward" in lines
    assert "\x1b" not in done.stdout
    assert any(line.startswith("  expected") for line in lines)
    assert any(line.startswith("  got") for line in lines)
