"""An arm whose change does not show in its recorded calls is refused wherever it would be told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from ringback.testing import ChaosServer, played_by
from tests.cli.conftest import Cli, Done, environment, refused

TASK = "[service_issue]airplane_mode_on[PERSONA:None]"


@pytest.fixture
def server() -> Iterator[ChaosServer]:
    """Answers as m-1, whatever it is asked for."""
    with ChaosServer(played_by("reference"), model="m-1") as running:
        yield running


@pytest.fixture
def ran(cli: Cli, tmp_path: Path) -> Cli:
    def run(*words: str) -> Done:
        return cli(*words, env=environment(ONE_KEY="k", XDG_CONFIG_HOME=str(tmp_path)))

    return run


def model(name: str, asked: str, server: ChaosServer) -> str:
    return (
        f'[models.{name}]\nmodel = "openai:{asked}"\nbase_url = "{server.base_url}"\n'
        'key_env = "ONE_KEY"\n'
    )


def test_a_server_that_gives_another_model_than_it_was_asked_for(
    ran: Cli, server: ChaosServer, tmp_path: Path
) -> None:
    file = tmp_path / "study.toml"
    models = model("one", "m-1", server) + model("two", "m-2", server)
    alone = f'name = "same"\ntasks = ["{TASK}"]\n{models}[baseline]\nagent = "one"\n[arms.noise]\n'
    file.write_text(f'{alone}[arms.two]\nagent = "two"\n')
    words = (
        "Nothing is said of the arm two: it asks for m-2 and baseline for m-1, and both were "
        "answered by m-1",
        "leave the arm out of the study to have the report of the others",
    )
    for more in ([], ["--json"]):
        refused(ran("study", "run", file.name, *more), *words)
        assert not (tmp_path / "report").exists()
        refused(ran("gate", file.name, "--junit", "j.xml", "--inconclusive=pass", *more), *words)
        assert not (tmp_path / "j.xml").exists()
    kept = json.loads(ran("study", "status", file.name, "--json").stdout)
    assert (kept["there"], kept["missing"]) == (3, 0)
    with_model = ("study=same", "arm=baseline", "--model", "two", "--models-file", file.name)
    said = ("and both were answered by m-1; ask a provider that has both",)
    for more in ([], ["--json"]):
        refused(ran("replay", *with_model, "--name", "again", *more), "the arm again", *said)
        refused(ran("fork", *with_model, "--at", "3", *more), "the arm fork", *said)
    file.write_text(alone)
    assert ran("study", "run", file.name).returncode == 0
    assert (tmp_path / "report" / "index.html").is_file()


def test_a_setting_that_the_model_does_not_take(ran: Cli, tmp_path: Path) -> None:
    (tmp_path / "said.json").write_text('["Hello.", "Goodbye. ###STOP###"]')
    file = tmp_path / "study.toml"
    file.write_text(
        f'name = "cold"\ntasks = ["{TASK}"]\n[baseline]\nagent = "script:said.json"\n'
        "[arms.cold]\nsettings = { model = { temperature = 0 } }\n"
    )
    words = ("went without temperature, which is not taken (a script takes no settings)",)
    refused(ran("study", "run", file.name), "the arm cold: session ", *words)
    refused(ran("gate", file.name, "--markdown", "m.md"), "the arm cold: session ", *words)
    assert not (tmp_path / "report").exists()
    assert not (tmp_path / "m.md").exists()
    replay = ("replay", "study=cold", "arm=baseline", "--setting", "model.temperature=0")
    refused(ran(*replay), "the arm replay: session ", *words)
