"""What the libraries of our servers log: one escaped line on stderr, and no words of an episode."""

from __future__ import annotations

import asyncio
import logging
import sys
import traceback

from ringback.report.plain import one_line

__all__ = ["heard"]

_LIBRARIES = ("mcp", "uvicorn", "sse_starlette", "asyncio")
_LONGEST = 300
_EXPECTED = (
    "Cancel ",
    "Invalid Host",
    "Invalid Origin",
    "Invalid HTTP request",
    "Unsupported upgrade request",
    "No supported WebSocket library",
)
"""How messages begin that say nothing: we ended on purpose, or refused a stranger.

Nobody here speaks WebSocket, so what to install for it is no advice."""
_GONE = "ClientDisconnect"
"""What Starlette raises where a client hangs up in the middle of what it sends: its own affair."""


def heard() -> None:
    """Send warnings of the libraries to stderr, a line each.

    Of an exception the kind and the place are said and not its words, in which a customer's
    scenario may stand: who talks to a server over a pipe reads its stderr too.
    """
    handler = _Lines()
    for name in _LIBRARIES:
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.setLevel(logging.WARNING)
        logger.propagate = False


class _Lines(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        said = record.getMessage()
        if said.startswith(_EXPECTED):
            return
        if record.exc_info and (problem := record.exc_info[1]) is not None:
            if isinstance(problem, asyncio.CancelledError):  # we ended on purpose
                return
            if type(problem).__name__ == _GONE:
                return
            said = f"{record.name}: {where(problem)}"
        sys.stderr.write(f"ringback: {one_line(said, _LONGEST)}\n")
        sys.stderr.flush()


def where(problem: BaseException) -> str:
    """An exception's kind and the place where it was raised, without its words."""
    frames = traceback.extract_tb(problem.__traceback__)
    place = f" in {frames[-1].name}, line {frames[-1].lineno}" if frames else ""
    module = frames[-1].filename.rpartition("/")[2] if frames else ""
    return f"{type(problem).__name__}{place}{f' of {module}' if module else ''}"
