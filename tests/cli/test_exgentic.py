"""``ringback import exgentic`` and ``ringback recordings report``, as people use them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ringback.formats.exgentic.write import write
from tests.cli.conftest import Cli, refused
from tests.cli.test_listing import seen
from tests.cli.test_terminal import in_terminal
from tests.formats.exgentic.made import assistant, called, gave, row, said, span, tools


@pytest.fixture
def traces(tmp_path: Path) -> Path:
    """A folder with seven runs in two files."""
    folder = tmp_path / "traces"
    folder.mkdir()
    opening = [said("My phone is dead.")]
    spans = [
        span(opening, [called("look", {"n": 1})], offered=tools("look")),
        span([*opening, called("look", {"n": 1}), gave("ok")], assistant("Done."), code=1),
        span(opening, code=2, error="Timeout"),
    ]
    write(folder / "0000.parquet", [row(number, *spans) for number in range(4)])
    others = [
        row(4, success=False, status="unsuccessful"),
        row(5, model="kimi-k2", harness="claude_code"),
        row(6, benchmark="swebench", harness="tool_calling"),
    ]
    write(folder / "0001.parquet", others)
    return folder


def test_a_report_is_a_table_and_three_files(cli: Cli, traces: Path, tmp_path: Path) -> None:
    done = cli("recordings", "report", str(traces), "--out", "out", "--benchmark", "tau2_telecom",
               "--harness", "tool_calling", "--card-rows", "8")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert "tau2_telecom with tool_calling" in done.stdout
    line = next(line for line in done.stdout.splitlines() if line.startswith("gpt-5.2"))
    assert line.split()[1:4] == ["5", "4", "80.0%"]
    assert "The card states 8 rows; 7 were read, 1 fewer." in done.stdout
    assert "No row was dropped." in done.stdout
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "index.html",
        "results.json",
        "summary.md",
    }
    assert str(tmp_path) not in (tmp_path / "out" / "index.html").read_text()


def test_a_report_as_json_is_its_results(cli: Cli, traces: Path, tmp_path: Path) -> None:
    done = cli("recordings", "report", str(traces), "--json")
    found = json.loads(done.stdout)
    stored = json.loads((tmp_path / "report" / "results.json").read_text())
    assert found["results"] == stored
    assert [part["runs"] for part in stored["slices"]] == [1, 1, 5]
    assert stored["slices"][2]["spans"]["failed"] == 4


def test_what_cannot_be_read_is_said_and_the_rest_reported(
    cli: Cli, traces: Path, tmp_path: Path
) -> None:
    (traces / "0002.parquet").write_bytes(b"\x1b[31mnot parquet")
    done = cli("recordings", "report", str(traces), "missing.parquet", "--json")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == 2
    found = json.loads(done.stdout)["results"]
    assert found["files"]["unopened"] == 2
    assert found["files"]["rows"] == 7
    done = cli("import", "exgentic", str(traces), "--store", "s.db", "--json")
    assert done.returncode == 2
    found = json.loads(done.stdout)
    assert (found["imported"], found["unreadable"]) == (7, 1)


def test_nothing_to_report_on_is_a_sentence(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_bytes(b"")
    refused(cli("recordings", "report", "a.parquet"), "a.parquet")
    refused(cli("recordings", "report"), "PATH")
    refused(cli("recordings", "report", "a.parquet", "--card-rows", "-1"), "--card-rows")
    refused(cli("recordings", "report", str(tmp_path / "nowhere")), "nowhere")
    assert not (tmp_path / "report").exists()


def test_importing_again_adds_nothing(cli: Cli, traces: Path) -> None:
    first = cli("import", "exgentic", str(traces), "--benchmark", "tau2_telecom", "--json")
    assert first.returncode == 0, first.stderr
    found = json.loads(first.stdout)
    assert (found["imported"], found["already_there"], found["ungraded"]) == (6, 0, 6)
    assert [each["count"] for each in found["passed_over"]] == [1]
    again = json.loads(cli("import", "exgentic", str(traces), "--json").stdout)
    assert (again["imported"], again["already_there"]) == (1, 6)


def test_an_imported_run_is_listed_and_shown(cli: Cli, traces: Path) -> None:
    cli("import", "exgentic", str(traces))
    listed = json.loads(cli("sessions", "list", "origin=exgentic", "--json").stdout)
    assert listed["count"] == 7
    ids = [each["id"] for each in listed["sessions"]]
    done = cli("sessions", "show", *ids)
    assert done.returncode == 0, done.stderr
    assert "model gpt-5.2" in done.stdout
    assert "model kimi-k2" in done.stdout


def test_a_filter_that_fits_nothing_is_said(cli: Cli, traces: Path, tmp_path: Path) -> None:
    given = ("recordings", "report", str(traces), "--benchmark", "nosuch")
    refused(cli(*given), "no run of benchmark nosuch", "swebench and tau2_telecom")
    assert not (tmp_path / "report").exists()
    done = cli("import", "exgentic", str(traces), "--harness", "nosuch")
    assert done.returncode == 2
    assert "Nothing fits --harness nosuch" in done.stderr


@pytest.mark.parametrize("width", [80, 120])
def test_a_report_has_whole_figures_in_a_terminal(cli: Cli, tmp_path: Path, width: int) -> None:
    (tmp_path / "traces").mkdir()
    names = ("anthropic/claude-opus-4-5-20251101-v1", "gpt-5.2")
    rows = [
        row(number, model=names[number % 2], agent_cost=None if number == 3 else 123.4567)
        for number in range(30)
    ]
    write(tmp_path / "traces" / "0.parquet", rows)
    code, text = in_terminal("recordings", "report", "traces", cwd=tmp_path, COLUMNS=str(width))
    assert code == 0
    lines = seen(text)
    assert max(map(len, lines)) <= width
    assert not [line for line in lines if "…" in line]
    for heading in ("model", "runs", "solved", "rate", "95% interval", "agent cost", "per solved",
                    "steps", "status?", "outcome?", "calls", "failed"):  # fmt: skip
        assert any(heading in line for line in lines), heading
    assert sum(names[0] in line for line in lines) >= 3
    assert any("unknown (1 run" in line for line in lines)


def test_a_name_that_is_too_long_for_a_table_is_cut_there(cli: Cli, tmp_path: Path) -> None:
    name = "m" * 900
    write(tmp_path / "a.parquet", [row(0, span(model=name), models=[name])])
    done = cli("recordings", "report", "a.parquet", "--out", "out")
    assert done.returncode == 0, done.stderr
    rows = [line for line in done.stdout.splitlines() if line.startswith(("model", "mm"))]
    assert len(rows) == 6
    assert max(map(len, rows)) < 200
    page = (tmp_path / "out" / "index.html").read_text()
    assert name in page
    assert "1 span<" in page


def test_rows_of_another_version_are_imported_and_said(cli: Cli, traces: Path) -> None:
    write(traces / "0002.parquet", [row(number, schema_version="2.0") for number in (7, 8)])
    done = cli("import", "exgentic", str(traces))
    assert done.returncode == 0, done.stderr
    assert "Imported 9 sessions" in done.stdout
    assert done.stderr.count("schema_version") == 1
    assert "0002.parquet" in done.stderr
    assert "in 2 of its rows but '2.0'" in done.stderr


def test_files_of_one_name_keep_what_is_said_of_each(cli: Cli, tmp_path: Path) -> None:
    """Of files whose names are the same each has its own facts, wherever one stands."""
    for folder, version in (("p1", "1.3"), ("p2", "1.4")):
        (tmp_path / folder).mkdir()
        runs = [row(0, span(), model="kimi-k2", schema_version=version)]
        write(tmp_path / folder / "0000.parquet", runs)
    files = ["p1/0000.parquet", "p2/0000.parquet"]
    done = cli("recordings", "report", *files, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["results"]
    assert found["files"]["files"] == files
    assert [each["source"] for each in found["disagreements"]] == files
    for given in ([str(tmp_path / file) for file in files], ["p1", "p2"]):
        done = cli("recordings", "report", *given, "--json")
        assert json.loads(done.stdout)["results"]["files"]["files"] == files
    done = cli("import", "exgentic", *files)
    assert [line.split(": ")[1] for line in done.stderr.splitlines()] == files


def test_what_a_folder_has_beside_is_named_and_capital_endings_are_read(
    cli: Cli, traces: Path
) -> None:
    (traces / "0001.parquet").rename(traces / "0001.PARQUET")
    (traces / "README.md").write_text("What this is.")
    said = "Passed over 1: it is not a .parquet file (README.md)."
    done = cli("recordings", "report", str(traces), "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    assert found["results"]["files"]["rows"] == 7
    assert [each["files"] for each in found["passed_over"]] == [["README.md"]]
    assert said in " ".join(cli("recordings", "report", str(traces)).stdout.split())
    assert said in " ".join(cli("import", "exgentic", str(traces)).stdout.split())


def test_what_is_recorded_of_a_run_is_its_stored_reward(cli: Cli, tmp_path: Path) -> None:
    runs = [
        row(0, score=0.0, success=False, status="limit_reached"),
        row(1, score=None, success=True),
        row(2, score=None, success=None),
    ]
    write(tmp_path / "a.parquet", runs)
    cli("import", "exgentic", "a.parquet")
    done = cli("regrade", "origin=exgentic", "--json")
    found = sorted(map(json.loads, done.stdout.splitlines()), key=lambda each: each["index"])
    assert [(each["stored"], each["reward"]) for each in found] == [
        (0.0, None),
        (1.0, None),
        (None, None),
    ]
    told = " ".join(cli("regrade", "origin=exgentic").stdout.split())
    assert (
        "3 sessions graded again: 0 as recorded, 0 otherwise, 0 without a recorded reward, 2 that "
        "cannot be graded, 1 of which neither is known."
    ) in told
