"""A program that starts another and writes down every byte of its standard streams.

``python tee.py LOG PROGRAM ARGUMENTS...``; in LOG.in, LOG.out and LOG.err stand what went to the
program and what came from it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path


def _copy(source: int, target: int, log: str) -> None:
    with Path(log).open("ab", buffering=0) as kept:
        while chunk := os.read(source, 65536):
            kept.write(chunk)
            while chunk:
                chunk = chunk[os.write(target, chunk) :]


def main(log: str, *command: str) -> int:
    pipe = subprocess.PIPE
    program = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe)
    assert program.stdin is not None
    assert program.stdout is not None
    assert program.stderr is not None

    def end(number: int, frame: object) -> None:
        program.terminate()

    signal.signal(signal.SIGTERM, end)

    def forward() -> None:
        assert program.stdin is not None
        _copy(0, program.stdin.fileno(), f"{log}.in")
        program.stdin.close()

    threading.Thread(target=forward, daemon=True).start()
    out = threading.Thread(target=_copy, args=(program.stdout.fileno(), 1, f"{log}.out"))
    err = threading.Thread(target=_copy, args=(program.stderr.fileno(), 2, f"{log}.err"))
    out.start()
    err.start()
    out.join()
    err.join()
    return program.wait()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
