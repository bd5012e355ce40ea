"""``ringback models check`` notes whether a credential was there and taken, and no credential."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ringback.sessions import Store
from ringback.testing import ChaosServer, ChatCall, ChatReply, scripted
from tests.cli.conftest import Cli, refused

KEY = "sk-proj-0123456789abcdef"
CITIES = tuple(ChatCall("get_weather", {"city": city}) for city in ("Oslo", "Bergen"))


@pytest.fixture
def server() -> Iterator[ChaosServer]:
    with ChaosServer(scripted([ChatReply(calls=CITIES)]), key=KEY) as running:
        yield running


@pytest.fixture
def env(tmp_path: Path, server: ChaosServer) -> dict[str, str]:
    config = tmp_path / "ringback" / "models.toml"
    config.parent.mkdir()
    config.write_text(
        f'[models.ours]\nmodel = "openai:chaos-1"\nbase_url = "{server.base_url}"\n'
        'key_env = "OURS_KEY"\nsettings = {max_retries = 0}\n'
    )
    return {"XDG_CONFIG_HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}


def probed(store: Path) -> list[tuple[str, str, int | None]]:
    with Store.open(store, write=False) as opened:
        return [(probe.model, probe.outcome, probe.status) for probe in opened.probes()]


def test_what_became_of_a_credential_is_noted_in_the_store_that_is_named(
    cli: Cli, env: dict[str, str], tmp_path: Path
) -> None:
    store = tmp_path / "calls.db"
    command = ("models", "check", "ours", "--store", str(store))
    refused(cli(*command, env=env), "OURS_KEY")
    refused(cli(*command, env={**env, "OURS_KEY": "sk-proj-fedcba9876543210"}), "refuses OURS_KEY")
    assert cli(*command, env={**env, "OURS_KEY": KEY}).returncode == 0
    assert probed(store) == [
        ("ours", "missing", None),
        ("ours", "refused", 401),
        ("ours", "accepted", None),
    ]
    with Store.open(store, write=False) as opened:
        words = [probe.words or "" for probe in opened.probes()]
    assert words[0] == "OURS_KEY is not set"
    assert words[1].startswith("HTTP 401")
    assert "sk-proj" not in "".join(words)


def test_the_store_of_this_folder_hears_of_it_if_it_is_there_and_none_is_made(
    cli: Cli, env: dict[str, str], tmp_path: Path
) -> None:
    refused(cli("models", "check", "ours", env=env), "OURS_KEY")
    here = tmp_path / ".ringback" / "ringback.db"
    assert not here.exists()
    Store.open(here).close()
    refused(cli("models", "check", "ours", env=env), "OURS_KEY")
    assert probed(here) == [("ours", "missing", None)]
