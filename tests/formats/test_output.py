"""An export is there whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator
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


def test_a_file_of_another_writer_is_not_taken_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "out", [b"before"])

    def taken(size: int | None = None) -> str:
        return "taken"

    monkeypatch.setattr("secrets.token_hex", taken)
    theirs = tmp_path / ".ringback-taken.tmp"
    theirs.write_bytes(b"half")
    with pytest.raises(InputError, match="Cannot write"):
        write(tmp_path / "out", [b"after"])
    assert theirs.read_bytes() == b"half"
    assert (tmp_path / "out").read_bytes() == b"before"


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
