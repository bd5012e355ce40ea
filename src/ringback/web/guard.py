"""Who may talk to a server of ours on loopback: an ASGI middleware in front of everything.

Any page in a browser can send requests to loopback, and any program of the machine's other users
can. So: the Host must be ours (a foreign name that resolves to loopback is refused), what comes
from another site is refused, and without the secret that was printed where the server was started
nothing is answered. A browser exchanges the secret for a cookie; a program sends it as a bearer.
"""

from __future__ import annotations

import errno
import ipaddress
import secrets
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias

from msgspec import Struct

from ringback.errors import InputError

__all__ = ["ENTRY", "OUTSIDE", "App", "Guard", "Place", "listening", "new_token"]

_Message: TypeAlias = MutableMapping[str, Any]
_Receive: TypeAlias = Callable[[], Awaitable[_Message]]
_Send: TypeAlias = Callable[[_Message], Awaitable[None]]
App: TypeAlias = Callable[[_Message, _Receive, _Send], Awaitable[None]]
"""An ASGI application."""

ENTRY = "/open/"
"""The path under which a browser brings the token and is given its cookie."""

OUTSIDE = "--i-know-others-can-reach-it"
"""The option without which nothing listens beyond loopback."""

_NO_COOKIE = "This opens with the address that was printed at the start."
_NO_TOKEN = "This needs the token that was printed at the start, as Authorization: Bearer TOKEN."
_HTTP_PORT = 80
_SAFE = {"GET", "HEAD"}
_CONTENT_POLICY = (
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
    "object-src 'none'"
)
_HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": _CONTENT_POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    # To other sites none; to ourselves it must stay, or browsers blank the Origin that is checked.
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


class Place(Struct, frozen=True):
    """Where a server listens: an address and a port."""

    host: str
    port: int

    @property
    def url(self) -> str:
        """The address for a browser on this machine, without a slash at its end."""
        host = "127.0.0.1" if self.host == "0.0.0.0" else "::1" if self.host == "::" else self.host
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"

    @property
    def warning(self) -> str | None:
        """What it means to listen here, in a sentence; None on loopback, where nobody else comes.

        `url` of a server on every address is the one of this machine alone, and this says so.
        """
        if _is_loopback(self.host):
            return None
        if ipaddress.ip_address(self.host).is_unspecified:
            where = f"on every address of this machine, port {self.port}, not only the one shown"
        else:
            where = f"on {self.host}, port {self.port}"
        return (
            f"Listening {where}: whoever can reach it and has what is printed here can act for "
            "you, and all of it goes over the network unencrypted."
        )

    def is_ours(self, authority: str) -> bool:
        """Whether a Host or the authority of an Origin means this server.

        A server that listens on every address takes any address for its own, and of names only the
        machine's: a name can be made to resolve to anything, an address cannot.
        """
        host, port = _split(authority.lower())
        if port != self.port:
            return False
        if _is_loopback(self.host):
            return host in {"127.0.0.1", "localhost", "::1", self.host}
        if ipaddress.ip_address(self.host).is_unspecified:
            return host in {"localhost", socket.gethostname().lower()} or _is_address(host)
        return host == self.host


def new_token() -> str:
    """A secret of 256 random bits that can stand in an address."""
    return secrets.token_urlsafe(32)


def listening(host: str, port: int, *, outside: bool = False) -> tuple[socket.socket, Place]:
    """Listen on an address of this machine; port 0 takes a free one.

    Raises `InputError` where the address is not loopback's and `outside` does not allow it, is none
    of this machine's, or where the port is taken.
    """
    address = "127.0.0.1" if host == "localhost" else host.strip("[]").lower()
    if not 0 <= port <= 65535:
        raise InputError(f"--port {port} is no port; give 1 to 65535, or 0 for a free one.")
    if not _is_address(address):
        raise InputError(f"--host {host!r} is no address; give one such as 127.0.0.1.")
    if not _is_loopback(address) and not outside:
        raise InputError(
            f"--host {host} lets other machines in: whoever has the printed address can act for "
            "you, and everything, that address too, goes over the network unencrypted. If you want "
            f"that, add {OUTSIDE}; else leave --host away and come through `ssh -L`."
        )
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((address, port))
        listener.listen(128)
    except OSError as problem:
        listener.close()
        if problem.errno == errno.EADDRINUSE:
            raise InputError(
                f"Port {port} of {address} is taken by another program; give another --port, or "
                "none for a free one."
            ) from None
        raise InputError(f"Cannot listen on {address}, port {port}: {problem.strerror}.") from None
    return listener, Place(address, listener.getsockname()[1])


