"""Serving a door: to the one client at the other end of our standard streams, or over HTTP."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable

import anyio
from mcp.server.transport_security import TransportSecuritySettings

from ringback.web import logs
from ringback.web.guard import Guard, Place
from ringback.web.mcp.crowd import Crowd
from ringback.web.mcp.door import Door
from ringback.web.mcp.host import Host
from ringback.web.mcp.server import server
from ringback.web.mcp.stdio import LONGEST, standard_streams
from ringback.web.serving import serve

__all__ = ["PATH", "over_http", "over_stdio"]

PATH = "/mcp"
"""Where a server is found under its address."""

_IDLE_SECONDS = 24 * 3600.0  # of a client's connection; the episodes wait in the store for ever
_MOST_CLIENTS = 1000  # some never say that they are gone, and make room when more come
_AT_ONCE = 100  # that may come at the same moment


async def over_stdio(door: Door, host: Host, hurry: Callable[[], None]) -> None:
    """Serve the client at our stdin and stdout until it closes them, or this is cancelled.

    `hurry` ends a wait for the store, in which nothing else is heard; a thread calls it.
    """
    logs.heard()
    made = server(door, host)
    async with standard_streams(hurry) as (incoming, outgoing):
        try:
            await made.run(incoming, outgoing, made.create_initialization_options())
        except* (anyio.BrokenResourceError, anyio.ClosedResourceError):
            pass  # it is over, and one part of the SDK was ahead of another in seeing that
        finally:
            await door.close()


async def over_http(
    door: Door, host: Host, listener: socket.socket, place: Place, token: str
) -> None:
    """Serve clients that come to `place` with the token as a bearer, until this is cancelled."""
    made = server(door, host)
    app = made.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=LONGEST,
        session_idle_timeout=_IDLE_SECONDS,
        max_sessions=_MOST_CLIENTS + _AT_ONCE,
        # The guard in front decides by the same names; this is the SDK's own lock on the door.
        transport_security=_names(place),
    )
    try:
        await serve(Guard(Crowd(app, _MOST_CLIENTS), place, token), listener, on_stop=door.close)
    finally:
        await door.close()


def _names(place: Place) -> TransportSecuritySettings:
    """The names by which a server on loopback goes; elsewhere only the guard knows them."""
    names = [f"{name}:{place.port}" for name in ("127.0.0.1", "localhost", "[::1]", place.host)]
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=ipaddress.ip_address(place.host).is_loopback,
        allowed_hosts=names,
        allowed_origins=[f"http://{name}" for name in names],
    )
