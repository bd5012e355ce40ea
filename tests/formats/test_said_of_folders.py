"""What is said of folders with nothing to read, of simulations by themselves, of macOS's files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ringback.formats import Recording, Skipped, kitaru, tau2
from ringback.formats.kitaru import line
from ringback.formats.session import Session
from tests.formats.kitaru.test_foreign import record
from tests.formats.tau2.made import result_file, solved, write, write_folder

Read = Callable[[Path], Iterator[Recording | Skipped]]


@pytest.mark.parametrize("read", [tau2.read, kitaru.read])
def test_an_empty_folder_is_said(tmp_path: Path, read: Read) -> None:
    (tmp_path / "none").mkdir()
    (found,) = read(tmp_path / "none")
    assert isinstance(found, Skipped)
    assert (found.source, found.broken) == ("none", False)
    assert found.why == "it is a folder without a file in it"


def test_a_folder_without_simulations_beside_a_file_is_said(tmp_path: Path) -> None:
    write(tmp_path / "results.json", {**result_file([]), "simulation_index": None})
    (tmp_path / "simulations").mkdir()
    for path in (tmp_path, tmp_path / "results.json"):
        (found,) = tau2.read(path)
        assert isinstance(found, Skipped)
        assert "the folder simulations beside it has none either" in found.why


@pytest.mark.parametrize("info", [{"info": None}, {"info": {"a": 1}}, {}])
def test_one_simulation_of_a_folder_leads_to_the_folder(
    tmp_path: Path, info: dict[str, object]
) -> None:
    path = write(tmp_path / "one.json", solved().simulation(**info))
    (found,) = tau2.read(path)
    assert isinstance(found, Skipped)
    assert found.broken
    assert found.why == "it is one simulation of a folder; name the folder, with its results.json"
    (found,) = tau2.read(tmp_path)
    assert isinstance(found, Skipped)
    assert not found.broken


def test_what_macos_keeps_beside_files_is_passed_over(tmp_path: Path) -> None:
    write_folder(tmp_path / "run", result_file([solved().simulation()]))
    for folder in (tmp_path / "__MACOSX", tmp_path / "run" / "simulations"):
        folder.mkdir(exist_ok=True)
        for name in ("._results.json", "._a.jsonl"):
            (folder / name).write_bytes(b"\x00\x05\x16\x07\x00")
    (tmp_path / "a.jsonl").write_text(json.dumps(record()))
    for read, sessions in ((tau2.read, 1), (kitaru.read, 1)):
        found = list(read(tmp_path))
        assert len([each for each in found if isinstance(each, Recording)]) == sessions
        skipped = [each for each in found if isinstance(each, Skipped)]
        assert not [each for each in skipped if each.broken]
        assert len([each for each in skipped if "macOS" in each.why]) == 4


def test_a_line_of_another_version_says_what_to_do(tmp_path: Path) -> None:
    (found,) = tau2.read(write(tmp_path / "a.json", result_file([solved().simulation()])))
    assert isinstance(found, Recording)
    ours = json.loads(line(Session(found.events, found.contents)))
    for form, said in ((1, "in form 1"), ("x" * 100, "in form unknown")):
        ours["metadata"]["ringback"]["form"] = form
        (tmp_path / "k.jsonl").write_text(json.dumps(ours))
        (broken,) = kitaru.read(tmp_path / "k.jsonl")
        assert isinstance(broken, Skipped)
        assert said in broken.why
        assert "export the session again" in broken.why
