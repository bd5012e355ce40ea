"""Another support world, from another package, through the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Cli, refused

ROOT = Path(__file__).resolve().parents[2]


def package(folder: Path, target: str) -> dict[str, str]:
    """A package in `folder` that offers the domain ``lamp`` as `target`."""
    info = folder / "lamps-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: lamps\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[ringback.domains]\nlamp = {target}\n")
    return {"PYTHONPATH": f"{folder}:{ROOT}"}


@pytest.fixture
def lamp(tmp_path: Path) -> dict[str, str]:
    return package(tmp_path / "site", "tests.lamp:LAMP")


def test_it_can_be_looked_at(cli: Cli, lamp: dict[str, str]) -> None:
    listed = cli("tasks", "list", "--domain", "lamp", "--json", env=lamp)
    assert [task["id"] for task in json.loads(listed.stdout)["tasks"]] == ["dark", "fuse", "burnt"]
    assert (
        "The lamp stays dark." in cli("tasks", "show", "dark", "--domain", "lamp", env=lamp).stdout
    )
    assert "flip_switch" in cli("tools", "user", "--domain", "lamp", env=lamp).stdout
    policy = cli("policy", "show", "--domain", "lamp", env=lamp).stdout
    assert policy == "Set the fuse; have the switch flipped.\n"
    refused(cli("tasks", "list", "--split", "test", "--domain", "lamp", env=lamp), "there is all")


def test_a_user_that_cannot_play_it_says_so_before_anything_is_begun(
    cli: Cli, lamp: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "study.toml").write_text(
        'name = "x"\ndomain = "lamp"\ntasks = "all"\n[baseline]\nagent = "do-nothing"\n'
    )
    run = ("run", "--domain", "lamp", "--tasks", "dark", "--agent", "do-nothing")
    for command in (run, ("study", "plan", "study.toml"), ("study", "run", "study.toml")):
        refused(cli(*command, env=lamp), "'rules'", "'lamp'")
    assert not (tmp_path / ".ringback").exists()


def test_one_that_is_not_there(cli: Cli) -> None:
    for command in (("tasks", "list"), ("tools",), ("policy", "show"), ("run", "--tasks", "x")):
        refused(cli(*command, "--domain", "bakery"), "'bakery'", "installed: telecom")


@pytest.mark.parametrize("target", ["no_such_module:domain", "tests.lamp:NO_SUCH_NAME"])
def test_one_that_cannot_be_loaded(cli: Cli, tmp_path: Path, target: str) -> None:
    env = package(tmp_path / "site", target)
    refused(cli("tools", "--domain", "lamp", env=env), "'lamp'", "lamps", "install")
