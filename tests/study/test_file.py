"""A study file is read whole or refused in one sentence."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ringback.episode.events import Limits
from ringback.errors import InputError
from ringback.models import Models
from ringback.models.entries import beside, read_entries
from ringback.models.protocol import ModelEntry
from ringback.study.file import ArmEntry, BaselineEntry, StudyFile, read
from ringback.study.plan import plan_study

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
        (GOOD + "agnt = 'x'\n", r"'agnt' in \[arms.quick\] \(did you mean agent\?\); known are"),
        (GOOD.replace("tasks", "task"), "unknown key 'task'.*did you mean tasks"),
        (GOOD + "[limits]\nstep = 1\n", r"'step' in \[limits\].*did you mean steps"),
        (GOOD.replace("[baseline]\nagent = ", "baseline = "), "expected a table, got str at base"),
        ("a = " + "[" * 5000 + "\n", "nests too deeply"),
        ("seed = " + "9" * 5000 + "\n", "Exceeds the limit"),
        (GOOD.replace('"mine"', "3"), "name"),
        (GOOD.replace('"mine"', '"a b"'), "'a b'"),
        ("trials = 0\n" + GOOD, "0 trials"),
        ("trials = '2'\n" + GOOD, "trials"),
        (GOOD.replace('"test"', "[]"), "names no tasks"),
        (GOOD.replace('"test"', '["t", "t"]'), "twice"),
        (GOOD.replace("arms.noise", "arms.baseline"), "called baseline"),
        (GOOD + "[limits]\nsteps = 0\n", "limit"),
        (GOOD + "[limits]\nseconds = nan\n", "limits.seconds"),
        (GOOD + "[limits]\nseconds = inf\n", "the number inf at limits.seconds; give a finite"),
        (
            GOOD + "settings = {skip = [-inf]}\n",
            r"the number -inf at arms.quick.settings.skip\[0\]",
        ),
        (b"name = '\xff'", "not UTF-8"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path: Path, text: str, says: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(InputError, match=says) as caught:
        read(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_byte_order_mark_is_no_part_of_it(tmp_path: Path) -> None:
    assert read(write(tmp_path, b"\xef\xbb\xbf" + GOOD.encode())).name == "mine"


def test_what_is_no_regular_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "study.toml")
    with pytest.raises(InputError, match="no regular file"):
        read(tmp_path / "study.toml")


def test_the_example_in_the_documentation_is_a_study(tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "docs" / "studies.md").read_text(encoding="utf-8")
    plan = plan_study(read(write(tmp_path, text.partition("```toml\n")[2].partition("```")[0])))
    assert [arm.role for arm in plan.arms] == ["baseline", "noise", "arm", "arm"]
    for kind in (StudyFile, BaselineEntry, ArmEntry, Limits):
        for key in kind.__struct_fields__:
            assert key in text


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
    with pytest.raises(InputError, match=r"models\.ours.*key_env"):
        read(write(tmp_path, GOOD + '[models.ours]\nmodel = "openai:m"\nkey = "k"\n'))


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.toml")), ids=lambda path: path.stem)
def test_every_example_is_a_study(path: Path) -> None:
    study = read(path)
    assert study.name == path.stem
    assert "ringback" in path.read_text().partition("\n\n")[0]


def test_a_script_is_taken_from_beside_its_file_and_its_path_is_not_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "said.json").write_text('["Hello."]')
    for folder in (tmp_path, tmp_path / "sub"):
        monkeypatch.chdir(folder)
        file = tmp_path / "study.toml"
        file.write_text(
            GOOD + '[arms.said]\nagent = "said"\n[models.said]\nmodel="script:sub/said.json"'
        )
        study = read(file)
        plan = plan_study(study, Models(study.models).open)
        assert str(tmp_path) not in repr(plan)
        alone = tmp_path / "models.toml"
        alone.write_text('[models.said]\nmodel="script:sub/said.json"')
        assert Models(read_entries(alone)).open("said").name == "said"


STUDY = """
name = "placed"
tasks = ["[service_issue]airplane_mode_on[PERSONA:None]"]
[user]
name = "script:parts/caller.json"
guard = "off"
[baseline]
agent = "script:parts/said.json"
settings = { instructions_append_file = "parts/rule.md" }
[arms.other]
agent = "named"
[models.named]
model = "script:parts/other.json"
[step_check]
models = ["script:parts/other.json"]
repeat = "script:parts/said.json"
"""


def test_every_path_in_a_study_file_is_taken_from_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = tmp_path / "deep" / "parts"
    parts.mkdir(parents=True)
    for name in ("said", "other", "caller"):
        (parts / f"{name}.json").write_text(f'["{name}"]')
    (parts / "rule.md").write_text("Be brief.")
    file = tmp_path / "deep" / "study.toml"
    file.write_text(STUDY)
    seen: list[list[str]] = []
    for folder, written in ((tmp_path, "deep/study.toml"), (parts, "../study.toml")):
        monkeypatch.chdir(folder)
        study = read(Path(written))
        models = Models(study.models, folder=Path(written).parent)
        plan = plan_study(study, models.open)
        assert plan.arms[0].models == ("script:parts/said.json",)
        assert "deep" not in repr(plan)
        seen.append([cell.hash for cell in plan.cells()])
    assert seen[0] == seen[1]
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=r"The script parts/said.json cannot be read"):
        Models(read(file).models).open("script:parts/said.json")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("script:a.json", "script:/f/a.json"),
        ("script:/abs/a.json", "script:/abs/a.json"),
        ("script:~/a.json", "script:/home/me/a.json"),
        ("local:weights/a.gguf", "local:/f/weights/a.gguf"),
        ("local:./weights", "local:/f/weights"),
        ("local:~/a.gguf", "local:/home/me/a.gguf"),
        ("local:smollm2", "local:smollm2"),
        ("local:org/name", "local:org/name"),
        ("openai:a.gguf", "openai:a.gguf"),
    ],
)
def test_a_path_in_a_name_of_a_model(
    written: str, meant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    assert beside(Path("/f"), ModelEntry(written)).model == meant


def test_a_script_that_is_not_there_is_said_in_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "study.toml"
    file.write_text(GOOD + '[arms.said]\nagent = "said"\n[models.said]\nmodel="script:no.json"')
    study = read(file)
    with pytest.raises(InputError, match=r"\AThe script .*no.json cannot be read .*\.\Z"):
        plan_study(study, Models(study.models).open)
