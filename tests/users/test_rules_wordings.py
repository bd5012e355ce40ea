"""No rule hangs on the words of one recording: what only one of them says, we say ourselves too."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from ringback.users.rules.reading import read
from tests.users.recorded import agreed, only_in, said
from tests.users.wording import Wording, occurs, without, wordings

HERE = Path(__file__).parent


def own_texts() -> list[str]:
    """Every sentence that our tests of the customer say to it."""
    found: list[str] = []
    for path in sorted(HERE.glob("*.py")):
        found += [
            node.value
            for node in ast.walk(ast.parse(path.read_text("utf-8")))
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value
        ]
    for path in sorted(HERE.glob("*.jsonl")):
        found += [json.loads(line)["text"] for line in path.read_text("utf-8").splitlines()]
    return found


@pytest.fixture(scope="module")
def recordings(shared: Path) -> Path:
    folder = shared / "recordings"
    if not folder.is_dir():
        pytest.skip("the recordings (../shared/recordings) are not on this machine")
    return folder


@pytest.fixture(scope="module")
def found(recordings: Path) -> dict[Wording, set[str]]:
    """In which recordings each wording occurs."""
    return occurs(wordings(), said(recordings))


def test_a_wording_occurs_in_no_recording_in_several_or_in_our_own_words(
    found: dict[Wording, set[str]],
) -> None:
    alone = [wording for wording, names in found.items() if len(names) == 1]
    ours = occurs(alone, {"ours": own_texts()})
    assert [(w.module, w.name, w.words) for w in alone if not ours[w]] == []


def test_the_agreement_and_what_is_left_of_it_without_what_one_file_suggests(
    recordings: Path, found: dict[Wording, set[str]]
) -> None:
    turns = same = held_out = 0
    for name in said(recordings):
        one, two = agreed(recordings / name)
        turns, same = turns + one, same + two
        with without(only_in(found, name)):
            held_out += agreed(recordings / name)[1]
    assert turns == 383
    assert same / turns >= 0.93
    assert held_out / turns >= 0.90


def test_a_wording_can_be_left_out_and_comes_back() -> None:
    text = "Please power-cycle the handset."
    whole = read(text).requests
    cycle = [w for w in wordings() if w.name == "_REBOOT" and "cycl" in w.words]
    assert cycle
    with without(cycle):
        assert read(text).requests == ()
    assert read(text).requests == whole
