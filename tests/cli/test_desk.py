"""``ringback desk`` before anybody opens it: what it refuses, and how it starts."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

from tests import warm
from tests.warm import Done


def desk(*words: str) -> Done:
    return warm.run("desk", "--no-browser", *words, cwd=Path.cwd(), env=os.environ)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--host", "0.0.0.0"), "unencrypted"),
        (("--host", "example.org"), "is no address"),
        (("--port", "70000"), "is no port"),
        (("--case", "100000"), "has 1 to"),
        (("--tasks", "nowhere"), "nowhere"),
        (("--policy", "nowhere"), "nowhere"),
        (("--user", "nobody"), "nobody"),
        (("--domain", "nowhere"), "nowhere"),
        (("--domain", "telecom-solo"), "for recordings alone"),
        (("--as", ""), "cannot be empty"),
        (("--as", "Ada\nBob"), "has U+000A in it"),
        (("--as", "Ada\u202e"), "has U+202E in it"),
        (("--as", "A" * 81), "at most 80 characters, and this one has 81"),
        (("--seed", "-1"), "The seed -1"),
        (("--seed", "9" * 30), "The seed 999"),
        (("--trial", "99999999"), "no trial 99999999"),
        (("--steps", "0"), "a limit below 1"),
        (("--errors", "-3"), "a limit below 1"),
        (("--seconds", "nan"), "a limit below 1"),
        (("--seconds", "-1"), "a limit below 1"),
        (("--seconds", "inf"), "a finite number"),
    ],
)
def test_what_cannot_be_is_said_before_anything_is_served(
    tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    done = desk("--store", str(tmp_path / "s.db"), *words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_without_the_extra_it_says_how_to_install_it(tmp_path: Path) -> None:
    code = (
        "import importlib.util as u, sys; find = u.find_spec;"
        " u.find_spec = lambda n, *a: None if n == 'uvicorn' else find(n, *a);"
        " from ringback.cli import main; sys.exit(main(['desk']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 2
    assert "pip install 'ringback[desk]'" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("words", [("desk", "--no-browser"), ("mcp", "--http")])
def test_who_lets_others_in_is_told_what_that_means(tmp_path: Path, words: tuple[str, ...]) -> None:
    wide = ("--host", "0.0.0.0", "--port", "0", "--i-know-others-can-reach-it", "--json")
    with subprocess.Popen(
        [sys.executable, "-m", "ringback", *words, *wide],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        said = process.stderr.readline()
        assert "every address of this machine" in said
        assert "unencrypted" in said
        lines = iter(process.stdout.readline, "}\n")
        url: str = json.loads("".join(lines) + "}")["url"]
        assert httpx2.get(url).status_code in (200, 401)
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0


def test_it_prints_its_address_and_ends_at_sigterm(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "ringback", "desk", "--no-browser", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        said = "".join(process.stdout.readline() for _ in range(3))
        url: str = json.loads(said)["url"]
        assert url.startswith("http://127.0.0.1:")
        assert len(url.rpartition("/")[2]) > 40
        assert httpx2.get(url).status_code == 200
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0
        assert process.stderr.read() == ""
