"""What lies behind an error of a client library, in words that say what to look at.

Libraries wrap what they catch, and the outermost says "Connection error."; that a certificate is
not trusted or a port closed stands in the cause of its cause.
"""

from __future__ import annotations

import os
import ssl
from collections.abc import Iterator, Mapping
from typing import Any, cast

import httpx2
import pydantic_core
from pydantic_ai import exceptions as theirs

__all__ = ["causes", "error_in", "no_header", "refuses_tls", "words"]

_DEPTH = 20
_NO_TLS = ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "UNKNOWN_PROTOCOL")


def causes(problem: BaseException | None) -> Iterator[BaseException]:
    """The error and what it was raised from, outermost first; of a group the first."""
    for _ in range(_DEPTH):
        if problem is None:
            return
        yield problem
        if isinstance(problem, BaseExceptionGroup):
            problem = cast("BaseException", problem.exceptions[0])
        else:
            problem = problem.__cause__ or problem.__context__


def no_header(problem: BaseException) -> bool:
    """Whether nothing was sent because a header would have held what none can."""
    return any(
        isinstance(cause, httpx2.LocalProtocolError)
        or (isinstance(cause, UnicodeEncodeError) and cause.encoding in ("ascii", "latin-1"))
        for cause in causes(problem)
    )


def refuses_tls(problem: BaseException) -> bool:
    """Whether it is the address that has to be put right: no trusted certificate, or no TLS."""
    return any(
        isinstance(cause, ssl.SSLCertVerificationError)
        or (isinstance(cause, ssl.SSLError) and cause.reason in _NO_TLS)
        for cause in causes(problem)
    )


def words(problem: BaseException) -> str:
    """The error in one line: the provider's own sentence, or what broke and where.

    Hostile text and keys may stand in it, so it is for a `Redactor`.
    """
    if isinstance(problem, theirs.ModelHTTPError):
        code = f", {problem.provider_error_code}" if problem.provider_error_code else ""
        # Found in a reply whose status said success, its status is the library's guess.
        status = "an error as its reply" if problem.in_stream else f"HTTP {problem.status_code}"
        return f"{status}{code}: {error_in(problem.body) or 'no reason given'}"
    chain = list(causes(problem))
    for cause in chain:
        if isinstance(cause, pydantic_core.ValidationError):
            return f"It is no chat completion: {_unfit(cause)}"
    for cause in chain:
        if isinstance(cause, httpx2.RequestError):
            return _broke(cause, chain)
    return f"{type(problem).__name__}: {problem}" if str(problem) else type(problem).__name__


def error_in(body: object) -> str | None:
    """What a body says went wrong, in the shapes that servers give it; None where it does not."""
    for _ in range(3):
        if not isinstance(body, Mapping):
            break
        said = cast("Mapping[str, object]", body)
        body = next((said[name] for name in ("error", "message", "detail") if said.get(name)), None)
    return None if body in (None, "", {}, []) else str(body)


def _unfit(problem: pydantic_core.ValidationError) -> str:
    """The provider's error where the reply holds one, else the first thing that is not right."""
    first = problem.errors(include_url=False)[0]
    for error in problem.errors(include_url=False):
        given: Any = error["input"]
        if isinstance(given, Mapping) and (said := error_in(cast("Any", given).get("error"))):
            return said
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"


def _broke(problem: httpx2.RequestError, chain: list[BaseException]) -> str:
    where = _address(problem)
    match problem:
        case httpx2.LocalProtocolError():
            # What the header would have held may be the key.
            return "a header would hold what no header can, such as a line break"
        case httpx2.TimeoutException():
            what = f"{where} was not reached in time" if _before(problem) else f"{where} is silent"
        case httpx2.DecodingError():
            what = f"the reply of {where} cannot be read"
        case _ if _before(problem):
            what = f"cannot connect to {where}"
        case _:
            what = f"the connection to {where} broke"
    why = next((said for cause in reversed(chain) if (said := _reason(cause))), "")
    return f"{what}: {why}" if why else what


def _before(problem: httpx2.RequestError) -> bool:
    return isinstance(problem, httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.PoolTimeout)


def _address(problem: httpx2.RequestError) -> str:
    try:
        url = problem.request.url
    except RuntimeError:
        return "the server"
    return f"{url.host}:{url.port}" if url.port else url.host


def _reason(cause: BaseException) -> str:
    match cause:
        case ssl.SSLCertVerificationError():
            return f"certificate verify failed: {cause.verify_message}"
        case ssl.SSLError():
            return (cause.reason or str(cause)).replace("_", " ").lower()
        case OSError() if cause.errno is not None and cause.errno > 0:
            return os.strerror(cause.errno)
        case OSError() if cause.errno is not None:  # a name that is not known has a negative one
            return cause.strerror or str(cause)
        case StopIteration():
            return ""
        case _:
            return str(cause)
