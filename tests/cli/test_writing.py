"""What a command was told to write: its own file of before is replaced, nothing of others'."""

from __future__ import annotations

import os
import subprocess
import threading
from pathlib import Path

import pytest

from tests.cli.conftest import PROGRAM, Cli, environment, refused

TASK = "[service_issue]airplane_mode_on[PERSONA:None]"
STUDY = f"""
name = "written"
tasks = ["{TASK}"]
[baseline]
agent = "script:said.json"
[arms.idle]
agent = "hasty"
"""
CHECK = ("step-check", "--from", "arm=baseline", "--models", "script:said.json", "--repeat", "none")
COMMANDS = [
    ("gate", "study.toml", "--junit"),
    ("gate", "study.toml", "--markdown"),
    ("compare", "arm=baseline", "arm=idle", "--html"),
    (*CHECK, "--out"),
]
NAMES = [words[0] + words[-1] for words in COMMANDS]


@pytest.fixture
def played(cli: Cli, tmp_path: Path) -> Path:
    (tmp_path / "study.toml").write_text(STUDY)
    (tmp_path / "said.json").write_text('["Hello.", "Goodbye. ###STOP###"]')
    assert cli("study", "run", "study.toml").returncode == 0
    return tmp_path


@pytest.mark.parametrize("words", COMMANDS, ids=NAMES)
def test_a_file_of_ours_is_replaced_and_of_others_left_alone(
    cli: Cli, played: Path, words: tuple[str, ...]
) -> None:
    file = played / "written"
    file.touch()  # empty: nothing to lose
    first = cli(*words, file.name)
    assert first.returncode in (0, 3), first.stderr
    written = file.read_bytes()
    assert len(written) > 100
    assert cli(*words, file.name).returncode == first.returncode
    assert file.read_bytes() == written
    link = played / "link"
    link.symlink_to("written")
    assert cli(*words, link.name).returncode == first.returncode
    assert link.is_symlink()
    file.write_text("<!doctype html><title>Mine</title>")
    done = cli(*words, file.name)
    assert done.returncode == 2
    assert done.stderr == (
        f"ringback: {file.name} is there and no such file of Ringback's, so it is not written "
        f"over; name another with {words[-1]}, or move it away.\n"
    )
    assert file.read_text() == "<!doctype html><title>Mine</title>"
    folder = cli(*words, ".")
    assert (folder.returncode, folder.stderr.count("\n")) == (2, 1)
    assert "is a folder" in folder.stderr


def test_a_pipe_gets_it_and_stays_a_pipe(cli: Cli, played: Path) -> None:
    pipe = played / "pipe"
    os.mkfifo(pipe)
    heard: list[str] = []
    reader = threading.Thread(target=lambda: heard.append(pipe.read_text("utf-8")))
    reader.start()
    assert cli("gate", "study.toml", "--markdown", pipe.name).returncode == 3
    reader.join(30)
    assert heard[0].startswith("### Gate of written")
    assert pipe.is_fifo()


def test_standard_output_by_its_name_is_added_to(cli: Cli, played: Path) -> None:
    done = cli("gate", "study.toml", "--markdown", "/dev/stdout")
    assert done.returncode == 3
    verdict, _, summary = done.stdout.partition("\n")
    assert verdict.startswith("inconclusive: ")
    assert summary.startswith("### Gate of written")
    with (played / "both.txt").open("w") as both:
        words = [PROGRAM, "gate", "study.toml", "--markdown", "/dev/stdout"]
        subprocess.run(words, cwd=played, env=environment(), stdout=both, timeout=120, check=False)
    assert (played / "both.txt").read_text() == done.stdout


def test_a_report_over_a_page_of_others_is_refused_before_anything_is_played(
    cli: Cli, tmp_path: Path
) -> None:
    (tmp_path / "study.toml").write_text(STUDY)
    (tmp_path / "said.json").write_text('["Hello.", "Goodbye. ###STOP###"]')
    (tmp_path / "report").mkdir()
    page = tmp_path / "report" / "index.html"
    page.write_text("<title>Mine</title>")
    refused(cli("study", "run", "study.toml"), "report/index.html", "--out")
    assert page.read_text() == "<title>Mine</title>"
    assert not (tmp_path / ".ringback").exists()
    assert cli("study", "run", "study.toml", "--out", "other").returncode == 0
    assert cli("study", "run", "study.toml", "--out", "other").returncode == 0
    refused(cli("recordings", "report", "none.parquet"), "report/index.html", "--out")
