"""``python -m benchmarks [NAME ...]``: run the benchmarks and print one table.

Every module here that has a function `rows` takes part. Exits with 1 if a limit is not kept.
"""

from __future__ import annotations

import importlib
import os
import platform
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import cast

from benchmarks.rows import Row


def _subjects(named: list[str]) -> list[str]:
    found = sorted(
        path.stem
        for path in Path(__file__).parent.glob("*.py")
        if not path.stem.startswith("_") and path.stem != "rows"
    )
    unknown = [name for name in named if name not in found]
    if unknown:
        sys.exit(f"There is no benchmark {unknown[0]!r}; there are {', '.join(found)}.")
    return named or found


def _figure(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def main() -> int:
    """Run, print, and say whether every limit was kept."""
    from rich.console import Console
    from rich.table import Table

    console = Console(width=None if sys.stdout.isatty() else 140, highlight=False)
    console.print(
        f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}\n"
    )
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading, side in (("what", "left"), ("measured", "right"), ("limit", "right")):
        table.add_column(heading, justify="right" if side == "right" else "left", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("note", overflow="fold")
    missed = 0
    for subject in _subjects(sys.argv[1:]):
        module = importlib.import_module(f"benchmarks.{subject}")
        rows = cast("Callable[[], Iterable[Row]] | None", getattr(module, "rows", None))
        if rows is None:
            continue
        print(f"running {subject} ...", file=sys.stderr, flush=True)
        for row in rows():
            missed += row.held is False
            sign = "<=" if row.better == "lower" else ">="
            table.add_row(
                row.name,
                f"{_figure(row.value)} {row.unit}",
                "" if row.limit is None else f"{sign} {_figure(row.limit)} {row.unit}",
                {None: "", True: "ok", False: "MISSED"}[row.held],
                row.note,
            )
    console.print(table)
    if missed:
        console.print(f"\n{missed} limit{'s' if missed > 1 else ''} not kept.")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
