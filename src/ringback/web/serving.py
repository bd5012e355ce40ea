"""Serving an application on a socket until it is asked to end, which takes less than a second."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Awaitable, Callable, Generator
from typing import Any, cast

from ringback.web import logs
from ringback.web.guard import App

__all__ = ["serve"]

_SECONDS_TO_END = 5.0


async def serve(
    app: App,
    listener: socket.socket,
    *,
    on_stop: Callable[[], Awaitable[None]] | None = None,
) -> None:
    """Answer requests until this is cancelled; the application's lifespan is around all of them.

    Asked to end, it first calls `on_stop`, which can cut short what requests wait for, gives
    answers a tenth of a second to go out, and then closes what is open, streams too. Signals are
    left to whoever runs this (`ringback.stopping`).
    """
    import uvicorn

    class Server(uvicorn.Server):
        """Uvicorn's, without its hands on the process's signals."""

        @contextlib.contextmanager
        def capture_signals(self) -> Generator[None]:
            yield

    logs.heard()
    server = Server(
        uvicorn.Config(
            cast("Any", app),
            access_log=False,
            log_config=None,
            server_header=False,
            http="h11",
            ws="none",
            lifespan="on",
            timeout_graceful_shutdown=0,
        )
    )
    serving = asyncio.create_task(server.serve([listener]))
    try:
        await asyncio.shield(serving)
    except asyncio.CancelledError:
        if on_stop is not None:
            await on_stop()
        server.should_exit = True
        await asyncio.wait({serving}, timeout=_SECONDS_TO_END)
        raise
    finally:
        serving.cancel()
        listener.close()
