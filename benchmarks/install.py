"""What it costs to install: pip alone, nothing cached, into a new environment."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.rows import Row

_ROOT = Path(__file__).resolve().parents[1]


def rows() -> Iterator[Row]:
    """Time and size of a cold install of the product alone; nothing where no registry answers."""
    with tempfile.TemporaryDirectory(prefix="ringback-install-") as folder:
        place = Path(folder) / "venv"
        start = time.perf_counter()
        made = subprocess.run([sys.executable, "-m", "venv", str(place)], check=False)
        done = (
            made.returncode == 0
            and subprocess.run(
                [
                    *(str(place / "bin" / "python"), "-m", "pip", "install", "--no-cache-dir"),
                    *("--quiet", "--disable-pip-version-check", str(_ROOT)),
                ],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                check=False,
            ).returncode
            == 0
        )
        if not done:
            print("install: left out, since it did not succeed (no registry?)", file=sys.stderr)
            return
        yield Row("install with pip, cold", time.perf_counter() - start, "s", 60)
        size = sum(path.lstat().st_size for path in place.rglob("*") if not path.is_dir())
        yield Row("install, size of the environment", size / 2**20, "MB", 350)
