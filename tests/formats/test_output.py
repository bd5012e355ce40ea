"""An export is there whole or not at all."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ringback.errors import InputError
from ringback.formats.output import STDOUT, write


def breaks() -> Iterator[bytes]:
    yield b"half"
    raise InputError("The rest cannot be made.")


def test_until_the_last_piece_the_file_is_as_it_was(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.write_bytes(b"before")
    with pytest.raises(InputError, match="The rest"):
        write(out, breaks())
    assert out.read_bytes() == b"before"
    write(out, [b"a", b"b"])
    assert out.read_bytes() == b"ab"
    assert list(tmp_path.iterdir()) == [out]


def left_by(tmp_path: Path, *, dead: bool) -> list[Path]:
    """What a process that was writing `out` has left beside it: killed, or alive until we are."""
    program = f"""
import sys, time
from pathlib import Path
from ringback.replacing import replacing
with replacing(Path({str(tmp_path / "out")!r})) as file:
    file.write(b"half")
    file.flush()
    print("begun", flush=True)
    sys.stdin.read()
"""
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"begun\n"
    found = [each for each in tmp_path.iterdir() if each.name != "out"]
    if dead:
        process.kill()
        process.communicate(timeout=60)
        return found
    # Another one writes the same file meanwhile: neither takes the other's away.
    write(tmp_path / "out", [b"ours"])
    assert (tmp_path / "out").read_bytes() == b"ours"
    process.communicate(timeout=60)
    assert process.returncode == 0
    return found


def test_what_a_killed_process_left_goes_with_the_next_of_the_same_file(tmp_path: Path) -> None:
    out = tmp_path / "out"
    (left,) = left_by(tmp_path, dead=True)
    assert left.read_bytes() == b"half"
    write(tmp_path / "other", [b"x"])
    assert left.exists()
    write(out, [b"after"])
    assert sorted(tmp_path.iterdir()) == [tmp_path / "other", out]


def test_two_that_write_one_file_do_not_take_away_each_others(tmp_path: Path) -> None:
    assert len(left_by(tmp_path, dead=False)) == 1
    assert [(each.name, each.read_bytes()) for each in tmp_path.iterdir()] == [("out", b"half")]


def test_a_name_as_long_as_a_name_can_be(tmp_path: Path) -> None:
    out = tmp_path / ("\U0001f399" * 63)
    write(out, [b"x"])
    assert out.read_bytes() == b"x"


def test_a_link_keeps_pointing_where_it_does(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"before")
    link.symlink_to(target)
    write(link, [b"after"])
    assert link.is_symlink()
    assert target.read_bytes() == b"after"


def test_a_link_that_leads_to_itself_is_refused_and_stays(tmp_path: Path) -> None:
    loop, other = tmp_path / "loop", tmp_path / "other"
    loop.symlink_to(other)
    other.symlink_to(loop)
    for beside in (None, tmp_path / "store.db"):
        with pytest.raises(InputError, match=r"loop.*symbolic links"):
            write(loop, [b"new"], beside=beside)
    assert loop.is_symlink()
    assert other.is_symlink()


@pytest.mark.parametrize("name", ["no/such/folder/out", "."])
def test_where_nothing_can_be_written(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="-o"):
        write(tmp_path / name, [b"x"])


def test_the_store_is_not_written_over(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    store.write_bytes(b"kept")
    (tmp_path / "link").symlink_to(store)
    for name in ("s.db", "link"):
        with pytest.raises(InputError, match="session store"):
            write(tmp_path / name, [b"x"], beside=store)
    for end in ("-wal", "-shm", "-journal"):
        with pytest.raises(InputError, match="session store"):
            write(tmp_path / f"s.db{end}", [b"x"], beside=store)
    assert store.read_bytes() == b"kept"


def test_a_device_is_written_to() -> None:
    write(Path("/dev/null"), [b"x"])


def test_standard_output(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    write(STDOUT, [b"\xe2\x82\xac", b"!"])
    assert capfdbinary.readouterr().out == "€!".encode()


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_who_may_read_it_stays_as_it_was(tmp_path: Path, mode: int) -> None:
    out = tmp_path / "out"
    out.write_bytes(b"before")
    out.chmod(mode)
    write(out, [b"after"])
    assert (out.read_bytes(), out.stat().st_mode & 0o777) == (b"after", mode)


def test_a_database_is_not_replaced(tmp_path: Path) -> None:
    out = tmp_path / "another.db"
    with closing(sqlite3.connect(out)) as file, file:
        file.execute("CREATE TABLE a (b)")
    before = out.read_bytes()
    with pytest.raises(InputError, match="SQLite database"):
        write(out, [b"lost"])
    assert out.read_bytes() == before
