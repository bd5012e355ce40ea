"""``ringback mcp``: an operated episode for a coding agent, over the Model Context Protocol."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from ringback.cli.operate_options import Guard, User
from ringback.cli.options import (
    AsJson,
    DomainName,
    ModelsFile,
    MostErrors,
    MostSteps,
    PolicyVariant,
    StorePath,
    UserSetting,
    Whole,
)

if TYPE_CHECKING:
    from ringback.web.mcp.door import Door
    from ringback.web.mcp.host import Host

__all__ = ["mcp"]

_PORT = 8719
_TOKEN = "RINGBACK_MCP_TOKEN"
_PATIENCE = 2.0  # seconds a call waits for another process's lock; all clients wait meanwhile
_LEAST = 32  # characters of a token that is brought along
_STOPPED = (
    "Stopped; what was said and done is recorded, and an open episode goes on when a client looks "
    "at it the next time."
)


def mcp(
    *,
    http: Annotated[
        bool,
        Parameter(
            help="Serve over HTTP, for clients that come and go; without it, the one client that "
            "started this, over stdin and stdout.",
            show_default=False,
        ),
    ] = False,
    port: Annotated[
        Whole | None,
        Parameter(
            help=f"With --http: the port, {_PORT} if left out; 0 takes a free one.", metavar="N"
        ),
    ] = None,
    host: Annotated[
        str, Parameter(help="With --http: the address of this machine to listen on.", metavar="IP")
    ] = "127.0.0.1",
    others: Annotated[
        bool,
        Parameter(
            name="--i-know-others-can-reach-it",
            help="Allow an address that other machines reach: all that is said, and the token, "
            "then go over the network unencrypted.",
            show_default=False,
        ),
    ] = False,
    case: Annotated[
        tuple[str, ...],
        Parameter(
            help="The case that is played, by its number (17, base:17) or a task's id; several "
            "times for several. The client then chooses nothing.",
            show_default=False,
            metavar="CASE",
        ),
    ] = (),
    tasks: Annotated[
        str | None,
        Parameter(
            help="The split of which the client takes the next case, or any by its number; the "
            "domain's first one if left out.",
            metavar="SPLIT",
        ),
    ] = None,
    seed: Annotated[
        Whole, Parameter(help="What the customer's draws start from.", metavar="N")
    ] = 0,
    trial: Annotated[
        Whole,
        Parameter(
            help="Which call of a case this is, from 0; an operator plays each once.", metavar="N"
        ),
    ] = 0,
    user: User = "rules",
    user_setting: UserSetting = (),
    guard: Guard = None,
    as_: Annotated[
        str,
        Parameter(
            name="--as",
            help="The operator's name in the record; a client reaches the episodes of this name.",
            metavar="NAME",
        ),
    ] = "operator",
    policy: PolicyVariant = None,
    steps: MostSteps = 100,
    errors: MostErrors = 10,
    seconds: Annotated[
        float,
        Parameter(
            help="Active time of the customer's model to an episode; what an operator takes to "
            "think is in no limit.",
            metavar="SECONDS",
        ),
    ] = 1200.0,
    models: ModelsFile = None,
    budget: Annotated[
        float | None,
        Parameter(
            help="Ask the customer's model no more before this server costs more.", metavar="USD"
        ),
    ] = None,
    domain: DomainName = "telecom",
    store: StorePath = None,
    json: AsJson = False,
) -> int:
    """Let a coding agent answer simulated customers, over the Model Context Protocol."""
    from ringback.cli import playing
    from ringback.cli.described import described
    from ringback.cli.options import store_path
    from ringback.cli.serving import make_sure, note_key, until_stopped
    from ringback.cli.settings import user_settings
    from ringback.episode.events import Limits
    from ringback.operating import Desk
    from ringback.sessions import Store

    _refuse_without_sdk()
    _refuse_unused(http=http, port=port, host=host, others=others, json=json)
    from ringback.web.mcp.door import Door
    from ringback.web.mcp.host import Host
    from ringback.web.mcp.running import over_stdio

    terms = Host(
        domain=domain,
        cases=case,
        split=tasks,
        seed=seed,
        trial=trial,
        user=user,
        user_settings=user_settings(user_setting, guard),
        called=as_.strip(),
        policy=policy,
        limits=Limits(steps, errors, seconds),
    )
    terms.check()
    opened = playing.models(None if models is None else described(models), budget)
    with Store.open(store_path(store), paid=True, patience=_PATIENCE) as kept:
        make_sure(user, terms.user_settings, kept, opened)
        door = Door(
            Desk(kept, opened.open, door="mcp", ready=opened.ready),
            terms,
            key_refused=lambda problem: note_key(user, problem, kept),
        )
        if http:
            work = _over_http(door, terms, (host, port, others), json=json)
        else:
            work = over_stdio(door, terms, kept.hurry)
        return until_stopped(work, kept, opened, _STOPPED)


def _over_http(
    door: Door, terms: Host, at: tuple[str, int | None, bool], *, json: bool
) -> Coroutine[None, None, None]:
    """What serves over HTTP, with its address and token printed."""
    import os
    import sys

    from ringback.cli.output import complain, print_json, print_lines
    from ringback.web.guard import listening, new_token
    from ringback.web.mcp.running import PATH, over_http

    host, port, others = at
    brought = _brought(os.environ.get(_TOKEN))
    token = brought or new_token()
    listener, place = listening(host, _PORT if port is None else port, outside=others)
    url = place.url + PATH
    if place.warning is not None:
        complain(place.warning)
    if json:
        print_json({"url": url, "token": token})
    else:
        shown = f"(what {_TOKEN} says)" if brought else token
        print_lines([f"MCP over HTTP at {url}", f"Authorization: Bearer {shown}"])
    sys.stdout.flush()
    return over_http(door, terms, listener, place, token)


def _brought(token: str | None) -> str | None:
    """A token that the environment brings, so that it can stay in a client's configuration."""
    from ringback.errors import InputError

    if token is None:
        return None
    if len(token) < _LEAST or not token.isascii() or not token.isprintable() or " " in token:
        raise InputError(
            f"{_TOKEN} is no token: it takes {_LEAST} or more letters, digits and signs without "
            "a space, and ones that nobody can guess."
        )
    return token


def _refuse_unused(*, http: bool, port: int | None, host: str, others: bool, json: bool) -> None:
    from ringback.errors import InputError

    if http:
        return
    given = {
        "--port": port is not None,
        "--host": host != "127.0.0.1",
        "--i-know-others-can-reach-it": others,
        "--json": json,
    }
    if used := next((name for name, there in given.items() if there), None):
        raise InputError(f"{used} goes with --http; over stdin and stdout there is nothing to it.")


def _refuse_without_sdk() -> None:
    from importlib.util import find_spec

    from ringback.errors import InputError

    if find_spec("mcp") is None:
        raise InputError(
            "`ringback mcp` needs the SDK of the Model Context Protocol; install it with: "
            "pip install 'ringback[mcp]'"
        )
