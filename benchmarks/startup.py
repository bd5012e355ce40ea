"""What the command line costs before it does anything."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.rows import Row

_TIMES = 15


def _seconds(command: list[str]) -> float:
    """How long a process lives, from start to end."""
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def rows() -> Iterator[Row]:
    """Help and version beside a bare interpreter, run in turn so that they share the noise."""
    program = str(Path(sys.executable).with_name("ringback"))
    commands = {
        "bare": [sys.executable, "-c", "pass"],
        "help": [program, "--help"],
        "run": [program, "run", "--help"],
        "version": [program, "--version"],
    }
    taken: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(_TIMES):
        for name, command in commands.items():
            taken[name].append(_seconds(command))
    median = {name: statistics.median(times) for name, times in taken.items()}
    bare = f"a bare interpreter takes {median['bare']:.3f} s"
    for name, limit in (("help", 0.15), ("run", 0.15), ("version", 0.15)):
        words = "ringback run --help" if name == "run" else f"ringback --{name}"
        yield Row(
            f"{words}, above bare Python", median[name] - median["bare"], "s", limit, note=bare
        )
