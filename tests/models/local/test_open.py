"""Names of local models: what is meant, and what to do where it is not there."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from ringback.episode.wire import Message, Request, Text
from ringback.errors import InputError
from ringback.models.local import open_local
from ringback.models.local.hub import find, on_disk
from ringback.models.protocol import ModelEntry


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty Hugging Face cache."""
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path / "hub"


def snapshot(hub: Path, repo: str, *files: str, revision: str = "abc", main: bool = True) -> Path:
    """A repository in the cache with these files, empty ones."""
    home = hub / f"models--{repo.replace('/', '--')}"
    place = home / "snapshots" / revision
    place.mkdir(parents=True)
    for file in files:
        (place / file).touch()
    if main:
        (home / "refs").mkdir()
        (home / "refs" / "main").write_text(revision)
    return place


def refusal(name: str, entry: ModelEntry | None = None) -> str:
    with pytest.raises(InputError) as problem:
        open_local(name, entry)
    assert "\n" not in str(problem.value)
    return str(problem.value)


def test_smollm2_that_is_not_there_says_how_to_fetch_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert "ringback models fetch smollm2" in refusal("local:smollm2")


def test_a_name_that_is_none(hub: Path) -> None:
    for name in ("local:smolm2", "local:a/b/c", "local:", "local:../x"):
        assert refusal(name)
    assert "local:ORG/NAME" in refusal("local:smolm2")


class TestHub:
    def test_a_model_that_is_not_there_says_which_command_fetches_it(self, hub: Path) -> None:
        said = refusal("local:Qwen/Qwen2.5-3B-Instruct")
        assert str(hub) in said
        assert said.endswith("hf download Qwen/Qwen2.5-3B-Instruct")

    def test_one_that_came_only_partly_says_what_is_missing(self, hub: Path) -> None:
        place = snapshot(hub, "a/b", "config.json", "one.safetensors")
        index = {"weight_map": {"x": "one.safetensors", "y": "two.safetensors"}}
        (place / "model.safetensors.index.json").write_bytes(msgspec.json.encode(index))
        said = refusal("local:a/b")
        assert "two.safetensors is missing" in said
        assert "hf download a/b" in said

    def test_a_link_to_nothing_is_missing_too(self, hub: Path) -> None:
        place = snapshot(hub, "a/b", "config.json")
        (place / "model.safetensors").symlink_to(hub / "gone")
        assert "model.safetensors is missing" in refusal("local:a/b")

    def test_the_snapshot_that_main_names_is_taken(self, hub: Path) -> None:
        snapshot(hub, "a/b", "x.gguf", revision="one")
        os.utime(hub / "models--a--b" / "snapshots" / "one", (1, 1))
        (hub / "models--a--b" / "snapshots" / "two").mkdir()
        assert find("a/b").revision == "one"

    def test_without_it_the_newest(self, hub: Path) -> None:
        old = snapshot(hub, "a/b", "x.gguf", revision="old", main=False)
        os.utime(old, (1, 1))
        snapshot(hub, "a/b", "x.gguf", revision="new", main=False)
        assert find("a/b").revision == "new"

    def test_one_of_several_files_is_named(self, hub: Path) -> None:
        place = snapshot(hub, "a/b", "m-Q4_K_M.gguf", "m-Q8_0.gguf", "mmproj-f16.gguf")
        said = refusal("local:a/b")
        assert "m-Q4_K_M.gguf, m-Q8_0.gguf" in said
        assert "local:a/b:m-Q4_K_M" in said
        assert find("a/b:q8_0").gguf == place / "m-Q8_0.gguf"
        assert "no GGUF file like 'Q2'" in refusal("local:a/b:Q2")

    def test_a_model_in_parts_is_its_first(self, hub: Path) -> None:
        parts = [f"m-0000{part}-of-00002.gguf" for part in (1, 2)]
        place = snapshot(hub, "a/b", *parts)
        assert find("a/b").gguf == place / parts[0]

    def test_lists_what_can_be_named(
        self, hub: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        snapshot(hub, "a/one", "x.gguf")
        snapshot(hub, "a/two", "x-Q4.gguf", "x-Q8.gguf")
        for repo, kind in (("b/talks", "QwenForCausalLM"), ("b/embeds", "BertModel")):
            place = snapshot(hub, repo, "model.safetensors")
            (place / "config.json").write_bytes(msgspec.json.encode({"architectures": [kind]}))
        snapshot(hub, "c/empty")
        assert on_disk() == [
            "local:a/one",
            "local:a/two:x-Q4",
            "local:a/two:x-Q8",
            "local:b/talks",
        ]

    def test_weights_found_there_are_used(self, hub: Path, smollm2: Path) -> None:
        pytest.importorskip("xllamacpp")
        place = snapshot(hub, "org/small")
        (place / "small-Q4_1.gguf").symlink_to(smollm2)
        model = open_local("local:org/small", None)
        assert model.identity["model"] == "small-Q4_1.gguf"
        request = Request("", (Message("user", (Text("Hi"),)),), settings={"max_tokens": 2})
        assert asyncio.run(model.ask(request, seconds=60)).message is not None


class TestEntries:
    def test_a_context_longer_than_trained_is_refused(self, home: None) -> None:
        said = refusal("mine", ModelEntry("local:smollm2", context=10_000))
        assert "8,192" in said
        assert "10,000" in said

    @pytest.mark.parametrize("threads", [0, -1, "many", 1.5, True])
    def test_threads_that_cannot_be_are_refused(self, home: None, threads: object) -> None:
        settings = {"threads": threads}
        assert "threads" in refusal("mine", ModelEntry("local:smollm2", settings=settings))  # pyright: ignore[reportArgumentType]


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, **environment},
    )


def test_opening_loads_no_library(home: None) -> None:
    done = run(
        "import sys\n"
        "from ringback.models.local import open_local\n"
        "open_local('local:smollm2', None).identity\n"
        "heavy = {'xllamacpp', 'torch', 'transformers', 'numpy'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    assert done.returncode == 0, done.stderr


def test_too_little_memory_is_said_before_anything_is_loaded(home: None) -> None:
    done = run(
        "import resource\n"
        "from ringback.errors import InputError\n"
        "from ringback.models.local import open_local\n"
        "model = open_local('local:smollm2', None)\n"
        "resource.setrlimit(resource.RLIMIT_AS, (300_000_000, 300_000_000))\n"
        "try:\n"
        "    model.ready()\n"
        "except InputError as problem:\n"
        "    print(problem)\n"
    )
    assert done.returncode == 0, done.stderr
    assert "needs about 0.5 GB of memory" in done.stdout


def test_a_missing_runtime_says_what_to_install(home: None) -> None:
    done = run(
        "import sys\n"
        "sys.modules['xllamacpp'] = None\n"
        "from ringback.errors import InputError\n"
        "from ringback.models.local import open_local\n"
        "model = open_local('local:smollm2', None)\n"
        "try:\n"
        "    model.ready()\n"
        "except InputError as problem:\n"
        "    print(problem)\n"
    )
    assert "pip install 'ringback[local]'" in done.stdout, done.stderr
