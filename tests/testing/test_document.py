"""The examples of docs/testing.md do what it says, and it names what there is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ringback.testing import FAULTS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "testing.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def test_the_first_example_prints_what_came_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(BLOCKS[0], "docs/testing.md", "exec"), {})
    first, *log = capsys.readouterr().out.splitlines()
    assert "Hello." in first
    assert log[-1].endswith("None 200 True")


def test_the_second_example_listens_until_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr("builtins.input", asked.append)
    exec(compile(BLOCKS[1].replace("port=8000", "port=0"), "docs/testing.md", "exec"), {})
    assert "listening at http://127.0.0.1:" in asked[0]


def test_every_fault_is_described() -> None:
    assert set(re.findall(r"^\| `(\w+)`", PAGE, re.MULTILINE)) == set(FAULTS)
