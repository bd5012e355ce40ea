"""Recordings that are damaged in one place: said in a sentence, and the rest is not held up."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from ringback.episode.events import Reported
from ringback.formats import Recording
from ringback.formats.tau2 import read
from tests.cli.conftest import Cli
from tests.formats.tau2.made import result_file, solved, write

Json = dict[str, Any]


def _exported(cli: Cli, tmp_path: Path, *names: str) -> list[Json]:
    write(tmp_path / "t.json", result_file([solved().simulation(id=name) for name in names]))
    assert cli("import", "tau2", "t.json", "--store", "s.db").returncode == 0
    done = cli("export", "kitaru", "--store", "s.db", "-o", "k.jsonl")
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in (tmp_path / "k.jsonl").read_text().splitlines()]


def test_a_line_without_a_text_that_it_names_is_refused(cli: Cli, tmp_path: Path) -> None:
    (line,) = _exported(cli, tmp_path, "a")
    line["metadata"]["ringback"]["contents"] = {}
    (tmp_path / "less.jsonl").write_text(json.dumps(line))
    done = cli("import", "kitaru", "less.jsonl", "--store", "other.db")
    assert done.returncode == 2
    assert "which its events name, is not in it" in done.stderr
    assert json.loads(cli("sessions", "list", "--store", "other.db", "--json").stdout)["count"] == 0


def test_one_damaged_session_holds_up_no_other_and_is_mended(cli: Cli, tmp_path: Path) -> None:
    _exported(cli, tmp_path, "a", "b")
    with closing(sqlite3.connect(tmp_path / "s.db")) as file, file:
        (name,) = file.execute(
            "SELECT digest FROM contents ORDER BY length(body) DESC LIMIT 1"
        ).fetchone()
        file.execute("DELETE FROM contents WHERE digest = ?", (name,))
    whole = (tmp_path / "k.jsonl").read_bytes()
    holders = [row for row in whole.splitlines() if name.encode() in row]
    assert len(holders) == 1
    ident = json.loads(holders[0])["external_id"]
    for form in ("kitaru", "otel", "tau2"):
        done = cli("export", form, "--store", "s.db", "-o", "left")
        assert (done.returncode, done.stdout) == (2, "1 session written to left.\n"), done
        assert f"Session {ident} was not written." in done.stderr
        assert len(done.stderr.splitlines()) == 1
    done = cli("export", "kitaru", ident, "--store", "s.db", "-o", "none")
    assert done.returncode == 2
    assert not (tmp_path / "none").exists()
    assert cli("import", "kitaru", "k.jsonl", "--store", "s.db").returncode == 0
    done = cli("export", "kitaru", "--store", "s.db", "-o", "again")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "again").read_bytes() == whole


def test_a_cost_that_nothing_costs_is_unknown(tmp_path: Path) -> None:
    simulation = solved().simulation(id="a")
    for message in simulation["messages"]:
        if message["role"] == "assistant":
            message["cost"] = 1e308
    (found,) = read(write(tmp_path / "t.json", result_file([simulation])))
    assert isinstance(found, Recording)
    costs = [each for each in found.events if isinstance(each, Reported) and each.by == "agent"]
    assert costs
    assert {each.price.usd for each in costs} == {None}
    assert all("more than 1,000,000 USD" in each.price.source for each in costs)
