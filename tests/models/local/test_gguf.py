"""A model file is looked at before llama.cpp sees it: on some it would end the process."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ringback.errors import InputError
from ringback.models.local import open_local
from ringback.models.local.gguf import read_gguf


def test_reads_what_a_file_says_of_itself(smollm2: Path) -> None:
    header = read_gguf(smollm2)
    assert (header.architecture, header.quantisation) == ("llama", "Q4_1")
    assert header.context == 8192
    assert header.token_bytes == 30 * 2 * 3 * 64 * 2  # layers, keys and values, heads, width, bytes
    assert header.size == 98_362_432
    assert "<|im_end|>" in header.controls


def refused(path: Path) -> str:
    with pytest.raises(InputError) as problem:
        open_local(f"local:{path}", None)
    said = str(problem.value)
    assert "\n" not in said
    return said


class TestNoModels:
    def test_a_directory(self, tmp_path: Path) -> None:
        assert "is a directory" in refused(tmp_path)

    def test_another_kind_of_file(self, tmp_path: Path) -> None:
        file = tmp_path / "notes.gguf"
        file.write_text("Dear diary")
        assert "is not a GGUF file" in refused(file)

    def test_nothing(self, tmp_path: Path) -> None:
        (tmp_path / "empty.gguf").touch()
        assert "is not a GGUF file" in refused(tmp_path / "empty.gguf")
        assert "There is no model file" in refused(tmp_path / "gone.gguf")

    def test_a_file_that_stops_early(self, smollm2: Path, tmp_path: Path) -> None:
        cut = tmp_path / "cut.gguf"
        cut.write_bytes(smollm2.read_bytes()[:60_000_000])
        said = refused(cut)
        assert "60,000,000 of at least 98,362,432 bytes" in said
        cut.write_bytes(smollm2.read_bytes()[:1000])
        assert "damaged" in refused(cut)

    def test_a_file_without_weights(self, tmp_path: Path) -> None:
        file = tmp_path / "vocabulary.gguf"
        file.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, 0))
        assert "damaged" in refused(file)

    def test_a_version_of_tomorrow(self, tmp_path: Path) -> None:
        file = tmp_path / "new.gguf"
        file.write_bytes(b"GGUF" + struct.pack("<IQQ", 9, 1, 1))
        assert "version 9" in refused(file)

    @pytest.mark.skipif(os.getuid() == 0, reason="root may read everything")
    def test_a_file_that_is_not_ours_to_read(self, tmp_path: Path) -> None:
        file = tmp_path / "secret.gguf"
        file.write_bytes(b"GGUF")
        file.chmod(0)
        assert "cannot be read" in refused(file)


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(st.tuples(st.integers(4, 3000), st.integers(0, 255)), min_size=1, max_size=4))
def test_a_damaged_header_is_read_or_refused(
    smollm2: Path, tmp_path: Path, changes: list[tuple[int, int]]
) -> None:
    with smollm2.open("rb") as file:
        head = bytearray(file.read(4_000_000))
    for at, byte in changes:
        head[at] = byte
    changed = tmp_path / "changed.gguf"
    changed.write_bytes(head)
    os.truncate(changed, 98_362_432)
    try:
        header = read_gguf(changed)
    except InputError:
        return
    assert header.size == 98_362_432


def damaged(smollm2: Path, key: str, value: int) -> bytes:
    whole = smollm2.read_bytes()
    at = whole.index(key.encode()) + len(key) + 4
    return whole[:at] + struct.pack("<I", value) + whole[at + 4 :]


@pytest.mark.parametrize(
    ("key", "value"), [("llama.block_count", 0), ("llama.attention.head_count", 7)]
)
def test_what_ends_llama_cpp_does_not_end_us(
    smollm2: Path, tmp_path: Path, key: str, value: int
) -> None:
    pytest.importorskip("xllamacpp")
    file = tmp_path / "damaged.gguf"
    file.write_bytes(damaged(smollm2, key, value))
    model = open_local(f"local:{file}", None)
    with pytest.raises(InputError, match=r"llama.cpp cannot load .*damaged"):
        model.ready()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
