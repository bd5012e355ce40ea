"""The installed program in a process of its own, at a fraction of what starting it costs.

Most of the time of a short command goes into imports. So the first program that a test process
starts is one that imports everything and waits (`tests/warm_server.py`); the others are forked from
it. They share no state with each other or with the tests, and begin and end as processes do. What
is decided before the first import is not theirs to show: with other variables for the interpreter
than the tests have (``PYTHON...``, the locale) the program is started in the common way, and tests
about starting, signals and pipes do so themselves. ``RINGBACK_TESTS_COLD=1`` has all started so.
"""

from __future__ import annotations

import json
import os
import pty
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import TypeAlias

__all__ = ["PROGRAM", "Done", "close", "run", "run_in_terminal"]

PROGRAM = str(Path(sys.executable).with_name("ringback"))

Done: TypeAlias = subprocess.CompletedProcess[str]

_AT_START = ("PYTHON", "LC_", "LANG", "TZ", "OPENBLAS_", "OMP_", "MPL")
"""How the names begin of what is read once, at the start or by an import."""


class _Server:
    """The one that waits, and the line to it."""

    def __init__(self) -> None:
        self.at_start = _at_start(os.environ)
        self._link, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            script = str(Path(__file__).with_name("warm_server.py"))
            self._process = subprocess.Popen(
                [sys.executable, script, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
            )

    def start(
        self, words: Sequence[str], cwd: Path, env: Mapping[str, str], streams: Sequence[int]
    ) -> int:
        """Start the program; gives the number of its process."""
        message = json.dumps({"words": words, "cwd": str(cwd), "env": dict(env)})
        socket.send_fds(self._link, [message.encode()], streams)
        return self._hear()

    def code(self) -> int:
        """The exit code of what was started, once it has ended."""
        return self._hear()

    def _hear(self) -> int:
        number = self._link.recv(64)
        assert number, "The process that waits has ended; what it wrote last says why."
        return int(number)

    def close(self) -> None:
        """End it."""
        self._link.close()
        self._process.wait(60)


_servers: list[_Server] = []
_one = Lock()


def run(
    *words: str, cwd: Path, env: Mapping[str, str], seconds: float = 120, cold: bool = False
) -> Done:
    """Run ``ringback WORDS`` in this folder, with these variables and nothing to read.

    Gives its exit code, and all that it wrote, as UTF-8. What takes longer than so many seconds is
    killed, and is a `subprocess.TimeoutExpired`. A cold one is started in the common way.
    """
    (out, to_out), (err, to_err) = os.pipe(), os.pipe()
    nothing = os.open(os.devnull, os.O_RDONLY)
    code, wrote = _run(words, cwd, env, (nothing, to_out, to_err), (out, err), seconds, cold)
    return Done([PROGRAM, *words], code, *(each.decode() for each in wrote))


def run_in_terminal(
    *words: str, cwd: Path, env: Mapping[str, str], seconds: float = 120
) -> tuple[int, str]:
    """Run ``ringback WORDS`` with a terminal for all it reads and writes; gives code and output."""
    ours, theirs = pty.openpty()
    streams = (theirs, os.dup(theirs), os.dup(theirs))
    code, (wrote,) = _run(words, cwd, env, streams, (ours,), seconds)
    return code, wrote.decode()


def _run(
    words: Sequence[str],
    cwd: Path,
    env: Mapping[str, str],
    streams: Sequence[int],
    reading: Sequence[int],
    seconds: float,
    cold: bool = False,
) -> tuple[int, list[bytes]]:
    """Run it, and read these to their ends; closes all streams."""
    command = [PROGRAM, *words]
    with _one:
        try:
            child, code = _start(command, cwd, env, streams, cold)
        finally:
            for stream in streams:
                os.close(stream)
        wrote = {stream: bytearray() for stream in reading}
        in_time = _read(wrote, seconds)
        if not in_time:
            os.kill(child, signal.SIGKILL)
        for stream in reading:
            os.close(stream)
        ended = code()
    if not in_time:
        raise subprocess.TimeoutExpired(command, seconds, *map(bytes, wrote.values()))
    return ended, [bytes(each) for each in wrote.values()]


def _start(
    command: Sequence[str], cwd: Path, env: Mapping[str, str], streams: Sequence[int], cold: bool
) -> tuple[int, Callable[[], int]]:
    """Start it, warm if that is the same; gives its number, and what waits for its exit code."""
    warm = not cold and not os.environ.get("RINGBACK_TESTS_COLD")
    if warm and not _servers:
        _servers.append(_Server())
    if warm and _servers[0].at_start == _at_start(env):
        return _servers[0].start(command, cwd, env, streams), _servers[0].code
    stdin, stdout, stderr = streams
    process = subprocess.Popen(command, cwd=cwd, env=env, stdin=stdin, stdout=stdout, stderr=stderr)
    return process.pid, process.wait


def _at_start(env: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in env.items() if name.startswith(_AT_START)}


def _read(wrote: dict[int, bytearray], seconds: float) -> bool:
    """Read from each until its end; whether that came in time."""
    until = time.monotonic() + seconds
    with selectors.DefaultSelector() as selector:
        for stream in wrote:
            selector.register(stream, selectors.EVENT_READ)
        while selector.get_map():
            if not (ready := selector.select(until - time.monotonic())):
                return False
            for key, _ in ready:
                if block := _block(key.fd):
                    wrote[key.fd] += block
                else:
                    selector.unregister(key.fd)
    return True


def _block(stream: int) -> bytes:
    try:
        return os.read(stream, 1 << 16)
    except OSError:  # the end of a terminal
        return b""


def close() -> None:
    """End the process that waits, if there is one."""
    while _servers:
        _servers.pop().close()
