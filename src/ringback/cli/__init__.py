"""The command line: parse, call the library, print. `main` is the one place where errors end."""

from __future__ import annotations

import atexit
import errno
import gc
import os
import signal
import sys
from collections.abc import Sequence
from resource import RLIMIT_NOFILE, getrlimit

from ringback.cli.streams import Unwritten, drop_stdout, ready_streams

__all__ = ["main"]

_USAGE = 2
_INTERRUPTED = 130
_BROKEN_PIPE = 141
_LEAST_FILES = 16  # open at a time: the modules, a store with its log, an event loop, a report
_STOPPED = "Stopped; nothing recorded is lost, and the same command can be started again."


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    Args:
        argv: The words after the program's name; those of this process if None.

    Returns:
        0 where all went well, 1 where a check found something, 2 for anything the user can put
        right (one sentence on stderr), 3 where a run is not complete (its budget is spent, or the
        infrastructure failed) or a gate cannot tell, 130 when interrupted, 141 when the reader of
        a pipe left.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    atexit.register(gc.freeze)  # else the last thing is a look through all that was imported
    ready_streams()
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        drop_stdout()
        return _BROKEN_PIPE
    except Unwritten as lost:
        drop_stdout()
        return _refuse(str(lost))
    except KeyboardInterrupt as stop:
        return _interrupted(str(stop))
    except OSError as error:
        return _refuse(_about(error))
    return code


def _run(arguments: list[str]) -> int:
    if arguments == ["--version"]:
        from ringback import __version__

        sys.stdout.write(f"ringback {__version__}\n")
        return 0

    if arguments in ([], ["--help"], ["-h"]):
        from ringback.cli.help import first_page

        sys.stdout.write(first_page())
        return 0

    if (allowed := getrlimit(RLIMIT_NOFILE)[0]) < _LEAST_FILES:
        return _refuse(
            f"This process may have {allowed} files open at a time, and Ringback needs more; allow "
            "them with `ulimit -n 256`."
        )
    from cyclopts import CycloptsError

    from ringback.cli.app import build
    from ringback.errors import RingbackError

    try:
        result = build()(arguments, exit_on_error=False, print_error=False)
    except CycloptsError as error:
        from ringback.cli.usage import sentence

        return _refuse(sentence(error))
    except RingbackError as error:
        return _refuse(str(error))
    return result if isinstance(result, int) else 0


def _about(error: OSError) -> str:
    """What the system refused, in one sentence."""
    if error.errno == errno.EMFILE:
        return "This process may have no more files open; allow more with `ulimit -n 1024`."
    reason = error.strerror or type(error).__name__
    if error.filename is None:
        return f"The system refused: {reason}."
    return f"Cannot use {os.fsdecode(error.filename)!r}: {reason}."


def _refuse(sentence: str) -> int:
    from ringback.cli.output import complain

    complain(sentence)
    return _USAGE


def _interrupted(sentence: str) -> int:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an impatient second Ctrl-C adds nothing
    from ringback.cli.output import complain

    complain(sentence or _STOPPED)
    return _INTERRUPTED
