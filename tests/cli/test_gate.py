"""``gate``: as a CI job meets it."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.conftest import PROGRAM, Cli, environment, refused

STUDY = """
name = "gated"
tasks = "small"
[baseline]
agent = "reference"
[arms.hasty]
agent = "hasty"
[arms.noise]
[arms.floor]
agent = "do-nothing"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "study.toml"
    path.write_text(STUDY)
    return path


def test_a_study_that_was_never_run_is_incomplete_and_never_passes(cli: Cli, file: Path) -> None:
    for more in ([], ["--inconclusive=pass"], ["--inconclusive=pass", "--margin", "0.99"]):
        done = cli("gate", file.name, *more)
        assert done.returncode == 3
        assert done.stdout.startswith(
            "inconclusive: the study is incomplete: 80 of 80 planned episodes have no graded"
        )
        assert len(done.stdout.splitlines()) == 1
    (arm,) = json.loads(cli("gate", file.name, "--json").stdout)["arms"]
    assert (arm["outcome"], arm["figures"]) == ("inconclusive", None)
    assert not (file.parent / ".ringback").exists()


def test_what_keeps_several_arms_from_passing_is_said_once_and_of_whom(
    cli: Cli, file: Path
) -> None:
    file.write_text(f'{STUDY}[arms.late]\nagent = "careless"\n')
    done = cli("gate", file.name, "--markdown", "m.md")
    assert done.returncode == 3
    (line,) = done.stdout.splitlines()
    assert line.startswith("inconclusive for hasty and late: the study is incomplete: 100 of 100")
    told = (file.parent / "m.md").read_text("utf-8")
    assert told.count("the study is incomplete") == 1
    assert "- inconclusive for hasty and late: the study" in told
    assert len(json.loads(cli("gate", file.name, "--json").stdout)["arms"]) == 2


def test_a_study_is_held_against_a_margin_and_written_for_ci(cli: Cli, file: Path) -> None:
    assert cli("study", "run", file.name).returncode == 0
    done = cli("gate", file.name, "--arm", "floor", "--junit", "j.xml", "--markdown", "m.md")
    assert done.returncode == 1, done.stdout
    assert done.stdout.startswith("fail: floor loses more than 5 points: −100.0 points")
    root = ElementTree.fromstring((file.parent / "j.xml").read_bytes())
    assert root[0].get("failures") == "1"
    told = (file.parent / "m.md").read_text("utf-8")
    assert told.startswith("### Gate of gated: fail")
    again = "`ringback gate study.toml --margin 0.05 --arm floor`"
    assert told.endswith(f"Run it again: `ringback study run study.toml`, then {again}\n")
    wide = ["gate", file.name, "--margin", "0.7"]
    unsure = cli(*wide, "--json")
    assert unsure.returncode == 3
    found = json.loads(unsure.stdout)
    assert found["outcome"] == "inconclusive"
    assert found["arms"][0]["figures"]["tasks_needed"] > 20
    assert found["arms"][0]["allowed"] is True
    assert cli(*wide, "--inconclusive=pass").returncode == 0
    tiny = cli("gate", file.name, "--arm", "hasty", "--margin", "5e-324")
    assert (tiny.returncode, tiny.stderr) == (1, "")
    noise = cli("gate", file.name, "--arm", "noise", "--inconclusive=pass")
    assert noise.returncode == 3
    assert "noise could not have differed, so it shows nothing" in noise.stdout


def test_a_pass_is_0_and_an_arm_that_was_not_played_lets_no_other_pass(
    cli: Cli, file: Path
) -> None:
    assert cli("study", "run", file.name).returncode == 0
    passing = ("gate", file.name, "--arm", "hasty", "--margin", "0.99")
    for more in ([], ["--json"], ["--junit", "j.xml", "--markdown", "m.md"]):
        assert cli(*passing, *more).returncode == 0
    (suite,) = ElementTree.fromstring((file.parent / "j.xml").read_bytes())
    assert [suite.get(name) for name in ("tests", "failures", "errors", "skipped")] == [*"1000"]
    file.write_text(f'{STUDY}[arms.late]\nagent = "careless"\n')
    for more in ([], ["--inconclusive=pass"]):
        done = cli(*passing, *more, "--junit", "j.xml")
        assert done.returncode == 3
        assert done.stdout.startswith("inconclusive: the study is incomplete: 20 of 100 planned")
    (suite,) = ElementTree.fromstring((file.parent / "j.xml").read_bytes())
    assert [suite.get(name) for name in ("tests", "failures", "errors", "skipped")] == [*"1010"]


