"""Killed at any moment, a command loses nothing: the record goes on to what it would have been."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.operating.conftest import Shell
from tests.operating.test_reenacted import recorded
from tests.record.reenacted import CALLS, INVERTING


def dying(begun: Path, folder: Path, words: tuple[str, ...]) -> int:
    """Kill the command at each of its writes, each time over a copy; gives how many it has."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.operating.dying", str(begun), str(folder), *words],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return int(done.stdout)


class Case:
    """A command in an episode, and what its record is where nothing disturbs it."""

    def __init__(self, shell: Shell, before: Iterable[tuple[str, ...]], words: tuple[str, ...]):
        self.shell, self.words = shell, words
        self.store = shell.store
        for each in before:
            assert shell.operate(*each).code == 0
        self.steps = self._steps()
        self.begun = shell.store.with_name("begun.db")
        if self.store.exists():
            shutil.copy(self.store, self.begun)
        self.seen = shell.seen(*words)
        self.whole = recorded(self.store, self.seen["session"])

    def _steps(self) -> int | None:
        if not self.store.exists():
            return None
        open_ones = self.shell.seen("list", "--open")["episodes"]
        return open_ones[0]["steps"] if open_ones else None

    def deaths(self) -> int:
        """Kill it at each of its writes; how many there are."""
        return dying(self.begun, self.store.parent, ("operate", *self.words))

    def survives(self, at: int) -> None:
        """Go on as the user of a command would that died there."""
        self.shell.store = self.store.with_name(f"killed-{at}.db")
        seen = self._gone_on()
        assert (seen["state"], seen["steps"]) == (self.seen["state"], self.seen["steps"])
        assert seen["over"] == self.seen["over"]
        assert recorded(self.shell.store, self.seen["session"]) == self.whole
        (listed,) = self.shell.seen("list")["episodes"]
        over = self.seen["over"]
        assert listed["solved"] == (None if over is None else over["grade"]["solved"])

    def _gone_on(self) -> dict[str, Any]:
        if not self.shell.store.exists():
            return self.shell.seen(*self.words)
        listed = self.shell.operate("list", "--json")
        if listed.code == 2 and "is empty" in listed.err:  # it died when there were no tables yet
            return self.shell.seen(*self.words)
        there = json.loads(listed.out)["episodes"]
        if not there:
            return self.shell.seen(*self.words)
        seen = self.shell.seen("look", "--session", there[0]["session"])["stands"]
        if seen["steps"] == self.steps:  # nothing of the command was recorded
            return self.shell.seen(*self.words)
        if self.words[0] == "transfer" and seen["state"] == "yours":
            return self.shell.seen(*self.words)  # its call stands, its words do not
        return seen


@pytest.fixture
def scripted(tmp_path: Path) -> tuple[str, ...]:
    """The options for a customer that is a model and calls its phone's tools."""
    script = tmp_path / "customer.json"
    script.write_bytes(msgspec.json.encode(list(INVERTING)))
    return ("--user", f"script:{script}", "--guard", "off")


def hard(*options: str) -> tuple[str, ...]:
    return ("start", CALLS["hard"].task, *options)


ASK = ("say", CALLS["hard"].commands[0][1])
RUN = ("say", CALLS["hard"].commands[3][1])  # the customer calls two tools, and then tells
MODEL, RULES = "a model", "rules"


@pytest.mark.parametrize(
    ("user", "before", "words", "least"),
    [
        (RULES, (), hard(), 4),
        (MODEL, (), hard(), 5),
        (RULES, (hard(), ASK), RUN, 4),
        (MODEL, (hard(), ASK), RUN, 6),
        (RULES, (hard(),), ("call", "get_details_by_id", "id=L1002"), 3),
        (RULES, (hard(), ASK), ("transfer", "It is beyond me."), 5),
        (RULES, (hard(),), ("end", "Goodbye."), 3),
    ],
    ids=["start", "start-model", "say", "say-model", "call", "transfer", "end"],
)
def test_a_command_that_is_killed_at_any_write_loses_nothing(
    shell: Shell,
    scripted: tuple[str, ...],
    user: str,
    before: tuple[tuple[str, ...], ...],
    words: tuple[str, ...],
    least: int,
) -> None:
    more = scripted if user == MODEL else ()

    def with_user(command: tuple[str, ...]) -> tuple[str, ...]:
        return (*command, *more) if command[0] == "start" else command

    case = Case(shell, map(with_user, before), with_user(words))
    deaths = case.deaths()
    assert deaths >= least, "it has a write for each thing that must not be lost"
    for at in range(1, deaths + 1):
        case.survives(at)
