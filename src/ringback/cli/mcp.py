"""``ringback mcp``: an operated episode for a coding agent, over the Model Context Protocol."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from ringback.cli.options import AsJson, DomainName, ModelsFile, StorePath, Whole

if TYPE_CHECKING:
    from ringback.models import CredentialError, Models
    from ringback.operating import Desk
    from ringback.sessions import Store
    from ringback.web.mcp.door import Door
    from ringback.web.mcp.host import Host

__all__ = ["mcp"]

_PORT = 8719
_TOKEN = "RINGBACK_MCP_TOKEN"
_LEAST = 32  # characters of a token that is brought along


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
        Parameter(help=f"With --http: the port, {_PORT} if left out; 0 takes a free one."),
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
        Whole | None,
        Parameter(
            help="What the customer's draws start from, so that the client cannot say it.",
            metavar="N",
        ),
    ] = None,
    trial: Annotated[
        Whole | None,
        Parameter(
            help="Which play of a case this is, from 0, so that the client cannot say it.",
            metavar="N",
        ),
    ] = None,
    user: Annotated[str, Parameter(help="Who calls: rules, or a model.", metavar="NAME")] = "rules",
    user_setting: Annotated[
        tuple[str, ...],
        Parameter(
            help="A setting of the customer; may be given several times.",
            metavar="KEY=VALUE",
            show_default=False,
        ),
    ] = (),
    guard: Annotated[
        str | None,
        Parameter(
            help="What to do when a model stops being a customer: off, record or correct.",
            metavar="HOW",
        ),
    ] = None,
    as_: Annotated[
        str,
        Parameter(
            name="--as",
            help="The operator's name in the record; a client reaches the episodes of this name.",
            metavar="NAME",
        ),
    ] = "operator",
    policy: Annotated[
        str | None,
        Parameter(
            help="Which wording of the policy (telecom has workflow and manual); the first if "
            "left out.",
            metavar="NAME",
        ),
    ] = None,
    steps: Annotated[
        Whole, Parameter(help="Turns and batches of results to an episode.", metavar="N")
    ] = 100,
    errors: Annotated[Whole, Parameter(help="Tool errors to an episode.", metavar="N")] = 10,
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
    from ringback.cli.settings import user_settings
    from ringback.episode.events import Limits
    from ringback.operating import Desk
    from ringback.sessions import Store

    _refuse_without_sdk()
    _refuse_unused(http=http, port=port, host=host, others=others, json=json)
    from ringback.web.mcp.host import Host

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
    with Store.open(store_path(store), paid=True) as kept:
        desk = Desk(kept, opened.open, door="mcp", ready=opened.ready)
        _make_sure(terms, kept, opened)
        if http:
            return _over_http(desk, terms, kept, opened, (host, port, others), json=json)
        return _over_stdio(desk, terms, kept, opened)


def _over_stdio(desk: Desk, terms: Host, kept: Store, opened: Models) -> int:
    from ringback.web.mcp.running import over_stdio

    return _until_stopped(over_stdio(_door(desk, terms, kept), terms), kept, opened)


def _over_http(
    desk: Desk,
    terms: Host,
    kept: Store,
    opened: Models,
    at: tuple[str, int | None, bool],
    *,
    json: bool,
) -> int:
    import os
    import sys

    from ringback.cli.output import print_json, print_lines
    from ringback.web.guard import listening, new_token
    from ringback.web.mcp.running import PATH, over_http

    host, port, others = at
    brought = _brought(os.environ.get(_TOKEN))
    token = brought or new_token()
    listener, place = listening(host, _PORT if port is None else port, outside=others)
    url = place.url + PATH
    if json:
        print_json({"url": url, "token": token})
    else:
        shown = f"(what {_TOKEN} says)" if brought else token
        print_lines([f"MCP over HTTP at {url}", f"Authorization: Bearer {shown}"])
    sys.stdout.flush()
    work = over_http(_door(desk, terms, kept), terms, listener, place, token)
    return _until_stopped(work, kept, opened)


def _door(desk: Desk, terms: Host, kept: Store) -> Door:
    from ringback.web.mcp.door import Door

    return Door(desk, terms, key_refused=lambda problem: _note(terms.user, problem, kept))


def _make_sure(terms: Host, kept: Store, opened: Models) -> None:
    """Whether the customer can be asked at all, before a client comes."""
    from ringback.models import CredentialError
    from ringback.study.plan import planned_user

    try:
        planned_user(terms.user, terms.user_settings, opened.open)
        opened.ready()
    except CredentialError as problem:
        _note(terms.user, problem, kept)
        raise


def _note(model: str, problem: CredentialError, kept: Store) -> None:
    from ringback.cli.credentials import probe_of

    kept.note_probe(probe_of(model, problem))


def _until_stopped(work: Coroutine[None, None, None], kept: Store, opened: Models) -> int:
    """Serve until the client has gone, or until Ctrl-C or SIGTERM, which is how a server ends."""
    import gc
    import signal

    from ringback.stopping import stoppable

    asked: list[int] = []

    def ask(number: int, _: object) -> None:
        asked.append(number)
        signal.raise_signal(signal.SIGINT)

    async def whole() -> None:
        try:
            await work
        finally:
            await opened.close()

    before = signal.signal(signal.SIGTERM, ask)
    try:
        stoppable(whole(), gently=None, hurry=kept.hurry, waiting=None)
    except KeyboardInterrupt:
        if asked:
            return 0
        raise KeyboardInterrupt(
            "Stopped; what was said and done is recorded, and an open episode goes on when a "
            "client looks at it the next time."
        ) from None
    finally:
        signal.signal(signal.SIGTERM, before)
        # The interpreter looks through all that the libraries left before it ends, which takes a
        # second and brings nothing back.
        gc.freeze()
    return 0


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
