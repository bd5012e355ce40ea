"""Recordings of tau2-bench graded again and imported: simulations a second, and memory.

On the recordings beside the checkout where they are, and always on files made here: sessions of our
own, written in tau2's form and filled up to the size of real ones.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.rows import Row

__all__ = ["rows"]

_SHARED = Path(__file__).resolve().parents[2] / "shared" / "recordings"
_FILLING = 600  # characters beside each message, as real files have them of the provider's reply
_MB = 1024.0  # of the kilobytes in which a process's peak is told


def rows() -> Iterator[Row]:
    """Grade again and import; many files and one large file in little memory."""
    with tempfile.TemporaryDirectory(prefix="ringback-tau2-") as made:
        folder = Path(made)
        if _SHARED.is_dir():
            many = _copies(folder / "shared", sorted(_SHARED.glob("*-tau2.json.gz")), 20)
            yield from _rates("tau2, real files", many, folder / "real.db")
        # In a process of its own: what this one grows to would be told as its children's peak.
        subprocess.run([sys.executable, "-m", "benchmarks.regrade", made], check=True)
        few = _copies(folder / "few", [folder / "one.json.gz"], 2)
        many = _copies(folder / "many", [folder / "one.json.gz"], 20)
        yield from _rates("tau2, files made here", many, folder / "made.db")
        _, small, _ = _run("regrade", few, "--json")
        _, large, _ = _run("regrade", many, "--json")
        yield Row("tau2, 20 files, more memory than 2", (large - small) / _MB, "MB", 20)
        giant = folder / "giant.json"
        seconds, peak, graded = _run("regrade", giant, "--json")
        size = f"{giant.stat().st_size / 1e6:,.0f} MB in one file"
        yield Row("tau2, one large file, peak memory", peak / _MB, "MB", 400, note=size)
        yield Row("tau2, one large file", graded / seconds, "sim/s/core", note=f"{graded:,}")


def _rates(name: str, folder: Path, store: Path) -> Iterator[Row]:
    seconds, peak, graded = _run("regrade", folder, "--json")
    size = sum(path.stat().st_size for path in folder.iterdir()) / 1e6
    said = f"{graded:,} simulations, {size:.0f} MB packed, from the command to its end"
    yield Row(name, graded / seconds, "sim/s/core", 1000, "higher", note=said)
    yield Row(f"{name}, peak memory", peak / _MB, "MB", 200)
    seconds, *_ = _run("import", "tau2", folder, "--store", store, "--json")
    stored = store.stat().st_size / 1e6
    yield Row(f"{name}, imported", graded / seconds, "sim/s/core", note=f"{stored:.0f} MB of store")


def _run(*words: str | Path) -> tuple[float, float, int]:
    """Seconds of processor time, peak in kilobytes, and lines of output of the command."""
    command = [sys.executable, "-m", "ringback", *map(str, words)]
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(command, stdout=out)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{' '.join(command)} exited with {process.returncode}")
        out.seek(0)
        lines = out.read().count(b"\n")
    return used.ru_utime + used.ru_stime, float(used.ru_maxrss), lines


def _copies(folder: Path, files: list[Path], times: int) -> Path:
    folder.mkdir()
    for number in range(times):
        for path in files:
            (folder / f"{number}-{path.name}").symlink_to(path)
    return folder


def _simulations() -> dict[str, Any]:
    """Calls of a scripted agent on the 114 tasks of base, in tau2's form."""
    from ringback.formats.session import Session
    from ringback.formats.tau2.write import Run, results_file
    from ringback.sessions import Store
    from ringback.study.plan import plan_run
    from ringback.study.run import run_plan

    with tempfile.TemporaryDirectory() as made:
        plan = plan_run(tasks="base", agent="careless", user="rules")
        run_plan(plan, Path(made) / "s.db", done=lambda _: None)
        with Store.open(Path(made) / "s.db") as store:
            sessions = [Session(tuple(store.events(row.id))) for row in store.rows()]
    run = Run(trials=1, seed=0, at=0.0)
    found = json.loads(b"".join(results_file(run, sessions)))
    for simulation in found["simulations"]:
        for message in simulation["messages"]:
            message["raw_data"] = {"object": "made up", "filling": "filling " * (_FILLING // 8)}
    return found


def _write_giant(
    path: Path, head: dict[str, Any], entries: list[dict[str, Any]], size: int
) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write(json.dumps(head)[:-1] + ', "simulations": [')
        texts = [json.dumps(entry) for entry in entries]
        written = 0
        while file.tell() < size:
            file.write(("," if written else "") + texts[written % len(texts)])
            written += 1
        file.write("]}")


def _make(folder: Path) -> None:
    made = _simulations()
    (folder / "one.json.gz").write_bytes(gzip.compress(json.dumps(made).encode()))
    head = {name: value for name, value in made.items() if name != "simulations"}
    _write_giant(folder / "giant.json", head, made["simulations"], 300 << 20)


if __name__ == "__main__":
    _make(Path(sys.argv[1]))
