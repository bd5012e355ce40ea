"""Files that are no store, cannot be written, or have no room: one sentence, nothing lost."""

from __future__ import annotations

import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from ringback.errors import StoreError
from ringback.sessions import Store
from tests.sessions.made import begun, can_be_powerless, ended, python, turn

READ = """
import sys
from tests.sessions.made import *
from ringback.errors import StoreError
try:
    with Store.open(sys.argv[1], write=False) as store:
        for row in store.rows():
            print(row.ending, len(store.events(row.id)))
except StoreError as problem:
    print(problem)
"""

WRITE = """
import sys
from tests.sessions.made import *
from ringback.errors import StoreError
try:
    with Store.open(sys.argv[1]) as store:
        begun(store, 9)
    print("wrote")
except StoreError as problem:
    print(problem)
"""

FILL = """
import resource, sys
from tests.sessions.made import *
from ringback.errors import StoreError
from ringback.episode.events import Note
if len(sys.argv) > 2:
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, resource.RLIM_INFINITY))
store = Store.open(sys.argv[1])
session = begun(store).start.session
seq = 1
try:
    while seq < 1000:
        notes = [Note(seq=seq, cause=0, what="x" * 9000), Note(seq=seq + 1, cause=0, what="y")]
        store.append(session, notes)
        seq += 2
except StoreError as problem:
    print(problem)
if len(sys.argv) > 2:
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    store.append(session, notes)
    seq += 2
assert len(store.events(session)) == seq
store.close()
with Store.open(sys.argv[1], write=False) as store:
    print(len(store.events(session)) == seq)
"""


def refusal(path: Path, **how: bool) -> str:
    with pytest.raises(StoreError) as refused:
        Store.open(path, **how)
    sentence = str(refused.value)
    assert sentence[0].isupper() or sentence.startswith("/")
    assert sentence.endswith(".")
    assert "\n" not in sentence
    return sentence


def test_a_store_is_made_with_its_folder_only_when_asked(tmp_path: Path) -> None:
    path = tmp_path / "a ?#%" / "b\u00e9" / "store.db"
    for how in ({"create": False}, {"write": False}):
        assert "There is no session store at" in refusal(path, **how)
        assert not path.parent.exists()
    Store.open(path).close()
    with Store.open(path, create=False) as store:
        ended(store)
    assert [item.name for item in path.parent.iterdir()] == ["store.db"]


def test_a_folder_is_no_store(tmp_path: Path) -> None:
    assert "is a folder" in refusal(tmp_path)


def test_a_file_where_the_folder_should_be_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    assert "cannot be opened: " in refusal(tmp_path / "file" / "store.db")


@pytest.mark.parametrize("content", [b"x", b"name,value\n" * 1000, b"\0" * 5000])
def test_another_file_is_refused_and_left_as_it_was(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    for how in ({}, {"create": False}, {"write": False}):
        assert "is not a session store but some other file" in refusal(path, **how)
    assert path.read_bytes() == content


@pytest.mark.parametrize("script", ["CREATE TABLE t (a)", "PRAGMA application_id = 7"])
def test_another_programs_database_is_refused_and_left_as_it_was(path: Path, script: str) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as raw, raw:
        raw.execute(script)
    raw.close()
    before = path.read_bytes()
    for how in ({}, {"create": False}, {"write": False}):
        assert "another program's database" in refusal(path, **how)
    assert path.read_bytes() == before


def test_an_empty_file_becomes_a_store(path: Path) -> None:
    path.parent.mkdir()
    path.touch()
    assert "is empty; run something first" in refusal(path, write=False)
    with Store.open(path) as store:
        ended(store)


def test_a_store_from_a_newer_version_is_refused(path: Path) -> None:
    Store.open(path).close()
    with closing(sqlite3.connect(path)) as raw, raw:
        raw.execute("INSERT INTO migrations VALUES (999, 'from tomorrow', 0, '99.0')")
    raw.close()
    for how in ({}, {"write": False}):
        assert "newer Ringback (its layout is 999, this one knows up to" in refusal(path, **how)


def test_a_damaged_store_is_said_not_guessed_at(path: Path) -> None:
    with Store.open(path) as store:
        for trial in range(50):
            ended(store, trial)
        ids = [row.id for row in store.rows()]
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(StoreError, match="is damaged"), Store.open(path, write=False) as store:
        list(map(store.events, ids))
    path.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    with pytest.raises(StoreError, match="is damaged"), Store.open(path) as store:
        list(store.rows())


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        ("UPDATE events SET body = x'7b7d' WHERE seq = 1", "cannot be read"),
        ("UPDATE events SET body = x'ff' WHERE seq = 1", "cannot be read"),
        ("DELETE FROM events WHERE seq = 1", "Event 1 of session .* is missing"),
        ("DELETE FROM events WHERE seq = 0", "Event 0 of session .* is missing"),
    ],
)
def test_events_that_were_tampered_with_are_said(path: Path, script: str, sentence: str) -> None:
    with Store.open(path) as store:
        session = ended(store).start.session
        with closing(sqlite3.connect(path)) as raw, raw:
            raw.execute(script)
        raw.close()
        with pytest.raises(StoreError, match=sentence):
            store.events(session)


