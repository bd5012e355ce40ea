"""A study file is read whole or refused in one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from ringback.episode.events import Limits
from ringback.errors import InputError
from ringback.study.file import read

EXAMPLES = Path(__file__).parents[2] / "examples"

GOOD = """
name = "mine"
tasks = "test"
[baseline]
agent = "reference"
[arms.noise]
[arms.quick]
agent = "hasty"
"""


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / "study.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_a_short_file_has_the_documented_defaults(tmp_path: Path) -> None:
    study = read(write(tmp_path, GOOD))
    assert (study.trials, study.limits, study.user.name) == (1, Limits(100, 10, 1200.0), "rules")
    assert list(study.arms) == ["noise", "quick"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("name = \n", "line 1, column 8"),
        ("name = 'x'\ntasks = 'test'\n", "baseline"),
        (GOOD + "agnt = 'x'\n", "agnt"),
        (GOOD.replace('"mine"', "3"), "name"),
        (GOOD.replace('"mine"', '"a b"'), "'a b'"),
        ("trials = 0\n" + GOOD, "0 trials"),
        ("trials = '2'\n" + GOOD, "trials"),
        (GOOD.replace('"test"', "[]"), "names no tasks"),
        (GOOD.replace('"test"', '["t", "t"]'), "twice"),
        (GOOD.replace("arms.noise", "arms.baseline"), "called baseline"),
        (GOOD + "[limits]\nsteps = 0\n", "limit"),
        (GOOD + "[limits]\nseconds = nan\n", "limit"),
        (b"name = '\xff'", "not UTF-8"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path: Path, text: str, says: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(InputError, match=says) as caught:
        read(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    for path in (tmp_path / "none.toml", tmp_path):
        with pytest.raises(InputError, match=str(path)):
            read(path)


def test_models_and_texts_that_a_file_names(tmp_path: Path) -> None:
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "short.md").write_text("Be brief.\n")
    study = read(
        write(
            tmp_path,
            GOOD
            + 'settings = { instructions_append_file = "prompts/short.md", seed = false }\n'
            + '[models.ours]\nmodel = "openai:m"\nbase_url = "http://localhost:1/v1"\n'
            + 'key_env = "OURS"\nprice = { input = 1.0, output = 2.5 }\nconcurrency = 4\n'
            + '[user]\nname = "ours"\nguard = "off"\n',
        )
    )
    assert study.arms["quick"].settings == {"instructions_append": "Be brief.\n", "seed": False}
    assert study.models["ours"].key_env == "OURS"
    assert study.user.guard == "off"
    with pytest.raises(InputError, match=r"none\.md cannot be read"):
        read(write(tmp_path, GOOD + 'settings = { instructions_file = "none.md" }\n'))
    with pytest.raises(InputError, match=r"key.*models"):
        read(write(tmp_path, GOOD + '[models.ours]\nmodel = "openai:m"\nkey = "k"\n'))


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.toml")), ids=lambda path: path.stem)
def test_every_example_is_a_study(path: Path) -> None:
    study = read(path)
    assert study.name == path.stem
    assert "ringback" in path.read_text().partition("\n\n")[0]
