"""The process from which `tests.warm` forks programs. Run as a script, with a socket as its number.

It imports all of Ringback once. For each message it forks, and what is forked becomes the installed
program: its folder, variables, streams and words are those it is given, it runs the script that
`ringback` is, and it ends as any interpreter does.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import io
import json
import os
import pkgutil
import runpy
import select
import signal
import socket
import sys
import threading
from typing import Any, TextIO

USED_LATE = (
    "matplotlib.backends.backend_svg",
    "matplotlib.figure",
    "mcp.server",
    "numpy.random",
    "pyarrow.parquet",
    "uvicorn",
)
"""What Ringback imports within functions, and takes longest to load."""


def load() -> None:
    """Import whatever a command may; what is not installed here is left out."""
    sys.path.pop(0)  # this script's folder, which is on no program's path
    import ringback

    names = [each.name for each in pkgutil.walk_packages(ringback.__path__, "ringback.")]
    for name in (*names, *USED_LATE):
        if not name.endswith("__main__"):
            with contextlib.suppress(ImportError):
                importlib.import_module(name)
    gc.collect()
    gc.freeze()


def serve(link: socket.socket) -> dict[str, Any]:
    """Fork for every message, and return in what was forked; end when nobody is there to ask.

    Of each child its number goes to whoever asked for it and, once it has ended, its exit code.
    Until that was heard its number is nobody else's, as with a child of the asker's own.
    """
    heard = signal.signal(signal.SIGINT, signal.SIG_IGN)
    wake, end = socket.socketpair()
    for each in (wake, end):
        each.setblocking(False)
    signal.signal(signal.SIGCHLD, heed)
    signal.set_wakeup_fd(end.fileno(), warn_on_full_buffer=False)
    running: dict[int, socket.socket] = {}
    told: dict[int, socket.socket] = {}
    while True:
        ready, _, _ = select.select([link, wake, *told.values()], [], [])
        for child in [child for child, asker in told.items() if asker in ready]:
            told.pop(child).close()
            os.waitpid(child, 0)
        if wake in ready:
            wake.recv(4096)
            for child, asker in list(running.items()):
                if os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT | os.WNOHANG):
                    told[child] = running.pop(child)
                    with contextlib.suppress(ConnectionError):
                        asker.send(str(code_of(child)).encode())
        if link not in ready:
            continue
        message, handed, _, _ = socket.recv_fds(link, 1 << 20, 4)
        if not message:
            sys.exit()
        asked: dict[str, Any] = json.loads(message)
        *streams, number = handed
        asker = socket.socket(fileno=number)
        if (child := os.fork()) == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.signal(signal.SIGINT, heard)
            for each in (link, wake, end, asker, *running.values(), *told.values()):
                each.close()
            take(streams)
            return asked
        if asked["group"]:
            with contextlib.suppress(OSError):  # it has done so itself
                os.setpgid(child, child)
        for stream in streams:
            os.close(stream)
        running[child] = asker
        with contextlib.suppress(ConnectionError):
            asker.send(str(child).encode())


def heed(number: int, frame: object) -> None:
    """Have the signal wake what waits; the default would not."""


def code_of(child: int) -> int:
    """The exit code of a child that has ended and is still to be waited for."""
    found = os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    assert found is not None
    return found.si_status if found.si_code == os.CLD_EXITED else -found.si_status


def take(streams: list[int]) -> None:
    """Have these as standard input, output and error, wrapped as the interpreter wraps them."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.stdin = sys.__stdin__ = open(0, encoding=sys.stdin.encoding, closefd=False)  # noqa: SIM115
    sys.stdout = sys.__stdout__ = over(1, sys.stdout)
    sys.stderr = sys.__stderr__ = over(2, sys.stderr)


def over(number: int, like: Any) -> TextIO:
    """A stream to write to, as the one before was for this interpreter."""
    raw = io.FileIO(number, "w", closefd=False)
    return io.TextIOWrapper(
        raw if like.write_through else io.BufferedWriter(raw),  # pyright: ignore[reportArgumentType]
        like.encoding,
        like.errors,
        newline="\n",
        line_buffering=number == 2 or raw.isatty(),
        write_through=like.write_through,
    )


def leave(code: int) -> None:
    """End as the interpreter does, but for taking all its modules apart, which takes longest."""
    threading._shutdown()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    atexit._run_exitfuncs()  # pyright: ignore[reportPrivateUsage]
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    load()
    program = serve(socket.socket(fileno=int(sys.argv[1])))
    if program["group"] and os.getpgrp() != os.getpid():
        os.setpgid(0, 0)
    os.chdir(program["cwd"])
    os.environ.clear()
    os.environ.update(program["env"])
    sys.argv = program["words"]
    sys.path.insert(0, os.path.dirname(sys.argv[0]))  # noqa: PTH120
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
    except SystemExit as ended:
        if isinstance(ended.code, int):
            leave(ended.code)
        raise
