"""Several processes at work: none waits for another, and what goes wrong is said as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Cli, cli, refused
from tests.study.foreign import foreign

__all__ = ["cli"]

IDLE = ("run", "--tasks", "test", "--agent", "do-nothing")


@pytest.mark.parametrize(("workers", "jobs", "most"), [(1, 12, 12), (2, 16, 16), (2, 3, 3)])
def test_as_many_episodes_are_in_flight_as_asked_for(
    cli: Cli, tmp_path: Path, workers: int, jobs: int, most: int
) -> None:
    # long enough that the second process is there before the first has played all
    act = f"await asyncio.sleep({1.5 if jobs > 12 else 0.3})"
    env, log = foreign(tmp_path, act=act)
    done = cli(*IDLE, "--workers", str(workers), "--jobs", str(jobs), env=env)
    assert done.returncode == 0, done.stderr
    turns = [line.split() for line in log.read_text().splitlines()]
    assert len({process for process, _, _ in turns}) == workers
    assert len({(process, loop) for process, loop, _ in turns}) == workers  # one for good
    assert max(int(flying) for _, _, flying in turns) == most


def test_a_slow_episode_holds_up_no_other(cli: Cli, tmp_path: Path) -> None:
    """Cells are handed out singly: beside one that takes long, the others all get played."""
    slow = "await asyncio.sleep(3 if flying == 1 and not os.path.exists('seen') else 0.01); "
    slow += "open('seen', 'w').close()"
    env, log = foreign(tmp_path, act=slow)
    done = cli(*IDLE, "--workers", "1", "--jobs", "2", env=env)
    assert done.returncode == 0, done.stderr
    assert len(log.read_text().splitlines()) == 40


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_bug_is_shown_as_what_it_is(cli: Cli, tmp_path: Path, workers: str) -> None:
    env, _ = foreign(tmp_path, take="raise KeyError('kaput')")
    done = cli(*IDLE, "--workers", workers, env=env)
    assert done.returncode == 1
    assert "KeyError: 'kaput'" in done.stderr
    assert "sitecustomize.py" in done.stderr  # where it happened
    assert "from outside" not in done.stderr


def test_a_bug_that_no_other_process_can_read_is_told_in_words(cli: Cli, tmp_path: Path) -> None:
    take = "raise type('Odd', (Exception,), {'__reduce__': lambda self: 1 / 0})('kaput')"
    env, _ = foreign(tmp_path, take=take)
    done = cli(*IDLE, "--workers", "2", env=env)
    assert done.returncode == 1
    assert "Odd: kaput" in done.stderr


@pytest.mark.parametrize(
    ("act", "says"),
    [("os.kill(os.getpid(), signal.SIGKILL)", "by signal 9"), ("os._exit(3)", "with code 3")],
)
def test_a_worker_that_is_gone_is_said(cli: Cli, tmp_path: Path, act: str, says: str) -> None:
    env, _ = foreign(tmp_path, act=act)
    refused(cli(*IDLE, "--workers", "2", env=env), says, "goes on from there")
    found = cli(*IDLE)
    assert found.returncode == 0, found.stderr
