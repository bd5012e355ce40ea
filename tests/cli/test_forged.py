"""Recordings whose every text tries to be a line of ours: no command lets it begin one, or act."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import ringback.cli
from ringback.formats.exgentic.write import write as write_traces
from tests.cli.conftest import Cli
from tests.cli.test_terminal import in_terminal
from tests.formats.exgentic.made import assistant, called, gave, row, said, span, tools
from tests.formats.kitaru.test_foreign import TALK
from tests.formats.tau2.made import Talk, result_file, solved, write

ROW = "FORGED        forged  0  user_stop  9  yes"
EVIL = (
    f"\r\n{ROW}\n\t{ROW}\r{ROW}\u2028{ROW}\x85{ROW}\x0b{ROW}\x1b[2J\x1b[1;1H\u202e\x9b31m\x07{ROW}"
)
WIDE = " " * 100 + "F" * 400
"""Wherever a terminal wraps this, a line begins with what was forged."""

STYLE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
KEEP = {  # what makes the file one of its form
    "role",
    "type",
    "timestamp",
    "start_time",
    "end_time",
    "domain_name",
    "requestor",
    "reward_basis",
    "node_type",
    "status",
    "started_at",
    "ended_at",
    "collected_at",
    "kind",
    "spans",
    "config_path",
    "schema_version",
    "cost",
    "input_text_selector",
    "output_text_selector",
    "success",
}


def spoilt(value: Any, ill: str, keep: frozenset[str] = frozenset()) -> Any:
    """The value with every text in it made ill, but for what its form needs."""
    match value:
        case str():
            return value + ill
        case dict():
            return {
                name: each if name in KEEP | keep else spoilt(each, ill, keep)
                for name, each in value.items()  # pyright: ignore[reportUnknownVariableType]
            }
        case list():
            return [spoilt(each, ill, keep) for each in value]  # pyright: ignore[reportUnknownVariableType]
        case _:
            return value


def tau2(folder: Path, ill: str) -> None:
    """Two files: one all of whose texts are ill, and one whose cases and tools are known here."""
    bad = Talk().say("user", "Hello.")
    bad.call("agent", ("get_customer_by_id", {"customer_id": "C1"})).say("user", "###STOP###")
    content = result_file([solved().simulation(), bad.simulation(id="bad")])
    write(folder / "all.json", spoilt(content, ill))
    # What a world needs stays; the names, words and ids of it do not.
    known = frozenset({"task_id", "name", "tool", "termination_reason", "arguments", "id"})
    simulations = [
        spoilt(solved().simulation(), ill, known) | {"id": f"one{ill}"},
        spoilt(bad.simulation(), ill, known) | {"id": f"two{ill}", "seed": 1},
    ]
    info = spoilt(content["info"], ill)
    write(folder / "known.json", {**content, "simulations": simulations, "info": info})
    (folder / f"no{ill.replace('/', '')}"[:60]).with_suffix(".json").write_bytes(b"")


def exgentic(folder: Path, ill: str) -> None:
    opening = [said(f"My phone is dead.{ill}")]
    call = called(f"look{ill}", {f"n{ill}": ill}, f"c{ill}")
    spans = [
        span(opening, [call], offered=tools(f"look{ill}"), model=f"gpt{ill}"),
        span([*opening, call, gave(f"ok{ill}", f"c{ill}")], assistant(f"Done.{ill}"), model="x"),
        span(opening, code=2, error=f"Timeout{ill}"),
    ]
    rows = [spoilt(row(number, *spans), ill) for number in range(3)]
    rows[1]["benchmark"] = rows[1]["harness"] = f"other{ill}"
    write_traces(folder / "traces.parquet", rows)


def kitaru(folder: Path, ill: str) -> None:
    lines = [TALK, spoilt(TALK, ill) | {"status": "failed", "error": ill}]
    (folder / "k.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in lines))


REPORT = "recordings report traces.parquet --out report"
TOLD = "report --out told"
COMMANDS = (
    "import tau2 all.json known.json .",
    "import kitaru k.jsonl",
    "import exgentic traces.parquet",
    "import exgentic traces.parquet --benchmark none",
    "sessions list",
    "sessions list agent=none",
    "sessions list arm=none",
    "sessions list task=none",
    "sessions show origin=tau2",
    "sessions show origin=kitaru",
    "sessions show origin=exgentic",
    "regrade all.json known.json",
    "regrade origin=tau2",
    "regrade origin=exgentic",
    REPORT,
    TOLD,
    "report origin=exgentic --out other",
    "users check known.json",
    "export tau2 -o out.json",
    "export tau2 origin=tau2 -o out.json",
    "replay origin=tau2 --agent reference --name again",
    "fork origin=tau2 --agent reference --at 3",
    "step-check --from origin=exgentic agent=none",
    "sessions show",
)
AS_JSON = (
    "sessions list --json",
    "sessions show origin=tau2 --json",
    "sessions show origin=exgentic --json",
    "regrade all.json known.json --json",
    "recordings report traces.parquet --out report --json",
    "import tau2 all.json . --json",
    "report --out told --json",
)


def acting(text: str) -> set[str]:
    """Characters that do something, or hide."""
    return {char for char in text if char != "\n" and unicodedata.category(char) in _ACTING}


_ACTING = ("Cc", "Cf", "Cs", "Zl", "Zp")


def compared(sessions: str) -> Iterator[str]:
    """``compare`` of the first two of the tau2 sessions."""
    ids = [each["id"] for each in json.loads(sessions)["sessions"] if each["origin"] == "tau2"]
    yield f"compare {ids[0]} {ids[1]}"
    yield f"compare {ids[2]} {ids[3]}"


def begins(line: str, least: int) -> bool:
    """Whether a line begins with what was forged, indented by less than so many columns."""
    words = line.lstrip()
    return words.startswith("FORGED") and len(line) - len(words) < least


@pytest.mark.parametrize("make", [tau2, exgentic, kitaru])
def test_a_file_is_one_of_its_form(make: Callable[[Path, str], None], tmp_path: Path) -> None:
    make(tmp_path, "")  # so that what is spoilt below is read at all
    assert list(tmp_path.iterdir())


def test_no_recorded_text_begins_a_line_of_ours_or_acts(cli: Cli, tmp_path: Path) -> None:
    for make in (tau2, exgentic, kitaru):
        make(tmp_path, EVIL)
    written: dict[str, str] = {}
    for command in COMMANDS:
        done = cli(*command.split())
        assert "Traceback" not in done.stderr, (command, done.stderr)
        written[command] = done.stdout + done.stderr
    for command in compared(cli("sessions", "list", "--json").stdout):
        written[command] = cli(*command.split()).stdout
    seen = 0
    for command, text in written.items():
        assert not acting(text), (command, acting(text))
        # In columns, what was said is indented by more than whatever is ours.
        least = 8 if command.startswith("compare") else 1000
        assert not [line for line in text.split("\n") if begins(line, least)], command
        seen += ROW in " ".join(text.split()) or "FORGED" in text
    assert seen > len(written) // 2  # they were there to be seen
    for folder in ("report", "told", "other"):
        for name in ("summary.md", "results.json", "index.html"):
            assert not acting((tmp_path / folder / name).read_text()) - {"\t"}, (folder, name)


def test_json_has_what_acts_as_escapes(cli: Cli, tmp_path: Path) -> None:
    for make in (tau2, exgentic, kitaru):
        make(tmp_path, EVIL)
    for command in COMMANDS[:3]:
        cli(*command.split())
    for command in AS_JSON:
        done = cli(*command.split())
        assert "FORGED" in done.stdout, command
        assert not acting(done.stdout), command
        for text in done.stdout.splitlines() if "regrade" in command else [done.stdout]:
            assert json.loads(text)


@pytest.mark.parametrize("width", [60, 80, 133])
def test_no_wrapped_text_begins_a_line_in_a_terminal(tmp_path: Path, width: int) -> None:
    for make in (tau2, exgentic, kitaru):
        make(tmp_path, WIDE)
    for command in (*COMMANDS[:3], "sessions list", *COMMANDS[8:11], "regrade origin=tau2", REPORT):
        _, text = in_terminal(*command.split(), cwd=tmp_path, COLUMNS=str(width))
        if command.startswith("import"):
            continue
        # After the tables of a report come sentences, which are not rows.
        whole, _, _ = STYLE.sub("", text).replace("\r\n", "\n").partition("steps: the median.")
        lines = [line.rpartition("\r")[2] for line in whole.split("\n")]
        parts = [
            line[at : at + width] for line in lines for at in range(0, max(len(line), 1), width)
        ]
        assert not [part for part in parts if part.startswith("F")], command


def test_no_command_prints_past_the_one_place() -> None:
    """Cells, lines, paragraphs and JSON go through `output` and `listing`, which make them safe."""
    own = {"output.py", "listing.py", "streams.py", "__init__.py", "help.py"}
    folder = Path(ringback.cli.__file__).parent
    past = re.compile(r"stdout\.(buffer\.)?write|\bprint\(")
    found = {
        path.name: lines
        for path in sorted(folder.glob("*.py"))
        if path.name not in own
        and (lines := [line for line in path.read_text().splitlines() if past.search(line)])
    }
    # What has a margin of its own: a text of many lines of a world's, and a conversation.
    safe = ("print(gutter", "Padding(Text(visible(", "shown(")
    assert not [
        line for lines in found.values() for line in lines if not any(map(line.count, safe))
    ]