class Guard:
    """The middleware. What it lets through reaches `app`; to all else it answers itself.

    `cookie` is the name of the cookie that a browser is given for the token, None where only
    programs come, which send ``Authorization: Bearer TOKEN``. Every answer gets headers that keep
    it out of caches, frames and other sites' hands, and a content policy unless it has one.
    """

    def __init__(self, app: App, place: Place, token: str, *, cookie: str | None = None) -> None:
        self._app, self._place, self._token, self._cookie = app, place, token, cookie
        self._secret = new_token()
        self._once: set[str] = set()

    def entry_once(self) -> str:
        """A path that lets a browser in once: for a command line, which others may see."""
        token = new_token()
        self._once.add(token)
        return ENTRY + token

    async def __call__(self, scope: _Message, receive: _Receive, send: _Send) -> None:
        """Answer one request, or let the application do it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # nothing here speaks anything else; the server then closes the connection
        headers = _Headers(scope)
        send = _with_headers(send)
        refused = self._refused(scope, headers)
        if refused is not None:
            await _answer(send, *refused)
            return
        path: str = scope["path"]
        if self._cookie is not None and path.startswith(ENTRY):
            await self._enter(path.removeprefix(ENTRY), scope["method"], send)
            return
        bearer = self._bears(headers)
        if not bearer and not self._has_cookie(headers):
            await _answer(send, 401, _NO_TOKEN if self._cookie is None else _NO_COOKIE)
            return
        if scope["method"] not in _SAFE and not bearer and not _says_same_origin(headers):
            await _answer(send, 403, "This request does not say that it comes from this page.")
            return
        await self._app(scope, receive, send)

    def _refused(self, scope: _Message, headers: _Headers) -> tuple[int, str] | None:
        """Why a request is not for us, whoever sends it."""
        host = headers.only("host")
        if host is None or not self._place.is_ours(host):
            return 421, "This server does not go by that name."
        origin = headers.only("origin")
        if headers.has("origin") and (origin is None or origin.lower() != f"http://{host.lower()}"):
            return 403, "Requests from other sites are refused."
        # The way in may be a link on another page, such as a terminal in the browser.
        enters = scope["method"] in _SAFE and scope["path"].startswith(ENTRY)
        site = headers.only("sec-fetch-site")
        if headers.has("sec-fetch-site") and site not in ("same-origin", "none") and not enters:
            return 403, "Requests from other sites are refused."
        return None

    def _bears(self, headers: _Headers) -> bool:
        kind, _, token = (headers.only("authorization") or "").partition(" ")
        return kind.lower() == "bearer" and _same(token.strip(), self._token)

    def _has_cookie(self, headers: _Headers) -> bool:
        if self._cookie is None:
            return False
        pairs = (
            pair.strip().partition("=")
            for each in headers.all("cookie")
            for pair in each.split(";")
        )
        return any(name == self._cookie and _same(value, self._secret) for name, _, value in pairs)

    async def _enter(self, token: str, method: str, send: _Send) -> None:
        if method != "GET":
            await _answer(send, 405, "This address is only for looking.")
            return
        if token in self._once:
            self._once.discard(token)
        elif not _same(token, self._token):
            await _answer(send, 401, "This address is not, or no longer, the one that opens it.")
            return
        # A page and not a redirect: on a redirect from another site's link the browser would keep
        # the new cookie back.
        cookie = f"{self._cookie}={self._secret}; Path=/; HttpOnly; SameSite=Strict"
        page = (
            '<!doctype html><html lang="en"><meta charset="utf-8"><title>Ringback</title>'
            '<meta http-equiv="refresh" content="0;url=/"><p><a href="/">Go on</a></p></html>'
        )
        extra = {"set-cookie": cookie, "referrer-policy": "no-referrer"}
        await _answer(send, 200, page, kind="text/html; charset=utf-8", extra=extra)


class _Headers:
    """A request's headers as text."""

    def __init__(self, scope: _Message) -> None:
        raw: list[tuple[bytes, bytes]] = scope["headers"]
        self._pairs = [
            (name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in raw
        ]

    def all(self, name: str) -> list[str]:
        return [value for each, value in self._pairs if each == name]

    def has(self, name: str) -> bool:
        return bool(self.all(name))

    def only(self, name: str) -> str | None:
        """The header's value if it is there exactly once."""
        found = self.all(name)
        return found[0] if len(found) == 1 else None


def _says_same_origin(headers: _Headers) -> bool:
    """Whether a browser says that our own page asks. That it lies was refused before."""
    return headers.has("origin") or headers.only("sec-fetch-site") == "same-origin"


def _with_headers(send: _Send) -> _Send:
    async def sending(message: _Message) -> None:
        if message["type"] == "http.response.start":
            there: list[tuple[bytes, bytes]] = list(message.get("headers", []))
            named = {name.lower() for name, _ in there}
            there += [
                (name.encode(), value.encode())
                for name, value in _HEADERS.items()
                if name.encode() not in named
            ]
            message["headers"] = there
        await send(message)

    return sending


async def _answer(
    send: _Send,
    status: int,
    words: str,
    *,
    kind: str = "text/plain; charset=utf-8",
    extra: dict[str, str] | None = None,
) -> None:
    body = words.encode()
    headers = {"content-type": kind, "content-length": str(len(body)), **(extra or {})}
    if status == 401:
        headers["www-authenticate"] = "Bearer"
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": body})


def _same(given: str, secret: str) -> bool:
    return secrets.compare_digest(given.encode(), secret.encode())


def _split(authority: str) -> tuple[str, int | None]:
    """The host, an IPv6 address without its brackets, and the port; None where it is none."""
    host, colon, port = authority.rpartition(":")
    if not colon or authority.endswith("]"):
        host, port = authority, str(_HTTP_PORT)
    number = int(port) if port.isascii() and port.isdigit() and len(port) <= 5 else None
    return host.removeprefix("[").removesuffix("]"), number


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _is_loopback(host: str) -> bool:
    return _is_address(host) and ipaddress.ip_address(host).is_loopback
