"""Sessions for the tests: real episodes on the lamp, and what to begin them with."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypedDict, Unpack

from ringback.episode.episode import Episode
from ringback.episode.events import Call, Draw, Limits, Setup, Start
from ringback.episode.identity import (
    arm,
    arm_hash,
    cell_hash,
    condition,
    condition_hash,
    opening,
)
from ringback.episode.participants import Reply
from ringback.sessions import Store
from tests.lamp import LAMP

CALL = Reply(calls=(Call("flip_switch", {}),))
STOP = Reply(text="Thanks. ###STOP###")


class Digests(TypedDict):
    """What `Store.begin` wants beside the start."""

    family: str | None
    cell: str
    condition: str
    arm: str


class How(TypedDict, total=False):
    """What `start` takes beside the trial."""

    task: str
    name: str
    agent: str
    called: str
    attempt: int
    steps: int


class Process:
    """A child with pipes for its words, and ours."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._child = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.pid = self._child.pid

    def line(self) -> str:
        """The next line that it prints; '' once it is over."""
        assert self._child.stdout
        return self._child.stdout.readline()

    def go(self) -> None:
        """Give it the line that it waits for."""
        assert self._child.stdin
        self._child.stdin.write("go\n")
        self._child.stdin.flush()

    def signal(self, number: int) -> None:
        """Send a signal."""
        self._child.send_signal(number)

    def rest(self, status: int | None = 0) -> str:
        """All that it still prints; fails if it does not end with this status (None: any)."""
        try:
            output, _ = self._child.communicate(timeout=60)
        finally:
            self._child.kill()
        assert status in (None, self._child.returncode), output
        return output


def start(
    trial: int = 0,
    *,
    task: str = "dark",
    name: str = "base",
    agent: str = "scripted",
    called: str | None = None,
    attempt: int = 0,
    steps: int = 100,
) -> tuple[Start, Digests]:
    """An opening of a cell, and the digests that `Store.begin` wants with it."""
    who = condition(LAMP, Setup("caller", "1"), Limits(steps=steps))
    what = arm(LAMP, Setup(agent, "1", {} if called is None else {"as": called}), "short")
    draw = Draw(task, trial, 7)
    hashes: Digests = {
        "family": LAMP.task(task).family,
        "cell": cell_hash(who, what, name, draw),
        "condition": condition_hash(who),
        "arm": arm_hash(what),
    }
    opened = opening(LAMP, who, what, name, draw, attempt=attempt, at=100.0 + trial)
    return opened, hashes


def begun(store: Store, trial: int = 0, **how: Unpack[How]) -> Episode:
    """An episode whose start is recorded; its id is ``.start.session``."""
    opened, hashes = start(trial, **how)
    assert store.begin(opened, **hashes)
    return Episode(opened, LAMP)


def turn(store: Store, episode: Episode, reply: Reply = CALL) -> None:
    """One turn of whoever is to act, recorded."""
    store.append(episode.start.session, episode.take(reply, seconds=0.5, at=200.0))


def ended(store: Store, trial: int = 0, **how: Unpack[How]) -> Episode:
    """A whole session: one call, then the caller hangs up."""
    episode = begun(store, trial, **how)
    turn(store, episode)
    turn(store, episode, STOP)
    return episode


def python(
    code: str, *arguments: object, powerless: bool = False, within: Sequence[str] = ()
) -> Process:
    """A Python process running this code, `within` another command.

    `powerless`: bound by file permissions even as root.
    """
    command = [sys.executable, "-c", code, *map(str, arguments)]
    if powerless and os.geteuid() == 0:
        command = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", *command]
    command = [*within, *command]
    root = str(Path(__file__).resolve().parents[2])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([root, *filter(None, sys.path)])}
    return Process(command, environment)


def can_be_powerless() -> bool:
    """Whether a process here can be bound by file permissions."""
    return os.geteuid() != 0 or shutil.which("setpriv") is not None
