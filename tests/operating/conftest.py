"""The desk from the shell: commands of the program, called in this process for speed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ringback.cli import main


class Done(NamedTuple):
    """What a command came to."""

    code: int
    out: str
    err: str


class Shell:
    """Commands over one store."""

    def __init__(self, store: Path, heard: pytest.CaptureFixture[str]) -> None:
        self.store, self._heard = store, heard
        self.transcript = ""
        """All that was printed so far."""

    def __call__(self, *words: str) -> Done:
        """Run ``ringback WORDS``, over the store where the command has one."""
        code = main([*words, "--store", str(self.store)])
        return self._done(code)

    def bare(self, *words: str) -> Done:
        """Run ``ringback WORDS`` as they are."""
        return self._done(main(list(words)))

    def _done(self, code: int) -> Done:
        out, err = self._heard.readouterr()
        self.transcript += out + err
        assert "Traceback" not in err
        return Done(code, out, err)

    def operate(self, *words: str) -> Done:
        """Run ``ringback operate WORDS``."""
        return self("operate", *words)

    def seen(self, *words: str) -> dict[str, Any]:
        """What ``ringback operate WORDS --json`` prints; it has to succeed."""
        done = self.operate(*words, "--json")
        assert (done.code, done.err) == (0, ""), done
        return json.loads(done.out)

    def refused(self, *words: str) -> str:
        """The sentence with which ``ringback operate WORDS`` refuses."""
        done = self.operate(*words)
        assert (done.code, done.out) == (2, ""), done
        assert len(done.err.splitlines()) == 1, done.err
        return done.err


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    """The shell over a store that is not there yet."""
    return Shell(tmp_path / "calls.db", capsys)
