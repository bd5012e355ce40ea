"""``ringback models`` and models in ``ringback run``: what people type, and what they read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from ringback.testing import ChaosServer, ChatCall, ChatReply, played_by, scripted
from tests.cli.conftest import Cli, refused

TASK = "[service_issue]unseat_sim_card[PERSONA:Easy]"
CITIES = tuple(ChatCall("get_weather", {"city": city}) for city in ("Oslo", "Bergen"))


@pytest.fixture
def server() -> Iterator[ChaosServer]:
    with ChaosServer(played_by("reference")) as running:
        yield running


@pytest.fixture
def env(tmp_path: Path, server: ChaosServer) -> dict[str, str]:
    """Variables under which ``ours`` is a model of one's own, without a price."""
    describe(tmp_path, server)
    return {"XDG_CONFIG_HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path), "OURS_KEY": "k"}


def describe(folder: Path, server: ChaosServer, more: str = "") -> None:
    config = folder / "ringback" / "models.toml"
    config.parent.mkdir(exist_ok=True)
    config.write_text(
        f'[models.ours]\nmodel = "openai:chaos-1"\nbase_url = "{server.base_url}"\n'
        f'key_env = "OURS_KEY"\n{more}\n'
    )


def test_a_model_is_run_by_its_name_and_its_cost_is_unknown(
    cli: Cli, env: dict[str, str], server: ChaosServer
) -> None:
    done = cli("run", "--tasks", TASK, "--agent", "ours", env=env)
    assert done.returncode == 0, done.stderr
    assert "agent ours" in done.stdout
    calls = len(server.log)
    assert f"cost of the agent: unknown, {calls} calls" in done.stdout
    assert "cost of the user:  no model" in done.stdout
    shown = cli("sessions", "show", "latest", env=env).stdout
    assert shown.count("model ours (answered as chaos-1)") == calls
    assert "cost unknown" in " ".join(shown.replace("┊", "").split())
    assert "tokens in" in shown
    as_json = json.loads(cli("sessions", "show", "latest", "--json", env=env).stdout)
    assert any("# How the call began" in text for text in as_json["contents"].values())


def test_instructions_settings_and_price_reach_the_model_and_the_record(
    cli: Cli, env: dict[str, str], server: ChaosServer, tmp_path: Path
) -> None:
    describe(tmp_path, server, "price = { input = 1000.0, output = 1000.0 }")
    (tmp_path / "first.md").write_text("You answer as a pirate would.")
    (tmp_path / "last.md").write_text("Never say the word treasure.")
    done = cli(
        *("run", "--tasks", TASK, "--agent", "ours", "--json"),
        *("--instructions", "first.md", "--instructions-append", "last.md"),
        *("--setting", "model.temperature=0.25", "--setting", "seed=false"),
        env=env,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    settings = found["agent"]["settings"]
    assert settings["instructions"] == "You answer as a pirate would."
    assert settings["instructions_append"] == "Never say the word treasure."
    sent = server.log[0].request
    system = sent["messages"][0]["content"]
    assert system.startswith("You answer as a pirate would.")
    assert "Never say the word treasure." in system
    assert sent["temperature"] == 0.25
    assert "seed" not in sent
    cost = found["cost"]["agent"]
    assert cost["calls"] == len(server.log)
    assert cost["usd"] > 0
    assert found["cost"]["user"] is None


def test_another_prompt_is_another_cell(cli: Cli, env: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Be brief.")
    command = ("run", "--tasks", TASK, "--agent", "ours", "--json")
    first = json.loads(cli(*command, env=env).stdout)
    again = json.loads(cli(*command, env=env).stdout)
    other = json.loads(cli(*command, "--instructions-append", "a.md", env=env).stdout)
    assert (first["reused"], again["reused"], other["reused"]) == (0, 1, 0)


def test_a_user_model_has_a_guard_and_its_faults_are_counted(cli: Cli, env: dict[str, str]) -> None:
    with ChaosServer(scripted(["How can I help you today?"] * 500)) as inverted:
        describe(Path(env["XDG_CONFIG_HOME"]), inverted)
        command = ("run", "--tasks", TASK, "--user", "ours", "--json")
        found = json.loads(cli(*command, "--guard", "record", env=env).stdout)
        plain = json.loads(cli(*command, "--guard", "off", env=env).stdout)
    assert found["user"]["settings"]["guard"] == "record"
    assert found["simulator_faults"]["count"] > 0
    assert found["simulator_faults"]["in_episodes"] == 1
    assert plain["simulator_faults"] is None  # nobody looked


def test_what_cannot_be_typed_is_said_in_a_sentence(
    cli: Cli, env: dict[str, str], server: ChaosServer
) -> None:
    command = ("run", "--tasks", TASK, "--agent", "ours")
    refused(cli(*command, "--setting", "skip", env=env), "KEY=VALUE")
    refused(cli(*command, "--setting", "moral=high", env=env), "moral")
    refused(cli(*command, "--instructions", "none.md", env=env), "none.md")
    refused(cli(*command, "--budget", "0", env=env), "budget", "0")
    refused(cli(*command, "--budget", "5", env=env), "ours", "price")
    refused(cli("run", "--tasks", TASK, "--guard", "record", env=env), "rules", "guard")
    refused(cli("run", "--tasks", TASK, "--agent", "mine", env=env), "mine", "reference", "ours")
    refused(cli("run", "--tasks", TASK, "--user", "ruls", env=env), "ruls", "rules")
    without = env | {"OURS_KEY": ""}
    refused(cli(*command, env=without), "OURS_KEY")
    assert server.log == []


def test_models_that_have_a_name_are_listed(cli: Cli, env: dict[str, str], tmp_path: Path) -> None:
    shown = cli("models", "list", env=env).stdout
    assert "ours" in shown
    assert "key in OURS_KEY" in shown
    (tmp_path / "study.toml").write_text(
        'name = "x"\ntasks = "test"\n[baseline]\nagent = "theirs"\n'
        '[models.theirs]\nmodel = "anthropic:claude-haiku-4-5"\n'
    )
    listed = json.loads(cli("models", "list", "--study", "study.toml", "--json", env=env).stdout)
    assert {model["name"] for model in listed["models"]} == {"ours", "theirs"}
    assert {"openai", "anthropic", "google", "ollama"} <= set(listed["providers"])


def test_a_check_asks_once_and_says_what_works(cli: Cli, env: dict[str, str]) -> None:
    with ChaosServer(scripted([ChatReply(calls=CITIES)])) as good:
        describe(Path(env["XDG_CONFIG_HOME"]), good)
        done = cli("models", "check", "ours", env=env)
        assert len(good.log) == 1
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("ours works, as an agent and as a customer.")
    assert "unknown" in done.stdout  # the price
    with ChaosServer(scripted(["It rains."])) as talker:
        describe(Path(env["XDG_CONFIG_HOME"]), talker)
        report = cli("models", "check", "ours", "--json", env=env)
    assert report.returncode == 1
    found = json.loads(report.stdout)
    assert found["works"] is False
    assert {finding["what"]: finding["holds"] for finding in found["findings"]}["tools"] is False


def test_only_what_is_known_is_fetched(cli: Cli, env: dict[str, str]) -> None:
    refused(cli("models", "fetch", "everything", env=env), "everything", "smollm2")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--agent", "ours", "--setting", "model.temprature=0"), ("temprature", "temperature?")),
        (("--agent", "ours", "--setting", "model.temperature=hot"), ("'hot'", "a number")),
        (("--user", "ours", "--user-setting", "model.topp=1"), ("topp", "top_p?")),
        (("--user", "ours", "--guard", "sloppy"), ("guard", "off, record, correct")),
    ],
)
def test_a_setting_that_means_nothing_is_refused_before_anything_is_paid_for(
    cli: Cli,
    env: dict[str, str],
    server: ChaosServer,
    options: tuple[str, ...],
    words: tuple[str, ...],
) -> None:
    refused(cli("run", "--tasks", TASK, *options, env=env), *words)
    assert server.log == []


def test_what_a_server_alone_understands_goes_into_extra_body(
    cli: Cli, env: dict[str, str], server: ChaosServer
) -> None:
    extra = 'model.extra_body={"nucleus": 0.5}'
    done = cli("run", "--tasks", TASK, "--agent", "ours", "--setting", extra, env=env)
    assert done.returncode == 0, done.stderr
    assert {entry.request["nucleus"] for entry in server.log} == {0.5}


def test_mistakes_in_the_models_file_name_the_table_and_repeat_no_key(
    cli: Cli, env: dict[str, str], server: ChaosServer, tmp_path: Path
) -> None:
    command = ("run", "--tasks", TASK, "--agent", "ours")
    describe(tmp_path, server, 'key = "sk-proj-1234"')
    said = refused(cli(*command, env=env), "[models.ours]", "'key'", "key_env?")
    assert "1234" not in said
    config = tmp_path / "ringback" / "models.toml"
    config.write_text('[models.ours]\nmodel = "openai:x"\nkey_env = "sk-proj-1234"\n')
    said = refused(cli(*command, env=env), "[models.ours]", "key_env")
    assert "1234" not in said
    config.write_text('[models.hasty]\nmodel = "openai:x"\n')
    refused(cli("run", "--tasks", TASK, "--agent", "hasty", env=env), "[models.hasty]", "scripted")
    refused(cli("models", "list", env=env), "[models.hasty]")


def test_a_check_of_what_does_not_answer_says_where_and_claims_nothing(
    cli: Cli, env: dict[str, str], server: ChaosServer, tmp_path: Path
) -> None:
    describe(tmp_path, server, "settings = { max_retries = 0 }")
    server.faults = {"server_error": 1.0}
    checked = cli("models", "check", "ours", "--json", env=env)
    assert checked.returncode == 1
    findings = json.loads(checked.stdout)["findings"]
    assert server.base_url in findings[0]["detail"]
    assert {finding["what"]: finding["holds"] for finding in findings} == {
        "answers": False,
        "tools": None,
        "parallel calls": None,
        "seed": None,
        "usage": None,
        "price": None,
    }
