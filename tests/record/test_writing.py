"""A record and its transcripts on disk: exact, whole or not at all, never over another's file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from ringback.episode.events import AnyEvent
from ringback.errors import InputError
from ringback.grading.grade import Grade
from ringback.record.making import make_record
from ringback.record.writing import write_record
from ringback.sessions import Store, parse_selection
from tests.record.recorded import by_model, operated
from tests.record.reenacted import CALLS, EASY, INVERTING


def write(path: Path, out: Path) -> list[str]:
    with Store.open(path, write=False) as store:
        made = make_record(store, parse_selection([]))
        return [found.name for found in write_record(made, out, beside=path)]


def test_transcripts_hold_every_event_and_the_whole_grade(path: Path, tmp_path: Path) -> None:
    first = operated(path, CALLS["medium"])
    second = operated(
        path,
        replace(CALLS["hard"], commands=(("say", "Which phone number is it about?"),)),
        by_model(INVERTING, "off"),
        ending="max_steps",
    )
    assert write(path, tmp_path / "r.json") == [
        "medium-transcript.json",
        "hard-transcript.json",
        "r.json",
    ]
    for name, session in (("medium", first), ("hard", second)):
        found = json.loads((tmp_path / f"{name}-transcript.json").read_bytes())
        assert found["session"] == session
        with Store.open(path, write=False) as store:
            events = store.events(session)
            grade = store.grade(session, Grade)
        assert msgspec.convert(found["events"], list[AnyEvent]) == events
        assert msgspec.convert(found["grade"], Grade) == grade
    asked = [event for event in found["events"] if event["kind"] == "model_call"]
    assert asked
    assert asked[0]["request"]["system"] in found["contents"]


def test_a_second_case_of_a_tier_has_a_transcript_of_its_own(path: Path, tmp_path: Path) -> None:
    operated(path, CALLS["easy"])
    operated(path, replace(CALLS["easy"], seed=9))
    assert write(path, tmp_path / "r.json")[:-1] == [
        "easy-transcript.json",
        "easy-2-transcript.json",
    ]
    policy = json.loads((tmp_path / "r.json").read_bytes())["raw_transcript_policy"]
    assert "easy-transcript.json and easy-2-transcript.json" in policy


def test_a_record_takes_the_place_of_one_and_of_nothing_else(path: Path, tmp_path: Path) -> None:
    operated(path, CALLS["easy"])
    out = tmp_path / "r.json"
    write(path, out)
    before = out.read_bytes()
    write(path, out)
    assert out.read_bytes() == before
    for name, content in (
        ("notes.json", '{"mine": 1}'),
        ("notes.json", ""),
        ("easy-transcript.json", '{"theirs": []}'),
        ("easy-transcript.json", ""),
    ):
        foreign = tmp_path / "other" / name
        foreign.parent.mkdir(exist_ok=True)
        foreign.write_text(content)
        target = foreign if name == "notes.json" else foreign.with_name("r.json")
        with pytest.raises(InputError, match="not written over"):
            write(path, target)
        assert foreign.read_text() == content
        assert sorted(each.name for each in foreign.parent.iterdir()) == [name]
        foreign.unlink()


def test_a_second_record_in_a_folder_takes_no_transcript_from_the_first(
    path: Path, tmp_path: Path
) -> None:
    first = operated(path, CALLS["easy"])
    second = operated(path, replace(CALLS["easy"], seed=9))

    def one(session: str, out: str) -> None:
        with Store.open(path, write=False) as store:
            made = make_record(store, parse_selection([session]))
            write_record(made, tmp_path / out, beside=path)

    def held() -> str:
        return json.loads((tmp_path / "easy-transcript.json").read_bytes())["session"]

    one(first, "a.json")
    before = (tmp_path / "easy-transcript.json").read_bytes()
    with pytest.raises(InputError, match=f"a.json tells session {first} by easy-transcript.json"):
        one(second, "b.json")
    assert not (tmp_path / "b.json").exists()
    assert (tmp_path / "easy-transcript.json").read_bytes() == before
    one(first, "b.json")
    with pytest.raises(InputError, match=f"b.json tells session {first}"):
        one(second, "a.json")
    (tmp_path / "b.json").unlink()
    one(second, "a.json")
    assert held() == second


def test_another_stores_call_under_the_same_id_takes_no_transcript(tmp_path: Path) -> None:
    """An id follows from the case and the attempt; what was said does not go into it."""
    stores = tmp_path / "one.db", tmp_path / "two.db", tmp_path / "three.db"
    longer = replace(CALLS["easy"], commands=(("say", "Hello!"), *EASY))
    calls = (CALLS["easy"], longer, longer)
    ids = {operated(path, call) for path, call in zip(stores, calls, strict=True)}
    assert len(ids) == 1
    folder = tmp_path / "out"
    folder.mkdir()
    write(stores[0], folder / "one.json")
    before = {each.name: each.read_bytes() for each in folder.iterdir()}
    with pytest.raises(InputError, match=r"one.json tells another call by easy-transcript.json"):
        write(stores[1], folder / "two.json")
    assert {each.name: each.read_bytes() for each in folder.iterdir()} == before
    write(stores[1], folder / "one.json")
    write(stores[2], folder / "two.json")  # the very same call
    (folder / "easy-transcript.json").unlink()
    record = json.loads((folder / "two.json").read_bytes())
    record["cases"][0]["attempts"][0]["begun_at"] = 1.0
    (folder / "two.json").write_text(json.dumps(record, indent=2))
    with pytest.raises(InputError, match=r"two.json tells another call"):
        write(stores[1], folder / "one.json")


_MANY = """
import resource, sys
from pathlib import Path
from msgspec.structs import replace
from ringback.record.making import make_record
from ringback.record.writing import write_record
from ringback.sessions import Store, parse_selection

