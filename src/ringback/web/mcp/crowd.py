"""Room for new clients over HTTP: of those that never said that they are gone, the longest idle go.

A client that was dropped and comes back is told that its connection is not known (404), at which it
begins a new one, as the protocol has it. Episodes are in the store and know nothing of it.
"""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["Crowd"]

_SESSION = b"mcp-session-id"


class Crowd:
    """In front of the SDK's app: at `most` connections a new one takes the place of an idle one.

    Where none is idle it is for the app to refuse.
    """

    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app, self._most = app, most
        self._asking: dict[bytes, int] = {}  # requests under way of each, the longest idle first

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        session = dict[bytes, bytes](scope["headers"]).get(_SESSION)
        if session is None:
            await self._make_room(scope)
        elif session in self._asking:
            self._asking[session] += 1
        gone = False

        async def heard(message: Message) -> None:
            nonlocal session, gone
            if message["type"] == "http.response.start":
                status: int = message["status"]
                gone = status == 404 or (scope["method"] == "DELETE" and status < 400)
                if session is None and status < 400:
                    session = dict[bytes, bytes](message["headers"]).get(_SESSION)
                    if session is not None:
                        self._asking[session] = 1
            await send(message)

        try:
            await self._app(scope, receive, heard)
        finally:
            if session is not None and session in self._asking:
                under_way = self._asking.pop(session) - 1
                if not gone:
                    self._asking[session] = under_way

    async def _make_room(self, scope: Scope) -> None:
        idle = [session for session, under_way in self._asking.items() if not under_way]
        for session in idle[: max(0, len(self._asking) - self._most + 1)]:
            del self._asking[session]
            headers = [each for each in scope["headers"] if each[0] in (b"host", b"accept")]
            ending = {**scope, "method": "DELETE", "headers": [*headers, (_SESSION, session)]}
            await self._app(ending, _nothing, _unheard)


async def _nothing() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


async def _unheard(_: Message) -> None:
    pass
