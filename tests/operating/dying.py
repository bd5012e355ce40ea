"""A program that runs one command again and again, killed at another moment each time.

``python -m tests.operating.dying BEGUN FOLDER WORDS`` leaves the store of each time in the folder,
``killed-1.db`` where it died just before its first write was there, and so on, each made from BEGUN
if that is there; it ends when the command had fewer writes, and prints how many it had.
"""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import signal
import sys
from collections.abc import Generator, Sequence
from itertools import count
from pathlib import Path

import sqlalchemy as sa

from ringback.cli import app, main, operate, operate_at, operate_said
from ringback.operating import Desk
from ringback.sessions.sqlite import Database
from ringback.users import llm, rules

__all__: list[str] = []

_LOADED = (Desk, app, llm, operate, operate_at, operate_said, rules)
"""What a command loads when it needs it, here once for all processes."""


def killed(store: Path, words: Sequence[str], at: int) -> bool:
    """Run the command in a process that dies before write number `at`; False if it has fewer."""
    child = os.fork()
    if not child:
        _die_at(at)
        code = 1
        with contextlib.suppress(BaseException), contextlib.redirect_stdout(io.StringIO()):
            code = main([*words, "--store", str(store)])
        os._exit(code)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return os.WTERMSIG(status) == signal.SIGKILL
    assert os.waitstatus_to_exitcode(status) == 0, status
    return False


def _die_at(at: int) -> None:
    writes, writing = count(1), Database.writing

    @contextlib.contextmanager
    def dying(self: Database, *, paid: bool = True) -> Generator[sa.Connection]:
        with writing(self, paid=paid) as connection:
            yield connection
            if next(writes) == at:
                os.kill(os.getpid(), signal.SIGKILL)

    Database.writing = dying


if __name__ == "__main__":
    begun, folder, *command = sys.argv[1:]
    for number in count(1):
        path = Path(folder) / f"killed-{number}.db"
        if Path(begun).exists():
            shutil.copy(begun, path)
        if not killed(path, command, number):
            sys.stdout.write(f"{number - 1}\n")
            break
