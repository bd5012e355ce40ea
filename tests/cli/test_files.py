"""Recordings are found by the files that they were read from, those of two folders apart."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ringback.sessions import Store
from tests.cli.conftest import Cli
from tests.formats.exgentic.made import row
from tests.formats.kitaru.test_foreign import record
from tests.formats.tau2.made import result_file, solved
from tests.formats.tau2.made import write as write_file


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("form", ["tau2", "kitaru", "exgentic"])
def test_files_of_one_name_are_told_apart_by_their_folders(
    cli: Cli, tmp_path: Path, form: str, together: bool
) -> None:
    name = {"tau2": "r.json", "kitaru": "r.jsonl", "exgentic": "r.parquet"}[form]
    for number, folder in enumerate(("x/one", "x/two", "y/two")):
        file = tmp_path / folder / name
        file.parent.mkdir(parents=True)
        if form == "tau2":
            write_file(file, result_file([solved().simulation(id=folder)]))
        elif form == "kitaru":
            file.write_text(json.dumps(record(external_id=folder)))
        else:
            pytest.importorskip("pyarrow")
            from ringback.formats.exgentic.write import write

            write(file, [row(number)])
    asked = [f"x/one/{name}", "x/two", f"y/../y/two/{name}"]
    for paths in [asked] if together else [[each] for each in asked]:
        done = cli("import", form, *paths)
        assert done.returncode == 0, done.stderr

    def count(word: str) -> int:
        listed = cli("sessions", "list", f"file={word}", "--json")
        return json.loads(listed.stdout)["count"] if listed.returncode == 0 else 0

    assert (count(name), count(f"one/{name}"), count(f"two/{name}")) == (3, 1, 2)
    assert (count("x"), count(f"x/two/{name}"), count("y/two"), count("one/x")) == (2, 1, 1, 0)


def test_a_file_in_this_folder_or_one_from_the_root_has_the_name_of_its_folder_alone(
    cli: Cli, tmp_path: Path
) -> None:
    (tmp_path / "here").mkdir()
    for number, name in enumerate(("a.json", "b.json", "c.json", "d.json")):
        write_file(tmp_path / "here" / name, result_file([solved().simulation(id=str(number))]))
    here = tmp_path / "here"
    for word in ("a.json", str(here / "b.json"), "../here/c.json", "."):
        assert cli("import", "tau2", word, "--store", "../s.db", cwd=here).returncode == 0
    with Store.open(tmp_path / "s.db", write=False) as store:
        files = sorted(str(each.origin_file) for each in store.rows())
    assert files == ["here/a.json", "here/b.json", "here/c.json", "here/d.json"]
