"""The installed program in a process of its own, at a fraction of what starting it costs.

Most of the time of a short command goes into imports. So the first program that a test process
starts is one that imports everything and waits (`tests/warm_server.py`); the others are forked from
it. They share no state with each other or with the tests, and begin and end as processes do. What
is decided before the first import is not theirs to show: with other variables for the interpreter
than the tests have (``PYTHON...``, the locale) the program is started in the common way, and tests
about starting do so themselves. ``RINGBACK_TESTS_COLD=1`` has all started so.
"""

from __future__ import annotations

import contextlib
import json
import os
import pty
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Thread
from typing import Self, TextIO, TypeAlias

__all__ = ["PROGRAM", "Done", "Program", "close", "run", "run_in_terminal", "start"]

PROGRAM = str(Path(sys.executable).with_name("ringback"))

Done: TypeAlias = subprocess.CompletedProcess[str]
_Wait: TypeAlias = Callable[[float | None], int | None]

_AT_START = ("PYTHON", "LC_", "LANG", "TZ", "OPENBLAS_", "OMP_", "MPL")
"""How the names begin of what is read once, at the start or by an import."""


class Program:
    """A program that was started, with pipes at its streams: the part of `subprocess.Popen` used.

    The streams are text; the bytes are had from their ``buffer``.
    """

    def __init__(self, args: Sequence[str], pid: int, wait: _Wait, pipes: Sequence[int]) -> None:
        self.args, self.pid = args, pid
        self.returncode: int | None = None
        self._wait = wait
        stdin, stdout, stderr = pipes
        self.stdin: TextIO = open(stdin, "w", encoding="utf-8")  # noqa: PTH123, SIM115
        self.stdout: TextIO = open(stdout, encoding="utf-8")  # noqa: PTH123, SIM115
        self.stderr: TextIO = open(stderr, encoding="utf-8")  # noqa: PTH123, SIM115
        self._readers: list[_Reader] = []

    def poll(self) -> int | None:
        """Its exit code, minus the signal's number where one ended it; None while it runs."""
        if self.returncode is None:
            self.returncode = self._wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code, once it has ended."""
        if self.returncode is None:
            self.returncode = self._wait(timeout)
        if self.returncode is None:
            raise subprocess.TimeoutExpired(self.args, timeout or 0)
        return self.returncode

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Give it nothing more to read, and get all that it writes until it has ended."""
        with contextlib.suppress(BrokenPipeError):
            self.stdin.close()
        if not self._readers:
            self._readers = [_Reader(self.stdout), _Reader(self.stderr)]
        for reader in self._readers:
            reader.join(timeout)
            if reader.is_alive():
                raise subprocess.TimeoutExpired(self.args, timeout or 0)
        self.wait(timeout)
        out, err = (reader.text for reader in self._readers)
        return out, err

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """Kill it, unless it has ended."""
        self.send_signal(signal.SIGKILL)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(BrokenPipeError):
            self.stdin.close()
        for stream in (self.stdout, self.stderr):
            stream.close()
        self.wait()


class _Reader(Thread):
    """Reads to the end, and closes."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__(daemon=True)
        self._stream, self.text = stream, ""
        self.start()

    def run(self) -> None:
        with self._stream:
            self.text = self._stream.read()


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
        self,
        words: Sequence[str],
        cwd: Path,
        env: Mapping[str, str],
        streams: Sequence[int],
        group: bool,
    ) -> tuple[int, _Wait]:
        """Start the program; gives the number of its process, and what waits for its end."""
        told = {"words": words, "cwd": str(cwd), "env": dict(env), "group": group}
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            streams = [*streams, theirs.fileno()]
            socket.send_fds(self._link, [json.dumps(told).encode()], streams)

        def hear() -> int:
            number = ours.recv(64)
            assert number, "The process that waits has ended; what it wrote last says why."
            return int(number)

        def wait(seconds: float | None) -> int | None:
            if not select.select([ours], [], [], seconds)[0]:
                return None
            with ours:
                return hear()

        return hear(), wait

    def close(self) -> None:
        """End it."""
        self._link.close()
        self._process.wait(60)


_servers: list[_Server] = []


def start(
    *words: str, cwd: Path, env: Mapping[str, str], group: bool = False, cold: bool = False
) -> Program:
    """Start ``ringback WORDS`` in this folder, with these variables and pipes at its streams.

    On request in a process group of its own. A cold one is started in the common way.
    """
    (its_in, to_in), (out, its_out), (err, its_err) = os.pipe(), os.pipe(), os.pipe()
    command = [PROGRAM, *words]
    pid, wait = _start(command, cwd, env, (its_in, its_out, its_err), group=group, cold=cold)
    return Program(command, pid, wait, (to_in, out, err))


def run(
    *words: str, cwd: Path, env: Mapping[str, str], seconds: float = 120, cold: bool = False
) -> Done:
    """Run ``ringback WORDS`` with nothing to read; gives its exit code and what it wrote.

    What takes longer than so many seconds is killed, and is a `subprocess.TimeoutExpired`.
    """
    with start(*words, cwd=cwd, env=env, cold=cold) as program:
        try:
            out, err = program.communicate(seconds)
        except subprocess.TimeoutExpired:
            program.kill()
            program.communicate(seconds)
            raise
        return Done(program.args, program.wait(), out, err)


def run_in_terminal(*words: str, cwd: Path, env: Mapping[str, str]) -> tuple[int, str]:
    """Run ``ringback WORDS`` with a terminal for all it reads and writes; gives code and output."""
    ours, theirs = pty.openpty()
    streams = (theirs, os.dup(theirs), os.dup(theirs))
    _, wait = _start([PROGRAM, *words], cwd, env, streams, group=False, cold=False)
    written = bytearray()
    with contextlib.suppress(OSError):  # the end of a terminal
        while block := os.read(ours, 65536):
            written += block
    os.close(ours)
    code = wait(60)
    assert code is not None
    return code, written.decode()


def _start(
    command: Sequence[str],
    cwd: Path,
    env: Mapping[str, str],
    streams: Sequence[int],
    *,
    group: bool,
    cold: bool,
) -> tuple[int, _Wait]:
    """Start it with these streams, which are closed here: warm, where that makes no difference."""
    try:
        if not cold and not os.environ.get("RINGBACK_TESTS_COLD"):
            if not _servers:
                _servers.append(_Server())
            if _servers[0].at_start == _at_start(env):
                return _servers[0].start(command, cwd, env, streams, group)
        stdin, stdout, stderr = streams
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env=env,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            process_group=0 if group else None,
        )
    finally:
        for stream in streams:
            os.close(stream)

    def wait(seconds: float | None) -> int | None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.wait(seconds)
        return None

    return process.pid, wait


def _at_start(env: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in env.items() if name.startswith(_AT_START)}


def close() -> None:
    """End the process that waits, if there is one."""
    while _servers:
        _servers.pop().close()
