"""Files as strangers hand them over: each is read, or refused in one sentence."""

from __future__ import annotations

import gzip
import os
import time
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from ringback.formats.files import TooLarge, Unreadable, chunks, read_bytes

TEXT = b'{"a": 1}' * 1000


def packed(data: bytes) -> bytes:
    """The same bytes whenever it is made: they stand in the names of tests."""
    return gzip.compress(data, mtime=0)


def refused(path: Path) -> str:
    with pytest.raises(Unreadable) as found:
        read_bytes(path)
    assert "\n" not in str(found.value)
    return str(found.value)


def put(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    "data",
    [
        TEXT,
        b"\xef\xbb\xbf" + TEXT,
        packed(TEXT),
        packed(TEXT[:100]) + packed(TEXT[100:]),
        packed(TEXT) + b"\0" * 512,
        packed(TEXT[:100]) + b"\0" * 3 + packed(TEXT[100:]),
    ],
    ids=["plain", "mark", "gzip", "members", "padded", "apart"],
)
def test_what_is_whole_is_read(tmp_path: Path, data: bytes) -> None:
    assert read_bytes(put(tmp_path / "x", data)) == TEXT


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is empty"),
        (packed(b""), "is empty"),
        (packed(TEXT)[:-20], "cut off"),
        (packed(TEXT)[:5], "cut off"),
        (packed(TEXT)[:20] + b"\xff" * 40, "damaged"),
        (packed(TEXT) + b"what?", "something else"),
        (packed(TEXT) + b"\0" * (3 << 20) + b"what?", "something else"),
        (packed(packed(TEXT)), "gzip within gzip"),
        (TEXT.decode().encode("utf-16"), "UTF-16"),
        (TEXT.decode().encode("utf-16-le"), "not UTF-8"),
        (b"PK\x03\x04" + TEXT, "zip"),
        (b"PAR1" + TEXT, "Parquet"),
    ],
)
def test_what_is_not_is_refused_in_a_sentence(tmp_path: Path, data: bytes, words: str) -> None:
    assert words in refused(put(tmp_path / "x", data))


def _folder(path: Path) -> None:
    path.mkdir()


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _loop(path: Path) -> None:
    path.symlink_to(path)


def _dangling(path: Path) -> None:
    path.symlink_to("nowhere")


def _endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _nothing(_: Path) -> None:
    pass


@pytest.mark.parametrize("make", [_folder, _pipe, _loop, _dangling, _endless, _nothing])
def test_what_is_no_file_is_refused_at_once(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "x")
    refused(tmp_path / "x")


def test_a_bomb_is_refused_in_little_memory(tmp_path: Path) -> None:
    packer = zlib.compressobj(9, wbits=31)
    block = b" " * (1 << 20)
    data = b"".join(packer.compress(block) for _ in range(80)) + packer.flush()
    path = put(tmp_path / "bomb.gz", data)
    tracemalloc.start()
    try:
        with pytest.raises(Unreadable, match="as no recording"):
            for _ in chunks(path):
                pass
        assert tracemalloc.get_traced_memory()[1] < 10 << 20
    finally:
        tracemalloc.stop()


def test_many_small_members_take_time_that_grows_with_them(tmp_path: Path) -> None:
    path = put(tmp_path / "x.gz", packed(b"") * 600_000 + packed(TEXT))
    began = time.process_time()
    assert read_bytes(path) == TEXT
    assert time.process_time() - began < 4  # it was eight seconds


def test_more_than_is_wanted_at_once_is_told_apart(tmp_path: Path) -> None:
    path = put(tmp_path / "x.gz", packed(TEXT))
    with pytest.raises(TooLarge):
        read_bytes(path, most=len(TEXT) - 1)
    assert b"".join(chunks(path)) == TEXT
