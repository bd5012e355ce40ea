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
import signal
import socket
import sys
import threading
from typing import Any, TextIO

USED_LATE = (
    "matplotlib.backends.backend_svg",
    "matplotlib.figure",
    "numpy.random",
    "pyarrow.parquet",
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
    """Fork for every message, and return in what was forked; end when nobody is there to ask."""
    heard = signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(ConnectionError):
        while True:
            message, streams, _, _ = socket.recv_fds(link, 1 << 20, 3)
            if not message:
                break
            told: dict[str, Any] = json.loads(message)
            child = os.fork()
            if child == 0:
                link.close()
                signal.signal(signal.SIGINT, heard)
                take(streams)
                return told
            for stream in streams:
                os.close(stream)
            link.send(str(child).encode())
            _, status = os.waitpid(child, 0)
            link.send(str(os.waitstatus_to_exitcode(status)).encode())
    sys.exit()


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
