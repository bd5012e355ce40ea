"""Several files put in their places one after the other, once all of them are written."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path

from ringback.replacing import replacing

__all__ = ["write_together"]


def write_together(files: Sequence[tuple[Path, Callable[[], bytes]]]) -> None:
    """Write these files, which then take their places in this order, the last one last.

    Each comes with what makes its content, which is asked for when its turn has come.
    Until all are written nothing is changed, and if that fails nothing is left. Of a process that
    is killed those before are new and the rest as they were; what else it left is removed by the
    next one that writes the same last file. Only two files are open at a time. Raises `OSError`.
    """
    *others, (last, content) = files
    with replacing(last) as file:
        # Its temporary is locked for as long as we live, and stands for those of all the others.
        sign = Path(file.name)
        for folder in {path.parent for path, _ in others}:
            _sweep(folder, sign)
        staged: list[tuple[Path, Path]] = []
        try:
            for number, (path, made) in enumerate(others):
                temporary = path.with_name(f"{sign.name}.{number}")
                staged.append((temporary, path))
                with temporary.open("xb") as written:
                    written.write(made())
                with contextlib.suppress(OSError):  # there is none, or its owner is another
                    temporary.chmod(path.stat().st_mode & 0o777)
            file.write(content())
            file.flush()
            for temporary, path in staged:
                temporary.replace(path)
        except BaseException:
            for temporary, _ in staged:
                temporary.unlink(missing_ok=True)
            raise


def _sweep(folder: Path, sign: Path) -> None:
    """Remove what is left of processes that wrote the same last file and are no more."""
    mark = sign.name.rpartition("-")[0]
    for left in folder.glob(f"{mark}-*.tmp.*"):
        if not sign.with_name(left.stem).exists():
            left.unlink(missing_ok=True)
