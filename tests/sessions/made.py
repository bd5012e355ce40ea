"""Sessions for the tests: real episodes on the lamp, and what to begin them with."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

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


def start(
    trial: int = 0,
    *,
    task: str = "dark",
    name: str = "base",
    agent: str = "scripted",
    attempt: int = 0,
    steps: int = 100,
) -> tuple[Start, dict[str, str]]:
    """An opening of a cell, and the digests that `Store.begin` wants with it."""
    who = condition(LAMP, Setup("caller", "1"), Limits(steps=steps))
    what = arm(LAMP, Setup(agent, "1"), "short")
    draw = Draw(task, trial, 7)
    hashes = {
        "family": LAMP.task(task).family,
        "cell": cell_hash(who, what, name, draw),
        "condition": condition_hash(who),
        "arm": arm_hash(what),
    }
    opened = opening(LAMP, who, what, name, draw, attempt=attempt, at=100.0 + trial)
    return opened, hashes


def begun(store: Store, trial: int = 0, **how: Any) -> Episode:
    """An episode whose start is recorded; its id is ``.start.session``."""
    opened, hashes = start(trial, **how)
    assert store.begin(opened, **hashes)
    return Episode(opened, LAMP)


def turn(store: Store, episode: Episode, reply: Reply = CALL) -> None:
    """One turn of whoever is to act, recorded."""
    store.append(episode.start.session, episode.take(reply, seconds=0.5, at=200.0))


def ended(store: Store, trial: int = 0, **how: Any) -> Episode:
    """A whole session: one call, then the caller hangs up."""
    episode = begun(store, trial, **how)
    turn(store, episode)
    turn(store, episode, STOP)
    return episode


def python(
    code: str, *arguments: object, powerless: bool = False, within: Sequence[str] = ()
) -> Any:
    """A Python process running this code, `within` another command.

    `powerless`: bound by file permissions even as root.
    """
    command = [sys.executable, "-c", code, *map(str, arguments)]
    if powerless and os.geteuid() == 0:
        command = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", *command]
    command = [*within, *command]
    root = Path(__file__).resolve().parents[2]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    return subprocess.Popen(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.PIPE,
        text=True,
    )


def can_be_powerless() -> bool:
    """Whether a process here can be bound by file permissions."""
    return os.geteuid() != 0 or shutil.which("setpriv") is not None
