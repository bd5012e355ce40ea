"""What is in a folder that was named; links to other folders are not entered, and that is said."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ringback.episode.events import encode
from ringback.formats import Recording, Skipped
from ringback.formats.exgentic import Seen, rows
from ringback.formats.exgentic.shards import Chosen
from ringback.formats.folders import Link, walk
from ringback.formats.tau2 import read
from tests.formats.tau2.made import result_file, solved, write, write_folder
from tests.formats.test_hostile_files import READERS, Read


def skipped(found: list[Recording | Skipped]) -> dict[str, bool]:
    return {each.source: each.broken for each in found if isinstance(each, Skipped)}


def test_a_folder_is_gone_through_by_name_and_links_to_folders_are_not_entered(
    tmp_path: Path,
) -> None:
    (tmp_path / "b" / "c").mkdir(parents=True)
    for name in ("z", "b/y", "b/c/x", "a"):
        (tmp_path / name).write_text("x")
    (tmp_path / "b" / "again").symlink_to(tmp_path)
    found = list(walk(tmp_path))
    paths = [each.path if isinstance(each, Link) else each for each in found]
    names = [path.relative_to(tmp_path).as_posix() for path in paths]
    assert names == ["a", "b/again", "b/c/x", "b/y", "z"]
    assert [isinstance(each, Link) for each in found] == [False, True, False, False, False]


def test_folders_may_lie_as_deep_as_they_can(tmp_path: Path) -> None:
    depth = 1500
    at = os.open(tmp_path, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("d", dir_fd=at)
        inner = os.open("d", os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = inner
    try:
        # where a path becomes too long, the folder cannot be listed
        assert len(list(walk(tmp_path))) <= 1
    finally:  # pytest, which clears up by recursion, could not
        for _ in range(depth):
            outer = os.open("..", os.O_RDONLY, dir_fd=at)
            os.close(at)
            os.rmdir("d", dir_fd=outer)
            at = outer
        os.close(at)
    assert not list(tmp_path.iterdir())


def _links(path: Path, good: Callable[[Path], None], end: str) -> None:
    """A folder with a link to a file, and two to folders: one elsewhere, one within."""
    inside, outside = path / "named", path / "elsewhere"
    (inside / "deeper").mkdir(parents=True)
    outside.mkdir()
    good(outside / f"other{end}")
    (inside / f"a{end}").symlink_to(outside / f"other{end}")
    (inside / "c").symlink_to(outside)
    (inside / "e").symlink_to("deeper")


@pytest.mark.parametrize(("reads", "good", "end"), READERS)
def test_a_link_to_a_file_is_read_and_one_to_a_folder_is_said(
    tmp_path: Path, reads: Read, good: Callable[[Path], None], end: str
) -> None:
    _links(tmp_path, good, end)
    found = list(reads([tmp_path / "named"]))
    sessions = [each for each in found if isinstance(each, Recording)]
    assert [each.origin.source for each in sessions] == [f"a{end}"]
    assert skipped(found) == {"c": True, "e": False}


@pytest.mark.parametrize(("reads", "good", "end"), READERS)
def test_a_link_to_a_folder_that_is_named_is_entered(
    tmp_path: Path, reads: Read, good: Callable[[Path], None], end: str
) -> None:
    _links(tmp_path, good, end)
    (found,) = reads([tmp_path / "named" / "c"])
    assert isinstance(found, Recording)


def test_simulations_apart_are_not_read_from_elsewhere(tmp_path: Path) -> None:
    elsewhere = write_folder(tmp_path / "elsewhere", result_file([solved().simulation()]))
    run = tmp_path / "runs" / "run"
    run.mkdir(parents=True)
    (run / "results.json").write_bytes((elsewhere / "results.json").read_bytes())
    (run / "simulations").symlink_to(elsewhere / "simulations")
    for named in (run, run / "results.json", tmp_path / "runs"):
        (found,) = read(named)
        assert isinstance(found, Skipped)
        assert found.broken
        assert "a folder elsewhere" in found.why
    assert [type(each) for each in read(tmp_path)] == [Recording] * 2


def test_traces_of_one_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    from ringback.formats.exgentic.write import write as write_rows
    from tests.formats.exgentic.made import row

    for place, name in enumerate(("one", "two")):
        (tmp_path / name).mkdir()
        write_rows(tmp_path / name / "train.parquet", [row(place)])
    seen = Seen()
    assert len(list(rows([tmp_path], Chosen(), seen, whole=False))) == 2
    assert seen.files == ["one/train.parquet", "two/train.parquet"]


def test_a_file_beside_links_is_written_once(tmp_path: Path) -> None:
    write(tmp_path / "a.json", result_file([solved().simulation()]))
    (tmp_path / "none.json").symlink_to("nowhere")
    found = list(read(tmp_path))
    assert skipped(found) == {"none.json": True}


@pytest.mark.parametrize(("reads", "good", "end"), READERS)
def test_names_that_are_no_utf8_are_spelled(
    tmp_path: Path, reads: Read, good: Callable[[Path], None], end: str
) -> None:
    path = tmp_path / os.fsdecode(b"a\xff" + end.encode())
    good(tmp_path / f"good{end}")
    (tmp_path / f"good{end}").rename(path)
    for named in (tmp_path, path):
        (found,) = reads([named])
        assert isinstance(found, Recording)
        assert found.origin.source == f"a\\xff{end}"
        assert encode(found.start)
    path.write_bytes(b"")
    (found,) = reads([tmp_path])
    assert isinstance(found, Skipped)
    found.source.encode()
