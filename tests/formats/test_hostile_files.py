"""Files and folders that went wrong or mean harm: each reader says so, and reads the rest."""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from ringback.formats import Recording, Skipped, exgentic, kitaru, tau2
from tests.formats.exgentic.made import row
from tests.formats.tau2.made import result_file, solved

Read: TypeAlias = Callable[[list[Path]], Iterator[Recording | Skipped]]


def _tau2(path: Path) -> None:
    path.write_text(json.dumps(result_file([solved().simulation()])))


def _kitaru(path: Path) -> None:
    record: dict[str, Any] = {
        "status": "completed",
        "inputs": {},
        "outputs": {},
        "external_id": "x",
        "nodes": [],
    }
    path.write_text(json.dumps(record) + "\n")


def _exgentic(path: Path) -> None:
    pytest.importorskip("pyarrow")
    from ringback.formats.exgentic.write import write

    write(path, [row(1)])


def _each(read: Callable[[Path], Iterator[Recording | Skipped]]) -> Read:
    return lambda paths: (entry for path in paths for entry in read(path))


READERS = [
    pytest.param(_each(tau2.read), _tau2, ".json", id="tau2"),
    pytest.param(_each(kitaru.read), _kitaru, ".jsonl", id="kitaru"),
    pytest.param(exgentic.read, _exgentic, ".parquet", id="exgentic"),
]


def _bomb(path: Path) -> None:
    packer = zlib.compressobj(9, wbits=31)
    block = b" " * (1 << 20)
    path.write_bytes(b"".join(packer.compress(block) for _ in range(80)) + packer.flush())


BAD: dict[str, Callable[[Path], object]] = {
    "empty": lambda path: path.write_bytes(b""),
    "cut gzip": lambda path: path.write_bytes(gzip.compress(b"{}" * 500)[:-20]),
    "damaged gzip": lambda path: path.write_bytes(gzip.compress(b"{}" * 500)[:15] + b"\xff" * 40),
    "bomb": _bomb,
    "no text": lambda path: path.write_bytes(os.urandom(300)),
    "half a number": lambda path: path.write_bytes(b"PAR1"),
    "utf-16": lambda path: path.write_bytes("{}".encode("utf-16")),
    "deep": lambda path: path.write_bytes(b"[" * 200_000),
    "pipe": os.mkfifo,
    "loop": lambda path: path.symlink_to(path),
    "dangling": lambda path: path.symlink_to("nowhere"),
    "endless": lambda path: path.symlink_to("/dev/zero"),
    "link to a folder elsewhere": lambda path: path.symlink_to("/usr"),
}


def accounted(found: list[Recording | Skipped], name: str) -> None:
    """One session, and all else said in sentences that name the bad file."""
    assert sum(isinstance(entry, Recording) for entry in found) == 1
    skipped = [entry for entry in found if isinstance(entry, Skipped)]
    assert any(entry.broken and entry.source == name for entry in skipped), found
    for entry in skipped:
        assert "\n" not in entry.why
        assert name not in entry.why


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize(("read", "good", "end"), READERS)
def test_in_a_folder_it_costs_itself(
    tmp_path: Path, read: Read, good: Callable[[Path], None], end: str, bad: str
) -> None:
    BAD[bad](tmp_path / f"a{end}")
    good(tmp_path / f"b{end}")
    accounted(list(read([tmp_path])), f"a{end}")


@pytest.mark.parametrize("bad", [*(name for name in BAD if name[:4] != "link"), "missing"])
@pytest.mark.parametrize(("read", "good", "end"), READERS)
def test_named_before_a_good_one_it_costs_itself(
    tmp_path: Path, read: Read, good: Callable[[Path], None], end: str, bad: str
) -> None:
    BAD.get(bad, lambda _: None)(tmp_path / f"a{end}")
    good(tmp_path / f"b{end}")
    found = list(read([tmp_path / f"a{end}", tmp_path / f"b{end}"]))
    accounted(found, f"a{end}")


@pytest.mark.parametrize(("read", "good", "end"), READERS)
def test_a_folder_within_a_folder_is_gone_through(
    tmp_path: Path, read: Read, good: Callable[[Path], None], end: str
) -> None:
    (tmp_path / f"a{end}").mkdir()
    good(tmp_path / f"a{end}" / f"b{end}")
    (found,) = read([tmp_path])
    assert isinstance(found, Recording)


def test_a_sentence_about_a_key_of_megabytes_can_be_read(tmp_path: Path) -> None:
    node: dict[str, Any] = {"x" * 3_000_000: 1}
    whole: dict[str, Any] = {
        "status": "completed",
        "inputs": {},
        "outputs": {},
        "external_id": "x",
        "nodes": [],
    }
    needed = ("index", "node_type", "name", "status", "inputs", "outputs", "attributes")
    for record in (whole | node, whole | {"nodes": [dict.fromkeys(needed) | node]}):
        (tmp_path / "a.jsonl").write_text(json.dumps(record))
        (found,) = kitaru.read(tmp_path / "a.jsonl")
        assert isinstance(found, Skipped)
        assert found.why.startswith("it")
        assert len(found.why) < 500
