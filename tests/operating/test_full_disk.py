"""A disk that is full, and a mount that is read-only: what only reads goes on there."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import PROGRAM, environment

PLAYS = """
set -e
mount -t tmpfs -o size=4m none "$1"
cd "$1"
"$2" operate start 2 --store s.db >/dev/null
dd if=/dev/zero of=fill bs=1k 2>/dev/null || true
"$2" operate look --only stands --store s.db
"$2" operate list --store s.db
"$2" operate say Hello --store s.db && exit 7 || test $? = 2
rm fill
mount -o remount,ro "$1"
"$2" operate look --only stands --store s.db
"$2" operate list --store s.db
echo all of it
"""


def test_look_and_list_read_on_a_full_disk_and_a_read_only_mount(tmp_path: Path) -> None:
    alone = ["unshare", "--map-root-user", "--mount"]
    mounts = [*alone, "mount", "-t", "tmpfs", "none", str(tmp_path)]
    if shutil.which("unshare") is None or subprocess.run(mounts, capture_output=True).returncode:
        pytest.skip("no file system of its own can be mounted here")
    done = subprocess.run(
        [*alone, "sh", "-c", PLAYS, "sh", str(tmp_path), PROGRAM],
        env=environment(),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done
    assert done.stdout.count("your turn") == 4
    assert done.stdout.endswith("all of it\n")
    assert len(done.stderr.splitlines()) == 1
