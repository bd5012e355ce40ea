"""``ringback export`` on what the program itself recorded, and back again."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from ringback.episode.events import ModelCall
from ringback.formats import Recording
from ringback.formats.kitaru import read
from ringback.formats.tau2 import read as read_tau2
from ringback.sessions import Store
from ringback.testing import ChaosServer, played_by, spread
from tests import warm
from tests.cli.conftest import Cli, environment, refused
from tests.formats.kitaru.importing import imported
from tests.formats.kitaru.test_foreign import node, record
from tests.formats.tau2.made import Talk, result_file, solved
from tests.formats.tau2.made import write as write_file
from tests.study.wire import KEY, Desk, stamped

TASKS = ("--tasks", "small")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recorded")
    for agent in ("reference", "transfer-at-once"):
        words = ("run", "--agent", agent, *TASKS, "--store", "s.db")
        done = warm.run(*words, cwd=folder, env=environment())
        assert done.returncode == 0, done.stderr
    return folder / "s.db"


@pytest.fixture
def recorded(cli: Cli, store: Path, tmp_path: Path) -> Cli:
    shutil.copy(store, tmp_path / "s.db")
    return cli


def test_kitaru_and_back(recorded: Cli, tmp_path: Path) -> None:
    done = recorded("export", "kitaru", "--store", "s.db", "-o", "k.jsonl")
    assert (done.returncode, done.stdout) == (0, "40 sessions written to k.jsonl.\n")
    assert len(imported((tmp_path / "k.jsonl").read_bytes())) == 40
    done = recorded("import", "kitaru", "k.jsonl", "--store", "other.db", "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, found["imported"], found["ungraded"]) == (0, 40, 0)
    with (
        Store.open(tmp_path / "s.db", write=False) as ours,
        Store.open(tmp_path / "other.db", write=False) as theirs,
    ):
        rows = {row.id: row for row in theirs.rows()}
        for row in ours.rows():
            assert theirs.events(row.id) == ours.events(row.id)
            assert (rows[row.id].cell, rows[row.id].solved) == (row.cell, row.solved)
    done = recorded("import", "kitaru", "k.jsonl", "--store", "s.db", "--json")
    assert json.loads(done.stdout)["already_there"] == 40


def test_tau2_and_back(recorded: Cli, tmp_path: Path) -> None:
    refused(recorded("export", "tau2", "--store", "s.db", "-o", "t.json"), "agent=reference")
    assert not (tmp_path / "t.json").exists()
    done = recorded("export", "tau2", "arm=reference", "--store", "s.db", "-o", "t.json")
    assert done.returncode == 0, done.stderr
    found = [entry for entry in read_tau2(tmp_path / "t.json") if isinstance(entry, Recording)]
    assert len(found) == 20
    done = recorded("import", "tau2", "t.json", "--store", "other.db")
    assert done.returncode == 0, done.stderr
    with Store.open(tmp_path / "other.db", write=False) as store:
        rows = list(store.rows())
    assert len(rows) == 20
    assert all(row.solved for row in rows)
    # What came from a tau2 file is written as that file had it.
    done = recorded("export", "tau2", "--store", "other.db", "-o", "again.json")
    assert done.returncode == 0, done.stderr
    files = [json.loads((tmp_path / name).read_text()) for name in ("t.json", "again.json")]
    before, after = ({one["id"]: one for one in file["simulations"]} for file in files)
    assert before == after
    tasks = [{task["id"]: task for task in file["tasks"]} for file in files]
    assert tasks[0] == tasks[1]
    assert files[0]["info"] == files[1]["info"] | {"seed": files[0]["info"]["seed"]}


def test_otel_on_standard_output(recorded: Cli) -> None:
    done = recorded("export", "otel", "latest", "--store", "s.db", "-o", "-")
    assert done.returncode == 0
    (resource,) = json.loads(done.stdout)["resourceSpans"]
    assert resource["scopeSpans"][0]["spans"][0]["name"] == "invoke_workflow telecom"


def test_refusals(recorded: Cli, tmp_path: Path) -> None:
    before = (tmp_path / "s.db").read_bytes()
    for form in ("kitaru", "tau2", "otel"):
        given = ("export", form, "arm=reference", "--store", "s.db")
        refused(recorded(*given), "--out")
        refused(recorded(*given, "-o", "."), "folder")
        refused(recorded(*given, "-o", "no/where"), "no/where")
        refused(recorded(*given, "-o", "s.db"), "session store")
        refused(recorded("export", form, "arm=none", "--store", "s.db", "-o", "x"), "arm=none")
        refused(recorded("export", form, "--store", "none.db", "-o", "x"), "none.db")
    assert not (tmp_path / "x").exists()
    assert (tmp_path / "s.db").read_bytes() == before


@pytest.fixture
def agent() -> Iterator[ChaosServer]:
    with ChaosServer(stamped(played_by("reference")), key=KEY) as server:
        yield server


@pytest.fixture
def caller() -> Iterator[ChaosServer]:
    with ChaosServer(stamped(played_by("rules")), key=KEY) as server:
        yield server


def test_models_on_both_sides_with_failures_and_no_key(
    tmp_path: Path, agent: ChaosServer, caller: ChaosServer
) -> None:
    for server in (agent, caller):
        server.faults, server.seed = spread(0.15, "refusal", "empty", "server_error"), 5
    desk = Desk(tmp_path, agent=agent, caller=caller)
    done = desk.run("run", *TASKS, "--agent", "agent", "--user", "caller", "--jobs", "8")
    assert done.returncode == 0, done.stderr
    for form, name in (("kitaru", "k.jsonl"), ("otel", "o.json"), ("tau2", "t.json")):
        done = desk.run("export", form, "-o", name)
        assert done.returncode == 0, done.stderr
        assert KEY not in (tmp_path / name).read_text()
    theirs = imported((tmp_path / "k.jsonl").read_bytes())
    calls = [node for session in theirs for node in session.nodes if node.node_type == "llm_call"]
    assert {node.metadata["side"] for node in calls} == {"agent", "user"}
    assert {node.status for node in calls} == {"completed", "failed"}
    assert any(node.cost is not None and node.cost > 0 for node in calls)
    ours = [entry for entry in read(tmp_path / "k.jsonl") if isinstance(entry, Recording)]
    with desk.store() as store:
        for entry in ours:
            assert list(entry.events) == store.events(entry.start.session)
    count = sum(isinstance(event, ModelCall) for entry in ours for event in entry.events)
    assert len(calls) == count == len(desk.calls())
    back = [entry for entry in read_tau2(tmp_path / "t.json") if isinstance(entry, Recording)]
    assert len(back) == len(json.loads((tmp_path / "t.json").read_text())["simulations"])


def test_a_greeting_that_was_never_heard_is_no_difference(cli: Cli, tmp_path: Path) -> None:
    never = Talk(greet=False).simulation(id="never", termination_reason="infrastructure_error")
    content = result_file([solved().simulation(), never])
    write_file(tmp_path / "a.json", content)
    assert cli("import", "tau2", "a.json").returncode == 0
    done = cli("export", "tau2", "origin=tau2", "-o", "b.json.gz")
    assert (done.returncode, done.stderr) == (0, "")
    written = json.loads(gzip.decompress((tmp_path / "b.json.gz").read_bytes()))
    theirs = [{**one, "policy": None} for one in content["simulations"]]
    assert [{**one, "policy": None} for one in written["simulations"]] == theirs
    again = json.loads(cli("import", "tau2", "b.json.gz", "--json").stdout)
    assert (again["imported"], again["already_there"]) == (0, 2)


def test_what_sessions_differ_in_is_named(cli: Cli, tmp_path: Path) -> None:
    for name, steps in (("a.json", 200), ("b.json", 100)):
        content = result_file([solved().simulation(id=name)], max_steps=steps)
        assert cli("import", "tau2", str(write_file(tmp_path / name, content))).returncode == 0
    said = refused(cli("export", "tau2", "-o", "c.json"), "differ in their limits, and")
    assert "policy" not in said


@pytest.mark.parametrize(
    "name", ["", "it's  two \\ blanks", "a\nb\x1b[2J", "\u202eagent\u009b", "caf\u00e9 =x"]
)
def test_what_a_hint_says_can_be_typed(cli: Cli, tmp_path: Path, name: str) -> None:
    """As bash reads it; an agent without a name is ``agent unknown``, two words."""
    named = {"implementation": name, "llm": name, "llm_args": None}
    one = result_file([solved().simulation()], agent_info=named if name else {})
    two = result_file([Talk().say("user", "###STOP###").simulation()], agent_info={"llm": "\uff5a"})
    for file, content in (("1.json", one), ("2.json", two)):
        write_file(tmp_path / file, content)
    assert cli("import", "tau2", "1.json", "2.json").returncode == 0
    hint = refused(cli("export", "tau2", "-o", "t.json"), "several agents")
    asked = hint.partition("add ")[2].removesuffix(", say, to the selection.")
    said = cli("sessions", "list", "agent=nobody").stdout
    for words in (asked, said.partition("there is ")[2].partition(", 'agent=\uff5a'")[0]):
        read = subprocess.run(
            ["bash", "-c", f"printf '%s\\0' {words}"],
            env=environment(LC_ALL="C.UTF-8"),
            capture_output=True,
            encoding="utf-8",
            check=True,
        ).stdout
        done = cli("sessions", "list", "--json", *read.split("\0")[:-1])
        assert done.returncode == 0, done.stderr
        (row,) = json.loads(done.stdout)["sessions"]
        assert row["agent"] == (name or "agent unknown")


def test_what_was_imported_is_exported_by_its_file(cli: Cli, tmp_path: Path) -> None:
    for name, steps in (("a 1.json", 100), ("b.json", 50)):
        write_file(tmp_path / name, result_file([solved().simulation(id=name)], max_steps=steps))
    assert cli("import", "tau2", "a 1.json", "b.json").returncode == 0
    said = refused(cli("export", "tau2", "-o", "c.json"), "differ in their limits, and")
    assert f"by 'file={tmp_path.name}/a 1.json', user=NAME or their ids" in said
    done = cli("export", "tau2", "file=a 1.json", "-o", "c.json")
    assert done.returncode == 0, done.stderr
    (simulation,) = json.loads((tmp_path / "c.json").read_text())["simulations"]
    assert simulation["id"] == "a 1.json"
    assert json.loads(cli("sessions", "list", "file=b.json", "--json").stdout)["count"] == 1


def test_a_session_of_the_same_id_and_other_events_is_refused(
    recorded: Cli, tmp_path: Path
) -> None:
    """Of two stores in which the same case was played, neither takes the other's for its own."""
    done = recorded("run", "--agent", "reference", *TASKS, "--store", "other.db")
    assert done.returncode == 0, done.stderr
    recorded("export", "kitaru", "agent=reference", "--store", "other.db", "-o", "k.jsonl")
    lines = (tmp_path / "k.jsonl").read_text().splitlines()
    (tmp_path / "one.jsonl").write_text(lines[0])
    done = recorded("import", "kitaru", "one.jsonl", "--store", "s.db")
    assert (done.returncode, done.stdout) == (2, "")
    (said,) = done.stderr.splitlines()
    for words in ("one.jsonl, entry 0", "same id and other events", "--store"):
        assert words in said
    done = recorded("import", "kitaru", "one.jsonl", "--store", "s.db", "--json")
    found = json.loads(done.stdout)
    assert (found["already_there"], found["unreadable"]) == (0, 1)


def test_a_session_that_is_not_over_is_said_to_be_so(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps(record(node(0), status="in_progress")))
    done = cli("import", "kitaru", "a.jsonl")
    assert (done.returncode, done.stderr) == (0, "")
    assert "1 session is not over, and so without a grade." in done.stdout
    assert "could not be graded" not in done.stdout
    assert json.loads(cli("import", "kitaru", "a.jsonl", "--json").stdout)["not_over"] == 1
