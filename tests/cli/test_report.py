"""``ringback report``: recorded sessions on a page, from the shell."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests import warm
from tests.cli.conftest import Cli, environment, refused
from tests.cli.test_forged import STYLE, WIDE, exgentic, kitaru, tau2
from tests.cli.test_terminal import in_terminal
from tests.overview.made import change


@pytest.fixture
def ran(cli: Cli) -> Cli:
    """A folder with two runs of the same cases."""
    for agent in ("reference", "hasty"):
        assert cli("run", "--tasks", "small", "--agent", agent).returncode == 0
    return cli


def test_everything_recorded_is_told_where_nothing_is_selected(ran: Cli, tmp_path: Path) -> None:
    done = ran("report", "--out", "out")
    assert (done.returncode, done.stderr) == (0, "")
    assert "40 sessions in 2 arms under one condition: 40 graded." in done.stdout
    assert done.stdout.endswith("The report is out/index.html.\n")
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "index.html",
        "results.json",
        "summary.md",
        "transcripts",
    }
    assert len(list((tmp_path / "out" / "transcripts").iterdir())) == 40
    assert "ringback report --out out" in (tmp_path / "out" / "index.html").read_text()


def test_the_figures_are_those_of_the_results(ran: Cli, tmp_path: Path) -> None:
    done = ran("report", "--out", "out", "--no-transcripts", "--json", "--baseline", "hasty")
    found = json.loads(done.stdout)
    assert found["report"] == "out/index.html"
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    assert json.loads(json.dumps(found["results"])) == results
    (condition,) = results["conditions"]
    assert condition["baseline"] == "hasty"
    assert [each["arm"] for each in condition["versus"]] == ["reference"]
    assert "--baseline hasty --no-transcripts" in results["facts"]["command"]
    text = ran("report", "--out", "out", "--baseline", "hasty").stdout
    for arm in condition["arms"]:
        solved, graded = arm["rate"]["solved"], arm["rate"]["graded"]
        assert f"{solved} of {graded}" in text
    assert not (tmp_path / "out" / "transcripts" / "none.html").exists()


def test_a_selection_is_told_alone(ran: Cli) -> None:
    done = ran("report", "arm=hasty", "--out", "out")
    assert "20 sessions in 1 arm under one condition" in done.stdout
    done = ran("report", "solved=no", "--out", "out")
    assert "no rate and no difference is read from them" in done.stdout
    assert "%" not in done.stdout.partition("  ")[0]


def test_what_a_user_can_put_right_is_said_in_a_sentence(ran: Cli, tmp_path: Path) -> None:
    refused(ran("report", "arm=nobody", "--out", "out"), "fits 'arm=nobody'")
    refused(ran("report", "hullo", "--out", "out"), "selects no session")
    refused(ran("report", "--out", "out", "--baseline", "none"), "no arm 'none'", "reference")
    refused(ran("report", "--out", "out", "--store", "none.db"), "none.db")
    refused(ran("report", "--out", ""), "names no path")
    refused(ran("report"), "--out")
    said = ran("report", "--out", "out", "--baseline", "x" * 100_000).stderr
    assert len(said) < 300
    (tmp_path / "traces").mkdir()
    theirs = '{"format": 1, "headline": [], "slices": []}'
    (tmp_path / "traces" / "results.json").write_text(theirs)
    refused(ran("report", "--out", "traces"), "traces holds a report on recorded traces")
    assert (tmp_path / "traces" / "results.json").read_text() == theirs
    (tmp_path / "file").write_text("x")
    refused(ran("report", "--out", "file"), "which is a file")
    assert not (tmp_path / "out").exists()


def test_the_line_to_make_it_again_names_the_store_of_the_environment(
    ran: Cli, tmp_path: Path
) -> None:
    assert ran("report", "--out", "out").returncode == 0
    (tmp_path / ".ringback" / "ringback.db").rename(tmp_path / "mine.db")
    told = environment(RINGBACK_STORE="mine.db")
    assert warm.run("report", "--out", "out", cwd=tmp_path, env=told).returncode == 0
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    assert results["facts"]["command"] == "ringback report --out out --store mine.db"


def test_a_store_without_sessions_has_nothing_to_report(cli: Cli, tmp_path: Path) -> None:
    assert cli("import", "tau2", ".").returncode in (0, 2)
    done = cli("report", "--out", "out")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_what_cannot_be_read_is_said_and_the_rest_told(ran: Cli, tmp_path: Path) -> None:
    store = tmp_path / ".ringback" / "ringback.db"
    change(store, "UPDATE events SET body = x'00' WHERE seq = 1 AND session = 1")
    done = ran("report", "--out", "out")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "is not in the report" in line
    assert "cannot be read" in line
    assert "39 sessions in 2 arms" in done.stdout
    assert "The report is out/index.html." in done.stdout


def test_without_transcripts_none_are_counted(ran: Cli, tmp_path: Path) -> None:
    _, text = in_terminal("report", "--out", "out", cwd=tmp_path)
    assert "transcripts written" in text
    _, text = in_terminal("report", "--out", "out", "--no-transcripts", cwd=tmp_path)
    assert "transcripts written" not in text
    assert "sessions read" in text


@pytest.fixture
def operated(cli: Cli) -> Cli:
    """Calls by hand of two operators: each has one over, and Ada gave one up."""
    for words in (
        ("start", "1", "--as", "Ada"),
        ("end", "Goodbye."),
        ("start", "2", "--as", "Ada"),
        ("abandon", "Lunch."),
        ("start", "1", "--as", "Bob"),
        ("end", "Bye."),
    ):
        assert cli("operate", *words).returncode == 0
    return cli


def test_operators_are_told_by_their_names(operated: Cli, tmp_path: Path) -> None:
    done = operated("report", "--out", "out", "--baseline", "Bob")
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads((tmp_path / "out" / "results.json").read_text())
    (condition,) = found["conditions"]
    assert {arm["name"]: (arm["recorded_as"], arm["sessions"]) for arm in condition["arms"]} == {
        "Ada": ("operator", 2),
        "Bob": ("operator", 1),
    }
    assert [line["arm"] for line in found["sessions"]] == ["Ada", "Ada", "Bob"]
    done = operated("report", "as=Ada", "--out", "out")
    assert "2 sessions in 1 arm under one condition" in done.stdout
    said = refused(operated("export", "tau2", "-o", "t.json"), "several operators (Ada, Bob)")
    assert "add as=Ada, say" in said
    done = operated("export", "tau2", "as=Ada", "-o", "t.json")
    assert (done.returncode, done.stderr) == (0, "")
    assert len(json.loads((tmp_path / "t.json").read_text())["simulations"]) == 2


def test_a_call_that_was_given_up_is_without_an_outcome_and_no_failure(
    operated: Cli, tmp_path: Path
) -> None:
    operated("report", "as=Ada", "--out", "out")
    found = json.loads((tmp_path / "out" / "results.json").read_text())
    (arm,) = found["conditions"][0]["arms"]
    assert (arm["graded"], arm["ungraded"]) == (1, 1)
    assert [each["name"] for each in arm["reasons"]] == ["abandoned"]
    assert sum(each["episodes"] for each in arm["failures"]) + arm["unblamed"] == 1
    assert found["headline"][-1].startswith("1 session that ended and was not solved is laid to")
    (given_up,) = (line for line in found["sessions"] if line["ending"] == "abandoned")
    assert (given_up["blame"], given_up["kinds"]) == (None, [])


def test_a_line_fits_a_terminal_of_80_columns(ran: Cli, tmp_path: Path) -> None:
    code, text = in_terminal("report", "--out", "out", cwd=tmp_path, COLUMNS="80")
    assert code == 0
    lines = STYLE.sub("", text).replace("\r\n", "\n").split("\n")
    assert max(len(line.rpartition("\r")[2]) for line in lines) <= 80


@pytest.mark.parametrize("width", [60, 80, 133])
def test_no_wrapped_name_begins_a_line_of_ours(tmp_path: Path, width: int, cli: Cli) -> None:
    for make in (tau2, exgentic, kitaru):
        make(tmp_path, WIDE)
    for command in ("tau2 all.json known.json", "kitaru k.jsonl", "exgentic traces.parquet"):
        cli("import", *command.split())
    _, text = in_terminal("report", "--out", "out", cwd=tmp_path, COLUMNS=str(width))
    # After the tables come the sentences of the short answer, which are no rows.
    whole, end, _ = STYLE.sub("", text).replace("\r\n", "\n").partition(" sessions in ")
    assert end
    lines = [line.rpartition("\r")[2] for line in whole.split("\n")]
    parts = [line[at : at + width] for line in lines for at in range(0, max(len(line), 1), width)]
    assert not [part for part in parts if part.startswith("F")]
