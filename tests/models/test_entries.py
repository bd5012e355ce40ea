from __future__ import annotations

from pathlib import Path

import pytest

from ringback.errors import InputError
from ringback.models.entries import config_path, read_entries
from ringback.models.protocol import ModelEntry, PriceEntry


def test_it_reads_what_a_model_can_say(tmp_path: Path) -> None:
    path = tmp_path / "models.toml"
    path.write_text(
        '[models.lab]\nmodel = "openai:qwen3"\nbase_url = "https://lab.example/v1"\n'
        'key_env = "LAB_KEY"\ncontext = 32768\nconcurrency = 4\nper_minute = 90\n'
        "settings = {temperature = 0.2}\nprice = {input = 0.5, output = 1.5, cached = 0.1}\n",
        encoding="utf-8",
    )
    assert read_entries(path) == {
        "lab": ModelEntry(
            "openai:qwen3",
            base_url="https://lab.example/v1",
            key_env="LAB_KEY",
            settings={"temperature": 0.2},
            price=PriceEntry(0.5, 1.5, 0.1),
            context=32768,
            concurrency=4,
            per_minute=90,
        )
    }


def test_no_file_no_models(tmp_path: Path) -> None:
    assert read_entries(tmp_path / "none.toml") == {}


def test_it_stands_in_the_users_configuration(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert config_path() == tmp_path / "ringback" / "models.toml"
    monkeypatch.setenv("XDG_CONFIG_HOME", "")
    assert config_path() == Path.home() / ".config" / "ringback" / "models.toml"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[models.a]\nmodel = = 1\n", "line 2, column 9"),
        ("[models.a]\n", "missing required field `model` at models"),
        ('[models.a]\nmodel = "openai:x"\nkey = "sk-1"\n', "unknown field `key`"),
        ('[models.a]\nmodel = "gpt-5.2"\n', "write it as provider:model"),
        ('[models."a b"]\nmodel = "openai:x"\n', "cannot be a model's name"),
        ('[models."a:b"]\nmodel = "openai:x"\n', "cannot be a model's name"),
        ('[models.a]\nmodel = "openai:x"\nconcurrency = 0\n', "give 1 or more"),
        ('[models.a]\nmodel = "openai:x"\nper_minute = 0\n', "more than 0"),
        ('[models.a]\nmodel = "openai:x"\ncontext = -1\n', "more than 0"),
        ('[models.a]\nmodel = "openai:x"\nbase_url = "lab/v1"\n', "no http or https address"),
        ('[models.a]\nmodel = "openai:x"\nbase_url = "http://a:b:c/"\n', "no http or https"),
        ('[models.a]\nmodel = "openai:x"\nprice = {input = -1, output = 1}\n', "below 0"),
        ('[models.a]\nmodel = "openai:x"\nsettings = {timeout = -1}\n', "more than 0"),
        ("[model.a]\n", "unknown field `model`"),
    ],
)
def test_what_cannot_be_is_refused_with_its_place(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "models.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_entries(path)
    assert said in str(caught.value)


def test_what_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "models.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not UTF-8"):
        read_entries(path)
    with pytest.raises(InputError, match="cannot be read"):
        read_entries(tmp_path)
