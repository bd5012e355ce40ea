"""``ringback models fetch``: what it says once the weights are there."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.cli.conftest import environment
from tests.models.local.weights import CACHE, fetched

FETCH = "import sys; from ringback.cli import main; sys.exit(main(['models', 'fetch', 'smollm2']))"


def run(code: str) -> str:
    if why := fetched():
        pytest.skip(why)
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment(XDG_CACHE_HOME=str(CACHE)),
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return done.stdout


def test_it_says_what_to_try_next() -> None:
    pytest.importorskip("xllamacpp", reason="local models need the extra ringback[local]")
    said = run(FETCH)
    assert "Try it: ringback models check local:smollm2" in said
    assert "pip install" not in said


def test_without_the_extra_it_says_what_is_missing() -> None:
    said = run(f"import sys; sys.modules['xllamacpp'] = None; {FETCH}")
    assert "pip install 'ringback[local]'" in said
    assert said.splitlines()[-1] == "Then try it: ringback models check local:smollm2"
