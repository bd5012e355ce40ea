"""A store that cannot be written, or not now: one sentence, exit 2, and Ctrl-C is heard."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.cli.conftest import PROGRAM, Cli, Done, environment, refused
from tests.cli.test_stopping import LONG, ended, started
from tests.sessions.made import can_be_powerless

SMALL = ("run", "--tasks", "small", "--agent", "do-nothing")
STORE = Path(".ringback") / "ringback.db"


@contextmanager
def locked(store: Path) -> Generator[None]:
    """Hold the store's write lock, as a process in the middle of a transaction does."""
    with closing(sqlite3.connect(store, isolation_level=None, timeout=10)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("ROLLBACK")


@pytest.mark.parametrize("workers", ["1", "2"])
def test_ctrl_c_is_heard_while_the_store_is_locked(cli: Cli, tmp_path: Path, workers: str) -> None:
    process = started(tmp_path, *LONG, "--workers", workers, "--jobs", "32")
    with locked(tmp_path / STORE):
        time.sleep(0.5)
        asked = time.monotonic()
        os.killpg(process.pid, signal.SIGINT)
        out, errors = process.communicate(timeout=60)
        took = time.monotonic() - asked
    assert (process.returncode, out) == (130, "")
    assert took < 1.0
    assert len(errors.splitlines()) == 1, errors
    assert "goes on" in errors
    before = ended(tmp_path / STORE)
    done = cli("run", "--tasks", "small", "--agent", "reference")
    assert done.returncode == 0, done.stderr
    assert ended(tmp_path / STORE) >= before


IMPATIENT = """
import sys
from ringback.cli import main
from ringback.sessions import Store
Store.open.__func__.__kwdefaults__["patience"] = 1.0
sys.exit(main())
"""


def test_a_lock_is_waited_for_once_and_not_by_each_episode(cli: Cli, tmp_path: Path) -> None:
    cli(*SMALL)
    command = [sys.executable, "-c", IMPATIENT, "run", "--tasks", "full", "--jobs", "16"]
    process = subprocess.Popen(
        command,
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while ended(tmp_path / STORE) < 25:
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    with locked(tmp_path / STORE):
        began = time.monotonic()
        out, errors = process.communicate(timeout=60)
        took = time.monotonic() - began
    refused(Done(command, process.returncode, out, errors), "locked by another process for 1 s")
    assert 0.5 < took < 3


def test_a_store_locked_from_the_start(cli: Cli, tmp_path: Path) -> None:
    cli(*SMALL)
    with locked(tmp_path / STORE):
        done = subprocess.run(
            [sys.executable, "-c", IMPATIENT, *SMALL, "--seed", "1"],
            cwd=tmp_path,
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
        )
    refused(done, "ringback.db", "locked by another process")
    assert ended(tmp_path / STORE) == 20


def test_a_store_from_a_newer_version(cli: Cli, tmp_path: Path) -> None:
    cli(*SMALL)
    with closing(sqlite3.connect(tmp_path / STORE)) as connection:
        connection.execute("INSERT INTO migrations VALUES (999, 'from tomorrow', 0, '99.0')")
        connection.commit()
    before = (tmp_path / STORE).read_bytes()
    for command in (SMALL, ("sessions", "list"), ("sessions", "show", "latest")):
        refused(cli(*command), "newer Ringback", "upgrade")
    assert (tmp_path / STORE).read_bytes() == before


@pytest.mark.skipif(not can_be_powerless(), reason="root here is bound by no permissions")
def test_a_store_that_is_read_only(cli: Cli, tmp_path: Path) -> None:
    cli(*SMALL)
    store = tmp_path / STORE
    powerless: list[str] = []
    if os.geteuid() == 0:
        assert shutil.which("setpriv")
        powerless = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
    store.chmod(0o444)
    store.parent.chmod(0o555)
    try:
        for workers in ("1", "2"):
            done = subprocess.run(
                [*powerless, PROGRAM, *SMALL, "--seed", "1", "--workers", workers],
                cwd=tmp_path,
                env=environment(),
                capture_output=True,
                text=True,
                check=False,
            )
            refused(done, "ringback.db", "read-only", "--store")
        listed = subprocess.run(
            [*powerless, PROGRAM, "sessions", "list"],
            cwd=tmp_path,
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert listed.returncode == 0, listed.stderr
        assert len(listed.stdout.splitlines()) == 21
    finally:
        store.parent.chmod(0o755)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_disk_that_is_full(cli: Cli, tmp_path: Path, workers: str) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    inside = f'mount -t tmpfs -o size=500k none "{disk}" && exec "$@"'
    unshare = ["unshare", "--mount", "sh", "-c", inside, "sh"]
    try:
        subprocess.run([*unshare, "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("a small disk can be mounted only by root")
    done = subprocess.run(
        [*unshare, PROGRAM, "run", "--tasks", "base", "--store", "disk/s.db", "--workers", workers],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    refused(done, "s.db", "disk is full", "start again")
