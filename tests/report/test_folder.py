"""A report never overwrites what another program has written."""

from __future__ import annotations

from pathlib import Path

import pytest

from ringback.errors import InputError
from ringback.report.folder import Kind, is_page_of_ours, refuse_foreign
from ringback.report.page import write_report
from tests.report.test_page import results, told

FILES = ("index.html", "results.json", "summary.md")


def test_a_folder_without_a_report_is_fine(tmp_path: Path) -> None:
    refuse_foreign(tmp_path, "study")
    refuse_foreign(tmp_path / "not" / "there", "study")
    (tmp_path / "page.html").write_text("<p>somebody else's</p>")
    refuse_foreign(tmp_path, "study")


def test_a_report_of_ours_is_replaced_whole_or_begun(tmp_path: Path) -> None:
    index = write_report(results(), told, tmp_path)
    assert is_page_of_ours(index)
    write_report(results(), told, tmp_path)
    index.unlink()  # killed before the page was there
    refuse_foreign(tmp_path, "study")
    (tmp_path / "summary.md").unlink()
    refuse_foreign(tmp_path, "study")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("index.html", "<!doctype html><title>My site</title>"),
        ("index.html", ""),
        ("results.json", '{"accuracy": 0.9}'),
        ("results.json", "[1, 2]"),
        ("results.json", "not JSON"),
        ("summary.md", "# My notes\n"),
    ],
)
def test_what_others_wrote_is_refused_and_left_alone(
    tmp_path: Path, name: str, content: str
) -> None:
    theirs = tmp_path / name
    theirs.write_text(content)
    with pytest.raises(InputError) as refused:
        write_report(results(), told, tmp_path)
    words = str(refused.value)
    assert str(theirs) in words
    assert "--out" in words
    assert words.count(".\n") == 0
    assert theirs.read_text() == content
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_foreign_file_beside_our_page_is_refused_too(tmp_path: Path) -> None:
    write_report(results(), told, tmp_path)
    (tmp_path / "results.json").write_text('{"accuracy": 0.9}')
    with pytest.raises(InputError, match=r"results\.json is no report of Ringback's"):
        refuse_foreign(tmp_path, "study")


@pytest.mark.parametrize(
    ("kind", "words"),
    [("sessions", "holds a report of a study"), ("traces", "holds a report of a study")],
)
def test_a_report_on_something_else_is_left_alone(tmp_path: Path, kind: Kind, words: str) -> None:
    write_report(results(), told, tmp_path)
    with pytest.raises(InputError, match=words) as refused:
        refuse_foreign(tmp_path, kind)
    assert "--out" in str(refused.value)
    refuse_foreign(tmp_path, "study")


def test_transcripts_that_are_a_link_are_refused(tmp_path: Path) -> None:
    write_report(results(), told, tmp_path / "out")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out" / "transcripts").rename(tmp_path / "moved")
    (tmp_path / "out" / "transcripts").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="transcripts is no report of Ringback's"):
        write_report(results(), told, tmp_path / "out")
    assert not list((tmp_path / "elsewhere").iterdir())


def test_a_link_or_a_file_in_the_place_is_refused(tmp_path: Path) -> None:
    target = write_report(results(), told, tmp_path / "real")
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / "index.html").symlink_to(target)
    with pytest.raises(InputError, match="would overwrite it"):
        refuse_foreign(tmp_path / "linked", "study")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="which is a file"):
        refuse_foreign(tmp_path / "file", "study")