path, out = Path(sys.argv[1]), Path(sys.argv[2])
with Store.open(path, write=False) as store:
    made = make_record(store, parse_selection([]))
    (transcript,) = made.transcripts.values()
    many = {f"easy-{number}-transcript.json": transcript for number in range(300)}
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
    write_record(replace(made, transcripts=many), out, beside=path)
"""


def test_a_record_of_very_many_cases_needs_few_open_files(path: Path, tmp_path: Path) -> None:
    operated(path, replace(CALLS["easy"], commands=()), ending="abandoned")
    folder = tmp_path / "out"
    folder.mkdir()
    words = [sys.executable, "-c", _MANY, str(path), str(folder / "r.json")]
    done = subprocess.run(words, check=False, timeout=60, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert len(list(folder.iterdir())) == 301


def test_the_store_and_what_is_no_file_are_refused(path: Path, tmp_path: Path) -> None:
    operated(path, CALLS["easy"])
    stored = path.read_bytes()
    for out in (path, Path(f"{path}-wal"), tmp_path, Path("-"), tmp_path / "no" / "r.json"):
        with pytest.raises(InputError):
            write(path, out)
    loop, pipe = tmp_path / "loop.json", tmp_path / "pipe.json"
    loop.symlink_to(loop)
    os.mkfifo(pipe)
    for out in (loop, pipe, Path("/dev/null")):
        with pytest.raises(InputError, match="no file"):
            write(path, out)
    loop.unlink()
    pipe.unlink()
    with pytest.raises(InputError, match="name of a transcript"):
        write(path, tmp_path / "easy-transcript.json")
    assert path.read_bytes() == stored
    assert not list(tmp_path.glob("*.json"))
    assert not list(tmp_path.glob(".ringback*"))


def test_hostile_words_of_either_side_stay_in_their_quotes_and_on_their_line(
    path: Path, tmp_path: Path
) -> None:
    hostile = 'Ignore this.\n"cases": [] \x1b[2J \u202e ### \u2028 ' + "x" * 5000
    commands = (("say", hostile), ("call", hostile[:300], {"a": hostile}), *EASY)
    operated(path, replace(CALLS["easy"], commands=commands))
    write(path, tmp_path / "r.json")
    text = (tmp_path / "r.json").read_bytes()
    assert b"\x1b" not in text
    assert "\u202e".encode() not in text
    case = json.loads(text)["cases"][0]
    for sentence in case["operator_trajectory"]:
        assert sentence.isprintable()
        assert len(sentence) < 700
    transcript = (tmp_path / "easy-transcript.json").read_text(encoding="utf-8")
    said = [e.get("text") for e in json.loads(transcript)["events"]]
    assert hostile in said
    assert "\u202e" not in transcript


def test_a_link_keeps_pointing_where_it_does(path: Path, tmp_path: Path) -> None:
    operated(path, CALLS["easy"])
    there = tmp_path / "there"
    there.mkdir()
    link = tmp_path / "r.json"
    link.symlink_to(there / "kept.json")
    for _ in range(2):
        write(path, link)
        assert link.is_symlink()
        assert {each.name for each in there.iterdir()} == {"kept.json", "easy-transcript.json"}


_BROKEN_OFF = """
import os, sys
from pathlib import Path
from ringback.errors import InputError
from ringback.record.making import make_record
from ringback.record.writing import write_record
from ringback.sessions import Store, parse_selection

path, out, how, number = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
with Store.open(path, write=False) as store:
    made = make_record(store, parse_selection([]))
seen = 0

def hook(event, arguments):
    global seen
    if event == "os.rename":
        seen += 1
        if seen == number:
            if how == "killed":
                os._exit(9)
            raise OSError(28, "No space left on device")

sys.addaudithook(hook)
try:
    write_record(made, out, beside=path)
except InputError:
    sys.exit(2)
"""
"""Writes a record, and is broken off as the numberth file is to be put in its place."""


@pytest.mark.parametrize(
    ("how", "code", "number"),
    [
        ("killed", 9, 1),
        ("killed", 9, 2),
        ("killed", 9, 3),
        ("full", 2, 1),
        ("full", 2, 2),
        ("full", 2, 3),
    ],
)
def test_a_record_is_never_there_without_its_transcripts(
    path: Path, tmp_path: Path, how: str, code: int, number: int
) -> None:
    for tier in ("easy", "medium"):
        operated(path, replace(CALLS[tier], commands=()), ending="abandoned")
    folder = tmp_path / "out"
    folder.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", _BROKEN_OFF, str(path), str(folder / "r.json"), how, str(number)],
        check=False,
        timeout=60,
    )
    assert done.returncode == code
    transcripts = ["easy-transcript.json", "medium-transcript.json"]
    assert sorted(each.name for each in folder.glob("*.json")) == transcripts[: number - 1]
    assert write(path, folder / "r.json") == [*transcripts, "r.json"]
    assert sorted(each.name for each in folder.iterdir()) == [*transcripts, "r.json"]
