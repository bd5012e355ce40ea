from __future__ import annotations

from pathlib import Path

import pytest

from ringback.canonical import Json
from ringback.errors import InputError
from ringback.models.entries import check_entry, config_path, read_entries
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
        ("[models.a]\n", "[models.a] of the models file"),
        ("[models.a]\n", "missing required field `model`"),
        ('[models.a]\nmodel = "openai:x"\nkey = "sk-1"\n', "'key' (did you mean key_env?)"),
        ('[models.a]\nmodel = "openai:x"\nAPI_KEY = "sk-1"\n', "(did you mean key_env?)"),
        ('[models.a]\nmodel = "openai:x"\nbaseurl = "http://x"\n', "(did you mean base_url?)"),
        ('[models.a]\nmodel = "openai:x"\nkey_env = 3\n', "[models.a] of the models file"),
        ('[models.a]\nmodel = "openai:x"\nkey_env = 3\n', "at key_env"),
        ("[models]\na = 3\n", "[models.a] of the models file"),
        ("models = 3\n", "no tables [models.NAME]"),
        ('[models.a]\nmodel = "openai:x"\nprice = {input = 1e308, output = 1}\n', "more than"),
        (
            '[models.a]\nmodel = "openai:x"\nsettings = {temprature = 1}\n',
            "'temprature' of [models.a] (did you mean temperature?)",
        ),
        ('[models.a]\nmodel = "openai:x"\nsettings = {temperature = "hot"}\n', "give a number"),
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
        ("[model.a]\n", "'model' beside its models"),
    ],
)
def test_what_cannot_be_is_refused_with_its_place(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "models.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_entries(path)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    "key",
    [
        "sk-proj-4kQ2x",
        "hf_abcDEFghiJKLmno",
        "0a1b2c3d4e5f60718293a4b5c6d7e8f9",
        "e4d909c290d0fb1ca068ffaddf22cbd0",
        "two words",
        "A" * 70,
        "",
    ],
)
def test_a_key_in_place_of_its_variable_is_refused_and_not_repeated(
    key: str, tmp_path: Path
) -> None:
    path = tmp_path / "models.toml"
    path.write_text(f'[models.a]\nmodel = "openai:x"\nkey_env = "{key}"\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"\[models.a\] has a key_env that is no name") as caught:
        read_entries(path)
    assert not key or key not in str(caught.value)


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "XAI_API_KEY", "lab_key", "LABKEY2", "_K"])
def test_names_of_variables_are_taken(name: str, tmp_path: Path) -> None:
    path = tmp_path / "models.toml"
    path.write_text(f'[models.a]\nmodel = "openai:x"\nkey_env = "{name}"\n', encoding="utf-8")
    assert read_entries(path)["a"].key_env == name


@pytest.mark.parametrize(
    "settings",
    [
        {"temperature": 0, "top_p": 0.5, "seed": 1, "stop_sequences": ["x"], "threads": 2},
        {"openai_reasoning_effort": "low", "timeout": 3, "max_retries": 0},
        {"extra_body": {"guided_decoding_backend": "x"}, "thinking": True},
    ],
)
def test_settings_that_some_model_takes_are_taken(settings: dict[str, Json]) -> None:
    check_entry("a", ModelEntry("openai:x", settings=settings))


def test_what_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "models.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not UTF-8"):
        read_entries(path)
    with pytest.raises(InputError, match="cannot be read"):
        read_entries(tmp_path)