def test_reading_creates_and_changes_nothing(path: Path) -> None:
    with Store.open(path) as store:
        session = ended(store).start.session
    before = path.read_bytes()
    with Store.open(path, write=False) as store:
        assert len(store.events(session)) == 5
        with pytest.raises(StoreError, match="read-only"):
            begun(store, 1)
    assert path.read_bytes() == before


def test_reading_goes_on_beside_a_writer(path: Path) -> None:
    with Store.open(path) as writer, Store.open(path, write=False) as reader:
        episode = begun(writer)
        for count in (1, 3, 5):
            assert len(reader.events(episode.start.session)) == count
            turn(writer, episode)


@pytest.mark.skipif(not can_be_powerless(), reason="root here is bound by no permissions")
def test_a_read_only_store_can_be_read_and_says_that_it_cannot_be_written(path: Path) -> None:
    with Store.open(path) as store:
        ended(store)
    path.chmod(0o444)
    path.parent.chmod(0o555)
    try:
        assert python(READ, path, powerless=True).rest() == "user_stop 5\n"
        sentence = python(WRITE, path, powerless=True).rest()
        assert "cannot be written, the file or its folder is read-only" in sentence
    finally:
        path.parent.chmod(0o755)
    assert "cannot be written" in python(WRITE, path, powerless=True).rest()
    assert python(READ, path, powerless=True).rest() == "user_stop 5\n"
    path.chmod(0o000)
    assert "cannot be opened" in python(READ, path, powerless=True).rest()


@pytest.mark.skipif(not can_be_powerless(), reason="root here is bound by no permissions")
def test_turns_that_a_read_only_folder_keeps_from_being_merged_are_not_passed_over(
    path: Path,
) -> None:
    with Store.open(path) as store:
        ended(store)
        copy = path.parent / "copy"
        copy.mkdir()
        for name in (path.name, path.name + "-wal"):  # as a copy taken in the middle has it
            (copy / name).write_bytes((path.parent / name).read_bytes())
    copy.chmod(0o555)
    try:
        sentence = python(READ, copy / path.name, powerless=True).rest()
        assert (
            f"has unmerged turns in {path.name}-wal, and nothing can be written there" in sentence
        )
    finally:
        copy.chmod(0o755)
    assert python(READ, copy / path.name, powerless=True).rest() == "user_stop 5\n"


def test_a_file_that_may_not_grow_keeps_every_turn_before(path: Path) -> None:
    lines = python(FILL, path, "limited").rest().splitlines()
    assert "every turn before this one is kept." in lines[0]
    assert lines[1] == "True"


def test_a_full_disk_keeps_every_turn_before(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    inside = f'mount -t tmpfs -o size=600k none "{disk}" && exec "$@"'
    unshare = ["unshare", "--mount", "sh", "-c", inside, "sh"]
    try:
        subprocess.run([*unshare, "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("a small disk can be mounted only by root")
    lines = python(FILL, disk / "store.db", within=unshare).rest().splitlines()
    assert "the disk is full; make room and start again: every turn before" in lines[0]
    assert lines[1] == "True"