def test_refuses_in_a_sentence(cli: Cli, file: Path) -> None:
    refused(cli("gate", "missing.toml"), "missing.toml")
    refused(cli("gate", file.name, "--margin", "5"), "0.05 for 5 points")
    refused(cli("gate", file.name, "--margin", "nan"), "between 0 and 1")
    refused(cli("gate", file.name, "--arm", "nobody"), "nobody", "hasty, noise and floor")
    refused(cli("gate", file.name, "--inconclusive=maybe"), "maybe")
    done = cli("gate", file.name, "--junit", "no/such/place.xml")
    assert (done.returncode, done.stdout.partition(":")[0]) == (2, "inconclusive")
    assert done.stderr == (
        "ringback: no/such/place.xml cannot be written (No such file or directory); name a file in "
        "a folder that is there.\n"
    )


def test_a_plan_wraps_where_a_pipe_states_its_width_and_cuts_nothing(cli: Cli, file: Path) -> None:
    long = "It is a long question about nothing at all. " * 6
    own = 'agent = "hasty"\nsettings = {asks = 2, passes = 3, skip = 0.2, patience = 3}'
    study = STUDY.replace('agent = "hasty"', own)
    file.write_text(study.replace("tasks", f'question = "{long}"\ntasks', 1))
    whole = cli("study", "plan", file.name).stdout
    narrow = cli("study", "plan", file.name, env={"COLUMNS": "80"}).stdout
    table = [line for line in narrow.splitlines() if line.startswith(("arm ", "hasty", "noise"))]
    assert max(map(len, table)) <= 80
    assert "…" not in narrow
    assert any(len(line) > 80 for line in whole.splitlines())
    for words in ("baseline", "floor", "noise"):
        assert words in narrow


def test_a_plan_says_what_it_could_tell_and_why_it_cannot(cli: Cli, file: Path) -> None:
    assert "not known: its noise arm has not been played" in cli("study", "plan", file.name).stdout
    assert cli("study", "status", file.name).stdout.splitlines()[1] == ""
    cli("study", "run", file.name)
    plan = cli("study", "plan", file.name, "--detect", "0.1").stdout
    assert "What it could tell is undefined: with equal seeds nothing in its noise arm" in plan
    file.write_text(STUDY.replace("[arms.noise]\n", ""))
    assert "not known: it has no noise arm" in cli("study", "plan", file.name).stdout
    for wrong in ("0", "-1", "nan", "1.5", "1e-300"):
        refused(cli("study", "plan", file.name, f"--detect={wrong}"), "0.1 for 10 points")


def test_the_job_of_the_docs_plays_asks_and_pays_for_nothing_twice(
    cli: Cli, tmp_path: Path
) -> None:
    docs = Path(__file__).resolve().parents[2] / "docs/studies.md"
    job = docs.read_text("utf-8").partition("### A whole job")[2]
    toml, sh = (
        re.findall(rf"^```{kind}\n(.*?)^```", job, re.M | re.S)[0] for kind in ("toml", "sh")
    )
    first, second = tmp_path / "first", tmp_path / "second"
    for checkout in (first, second):
        checkout.mkdir()
        (checkout / "prompt.md").write_text("Ask which phone it is first.\n")
        (checkout / "gate.toml").write_text(toml)
    assert (
        "80 of 80 episodes are left to run" in cli("study", "plan", "gate.toml", cwd=first).stdout
    )
    offline = toml.replace("openai:gpt-5-mini", "reference")
    offline = re.sub(r"^settings = .*$", 'agent = "hasty"', offline, flags=re.M)
    for checkout in (first, second):
        (checkout / "gate.toml").write_text(offline)
    for checkout in (first, second):
        path = f"{Path(PROGRAM).parent}:/usr/bin:/bin"
        done = subprocess.run(
            ["/bin/sh", "-c", sh],
            cwd=checkout,
            env=environment(PATH=path),
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (1, "")
        assert "fail: prompt loses more than 10 points" in done.stdout
        assert {"gate.md", "gate.xml", ".ringback"} <= {each.name for each in checkout.iterdir()}
        if checkout == first:
            (first / ".ringback").rename(second / ".ringback")
            assert "80 episodes are there" in cli("study", "status", "gate.toml", cwd=second).stdout
