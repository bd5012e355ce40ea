"""Lists of sessions: whole in a pipe, fitted to a terminal, in one JSON object."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from ringback.cli.listing import print_json_list, print_listing
from tests.cli.conftest import Cli
from tests.cli.test_terminal import in_terminal

LONG = (
    "[mms_issue]airplane_mode_on|bad_network_preference|bad_wifi_calling|break_apn_mms_setting|"
    "break_app_both_permissions|unseat_sim_card|user_abroad_roaming_enabled_off[PERSONA:Hard]"
)


def seen(text: str) -> list[str]:
    """The lines without their styles."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text).replace("\r\n", "\n").splitlines()


@pytest.mark.parametrize("width", [80, 120])
def test_a_list_fits_the_terminal(cli: Cli, tmp_path: Path, width: int) -> None:
    assert cli("run", "--tasks", "test", "--agent", "transfer-at-once").returncode == 0
    code, text = in_terminal("sessions", "list", cwd=tmp_path, COLUMNS=str(width))
    assert code == 0
    lines = seen(text)
    assert max(map(len, lines)) <= width
    rows = [line for line in lines if re.match(r"[0-9a-f]{12} ", line)]
    assert len(rows) == 40
    # What does not fit goes on indented, and nothing is left out.
    assert all(line.startswith("  ") for line in lines[2:] if line not in rows)
    joined = "".join(line.strip() if line not in rows else f"\n{line}" for line in lines)
    piped = cli("sessions", "list").stdout.splitlines()
    assert len(piped) == 41
    for line in piped[1:]:
        assert line.split()[-1] in joined


def test_runs_of_one_agent_are_told_apart_by_their_seeds(cli: Cli, tmp_path: Path) -> None:
    command = ("run", "--tasks", LONG, "--agent", "transfer-at-once")
    for seed in ("0", "7"):
        assert cli(*command, "--seed", seed).returncode == 0
    code, text = in_terminal("sessions", "list", cwd=tmp_path, COLUMNS="80")
    assert code == 0
    found = seen(text)
    assert max(map(len, found)) <= 80
    heading = found[0].split()
    rows = [line.split() for line in found if re.match(r"[0-9a-f]{12} ", line)]
    assert [row[heading.index("seed")] for row in rows] == ["0", "7"]


def test_the_widest_ending_and_arm_are_whole_at_80_columns(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")
    row = ["0" * 12, "transfer-at-once", "20", "1", "infrastructure_error", "100", "-"]
    headings = ("session", "arm", "seed", "trial", "ending", "steps", "solved", "task")
    print_listing([(heading, "left") for heading in headings], [[*row, LONG]])
    lines = seen(capsys.readouterr().out)
    assert max(map(len, lines)) <= 80
    assert any(line.split() == row for line in lines)


def test_a_list_has_one_row_a_line_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [[str(number), LONG] for number in range(1200)]
    print_listing([("number", "right"), ("task", "left")], iter(rows))
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 1201
    assert lines[1200] == f"  1199  {LONG}"


def test_hostile_cells_cannot_act(capsys: pytest.CaptureFixture[str]) -> None:
    print_listing([("a", "left"), ("b", "left")], [["\x1b[2J", "\x07"]])
    assert "\x1b" not in capsys.readouterr().out


@pytest.mark.parametrize("items", [[], [{"a": "x\ny"}], [{"a": 1}, {"b": [2]}]])
def test_json_is_one_object(items: list[object], capsys: pytest.CaptureFixture[str]) -> None:
    print_json_list("things", iter(items))
    assert json.loads(capsys.readouterr().out) == {"things": items, "count": len(items)}


def test_a_task_named_in_a_sentence_is_wrapped_and_indented(cli: Cli, tmp_path: Path) -> None:
    assert cli("run", "--tasks", LONG, "--agent", "hasty").returncode == 0
    code, text = in_terminal("replay", "latest", "--agent", "reference", cwd=tmp_path, COLUMNS="80")
    assert code == 0
    lines = seen(text)
    (first,) = [number for number, line in enumerate(lines) if "now solved" in line]
    found = lines[first : lines.index("", first)]
    assert max(map(len, found)) <= 80
    assert all(line.startswith("    ") for line in found[1:])
    assert f"{LONG}, trial 0" in "".join([found[0], *(line[4:] for line in found[1:])])


def test_compared_calls_name_their_task_unbroken_within_a_fault(cli: Cli, tmp_path: Path) -> None:
    assert cli("run", "--tasks", LONG, "--agent", "transfer-at-once").returncode == 0
    code, text = in_terminal("compare", "latest", "latest", cwd=tmp_path, COLUMNS="80")
    assert code == 0
    found = seen(text)[1 : seen(text).index("")]
    first = found[: next(at for at, line in enumerate(found) if line.startswith("B"))]
    assert "".join(line.strip() for line in first) == f"{LONG}, trial 0"
    assert all(line.startswith(" " * 8) for line in first[1:])
    assert all(line.endswith(("|", "]", ",")) for line in first[:-1])
    assert max(map(len, found)) <= 80


def test_a_heading_is_as_wide_as_its_words(tmp_path: Path) -> None:
    code, text = in_terminal("tasks", "list", "--split", "full", cwd=tmp_path, COLUMNS="80")
    assert code == 0
    assert seen(text)[0] == "faults  solved by  task"


def test_a_long_question_is_wrapped(tmp_path: Path) -> None:
    question = " ".join(["Which of the two holds up where callers are in a hurry?"] * 4)
    (tmp_path / "s.toml").write_text(
        f'name = "s"\nquestion = "{question}"\ntasks = "small"\n'
        '[baseline]\nagent = "reference"\n[arms.hasty]\nagent = "hasty"\n'
    )
    code, text = in_terminal("study", "plan", "s.toml", cwd=tmp_path, COLUMNS="80")
    lines = seen(text)
    assert (code, lines[0]) == (0, "s")
    assert " ".join(lines[1:4]).startswith(question)
    assert max(map(len, lines)) <= 80


def test_what_a_model_is_fit_for_is_wrapped(tmp_path: Path) -> None:
    name = f"script:{'long-' * 18}.json"
    (tmp_path / name.removeprefix("script:")).write_text('["Hello."]')
    _, text = in_terminal("models", "check", name, cwd=tmp_path, COLUMNS="80")
    assert seen(text)[:2] == [name, "answers, but did not call the tool as it should."]


def test_models_are_listed_within_the_terminal(tmp_path: Path) -> None:
    folder = tmp_path / "config" / "ringback"
    folder.mkdir(parents=True)
    address = "https://models.example.com/a/rather/long/way/to/where/it/is/v1"
    (folder / "models.toml").write_text(
        f'[models.ours]\nmodel = "openai:our-model"\nbase_url = "{address}"\n'
    )
    code, text = in_terminal(
        "models", "list", cwd=tmp_path, COLUMNS="80", XDG_CONFIG_HOME=str(tmp_path / "config")
    )
    assert code == 0
    # The sentence below it names a file, whose path is never broken.
    table = seen(text)[: seen(text).index("")]
    assert max(map(len, table)) <= 80
